"""The batches of one segment file, sound or not, for the commands that look at files with no broker around.

Unlike recovery, which stops at the first batch that is not sound, this goes on as long as the lengths lead anywhere:
who looks into a damaged file wants to see what comes after.
"""

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from ottla.errors.tree import OperatorError, OttlaError
from ottla.records.batch import BatchHeader, check_crc, decode_header
from ottla.records.record import Record, decode_batch


class SegmentBatch(NamedTuple):
    position: int
    header: BatchHeader
    problem: str | None
    data: memoryview

    def records(self) -> list[Record]:
        return decode_batch(self.data)


class SegmentReading:
    """Iterate over it; afterwards `end` is the position that was reached and `problem` why no further."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self.end = 0
        self.problem: str | None = None

    def __iter__(self) -> Iterator[SegmentBatch]:
        while self.end < len(self._data):
            try:
                header = decode_header(self._data, self.end)
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


def _problem(data: memoryview, header: BatchHeader) -> str | None:
    try:
        check_crc(data, 0, header)
    except OttlaError as error:
        return str(error)
    return None
