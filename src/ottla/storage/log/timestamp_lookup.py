"""Finding records by timestamp: time index, then batch headers, then the records of one batch.

The first record, in the order of offsets, whose timestamp is at or past the one that is asked for. Timestamps need not
rise with offsets, so each step only passes over what is certainly earlier: segments by their largest timestamp, batches
by theirs. Only the one batch that holds it is decompressed.

A batch that cannot be decompressed, since it was taken on its header and holds more than the topic allows, or did so
when it was appended, is believed on its header here too: its largest timestamp is what was looked for, and the search
ends where the batch begins. Who reads from there gets a few records too many and misses none.
"""

import contextlib

from ottla.errors.kafka import InvalidRecordError
from ottla.model import NO_EPOCH, NO_TIMESTAMP
from ottla.records.batch import HEADER_SIZE, MAGIC, BatchHeader, peek_header
from ottla.records.kernels.spans import SPAN_COLUMNS
from ottla.records.legacy import decode_messages
from ottla.records.record import decode_batch, index_section, open_section
from ottla.storage.log.log_results import NOT_FOUND, FoundOffset
from ottla.storage.segment.batch_scan import BatchPlace, walk_batches
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList


class TimestampLookup:
    """Searches for records from `start_offset` on; a batch is decompressed to at most `size_max` bytes."""

    __slots__ = ("_segments", "_size_max", "_start_offset")

    def __init__(self, segments: SegmentList, start_offset: int, size_max: int) -> None:
        self._segments = segments
        self._start_offset = start_offset
        self._size_max = size_max

    def find(self, timestamp: int) -> FoundOffset:
        """The first record at or past `timestamp`."""
        for segment in self._segments.from_offset(self._start_offset):
            if segment.max_timestamp >= timestamp:
                found = self._find_in_segment(segment, timestamp)
                if found is not None:
                    return found
        return NOT_FOUND

    def find_max(self) -> FoundOffset:
        """The first record that has the largest timestamp of all."""
        first, *others = self._segments.from_offset(self._start_offset)
        candidates = [(self._largest_timestamp(first), first)]
        candidates += [(segment.max_timestamp, segment) for segment in others]
        timestamp, segment = max(candidates, key=lambda candidate: candidate[0])
        if timestamp < 0:
            return NOT_FOUND
        return self._find_in_segment(segment, timestamp) or NOT_FOUND

    def _largest_timestamp(self, segment: Segment) -> int:
        """Of the records of the first segment.

        Almost always it is that of the segment; only if that one lies below the start must the batches be asked.
        """
        if segment.max_timestamp < 0 or self._find_in_segment(segment, segment.max_timestamp):
            return segment.max_timestamp
        first = segment.find(self._start_offset)
        if first is None:
            return NO_TIMESTAMP
        timestamps = [place.max_timestamp for place in walk_batches(segment.log, first.end_position, segment.size)]
        return max(self._largest_in_batch(segment, first), max(timestamps, default=NO_TIMESTAMP))

    def _largest_in_batch(self, segment: Segment, place: BatchPlace) -> int:
        data = segment.log.read_at(place.position, place.size)
        decode = decode_batch if place.magic == MAGIC else decode_messages
        try:
            records = decode(data, size_max=self._size_max)
        except InvalidRecordError:
            return place.max_timestamp
        return max((row.timestamp for row in records if row.offset >= self._start_offset), default=NO_TIMESTAMP)

    def _find_in_segment(self, segment: Segment, timestamp: int) -> FoundOffset | None:
        """The index entry before `timestamp` says from which offset on later records may be."""
        near = max(segment.time_index.lookup(timestamp - 1), self._start_offset)
        position = segment.offset_index.lookup(near)
        for place in walk_batches(segment.log, position, segment.size):
            if place.max_timestamp >= timestamp and place.last_offset >= self._start_offset:
                found = self._find_in_batch(segment, place, timestamp)
                if found is not None:
                    return found
        return None

    def _find_in_batch(self, segment: Segment, place: BatchPlace, timestamp: int) -> FoundOffset | None:
        if place.magic != MAGIC:
            return self._find_in_messages(segment, place, timestamp)
        header = peek_header(segment.log.read_at(place.position, HEADER_SIZE))
        if not header.timestamp_type:
            with contextlib.suppress(InvalidRecordError):
                return self._find_in_records(segment.log.read_at(place.position, place.size), header, timestamp)
        offset = max(header.base_offset, self._start_offset)
        return FoundOffset(offset, header.max_timestamp, header.partition_leader_epoch)

    def _find_in_records(self, batch: bytes, header: BatchHeader, timestamp: int) -> FoundOffset | None:
        spans = index_section(open_section(batch, 0, header, self._size_max), header)
        for row in range(0, len(spans), SPAN_COLUMNS):
            offset, record_timestamp = spans[row], spans[row + 1]
            if record_timestamp >= timestamp and offset >= self._start_offset:
                return FoundOffset(offset, record_timestamp, header.partition_leader_epoch)
        return None

    def _find_in_messages(self, segment: Segment, place: BatchPlace, timestamp: int) -> FoundOffset | None:
        """A message of an old format, or several in a compressed wrapper."""
        try:
            records = decode_messages(segment.log.read_at(place.position, place.size), size_max=self._size_max)
        except InvalidRecordError:
            # Where a wrapper begins is known to those who open it: it has the offset of its last message.
            return FoundOffset(max(segment.base_offset, self._start_offset), place.max_timestamp, NO_EPOCH)
        for record in records:
            if record.timestamp >= timestamp and record.offset >= self._start_offset:
                return FoundOffset(record.offset, record.timestamp, NO_EPOCH)
        return None
