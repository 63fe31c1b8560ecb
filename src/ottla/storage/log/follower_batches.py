"""The batches that a leader sent: what is asked of them before a follower appends them, and which go to one segment.

A leader's log may begin with messages of the formats v0 and v1, from an old Kafka. A follower keeps them as batches of
format v2, with their offsets. What comes behind them in the same answer is left out, and so are messages behind
batches: it is fetched again, from where the log then ends.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ottla.errors.kafka import CorruptMessageError, OffsetOutOfRangeError
from ottla.records.batch import BatchHeader, check_crc, iterate_batches
from ottla.records.legacy import is_legacy, messages_end, up_convert

if TYPE_CHECKING:
    from ottla.storage.log.partition_log import PartitionLog


class FollowerBatch(NamedTuple):
    position: int
    header: BatchHeader


def in_format_2(records: memoryview, size_max: int) -> memoryview:
    """The records as batches where they are old messages. Wrappers are decompressed to `size_max` bytes at most."""
    if not is_legacy(records):
        return records
    messages = records[: messages_end(records)]
    return memoryview(b"".join(up_convert(messages, keep_offsets=True, size_max=size_max)))


def _up_to_messages(records: memoryview) -> Iterator[tuple[int, BatchHeader]]:
    end = 0
    try:
        for position, header in iterate_batches(records, partial_tail=True):
            yield position, header
            end = position + header.size_bytes
    except CorruptMessageError:
        if end == 0 or not is_legacy(records, end):
            raise


def check_follower_batches(records: memoryview) -> list[FollowerBatch]:
    """The whole batches in `records`: lengths and CRCs right, offsets rising. CorruptMessageError otherwise."""
    batches = []
    next_offset = 0
    for position, header in _up_to_messages(records):
        check_crc(records, position, header)
        if header.base_offset < next_offset or header.last_offset_delta < 0:
            raise CorruptMessageError(f"batch at offset {header.base_offset} after offset {next_offset - 1}")
        next_offset = header.next_offset
        batches.append(FollowerBatch(position, header))
    return batches


def admit_first_batch(log: "PartitionLog", header: BatchHeader, now_ms: int) -> int:
    """Make the log ready for the first batch; answers what its start offset is to be once the batch is in.

    A batch must begin at or past the end, but into an empty log one may reach below its start: that happens after
    DeleteRecords moved the leader's log start into the middle of a batch.
    """
    start = log.log_start_offset
    if header.base_offset >= log.log_end_offset:
        return start
    if log.log_end_offset == start <= header.last_offset:
        log.truncate_fully(header.base_offset, now_ms=now_ms)
        return start
    raise OffsetOutOfRangeError(
        f"batch at offset {header.base_offset} was sent for {log.topic_partition}, which ends at {log.log_end_offset}"
    )


def segment_runs(log: "PartitionLog", batches: list[FollowerBatch], now_ms: int) -> Iterator[list[FollowerBatch]]:
    """The batches in as long rows as fit into one segment. The log rolls, where it must, before each row comes out."""
    run: list[FollowerBatch] = []
    run_bytes = 0
    for batch in batches:
        header = batch.header
        size = header.size_bytes
        if run and log.roll_rule.must_roll(
            log.active,
            run_bytes + size,
            header.max_timestamp,
            header.last_offset,
            now_ms,
            pending_first_timestamp=run[0].header.max_timestamp,
        ):
            yield run
            run, run_bytes = [], 0
        if not run:
            log.segment_for(size, header.max_timestamp, header.base_offset, header.last_offset, now_ms)
        run.append(batch)
        run_bytes += size
    yield run
