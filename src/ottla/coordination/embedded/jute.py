"""ZooKeeper's wire types (jute): big-endian numbers, strings and buffers with a length before them, vectors.

boolean   1 byte, 0 or 1
int       4 bytes, signed
long      8 bytes, signed
buffer    int length, then the bytes; length -1 means null
ustring   the same with UTF-8 text; null is read as "", since clients send the one for the other
vector    int count, then the elements; count -1 means null
"""

import struct
from collections.abc import Callable, Iterable
from typing import TypeVar

from ottla.coordination.acl import OPEN_ACL, Acl, AclList, Id
from ottla.errors import DecodeError

Element = TypeVar("Element")

_INT = struct.Struct(">i")
_LONG = struct.Struct(">q")
_NULL = _INT.pack(-1)

encode_int = _INT.pack
encode_long = _LONG.pack


class Reader:
    """Reads one frame from front to back. Bytes that are no frame raise DecodeError and nothing else."""

    __slots__ = ("_buffer", "_position")

    def __init__(self, buffer: bytes, position: int = 0) -> None:
        self._buffer = buffer
        self._position = position

    @property
    def remaining(self) -> int:
        return len(self._buffer) - self._position

    def take(self, count: int) -> bytes:
        start = self._position
        if count < 0 or count > self.remaining:
            raise DecodeError(f"{count} bytes wanted, {self.remaining} are left")
        self._position = start + count
        return self._buffer[start : self._position]

    def integer(self) -> int:
        return self._number(_INT)

    def long(self) -> int:
        return self._number(_LONG)

    def _number(self, form: struct.Struct) -> int:
        try:
            value: int = form.unpack_from(self._buffer, self._position)[0]
        except struct.error:
            raise DecodeError(f"a number of {form.size} bytes wanted, {self.remaining} are left") from None
        self._position += form.size
        return value

    def boolean(self) -> bool:
        return self.take(1) != b"\0"

    def buffer(self) -> bytes | None:
        length = self.integer()
        return None if length == -1 else self.take(length)

    def string(self) -> str:
        try:
            return (self.buffer() or b"").decode()
        except UnicodeDecodeError as error:
            raise DecodeError("a string that is not UTF-8") from error

    def vector(self, read: Callable[[], Element]) -> list[Element]:
        count = self.integer()
        if count > self.remaining:  # every element takes a byte at least: no memory for what cannot be there
            raise DecodeError(f"{count} elements in {self.remaining} bytes")
        return [read() for _ in range(count)]

    def strings(self) -> list[str]:
        return self.vector(self.string)

    def acl(self) -> AclList:
        if self._buffer.startswith(_OPEN_ACL, self._position):  # nearly always
            self._position += len(_OPEN_ACL)
            return OPEN_ACL
        return tuple(self.vector(lambda: Acl(self.integer(), Id(self.string(), self.string()))))


def encode_boolean(value: bool) -> bytes:
    return b"\1" if value else b"\0"


def encode_buffer(value: bytes | None) -> bytes:
    return _NULL if value is None else _INT.pack(len(value)) + value


def encode_string(value: str) -> bytes:
    return encode_buffer(value.encode())


def encode_strings(values: Iterable[str]) -> bytes:
    encoded = [encode_string(value) for value in values]
    return _INT.pack(len(encoded)) + b"".join(encoded)


def encode_acl(acl: Iterable[Acl]) -> bytes:
    entries = [
        _INT.pack(permissions) + encode_string(identity.scheme) + encode_string(identity.id)
        for permissions, identity in acl
    ]
    return _INT.pack(len(entries)) + b"".join(entries)


_OPEN_ACL = encode_acl(OPEN_ACL)
