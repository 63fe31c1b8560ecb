"""What is asked of the batches that a leader sent, before a follower appends them as they are."""

from typing import NamedTuple

from ottla.errors.kafka import CorruptMessageError
from ottla.records.batch import BatchHeader, check_crc, iterate_batches


class FollowerBatch(NamedTuple):
    position: int
    header: BatchHeader


def check_follower_batches(records: memoryview) -> list[FollowerBatch]:
    """The whole batches in `records`: lengths and CRCs right, offsets rising. CorruptMessageError otherwise."""
    batches = []
    next_offset = 0
    for position, header in iterate_batches(records, partial_tail=True):
        check_crc(records, position, header)
        if header.base_offset < next_offset or header.last_offset_delta < 0:
            raise CorruptMessageError(f"batch at offset {header.base_offset} after offset {next_offset - 1}")
        next_offset = header.next_offset
        batches.append(FollowerBatch(position, header))
    return batches
