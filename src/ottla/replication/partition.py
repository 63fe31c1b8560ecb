"""One replica of one partition: who leads it, in which epoch, and how far its log is safe to read.

A partition without copies is a partition with one replica: there is no other kind. Invariants, after every call:

    log_start_offset <= high_watermark <= log_end_offset   (a follower's may be below its start until it fetches)
    last_stable_offset <= high_watermark
    leader_epoch and partition_epoch never go back

The high watermark is the end of what every in-sync replica has: consumers read below it, acks=all is answered when it
passes. It carries the segment and position with the offset, so that a fetch at the tail needs no index. A leader moves
it as its followers fetch (`leadership`); a follower takes it from its leader's answers, and never cuts its log by it:
where histories differ is found by leader epochs (KIP-101, KIP-279).
"""

import uuid
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ottla.errors.kafka import (
    FencedLeaderEpochError,
    NotEnoughReplicasError,
    NotLeaderOrFollowerError,
    UnknownLeaderEpochError,
)
from ottla.model import NO_BROKER, NO_EPOCH, TopicPartition
from ottla.observability.topic_metrics import TopicSeries
from ottla.replication.leadership import IsrProposal, Leadership
from ottla.replication.purgatory import Purgatory, Watched
from ottla.replication.replica_context import ReplicaContext
from ottla.storage.log.batch_validation import PreparedBatch
from ottla.storage.log.log_results import AppendInfo, LogOffset
from ottla.storage.log.partition_log import PartitionLog

ACKS_ALL = -1


class PartitionAssignment(NamedTuple):
    """What the controller decided about a partition (the payload of LeaderAndIsr)."""

    leader: int
    leader_epoch: int
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    partition_epoch: int
    is_new: bool = False


