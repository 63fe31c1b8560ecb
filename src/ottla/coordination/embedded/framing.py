"""The outer form that transaction logs and snapshots share: a file header, then frames with checksums.

File header

    OFFSET SIZE FIELD
    0      8    magic     `OTTLAZKT` transaction log, `OTTLAZKS` snapshot
    8      4    version   1
    12     4    CRC-32C of the 12 bytes before it

Frame

    OFFSET SIZE FIELD
    0      4    length of the payload
    4      4    CRC-32C of the length's four bytes and the payload
    8      n    payload

A frame that is cut short or does not match its checksum ends the file for a reader; whoever reads decides what that
means. A length of zero is no frame, so that a tail of zeros, which some file systems leave after a power cut, is none.
"""

import struct
from collections.abc import Iterator

from ottla.records.checksum import crc32c

VERSION = 1
FILE_HEADER_SIZE = 16
FRAME_HEADER_SIZE = 8
PAYLOAD_BYTES_MAX = 1 << 28

_FILE_HEADER = struct.Struct(">8sI")
_FRAME_HEADER = struct.Struct(">II")
_UINT = struct.Struct(">I")


class UnknownFormatError(Exception):
    """A file that is whole and not ours, or written by a newer version."""


def encode_file_header(magic: bytes) -> bytes:
    fields = _FILE_HEADER.pack(magic, VERSION)
    return fields + _UINT.pack(crc32c(fields))


def has_file_header(content: bytes, magic: bytes) -> bool:
    """Whether the file begins as it must; False for one that was cut short before it had a header."""
    fields = content[: _FILE_HEADER.size]
    if len(content) < FILE_HEADER_SIZE or _UINT.unpack_from(content, _FILE_HEADER.size)[0] != crc32c(fields):
        return False
    found, version = _FILE_HEADER.unpack(fields)
    if found != magic or version != VERSION:
        raise UnknownFormatError(f"{found!r} version {version}, not {magic!r} version {VERSION}")
    return True


def encode_frame(payload: bytes) -> bytes:
    length = _UINT.pack(len(payload))
    return length + _UINT.pack(crc32c(payload, crc32c(length))) + payload


def decode_frame(content: bytes, position: int) -> bytes | None:
    """The payload of the frame that begins here, None if none does."""
    start = position + FRAME_HEADER_SIZE
    if start > len(content):
        return None
    length, checksum = _FRAME_HEADER.unpack_from(content, position)
    if not 0 < length <= PAYLOAD_BYTES_MAX or start + length > len(content):
        return None
    payload = content[start : start + length]
    if crc32c(payload, crc32c(content[position : position + 4])) != checksum:
        return None
    return payload


def iterate_frames(content: bytes, position: int = FILE_HEADER_SIZE) -> Iterator[tuple[int, bytes]]:
    """(end position, payload) of each frame up to the first that is none."""
    while (payload := decode_frame(content, position)) is not None:
        position += FRAME_HEADER_SIZE + len(payload)
        yield position, payload
