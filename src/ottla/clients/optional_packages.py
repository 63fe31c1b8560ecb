"""Packages that only some calls need: without one the error says how to get it."""

from collections.abc import Iterator
from contextlib import contextmanager

from ottla.errors.tree import OperatorError

# The extra of Ottla that brings a package.
_EXTRAS = {"pyarrow": "arrow"}


class MissingPackageError(OperatorError, ModuleNotFoundError):
    """A package is not installed that a call needs."""


@contextmanager
def needed_by(what: str) -> Iterator[None]:
    """Around the imports of what `what` needs."""
    try:
        yield
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            raise
        raise MissingPackageError(f"{what} needs {error.name}: pip install 'ottla[{extra}]'") from None
