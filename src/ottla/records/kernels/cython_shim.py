"""What a kernel needs of the `cython` module when it runs interpreted and Cython is not installed.

Decorators do nothing, types are themselves, `with nogil` does not let go of anything. The kernels use no name that is
not here; annotations are never evaluated (`from __future__ import annotations`), so only the types in `declare`
count.
"""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., object])
K = TypeVar("K", bound=type)

compiled = False

Py_ssize_t = uint = longlong = ulonglong = bint = int


class _Nogil:
    """Both `@nogil` and `with nogil:`."""

    def __call__(self, function: F) -> F:
        return function

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


nogil: _Nogil = _Nogil()


def cfunc(function: F) -> F:
    return function


inline = cfunc


def _directive(*_args: object, **_options: object) -> Callable[[F], F]:
    return cfunc


boundscheck = wraparound = exceptval = _directive


def cclass(kind: K) -> K:
    return kind


def declare(_type: object, value: Any = None, **_options: object) -> Any:
    """A typed module constant, or a field of a class; here only its value."""
    return value
