"""How a message is declared: once, for all its versions.

    from ottla.protocol import schema as s

    class PartitionProduceData(s.Struct):
        index = s.int32()
        records = s.nullable_records()

    class ProduceRequest(s.Request, key=0, versions="0-13", flexible="9+"):
        transactional_id = s.nullable_string("3+", default=None)
        acks = s.int16()

Field order is wire order. `versions` says in which versions of the *message* a field is on the wire; in all others it
keeps its default. `nullable` says in which of those versions it may be null (all of them when not given). A field with
a `tag` travels in the tag section of its struct, and only when its value is not the default (KIP-482).

A message in memory is the same object for all versions; `codec` turns it into the bytes of one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload
from uuid import UUID

from ottla.model import ZERO_UUID
from ottla.protocol.field import EMPTY_LIST, Field
from ottla.protocol.message import Data, Request, Response, Struct, StructType

if TYPE_CHECKING:
    from ottla.disk.sendable import Sendable

__all__ = ["Data", "Request", "Response", "Struct"]

T = TypeVar("T")
S = TypeVar("S", bound=Struct)


def boolean(versions: str = "0+", *, default: bool = False, tag: int | None = None) -> Field[bool]:
    return Field("boolean", versions, default, tag)


def int8(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> Field[int]:
    return Field("int8", versions, default, tag)


def int16(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> Field[int]:
    return Field("int16", versions, default, tag)


def uint16(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> Field[int]:
    return Field("uint16", versions, default, tag)


def int32(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> Field[int]:
    return Field("int32", versions, default, tag)


def int64(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> Field[int]:
    return Field("int64", versions, default, tag)


def float64(versions: str = "0+", *, default: float = 0.0, tag: int | None = None) -> Field[float]:
    return Field("float64", versions, default, tag)


def uuid_(versions: str = "0+", *, tag: int | None = None) -> Field[UUID]:
    return Field("uuid", versions, ZERO_UUID, tag)


def string(versions: str = "0+", *, default: str = "", tag: int | None = None) -> Field[str]:
    return Field("string", versions, default, tag)


def nullable_string(
    versions: str = "0+", *, nullable: str | None = None, default: str | None = "", tag: int | None = None
) -> Field[str | None]:
    return Field("string", versions, default, tag, nullable or versions)


def bytes_(versions: str = "0+", *, tag: int | None = None) -> Field[bytes]:
    return Field("bytes", versions, b"", tag)


def nullable_bytes(
    versions: str = "0+", *, nullable: str | None = None, default: bytes | None = b"", tag: int | None = None
) -> Field[bytes | None]:
    return Field("bytes", versions, default, tag, nullable or versions)


def records(versions: str = "0+") -> Field[bytes | memoryview | Sendable]:
    """Record batches: decoded to a slice of the input without a copy, encoded from bytes or from a file."""
    return Field("records", versions, b"", None)


def nullable_records(versions: str = "0+") -> Field[bytes | memoryview | Sendable | None]:
    return Field("records", versions, None, None, versions)


def struct_(struct_class: type[S], versions: str = "0+", *, tag: int | None = None) -> Field[S]:
    return Field("struct", versions, struct_class, tag, element=struct_class)


def nullable_struct(
    struct_class: type[S], versions: str = "0+", *, nullable: str | None = None, tag: int | None = None
) -> Field[S | None]:
    """A struct that may be missing, and is unless given."""
    return Field("struct", versions, None, tag, nullable or versions, struct_class)


@overload
def array(element: type[S], versions: str = "0+", *, tag: int | None = None) -> Field[list[S]]: ...
@overload
def array(element: Callable[[], Field[T]], versions: str = "0+", *, tag: int | None = None) -> Field[list[T]]: ...
def array(element: Any, versions: str = "0+", *, tag: int | None = None) -> Field[Any]:
    """Several structs (`array(FetchTopic)`) or several values (`array(int32)`)."""
    return Field("array", versions, EMPTY_LIST, tag, element=_element(element))


@overload
def nullable_array(
    element: type[S], versions: str = "0+", *, nullable: str | None = None, default: None = ..., tag: int | None = None
) -> Field[list[S] | None]: ...
@overload
def nullable_array(
    element: Callable[[], Field[T]],
    versions: str = "0+",
    *,
    nullable: str | None = None,
    default: None = ...,
    tag: int | None = None,
) -> Field[list[T] | None]: ...
def nullable_array(
    element: Any,
    versions: str = "0+",
    *,
    nullable: str | None = None,
    default: Any = EMPTY_LIST,
    tag: int | None = None,
) -> Field[Any]:
    return Field("array", versions, default, tag, nullable or versions, _element(element))


def _element(element: Any) -> Any:
    if isinstance(element, StructType):
        return element
    field = element()
    field.name = "element"
    return field
