"""Reading a partition by offset: which segment, which position, how many bytes. The bytes themselves are not touched.

A read never passes its end (high watermark, last stable offset or log end), may begin with a batch whose first records
lie below the wanted offset, and may end within a batch: readers skip the one and wait for the rest of the other. It
never is a part of one batch alone: consumers take that for a record that is larger than they can ever get, and fail.
"""

from ottla.storage.log.log_results import UNKNOWN_POSITION, LogOffset, LogRead
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList


def read_segments(
    segments: SegmentList, offset: int, max_bytes: int, end: LogOffset, *, minimum_one_batch: bool
) -> LogRead:
    """What lies from `offset` (which is in range) up to `end`, at most `max_bytes`, or one larger batch if wanted."""
    number = len(segments) - 1
    segment = segments.active
    if offset < segment.base_offset:
        number = segments.floor(offset)
        segment = segments[number]
    position = segment.find_position(offset)
    while position is None:
        # Everything past `offset` in this segment was compacted away: the next one goes on.
        number += 1
        if number >= len(segments):
            return LogRead(None, LogOffset(offset))
        segment = segments[number]
        position = 0 if segment.size else None
    return _read_segment(segment, offset, position, max_bytes, end, minimum_one_batch)


def _read_segment(
    segment: Segment, offset: int, position: int, max_bytes: int, end: LogOffset, minimum_one_batch: bool
) -> LogRead:
    start = LogOffset(offset, segment.base_offset, position)
    end_position = _end_position(segment, end)
    available = end_position - position
    if available > max_bytes:
        first = segment.batch_at(position)
        if first.size > max_bytes and not minimum_one_batch:
            return LogRead(None, start)
        if first.size > max_bytes // 2:  # Mostly no second one fits: the next read begins behind it.
            segment.know_position(first.last_offset + 1, first.end_position)
        available = min(available, max(max_bytes, first.size))
    elif end.segment_base == segment.base_offset:
        segment.know_position(end.offset, end_position)
    if available <= 0:
        return LogRead(None, start)
    return LogRead(segment.slice(position, available), start)


def _end_position(segment: Segment, end: LogOffset) -> int:
    """How far a segment may be read, wherever `end` lies and whether its place is known or not."""
    if end.segment_base == segment.base_offset:
        # It was remembered: the cleaner may have put a smaller segment here since, all of it below `end`.
        return min(end.position, segment.size)
    if end.position == UNKNOWN_POSITION:
        place = segment.find(end.offset)
        return place.position if place else segment.size
    return segment.size if end.segment_base > segment.base_offset else 0
