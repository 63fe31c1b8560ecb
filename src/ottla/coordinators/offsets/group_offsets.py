"""The offsets of one group.

    committed       in the log and replicated: what OffsetFetch shows
    pending         appended, not replicated yet: invisible, but "unstable" for who asks for stable offsets
    transactional   in the log, by producer id, and visible only when that producer's transaction commits

A transaction's offset takes its place by where its own record stands in the log, not by when the commit came: the
cleaner keeps the last record of a key, and the next coordinator must come to the same offset as this one.
"""

from collections.abc import Callable, Container, Iterable
from typing import NamedTuple

from ottla.model import TopicPartition

NO_EXPIRY = -1


class CommittedOffset(NamedTuple):
    """`record_offset` is where its record stands in the partition of `__consumer_offsets`, -1 before it is known."""

    offset: int
    leader_epoch: int
    metadata: str
    commit_timestamp_ms: int
    expire_timestamp_ms: int = NO_EXPIRY
    record_offset: int = -1


class GroupOffsets:
    __slots__ = ("committed", "pending", "transactional")

    def __init__(self) -> None:
        self.committed: dict[TopicPartition, CommittedOffset] = {}
        self.pending: dict[TopicPartition, list[CommittedOffset]] = {}
        self.transactional: dict[int, dict[TopicPartition, CommittedOffset]] = {}

    def __bool__(self) -> bool:
        """Whether there is any reason to keep the group."""
        return bool(self.committed or self.pending or self.transactional)

    # Commits of consumers

    def stage(self, offsets: dict[TopicPartition, CommittedOffset]) -> None:
        for partition, staged in offsets.items():
            self.pending.setdefault(partition, []).append(staged)

    def store(self, offsets: dict[TopicPartition, CommittedOffset], record_offset: int) -> None:
        """What was staged is replicated. What was deleted in between stays so."""
        for partition, staged in offsets.items():
            if self._unstage(partition, staged):
                self._put_newer(partition, staged._replace(record_offset=record_offset))

    def give_up(self, offsets: dict[TopicPartition, CommittedOffset]) -> None:
        """What was staged could not be written."""
        for partition, staged in offsets.items():
            self._unstage(partition, staged)

    def _unstage(self, partition: TopicPartition, staged: CommittedOffset) -> bool:
        """False when it is not staged any more. It is told from its equals by identity."""
        waiting = self.pending.get(partition, [])
        others = [offset for offset in waiting if offset is not staged]
        if others:
            self.pending[partition] = others
        elif waiting:
            del self.pending[partition]
        return len(others) < len(waiting)

    def _put_newer(self, partition: TopicPartition, offset: CommittedOffset) -> None:
        known = self.committed.get(partition)
        if known is None or known.record_offset < offset.record_offset:
            self.committed[partition] = offset

    # Commits of transactions

    def stage_transactional(self, producer_id: int, partition: TopicPartition, offset: CommittedOffset) -> None:
        self.transactional.setdefault(producer_id, {})[partition] = offset

    def end_transaction(self, producer_id: int, *, is_committed: bool) -> None:
        offsets = self.transactional.pop(producer_id, {})
        if is_committed:
            for partition, offset in offsets.items():
                self._put_newer(partition, offset)

    # What can be said of a partition

    def is_unstable(self, partition: TopicPartition) -> bool:
        return partition in self.pending or any(partition in offsets for offsets in self.transactional.values())

    def partitions(self) -> set[TopicPartition]:
        """All that have a record, replicated or not."""
        return {*self.committed, *self.pending, *(name for offsets in self.transactional.values() for name in offsets)}

    # Taking out

    def remove(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """Forget these in every form. Those that have a record, replicated or not, and so need a tombstone."""
        removed = []
        for partition in partitions:
            is_pending = self.pending.pop(partition, None) is not None
            is_committed = self.committed.pop(partition, None) is not None
            staged = [offsets.pop(partition, None) for offsets in self.transactional.values()]
            if is_committed or is_pending or any(staged):
                removed.append(partition)
        self.transactional = {producer: offsets for producer, offsets in self.transactional.items() if offsets}
        return removed

    def expired(
        self,
        now_ms: int,
        retention_ms: int,
        since_ms: Callable[[CommittedOffset], int],
        subscribed_topics: Container[str],
    ) -> list[TopicPartition]:
        """Those whose time is over, counted from `since_ms`; never those of a topic that is subscribed to."""
        return [
            partition
            for partition, offset in self.committed.items()
            if partition.topic not in subscribed_topics
            and not self.is_unstable(partition)
            and _is_over(offset, now_ms, since_ms(offset) + retention_ms)
        ]


def _is_over(offset: CommittedOffset, now_ms: int, end_ms: int) -> bool:
    return now_ms >= (end_ms if offset.expire_timestamp_ms == NO_EXPIRY else offset.expire_timestamp_ms)
