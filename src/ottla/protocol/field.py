"""One field of a message: its type, the versions that have it, its default.

To mypy a field is a descriptor of its value's type. At run time there are no descriptors: the metaclass in `message`
takes the `Field` objects out of the class body and leaves `__slots__`, so an attribute costs what a slot costs.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

T = TypeVar("T")
VERSION_MAX = 0x7FFF
EMPTY_LIST: Any = ()
"""The default of an array that is not null: every message gets its own new list."""

FIXED_FORMATS = {
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "int64": "q",
    "float64": "d",
    "boolean": "?",
    "uuid": "16s",
}
"""Types of one size, as the characters that `struct` gives them."""


@lru_cache(maxsize=256)
def parse_versions(text: str) -> range:
    """`"3+"`, `"0-7"`, `"2"` or `"none"` as the range of versions it names."""
    if text == "none":
        return range(0)
    first, dash, last = text.removesuffix("+").partition("-")
    if text.endswith("+"):
        return range(int(first), VERSION_MAX + 1)
    return range(int(first), int(last if dash else first) + 1)


class Field(Generic[T]):
    """One field of a struct. `element` is the class of a struct, or what an array holds (a class or a Field)."""

    __slots__ = ("default", "element", "name", "nullable", "tag", "type", "versions")

    def __init__(
        self, type_: str, versions: str, default: object, tag: int | None, nullable: str = "none", element: Any = None
    ) -> None:
        self.name = ""
        self.type = type_
        self.versions = versions
        self.default = default
        self.tag = tag
        self.nullable = nullable
        self.element = element

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type) -> Self: ...
        @overload
        def __get__(self, instance: object, owner: type) -> T: ...
        def __get__(self, instance: object | None, owner: type) -> Self | T: ...
        def __set__(self, instance: object, value: T) -> None: ...
