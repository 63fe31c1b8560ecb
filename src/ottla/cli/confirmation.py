"""A question before what cannot be undone: asked on a terminal, not in a script."""

import sys

import click


def confirm(question: str, yes: bool) -> None:
    """Raises click.Abort when a person says no."""
    if not yes and sys.stdin.isatty() and sys.stderr.isatty():
        click.confirm(question, abort=True, err=True)
