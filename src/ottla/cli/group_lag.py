"""How far behind a group is: partition by partition, in records and in seconds.

The lag in seconds is the age of the oldest record that the group has not read: 0 where it has read all of them, and
nothing where that record cannot be had. Seconds compare topics that counts of records cannot.
"""

import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ottla.clients.admin.types import GroupDescription, MemberDescription, OffsetSpec
from ottla.model import TopicPartition

if TYPE_CHECKING:
    from ottla import Admin, Consumer

_READ_SECONDS_MAX = 5.0


class PartitionLag(NamedTuple):
    """`current_offset` is None where nothing was committed, `member` where nobody has the partition."""

    partition: TopicPartition
    current_offset: int | None
    log_end_offset: int | None
    lag: int | None
    member: MemberDescription | None


def partition_lags(admin: "Admin", group: GroupDescription) -> list[PartitionLag]:
    """Of every partition that the group has committed to or that a member has."""
    owners = {partition: member for member in group.members for partition in member.assignment}
    committed = {
        partition: found.offset for partition, found in admin.list_group_offsets(group.group_id).items()
        if found.offset >= 0
    }  # fmt: skip
    partitions = sorted(owners.keys() | committed.keys())
    ends = admin.list_offsets(dict.fromkeys(partitions, OffsetSpec.LATEST)).results if partitions else {}
    rows = []
    for partition in partitions:
        current = committed.get(partition)
        end = ends[partition].offset if partition in ends else None
        lag = None if current is None or end is None else end - current
        rows.append(PartitionLag(partition, current, end, lag, owners.get(partition)))
    return rows


def lag_seconds(consumer: "Consumer", rows: Collection[PartitionLag]) -> dict[TopicPartition, float | None]:
    """By reading the first record that each partition still has for the group."""
    now_ms = time.time() * 1000
    behind = {row.partition: row.current_offset for row in rows if row.lag and row.current_offset is not None}
    found = _first_timestamps(consumer, behind)
    seconds: dict[TopicPartition, float | None] = {row.partition: 0.0 if row.lag == 0 else None for row in rows}
    for partition, timestamp in found.items():
        seconds[partition] = max(0.0, (now_ms - timestamp) / 1000)
    return seconds


def _first_timestamps(consumer: "Consumer", offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    if not offsets:
        return {}
    consumer.assign(offsets)
    for partition, offset in offsets.items():
        consumer.seek(partition, offset)
    found: dict[TopicPartition, int] = {}
    deadline = time.monotonic() + _READ_SECONDS_MAX
    while len(found) < len(offsets) and time.monotonic() < deadline:
        fresh = {record.topic_partition: record for record in reversed(consumer.poll(500))}
        for partition, record in fresh.items():
            found.setdefault(partition, record.timestamp)
        consumer.pause(fresh)
    return found
