"""One replica of one partition: who leads it, in which epoch, and how far its log is safe to read.

A partition without copies is a partition with one replica: there is no other kind. Invariants, after every call:

    log_start_offset <= high_watermark <= log_end_offset   (a follower's may be below its start until it fetches)
    last_stable_offset <= high_watermark
    leader_epoch and partition_epoch never go back

The high watermark is the end of what every in-sync replica has: consumers read below it, acks=all is answered when it
passes. It carries the segment and position with the offset, so that a fetch at the tail needs no index.
"""

import uuid
from collections.abc import Sequence
from typing import NamedTuple

from ottla.errors.kafka import (
    FencedLeaderEpochError,
    NotEnoughReplicasError,
    NotLeaderOrFollowerError,
    UnknownLeaderEpochError,
)
from ottla.model import NO_BROKER, NO_EPOCH, TopicPartition
from ottla.observability.topic_metrics import TopicSeries
from ottla.replication.purgatory import Purgatory, Watched
from ottla.storage.batch_validation import PreparedBatch
from ottla.storage.log_offsets import AppendInfo, LogOffset
from ottla.storage.partition_log import PartitionLog

ACKS_ALL = -1


class PartitionState(NamedTuple):
    """What the controller decided about a partition (the payload of LeaderAndIsr)."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    partition_epoch: int
    is_new: bool = False


class Partition(Watched):
    __slots__ = (
        "_local_broker_id",
        "high_watermark",
        "isr",
        "leader_epoch",
        "leader_id",
        "log",
        "metrics",
        "partition_epoch",
        "replicas",
        "topic_id",
        "topic_partition",
    )

    def __init__(
        self,
        topic_partition: TopicPartition,
        topic_id: uuid.UUID,
        log: PartitionLog,
        *,
        local_broker_id: int,
        purgatory: Purgatory,
        metrics: TopicSeries,
        high_watermark: int = 0,
    ) -> None:
        super().__init__(purgatory)
        self.topic_partition = topic_partition
        self.topic_id = topic_id
        self.log = log
        self.metrics = metrics
        self._local_broker_id = local_broker_id
        self.leader_id: int = NO_BROKER
        self.leader_epoch: int = NO_EPOCH
        self.partition_epoch = -1
        self.isr: tuple[int, ...] = ()
        self.replicas: tuple[int, ...] = ()
        self.high_watermark = self._within_log(high_watermark)

    @property
    def is_leader(self) -> bool:
        return self.leader_id == self._local_broker_id

    # What the controller says

    def become_leader(self, state: PartitionState) -> bool:
        """Take the lead in a new epoch, or a new ISR in this one; False when the state is older than what we have."""
        if not self._accept(state):
            return False
        if self.log.leader_epochs.latest_epoch != state.leader_epoch:
            self.log.assign_epoch_start(state.leader_epoch, self.log.log_end_offset)
        self.maybe_advance_high_watermark()
        self.changed()
        return True

    def become_follower(self, state: PartitionState) -> bool:
        accepted = self._accept(state)
        if accepted:
            self.changed()  # Whoever waits here must learn that the leader has gone.
        return accepted

    def stop(self) -> None:
        """This broker no longer holds the partition: requests that wait on it are answered now."""
        self.leader_id = NO_BROKER
        self.changed()

    def _accept(self, state: PartitionState) -> bool:
        if state.leader_epoch < self.leader_epoch or state.partition_epoch < self.partition_epoch:
            return False
        self.leader_id = state.leader
        self.leader_epoch = state.leader_epoch
        self.partition_epoch = state.partition_epoch
        self.isr = state.isr
        self.replicas = state.replicas
        return True

    # What requests check first

    def check_leader(self, current_leader_epoch: int = NO_EPOCH) -> None:
        """Raises unless this broker leads the partition and the client's epoch, where it gives one, is ours."""
        if not self.is_leader:
            raise NotLeaderOrFollowerError(f"broker {self._local_broker_id} does not lead {self.topic_partition}")
        if current_leader_epoch not in (NO_EPOCH, self.leader_epoch):
            self._refuse_epoch(current_leader_epoch)

    def _refuse_epoch(self, current_leader_epoch: int) -> None:
        if current_leader_epoch < self.leader_epoch:
            raise FencedLeaderEpochError(f"epoch {current_leader_epoch} of {self.topic_partition} is over")
        raise UnknownLeaderEpochError(f"epoch {current_leader_epoch} of {self.topic_partition} is not known here yet")

    # Writing

    @property
    def has_enough_replicas(self) -> bool:
        """As many in sync as the topic wants, and never more than there are replicas at all."""
        return len(self.isr) >= min(self.log.config.min_insync_replicas, len(self.replicas))

    def append(self, records: memoryview, acks: int, api_version: int, now_ms: int) -> AppendInfo:
        """Append what a producer sent, as it came; raises without a trace in the log when it is refused."""
        self._check_writable(acks)
        info = self.log.append_as_leader(records, self.leader_epoch, now_ms=now_ms, produce_version=api_version)
        return self._appended(info, len(records))

    def append_prepared(self, batches: Sequence[PreparedBatch], acks: int, now_ms: int) -> AppendInfo:
        """Append what `log.validation.prepare` made of what a producer sent."""
        self._check_writable(acks)
        info = self.log.append_prepared(batches, self.leader_epoch, now_ms=now_ms)
        return self._appended(info, sum(len(batch.batch) for batch in batches))

    def _check_writable(self, acks: int) -> None:
        if self.leader_id != self._local_broker_id:
            self.check_leader()
        if acks == ACKS_ALL and not self.has_enough_replicas:
            raise NotEnoughReplicasError(
                f"{self.topic_partition} has {len(self.isr)} in-sync replicas, "
                f"min.insync.replicas is {self.log.config.min_insync_replicas}"
            )

    def _appended(self, info: AppendInfo, size_bytes: int) -> AppendInfo:
        metrics = self.metrics
        metrics.bytes_in.value += size_bytes
        metrics.messages_in.value += info.last_offset - info.first_offset + 1
        self.maybe_advance_high_watermark()
        self.changed()
        return info

    # How far the log may be read

    @property
    def last_stable_offset(self) -> LogOffset:
        """The end of what read_committed consumers may see: the oldest open transaction, else the high watermark."""
        unstable = self.log.first_unstable_offset()
        if unstable is None or unstable.offset >= self.high_watermark.offset:
            return self.high_watermark
        return unstable

    def maybe_advance_high_watermark(self) -> None:
        """Move to the smallest log end of the in-sync replicas; a lone replica's own end."""
        if len(self.isr) <= 1 and self.high_watermark.offset != self.log.log_end_offset:
            self.high_watermark = self.log.end_position

    def _within_log(self, offset: int) -> LogOffset:
        bounded = max(self.log.log_start_offset, min(offset, self.log.log_end_offset))
        return self.log.position_of(bounded)

    def check_invariants(self) -> None:
        assert self.high_watermark.offset <= self.log.log_end_offset, self
        assert self.last_stable_offset.offset <= self.high_watermark.offset, self

    def __repr__(self) -> str:
        return (
            f"<Partition {self.topic_partition} leader={self.leader_id} epoch={self.leader_epoch} "
            f"hw={self.high_watermark.offset} end={self.log.log_end_offset}>"
        )