class Partition(Watched):
    __slots__ = (
        "_last_stable",
        "_last_stable_for",
        "_local_broker_id",
        "context",
        "high_watermark",
        "is_offline",
        "isr",
        "leader_epoch",
        "leader_id",
        "leadership",
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
        context: ReplicaContext,
        purgatory: Purgatory,
        metrics: TopicSeries,
        high_watermark: int = 0,
    ) -> None:
        super().__init__(purgatory)
        self.topic_partition = topic_partition
        self.topic_id = topic_id
        self.log = log
        self.metrics = metrics
        self.context = context
        self._local_broker_id = context.broker_id
        self.leadership: Leadership | None = None
        self.leader_id: int = NO_BROKER
        self.leader_epoch: int = NO_EPOCH
        self.partition_epoch = -1
        self.is_offline = False
        self.isr: tuple[int, ...] = ()
        self.replicas: tuple[int, ...] = ()
        self.high_watermark = self._within_log(high_watermark)
        self._last_stable = self.high_watermark
        self._last_stable_for: LogOffset | None = None

    @property
    def is_leader(self) -> bool:
        return self.leader_id == self._local_broker_id

    @property
    def is_alone(self) -> bool:
        """Whether this broker leads and nobody follows."""
        return self.leadership is not None and not self.leadership.followers

    # What the controller says

    def become_leader(self, state: PartitionAssignment) -> bool:
        """Take the lead in a new epoch, or a new ISR in this one; False when the state is older than what we have."""
        is_same_epoch = self.leadership is not None and state.leader_epoch == self.leader_epoch
        if not self._accept(state):
            return False
        if self.log.leader_epochs.latest_epoch != state.leader_epoch:
            self.log.assign_epoch_start(state.leader_epoch, self.log.log_end_offset)
        if self.leadership is None or not is_same_epoch:
            self.leadership = Leadership(self.log.log_end_offset)
        self._replicas_known()
        self.maybe_advance_high_watermark()
        self.changed()
        return True

    def become_follower(self, state: PartitionAssignment) -> bool:
        accepted = self._accept(state)
        if accepted:
            self.leadership = None
            self.changed()  # Whoever waits here must learn that the leader has gone.
        return accepted

    def stop(self) -> None:
        """This broker no longer holds the partition: requests that wait on it are answered now."""
        self.leader_id = NO_BROKER
        self.leadership = None
        self.changed()

    def storage_failed(self) -> None:
        """Its log directory is offline: this object serves no longer, and those that wait learn why."""
        self.is_offline = True
        self.stop()

    def _replicas_known(self) -> None:
        assert self.leadership is not None
        followers = [broker_id for broker_id in self.replicas if broker_id != self._local_broker_id]
        self.leadership.set_replicas(followers, self.isr, self.context.clock.monotonic())

    def _accept(self, state: PartitionAssignment) -> bool:
        if state.leader_epoch < self.leader_epoch or state.partition_epoch < self.partition_epoch:
            return False
        self.leader_id = state.leader
        self.leader_epoch = state.leader_epoch
        self.partition_epoch = state.partition_epoch
        self.isr = state.isr
        self.replicas = state.replicas
        return True

    # What requests check first

    def check_readable(self, current_leader_epoch: int, *, only_leader: bool) -> None:
        """Raises unless a fetch may read here: a consumer that names its rack may read from any replica (KIP-392)."""
        if only_leader or self.is_leader:
            self.check_leader(current_leader_epoch)
        elif self.leader_id == NO_BROKER:
            raise NotLeaderOrFollowerError(f"{self.topic_partition} has no leader")
        elif current_leader_epoch not in (NO_EPOCH, self.leader_epoch):
            self._refuse_epoch(current_leader_epoch)

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
        if acks != ACKS_ALL:
            return
        if not self.context.may_acknowledge():
            raise NotLeaderOrFollowerError(f"broker {self._local_broker_id} cannot know whether it leads")
        if not self.has_enough_replicas:
            raise NotEnoughReplicasError(
                f"{self.topic_partition} has {len(self.isr)} in-sync replicas, "
                f"min.insync.replicas is {self.log.config.min_insync_replicas}"
            )

    def _appended(self, info: AppendInfo, size_bytes: int) -> AppendInfo:
        metrics = self.metrics
        metrics.produce_requests.value += 1
        metrics.bytes_in.value += size_bytes
        metrics.messages_in.value += info.last_offset - info.first_offset + 1
        self.maybe_advance_high_watermark()
        self.changed()
        return info

    def still_holds(self, info: AppendInfo) -> bool:
        """Whether this broker leads and its log has the very records that this append wrote.

        An epoch may have begun meanwhile, also one of another leader's: what counts is that nothing took their place.
        An offset and the epoch of its record name one record on all replicas.
        """
        if not self.is_leader:
            return False
        if self.leader_epoch == info.leader_epoch:  # Who leads without a break cuts nothing off.
            return True
        return (
            self.log.log_end_offset > info.last_offset
            and self.log.leader_epochs.epoch_for_offset(info.last_offset) == info.leader_epoch
        )

    # Followers, while this broker leads

    def note_follower_fetch(self, broker_id: int, end: LogOffset, log_start_offset: int, broker_epoch: int) -> None:
        """A follower has everything below `end`: the high watermark may move, the follower may join the ISR."""
        leadership = self.leadership
        follower = leadership.followers.get(broker_id) if leadership is not None else None
        if leadership is None or follower is None:
            raise NotLeaderOrFollowerError(f"broker {broker_id} is no replica of {self.topic_partition}")
        now = self.context.clock.monotonic()
        if not follower.note_fetch(end, log_start_offset, self.log.log_end_offset, now, broker_epoch):
            return
        if broker_id not in leadership.maximal_isr:
            self._maybe_expand_isr(leadership, broker_id)
        if self.maybe_advance_high_watermark():
            self.changed()

    @property
    def low_watermark(self) -> int:
        """The largest log start offset of all live replicas' least: below it everybody has deleted."""
        starts = [self.log.log_start_offset]
        if self.leadership is not None:
            followers = self.leadership.followers.items()
            starts += [follower.log_start_offset for broker, follower in followers if self.context.is_alive(broker)]
        return min(starts)

    # The in-sync replicas

    def _maybe_expand_isr(self, leadership: Leadership, broker_id: int) -> None:
        if (
            leadership.proposal is None
            and leadership.may_join(broker_id, self.high_watermark.offset)
            and self.context.is_alive(broker_id)
        ):
            self._propose_isr(leadership, (*self.isr, broker_id))

    def maybe_expand_isr(self) -> None:
        """Look again at followers that are waited for: one at the end does not fetch anything that would say so."""
        leadership = self.leadership
        if leadership is None or len(self.isr) == len(self.replicas):
            return
        heard_at, since = self.context.heard_at, self.context.caught_up_since()
        for broker_id in leadership.followers:
            if broker_id not in leadership.maximal_isr and heard_at.get(broker_id, since) > since:
                self._maybe_expand_isr(leadership, broker_id)

    def maybe_shrink_isr(self) -> None:
        """Propose an ISR without those that have been behind for `replica.lag.time.max.ms`."""
        leadership = self.leadership
        if leadership is None or not leadership.followers or leadership.proposal is not None:
            return
        context = self.context
        lagging = leadership.lagging(self.isr, self.log.log_end_offset, context.caught_up_since(), context.heard_at)
        if lagging:
            self._propose_isr(leadership, [broker_id for broker_id in self.isr if broker_id not in lagging])

    def _propose_isr(self, leadership: Leadership, isr: Iterable[int]) -> None:
        if self.context.propose_isr is None:
            return
        own_epoch = self.context.broker_epoch()
        with_epochs = tuple(
            (broker_id, own_epoch if broker_id == self._local_broker_id else leadership.broker_epoch(broker_id))
            for broker_id in isr
        )
        proposal = IsrProposal(self.leader_epoch, self.partition_epoch, with_epochs)
        leadership.propose(proposal)
        self.context.propose_isr(self, proposal)

    def is_proposed(self, proposal: IsrProposal) -> bool:
        """Whether the proposal still waits for its outcome: no newer epoch or state has made it void."""
        return self.leadership is not None and self.leadership.proposal is proposal

    def isr_changed(self, leader_epoch: int, isr: tuple[int, ...], partition_epoch: int) -> bool:
        """The controller says what stands now: our proposal, or what stood in its way. False for old news."""
        if self.leadership is None or leader_epoch != self.leader_epoch or partition_epoch <= self.partition_epoch:
            return False
        self.isr = isr
        self.partition_epoch = partition_epoch
        self.leadership.settle(isr)
        self.maybe_advance_high_watermark()
        self.changed()  # Also without a higher watermark: the ISR may be too small or large enough now (KAFKA-13091).
        return True

    def isr_refused(self, proposal: IsrProposal, *, is_certain: bool) -> None:
        """The controller did not write it.

        When an earlier attempt went unanswered it may still arrive and be written. Then the state that stands is
        proposed again: that gives it a new partition epoch, and the late attempt comes to nothing.
        """
        if not self.is_proposed(proposal):
            return
        assert self.leadership is not None
        if is_certain:
            self.leadership.settle(self.isr)
            if self.maybe_advance_high_watermark():
                self.changed()
        else:
            self._propose_isr(self.leadership, self.isr)

    # How far the log may be read

    @property
    def last_stable_offset(self) -> LogOffset:
        """The end of what read_committed consumers may see: the oldest open transaction, else the high watermark.

        It is kept while the high watermark stays: transactions begin and end past that. Only where the log begins may
        come before it.
        """
        high_watermark = self.high_watermark
        stable = self._last_stable
        if high_watermark is not self._last_stable_for or stable.offset < self.log.log_start_offset:
            unstable = self.log.first_unstable_offset(high_watermark.offset)
            stable = high_watermark if unstable is None or unstable.offset >= high_watermark.offset else unstable
            self._last_stable_for, self._last_stable = high_watermark, stable
        return stable

    def maybe_advance_high_watermark(self) -> bool:
        """Move to the smallest log end of those who count (a lone replica's own end); True when it moved."""
        leadership = self.leadership
        if leadership is None:
            return False
        end = self.log.end_position
        if leadership.followers:
            end = leadership.high_watermark(end, self.context.caught_up_since(), self.context.is_alive)
        if end.offset <= self.high_watermark.offset:
            return False
        self.high_watermark = end
        return True

    def follow_high_watermark(self, leader_high_watermark: int) -> None:
        """What the leader says is committed is so here as far as our log goes. It never moves back by this."""
        offset = min(leader_high_watermark, self.log.log_end_offset)
        if offset > self.high_watermark.offset and offset >= self.log.log_start_offset:
            self.high_watermark = self.log.position_of(offset)
            self.changed()

    def log_was_cut(self) -> None:
        """The log was truncated: the high watermark cannot lie outside of it (KAFKA-9491)."""
        self.high_watermark = self._within_log(self.high_watermark.offset)

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
