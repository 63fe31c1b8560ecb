"""What the one partition that a consumer waits for has gained: a few bytes behind where its last read ended.

All that a read would look up is known of them. The place is where the fetch began to wait, and whoever counted the
bytes (`FetchEntry.count_available`) saw that the partition is led in the same epoch and goes on in the same segment.
"""

from typing import NamedTuple

from ottla.errors import LogDirError
from ottla.replication.fetching import READ_COMMITTED, SMALL_BYTES_MAX, FetchEntry, FetchParams


class Gain(NamedTuple):
    records: bytes
    high_watermark: int
    last_stable_offset: int
    log_start_offset: int


def read_gain(entry: FetchEntry, params: FetchParams, size: int) -> Gain | None:
    """The `size` bytes that a waiting fetch has counted. None where only a read can tell what is to be answered."""
    if size > SMALL_BYTES_MAX or size > entry.max_bytes or size > params.max_bytes:
        return None
    partition, start = entry.partition, entry.start
    if partition is None or start is None or start.offset != entry.fetch_offset or not partition.is_leader:
        return None
    log = partition.log
    active = log.active
    if active.base_offset != start.segment_base or log.log_start_offset > start.offset:
        return None
    if params.isolation_level == READ_COMMITTED and active.txn_index.entries:
        return None
    try:
        records = active.log.read_at(start.position, size)
    except LogDirError:  # Whoever reads gets it too, and answers with it.
        return None
    if len(records) != size:
        return None
    entry.read_bytes = size
    metrics = partition.metrics
    metrics.fetch_requests.value += 1
    metrics.bytes_out.value += size
    return Gain(records, partition.high_watermark.offset, partition.last_stable_offset.offset, log.log_start_offset)
