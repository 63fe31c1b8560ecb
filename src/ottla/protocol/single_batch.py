"""Finds the batch in a Produce request that has just one, which most of them do, without making a message of it.

    version 3-8    TRANSACTIONAL_ID int16 -1 | ACKS int16 | TIMEOUT int32 | int32 1 | TOPIC int16 length, bytes
                   | int32 1 | PARTITION int32 | RECORDS int32 length, bytes
    version 9-12   0 | ACKS int16 | TIMEOUT int32 | 2 | TOPIC uvarint length + 1, bytes
                   | 2 | PARTITION int32 | RECORDS uvarint length + 1, bytes | 0 0 0  (three empty tag sections)
    version 13     as 9-12, with TOPIC_ID 16 bytes in place of TOPIC

Whatever is not just so (several topics or partitions, a transactional id, tags, a frame that is too short or too long)
is not found here, and for the message's own reader to understand or to refuse.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct, error

from ottla.errors import DecodeError
from ottla.protocol.primitives import finish_uvarint

VERSIONS = range(3, 14)
FIRST_FLEXIBLE_VERSION = 9
TOPIC_ID_VERSION = 13

SingleBatch = tuple[int, str | bytes, int, memoryview]
"""Acks, topic (its id as bytes from version 13 on), partition, records: a plain tuple, one for every request."""

_PLAIN_START = Struct(">hhiih")
_PLAIN_PARTITION = Struct(">iii")
_COMPACT_START = Struct(">bhiBB")
_COMPACT_START_BYTES = _COMPACT_START.size
_ID_START = Struct(">bhiB16s")
_ID_START_BYTES = _ID_START.size
# With two bytes of the records' length, the second of which may be their first.
_COMPACT_PARTITION = Struct(">BiBB")
_COMPACT_PARTITION_BYTES = 6
_NO_TAGS = b"\0\0\0"


def single_batch_finder(version: int) -> Callable[[memoryview, int], SingleBatch | None] | None:
    """What finds the batch in a request of this version whose body begins at a position."""
    if version not in VERSIONS:
        return None
    if version >= TOPIC_ID_VERSION:
        return _find_by_id
    return _find_compact if version >= FIRST_FLEXIBLE_VERSION else _find_plain


def _find_plain(frame: memoryview, position: int) -> SingleBatch | None:
    try:
        transactional_id, acks, _, topics, name_length = _PLAIN_START.unpack_from(frame, position)
        name = position + _PLAIN_START.size
        name_end = name + name_length
        partitions, index, length = _PLAIN_PARTITION.unpack_from(frame, name_end)
        records = name_end + _PLAIN_PARTITION.size
        if (
            transactional_id != -1
            or topics != 1
            or name_length < 0
            or partitions != 1
            or length < 0
            or records + length != len(frame)
        ):
            return None
        return acks, str(frame[name:name_end], "utf-8"), index, frame[records:]
    except (error, UnicodeDecodeError):
        return None


def _find_compact(frame: memoryview, position: int) -> SingleBatch | None:
    try:
        transactional_id, acks, _, topics, name_length = _COMPACT_START.unpack_from(frame, position)
        name = position + _COMPACT_START_BYTES
        name_end = name + name_length - 1
        partitions, index, length, second = _COMPACT_PARTITION.unpack_from(frame, name_end)
        records = name_end + _COMPACT_PARTITION_BYTES
        if length > 0x7F:
            if second > 0x7F:
                length, records = finish_uvarint(frame, records, length)
            else:
                length += (second << 7) - 0x80
                records += 1
        end = records + length - 1
        if topics != 2 or partitions != 2 or transactional_id or not length or frame[end:] != _NO_TAGS:
            return None
        if not 0 < name_length <= 0x7F:
            return None
        return acks, str(frame[name:name_end], "utf-8"), index, frame[records:end]
    except (error, IndexError, DecodeError, UnicodeDecodeError):
        return None


def _find_by_id(frame: memoryview, position: int) -> SingleBatch | None:
    try:
        transactional_id, acks, _, topics, topic_id = _ID_START.unpack_from(frame, position)
        partition = position + _ID_START_BYTES
        partitions, index, length, second = _COMPACT_PARTITION.unpack_from(frame, partition)
        records = partition + _COMPACT_PARTITION_BYTES
        if length > 0x7F:
            if second > 0x7F:
                length, records = finish_uvarint(frame, records, length)
            else:
                length += (second << 7) - 0x80
                records += 1
        end = records + length - 1
        if topics != 2 or partitions != 2 or transactional_id or not length or frame[end:] != _NO_TAGS:
            return None
        return acks, topic_id, index, frame[records:end]
    except (error, IndexError, DecodeError):
        return None
