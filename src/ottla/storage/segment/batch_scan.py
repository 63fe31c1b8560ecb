"""Walking the batches of a log file by their headers, with few and small reads.

Only what places a batch is looked at: offsets, length, largest timestamp. Nothing is checked beyond what the walk
itself needs, because the bytes were checked when they were appended or recovered. Messages of the formats v0 and v1,
which an older Kafka may have left in the directory, are walked too: there the offset in front is that of the last
record.

    FIELD               v2       v0, v1
    base_offset         0, 8     0, 8      (v0, v1: the last offset)
    batch_length        8, 4     8, 4
    magic               16, 1    16, 1
    last_offset_delta   23, 4
    max_timestamp       35, 8    18, 8     (v1 only)
"""

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from ottla.disk.log_file import LogFile
from ottla.errors.kafka import CorruptMessageError
from ottla.model import NO_TIMESTAMP
from ottla.records.batch import LOG_OVERHEAD

_PLACE = Struct(">qi4xb6xi8xq")  # offset, length, magic, last offset delta, max timestamp
_LEGACY_TIMESTAMP = Struct(">18xq")
_MESSAGE_LENGTH_MIN = 14  # a v0 message of nothing: crc, magic, attributes, null key, null value
_MAGIC_2 = 2
_WINDOW = 8192
_PADDING = bytes(_PLACE.size)


class BatchPlace(NamedTuple):
    position: int
    size: int
    base_offset: int
    last_offset: int
    max_timestamp: int
    magic: int

    @property
    def end_position(self) -> int:
        return self.position + self.size


def walk_batches(file: LogFile, position: int, end: int) -> Iterator[BatchPlace]:
    """Every whole batch in [position, end) of a log file."""
    window, window_start = b"", position
    while position + LOG_OVERHEAD < end:
        at = position - window_start
        if _must_refill(window, at):
            window, window_start, at = _read_window(file, position), position, 0
        place = _place_at(window, at, position)
        if place.end_position > end:
            return
        yield place
        position += place.size


def find_position(file: LogFile, offset: int, position: int, end: int) -> int | None:
    """Where the first batch from `position` on begins that ends at or past `offset`. Reads no header without need."""
    unpack, overhead = _PLACE.unpack_from, LOG_OVERHEAD
    window, window_start = b"", position
    while position + overhead < end:
        at = position - window_start
        if _must_refill(window, at):
            window, window_start, at = _read_window(file, position), position, 0
        base_offset, length, magic, last_offset_delta, _ = unpack(window, at)
        last_offset = base_offset + (last_offset_delta if magic == _MAGIC_2 else 0)
        if last_offset >= offset:
            return position
        if length < _MESSAGE_LENGTH_MIN:
            raise CorruptMessageError(f"batch length {length} at position {position} of {file.path}")
        position += length + overhead
        if last_offset + 1 == offset:  # Whatever comes next is it.
            return position if position + overhead < end else None
    return None


def batch_at(file: LogFile, position: int) -> BatchPlace:
    """The batch that begins at `position`."""
    header = file.read_at(position, _PLACE.size)
    return _place_at(header if len(header) == _PLACE.size else header + _PADDING, 0, position)


def _read_window(file: LogFile, position: int) -> bytes:
    """The next headers, and zeros behind the end of the file: a message of old may be smaller than what is unpacked."""
    window = file.read_at(position, _WINDOW)
    return window if len(window) == _WINDOW else window + _PADDING


def _must_refill(window: bytes, at: int) -> bool:
    """Whether the header at `at` is not wholly in the window."""
    return at + _PLACE.size > len(window)


def _place_at(window: bytes, at: int, position: int) -> BatchPlace:
    base_offset, length, magic, last_offset_delta, max_timestamp = _PLACE.unpack_from(window, at)
    if length < _MESSAGE_LENGTH_MIN:
        raise CorruptMessageError(f"batch length {length} at position {position}")
    if magic == _MAGIC_2:
        last_offset = base_offset + last_offset_delta
    else:
        last_offset = base_offset
        max_timestamp = _LEGACY_TIMESTAMP.unpack_from(window, at)[0] if magic == 1 else NO_TIMESTAMP
    return BatchPlace(position, length + LOG_OVERHEAD, base_offset, last_offset, max_timestamp, magic)
