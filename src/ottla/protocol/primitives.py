"""Functions that compiled readers and writers call for the parts that are not worth inlining.

An unsigned varint is LEB128: seven bits a byte, lowest first, the high bit says that more follow; lengths and tags
have at most 32 bits, so five bytes. A tag section is

    COUNT uvarint, then COUNT times: TAG uvarint, SIZE uvarint, SIZE bytes        tags ascending

The compiled code reads the first byte of a varint itself (it is nearly always the only one) and comes here for more.
"""

from __future__ import annotations

from typing import Any, NoReturn
from uuid import UUID, SafeUUID

from ottla.errors import DecodeError

UUID_CACHE_ENTRIES_MAX = 10_000


def read_uvarint(buffer: memoryview, position: int) -> tuple[int, int]:
    first = buffer[position]
    if first < 0x80:
        return first, position + 1
    return finish_uvarint(buffer, position + 1, first)


def finish_uvarint(buffer: memoryview, position: int, first: int) -> tuple[int, int]:
    """The rest of a varint whose first byte, already read, says that more follow."""
    value = first & 0x7F
    for shift in (7, 14, 21, 28):
        byte = buffer[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
    raise DecodeError("a varint has more than five bytes")


def write_uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_tag(buffer: memoryview, position: int, size: int, previous_tag: int) -> tuple[int, int, int]:
    """A tag, where its data begins and where it ends."""
    tag, position = read_uvarint(buffer, position)
    length, position = read_uvarint(buffer, position)
    if tag <= previous_tag:
        raise DecodeError(f"tag {tag} comes after tag {previous_tag}")
    if length > size - position:
        raise DecodeError(f"tag {tag} has {length} bytes, {size - position} are left")
    return tag, position, position + length


def skip_tags(buffer: memoryview, position: int, size: int, first: int) -> int:
    """Steps over a section of tags that this version does not know; `first` is the first byte of its count."""
    count = first
    if first > 0x7F:
        count, position = finish_uvarint(buffer, position, first)
    tag = -1
    for _ in range(count):
        tag, _, position = read_tag(buffer, position, size, tag)
    return position


def refuse_length(name: str, length: int) -> NoReturn:
    raise DecodeError(f"{name} is null" if length == -1 else f"{name} has length {length}")


def refuse_overrun(name: str, length: int, left: int) -> NoReturn:
    raise DecodeError(f"{name} has length {length}, but only {left} bytes are left")


def refuse_elements(count_max: int) -> NoReturn:
    raise DecodeError(f"more than {count_max} elements in one request: ask for them in several")


def refuse_tag(name: str, excess: int) -> NoReturn:
    raise DecodeError(f"{name} is {abs(excess)} bytes {'longer' if excess > 0 else 'shorter'} than its tag says")


class UuidCache(dict[bytes, UUID]):
    """Topic ids by their 16 bytes: the same few come in every request, and making a UUID costs more than a look-up."""

    def __missing__(self, raw: bytes) -> UUID:
        if len(self) >= UUID_CACHE_ENTRIES_MAX:
            self.clear()
        value = object.__new__(UUID)
        object.__setattr__(value, "int", int.from_bytes(raw, "big"))
        object.__setattr__(value, "is_safe", SafeUUID.unknown)
        self[raw] = value
        return value


def read_uuids(buffer: memoryview, position: int, count: int) -> list[UUID]:
    if count * 16 > len(buffer) - position:
        raise DecodeError(f"{count} UUIDs do not fit")
    return [uuids[bytes(buffer[start : start + 16])] for start in range(position, position + 16 * count, 16)]


uuids: Any = UuidCache()
