"""Asks before a change that cannot be undone: on a terminal, not in a script."""

import sys

import click


def confirm(question: str, yes: bool) -> None:
    """Ends the command when a person says no."""
    if yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    if not click.confirm(question, err=True):
        click.echo("Nothing was changed.", err=True)
        sys.exit(1)
