"""A progress bar on long work: on standard error, and only where that is a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Progress(Protocol):
    def update(self, n_steps: int) -> None: ...


class NoProgress:
    """Where standard error is no terminal."""

    def update(self, n_steps: int) -> None:
        pass


@contextmanager
def progress(length: int | None, label: str) -> Iterator[Progress]:
    """A bar of this length. There is none where the length is not known or 0."""
    if not length or not sys.stderr.isatty():
        yield NoProgress()
        return
    import click

    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar
