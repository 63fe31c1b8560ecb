"""Finding records by timestamp: time index, then batch headers, then the records of one batch.

The first record, in the order of offsets, whose timestamp is at or past the one that is asked for. Timestamps need not
rise with offsets, so each step only passes over what is certainly earlier: segments by their largest timestamp, batches
by theirs. Only the one batch that holds the answer is opened.
"""

from ottla.model import NO_EPOCH, NO_TIMESTAMP
from ottla.records.batch import HEADER_SIZE, MAGIC, BatchHeader, peek_header
from ottla.records.kernels.spans import SPAN_COLUMNS
from ottla.records.legacy import decode_messages
from ottla.records.record import decode_batch, index_section, open_section
from ottla.storage.batch_scan import BatchPlace, walk_batches
from ottla.storage.log_offsets import NOT_FOUND, FoundOffset
from ottla.storage.segment import Segment
from ottla.storage.segment_list import SegmentList

_DECOMPRESSED_MAX = 256 * 1024 * 1024


def find_by_timestamp(segments: SegmentList, timestamp: int, start_offset: int) -> FoundOffset:
    """The first record at or past both `timestamp` and `start_offset`."""
    for segment in segments.from_offset(start_offset):
        if segment.max_timestamp >= timestamp:
            found = _find_in_segment(segment, timestamp, start_offset)
            if found is not None:
                return found
    return NOT_FOUND


def find_max_timestamp(segments: SegmentList, start_offset: int) -> FoundOffset:
    """The first record at or past `start_offset` that has the largest timestamp of all."""
    first, *others = segments.from_offset(start_offset)
    candidates = [(_largest_timestamp(first, start_offset), first)]
    candidates += [(segment.max_timestamp, segment) for segment in others]
    timestamp, segment = max(candidates, key=lambda candidate: candidate[0])
    if timestamp < 0:
        return NOT_FOUND
    return _find_in_segment(segment, timestamp, start_offset) or NOT_FOUND


def _largest_timestamp(segment: Segment, start_offset: int) -> int:
    """Of the records of a segment at or past `start_offset`.

    Almost always it is that of the segment; only if that one lies below `start_offset` must the batches be asked.
    """
    if segment.max_timestamp < 0 or _find_in_segment(segment, segment.max_timestamp, start_offset):
        return segment.max_timestamp
    first = segment.find(start_offset)
    if first is None:
        return NO_TIMESTAMP
    timestamps = [place.max_timestamp for place in walk_batches(segment.log, first.end_position, segment.size)]
    return max(_largest_in_batch(segment, first, start_offset), max(timestamps, default=NO_TIMESTAMP))


def _largest_in_batch(segment: Segment, place: BatchPlace, start_offset: int) -> int:
    data = segment.log.read_at(place.position, place.size)
    is_batch = place.magic == MAGIC
    records = decode_batch(data, size_max=_DECOMPRESSED_MAX) if is_batch else decode_messages(data)
    return max((record.timestamp for record in records if record.offset >= start_offset), default=NO_TIMESTAMP)


def _find_in_segment(segment: Segment, timestamp: int, start_offset: int) -> FoundOffset | None:
    """The index entry before `timestamp` says from which offset on later records may be."""
    near = max(segment.time_index.lookup(timestamp - 1), start_offset)
    position = segment.offset_index.lookup(near)
    for place in walk_batches(segment.log, position, segment.size):
        if place.max_timestamp >= timestamp and place.last_offset >= start_offset:
            found = _find_in_batch(segment, place, timestamp, start_offset)
            if found is not None:
                return found
    return None


def _find_in_batch(segment: Segment, place: BatchPlace, timestamp: int, start_offset: int) -> FoundOffset | None:
    if place.magic != MAGIC:
        return _find_in_messages(segment.log.read_at(place.position, place.size), timestamp, start_offset)
    header = peek_header(segment.log.read_at(place.position, HEADER_SIZE))
    if header.timestamp_type:
        offset = max(header.base_offset, start_offset)
        return FoundOffset(offset, header.max_timestamp, header.partition_leader_epoch)
    return _find_in_records(segment.log.read_at(place.position, place.size), header, timestamp, start_offset)


def _find_in_records(batch: bytes, header: BatchHeader, timestamp: int, start_offset: int) -> FoundOffset | None:
    spans = index_section(open_section(batch, 0, header, _DECOMPRESSED_MAX), header)
    for row in range(0, len(spans), SPAN_COLUMNS):
        offset, record_timestamp = spans[row], spans[row + 1]
        if record_timestamp >= timestamp and offset >= start_offset:
            return FoundOffset(offset, record_timestamp, header.partition_leader_epoch)
    return None


def _find_in_messages(message: bytes, timestamp: int, start_offset: int) -> FoundOffset | None:
    """A message of an old format, or several in a compressed wrapper."""
    for record in decode_messages(message):
        if record.timestamp >= timestamp and record.offset >= start_offset:
            return FoundOffset(record.offset, record.timestamp, NO_EPOCH)
    return None
