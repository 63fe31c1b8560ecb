"""The batches of one segment file, sound or not, for the commands that look at files with no broker around.

Unlike recovery, which stops at the first batch that is not sound, this goes on as long as the lengths lead anywhere:
who looks into a damaged file wants to see what comes after. Messages of the old formats, as old logs hold them, are
shown as batches of their own: a wrapper with what is in it, or a single message.

    OFFSET SIZE  FIELD of a message of magic 0 or 1
    0      8     offset
    8      4     size of what follows
    12     4     CRC-32 of what follows
    16     1     magic
    17     1     attributes
    18     8     timestamp (magic 1)
"""

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from struct import Struct
from typing import NamedTuple

from ottla.errors.kafka import CorruptMessageError
from ottla.errors.tree import OperatorError, OttlaError
from ottla.records.attributes import COMPRESSION_MASK, NO_TIMESTAMP, TIMESTAMP_TYPE_MASK
from ottla.records.batch import LOG_OVERHEAD, BatchHeader, check_crc, decode_header, empty_header
from ottla.records.kernels.spans import KEY, SPAN_COLUMNS
from ottla.records.legacy import decode_messages, is_legacy, read_messages
from ottla.records.record import Record, decode_batch

_MESSAGE = Struct(">qiIbbq")
_CRC = Struct(">I")
_CRC_BEFORE_KEY = {0: 10, 1: 18}
_MESSAGE_SIZE_MIN = 14  # CRC, magic, attributes, and the lengths of key and value


class SegmentBatch(NamedTuple):
    position: int
    header: BatchHeader
    problem: str | None
    data: memoryview

    def records(self) -> list[Record]:
        return decode_messages(self.data) if is_legacy(self.data) else decode_batch(self.data)

    def message_checksums(self) -> list[int]:
        """Of each message, those in a wrapper, in the old formats: they stand in front of the fields before the key."""
        return [
            _CRC.unpack_from(run.buffer, key_position - _CRC_BEFORE_KEY[run.magic])[0]
            for run in read_messages(self.data)
            for key_position in run.spans[KEY::SPAN_COLUMNS]
        ]


class SegmentReading:
    """Iterate over it; afterwards `end` is the position that was reached and `problem` why no further."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self.end = 0
        self.problem: str | None = None

    def __iter__(self) -> Iterator[SegmentBatch]:
        while self.end < len(self._data):
            try:
                header = _header_at(self._data, self.end)
            except OttlaError as error:
                self.problem = str(error)
                return
            position, self.end = self.end, self.end + header.size_bytes
            data = self._data[position : self.end]
            yield SegmentBatch(position, header, _problem(data, header), data)


@contextmanager
def read_segment(path: str) -> Iterator[SegmentReading]:
    """The file at `path`, mapped for as long as the block lasts. OperatorError when it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error
    try:
        size = os.fstat(descriptor).st_size
        if size == 0:
            yield SegmentReading(memoryview(b""))
            return
        mapped = mmap.mmap(descriptor, size, prot=mmap.PROT_READ)
        # Not closed here: a batch that somebody still holds keeps it open, and it goes with the last of them.
        yield SegmentReading(memoryview(mapped))
    finally:
        os.close(descriptor)


def _header_at(data: memoryview, position: int) -> BatchHeader:
    return _legacy_header(data, position) if is_legacy(data, position) else decode_header(data, position)


def _legacy_header(data: memoryview, position: int) -> BatchHeader:
    """What a message of the old formats has of a batch's header."""
    if len(data) - position < _MESSAGE.size:
        raise CorruptMessageError(f"no whole message at position {position}")
    offset, size, crc, magic, attributes, timestamp = _MESSAGE.unpack_from(data, position)
    if size < _MESSAGE_SIZE_MIN or position + LOG_OVERHEAD + size > len(data):
        raise CorruptMessageError(f"no whole message at position {position}")
    offsets = _offsets_within(data[position : position + LOG_OVERHEAD + size]) or [offset]
    header = empty_header(
        base_offset=offsets[0],
        last_offset_delta=offsets[-1] - offsets[0],
        records_count=len(offsets),
        attributes=attributes & (COMPRESSION_MASK | TIMESTAMP_TYPE_MASK if magic else COMPRESSION_MASK),
    )
    return header._replace(batch_length=size, crc=crc, magic=magic, max_timestamp=timestamp if magic else NO_TIMESTAMP)


def _offsets_within(message: memoryview) -> list[int]:
    try:
        return [record.offset for record in decode_messages(message)]
    except OttlaError:
        return []  # damaged: `_problem` says how


def _problem(data: memoryview, header: BatchHeader) -> str | None:
    try:
        if is_legacy(data):
            decode_messages(data)
        else:
            check_crc(data, 0, header)
    except OttlaError as error:
        return str(error)
    return None
