"""The LZ4 frame header of message format v0, whose checksum is taken over the wrong bytes.

    OFFSET  SIZE  FIELD
    0       4     magic            04 22 4d 18
    4       1     FLG              bit 3: a content size follows BD; bit 0: a dictionary id follows that
    5       1     BD
    6       0/8   content size
            0/4   dictionary id
            1     HC               second byte of xxHash32 of FLG up to here

Kafka's clients before 0.10 hashed from the magic on. Their frames are mended before they are decompressed, and frames
for such a reader get the checksum that it expects. Format v1 has it right; its frames are mended too, which changes
nothing.
"""

from ottla.errors.kafka import InvalidRecordError
from ottla.records.batch import Buffer

FRAME_MAGIC = b"\x04\x22\x4d\x18"
FLG_POSITION = 4
DESCRIPTOR_SIZE_MIN = 2
CONTENT_SIZE_FLAG = 0x08
DICTIONARY_ID_FLAG = 0x01

_PRIME_1, _PRIME_2, _PRIME_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
_PRIME_4, _PRIME_5 = 0x27D4EB2F, 0x165667B1
_UINT32_MAX = 0xFFFFFFFF


def mend_header(frame: Buffer) -> bytes:
    """The frame with the checksum that the LZ4 format asks for."""
    return _with_checksum(frame, FLG_POSITION)


def break_header(frame: Buffer) -> bytes:
    """The frame with the checksum that a reader of format v0 expects."""
    return _with_checksum(frame, 0)


def _with_checksum(frame: Buffer, hashed_from: int) -> bytes:
    mended = bytearray(frame)
    position = _checksum_position(mended)
    mended[position] = (xxhash32_short(bytes(mended[hashed_from:position])) >> 8) & 0xFF
    return bytes(mended)


def _checksum_position(frame: bytearray) -> int:
    if len(frame) <= FLG_POSITION + DESCRIPTOR_SIZE_MIN or frame[:4] != FRAME_MAGIC:
        raise InvalidRecordError("lz4 section is no LZ4 frame")
    flags = frame[FLG_POSITION]
    position = FLG_POSITION + DESCRIPTOR_SIZE_MIN
    position += 8 if flags & CONTENT_SIZE_FLAG else 0
    position += 4 if flags & DICTIONARY_ID_FLAG else 0
    if position >= len(frame):
        raise InvalidRecordError("lz4 section ends within its header")
    return position


def xxhash32_short(data: bytes) -> int:
    """xxHash32 with seed 0 of less than 16 bytes, which is all that a frame header has."""
    assert len(data) < 16
    h = _PRIME_5 + len(data)
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        h += int.from_bytes(data[start : start + 4], "little") * _PRIME_3
        h = _rotated(h, 17) * _PRIME_4
    for byte in data[whole:]:
        h = _rotated(h + byte * _PRIME_5, 11) * _PRIME_1
    h &= _UINT32_MAX
    h = ((h ^ (h >> 15)) * _PRIME_2) & _UINT32_MAX
    h = ((h ^ (h >> 13)) * _PRIME_3) & _UINT32_MAX
    return h ^ (h >> 16)


def _rotated(value: int, bits: int) -> int:
    value &= _UINT32_MAX
    return ((value << bits) | (value >> (32 - bits))) & _UINT32_MAX
