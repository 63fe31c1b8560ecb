"""Which aborted transactions a read_committed consumer must be told of with the records that it gets.

A transaction is found by its abort marker, which lies behind its records, maybe segments further on. What is told is
bounded by what was read and not by what could have been: a log may hold any number of aborts.
"""

from bisect import bisect_left

from ottla.storage.log.log_results import LogRead
from ottla.storage.segment.segment_list import SegmentList
from ottla.storage.segment.txn_index import AbortedTransaction

_NO_BOUND = 2**63 - 1


def aborted_in_read(
    segments: SegmentList, read: LogRead, first_offset: int, end_offset: int
) -> list[AbortedTransaction]:
    """Those with a record in what was read from `first_offset` on, all of it below `end_offset`.

    As the index is sparse, some may have begun shortly behind it.
    """
    if not any(segment.txn_index.entries for segment in segments.from_offset(first_offset)):
        return []  # Nearly always. What follows searches an index, maybe in a file.
    return collect_aborted(segments, first_offset, min(_bound_of_read(segments, read), end_offset))


def _bound_of_read(segments: SegmentList, read: LogRead) -> int:
    """An offset behind everything that was read, and near it."""
    number = segments.floor(read.start.segment_base)
    size = len(read.slice) if read.slice is not None else 0
    behind = segments[number].offset_index.first_offset_from(read.start.position + size)
    return segments.next_base_offset(number, _NO_BOUND) if behind is None else behind


def collect_aborted(segments: SegmentList, first_offset: int, end_offset: int) -> list[AbortedTransaction]:
    """The aborted transactions with a record in [first_offset, end_offset).

    The search ends with an entry whose last stable offset says that everything below `end_offset` was decided.
    """
    found = []
    for segment in segments.from_offset(first_offset):
        entries = segment.txn_index.entries
        for number in range(bisect_left(entries, first_offset, key=_last_offset), len(entries)):
            aborted = entries[number]
            if aborted.first_offset < end_offset:
                found.append(aborted)
            if aborted.last_stable_offset >= end_offset:
                return found
    return found


def _last_offset(aborted: AbortedTransaction) -> int:
    return aborted.last_offset
