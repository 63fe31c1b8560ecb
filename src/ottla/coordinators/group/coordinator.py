"""The group coordinator of a broker: the partitions of `__consumer_offsets` that it leads, each a `GroupShard`.

Heartbeats schedule nothing: they only move deadlines (`liveness`).

Requests raise KafkaError where no group can be asked: the id is bad, the coordinator is elsewhere, not there yet or
loading. What a group itself says is in the result. Results of requests that wait are futures.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

from ottla.clock import Clock, TimerWheel
from ottla.coordinators.group.coordinator_metrics import CoordinatorMetrics
from ottla.coordinators.group.describing import GroupDescription, GroupOverview, listed
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.liveness import handle_heartbeat
from ottla.coordinators.group.requests import (
    HeartbeatRequest,
    JoinRequest,
    JoinResult,
    LeaveResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.shard import GroupShard
from ottla.coordinators.offsets.expiry import OffsetsExpiry
from ottla.coordinators.offsets.requests import CommitRequest, CommitResult, DeleteOffsetsResult, FetchedOffset
from ottla.coordinators.partitioning import partition_for
from ottla.coordinators.runtime.coordinator_log import CoordinatorLog
from ottla.coordinators.runtime.owned_partition import OwnedPartition
from ottla.coordinators.runtime.runtime import CoordinatorRuntime, RuntimeSettings
from ottla.errors import ErrorCode
from ottla.errors.kafka import CoordinatorLoadInProgressError, GroupIdNotFoundError, InvalidGroupIdError
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics

logger = logging.getLogger(__name__)

Later = asyncio.Future


class GroupCoordinator:
    """`partition_count`: how many partitions `__consumer_offsets` has, or will be created with."""

    def __init__(
        self,
        settings: GroupSettings,
        log: CoordinatorLog,
        partition_count: Callable[[], int],
        clock: Clock,
        timers: TimerWheel,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._topic = log.topic
        self._partition_count = partition_count
        self._clock = clock
        self._metrics = CoordinatorMetrics(metrics, self.shards)
        self._runtime = CoordinatorRuntime(
            "group",
            RuntimeSettings(
                append_timeout_ms=settings.commit_timeout_ms,
                load_buffer_bytes=settings.load_buffer_bytes,
                compression=settings.compression,
            ),
            log,
            partial(GroupShard, settings, self._metrics.counters),
            clock,
            timers,
            self._partition_loaded,
            self._load_run_ended,
        )
        self._expiry = OffsetsExpiry(
            settings.retention_check_interval_ms, timers, self._all_groups, self._expire_offsets
        )
        # What the runtime does as it is.
        self.partition_won = self._runtime.partition_won
        self.partition_lost = self._runtime.partition_lost
        self.loaded = self._runtime.loaded

    def __len__(self) -> int:
        """How many groups there are here."""
        return sum(len(shard) for shard in self.shards())

    def __bool__(self) -> bool:
        return any(self.shards())

    def shards(self) -> list[GroupShard]:
        return [owned.shard for owned in self._runtime.partitions()]

    def groups(self) -> list[Group]:
        """The classic groups: those that have members, or had."""
        return [group for shard in self.shards() for group in shard.groups.values()]

    # Start and stop

    def start(self) -> None:
        self._runtime.start()
        self._expiry.start()

    def stop(self) -> None:
        """Whoever waits is told to look for another coordinator."""
        self._expiry.stop()
        self._runtime.stop()

    def _partition_loaded(self, owned: OwnedPartition[GroupShard], took_ms: float) -> None:
        self._metrics.partition_loaded(took_ms)
        logger.debug("Loaded %d groups from %r in %d ms", len(owned.shard), owned, took_ms)

    def _load_run_ended(self, partitions: list[OwnedPartition[GroupShard]], took_ms: float) -> None:
        logger.info(
            "coordinator of the groups in %d more partitions of %s: loaded %d groups in %d ms",
            len(partitions),
            self._topic,
            sum(len(owned.shard) for owned in partitions),
            took_ms,
        )

    # Which group

    def partition_for(self, group_id: str) -> int:
        return partition_for(group_id, self._partition_count())

    def _find(self, group_id: str) -> OwnedPartition[GroupShard]:
        """Where the group lives, if there is one. KafkaError when this is not known here, or not yet."""
        return self._runtime.partition(partition_for(group_id, self._partition_count()))

    def _find_named(self, group_id: str) -> OwnedPartition[GroupShard]:
        if not group_id:
            raise InvalidGroupIdError("The configured groupId is invalid.")
        return self._runtime.partition(partition_for(group_id, self._partition_count()))

    # Membership

    def join(self, request: JoinRequest) -> JoinResult | Later[JoinResult]:
        owned = self._find_named(request.group_id)
        settings = self._settings
        if not settings.session_timeout_min_ms <= request.session_timeout_ms <= settings.session_timeout_max_ms:
            return JoinResult(ErrorCode.INVALID_SESSION_TIMEOUT, request.member_id)
        return self._runtime.handle(owned, request.group_id, owned.shard.handle_join, request)

    def sync(self, request: SyncRequest) -> SyncResult | Later[SyncResult]:
        try:
            owned = self._find_named(request.group_id)
        except CoordinatorLoadInProgressError:
            # What was agreed before is lost. Older clients know this code, and join again.
            return SyncResult(ErrorCode.REBALANCE_IN_PROGRESS)
        return self._runtime.handle(owned, request.group_id, owned.shard.handle_sync, request)

    def heartbeat(self, request: HeartbeatRequest) -> ErrorCode:
        group_id = request.group_id
        try:
            owned = self._find_named(group_id)
        except CoordinatorLoadInProgressError:
            return ErrorCode.NONE
        group = owned.shard.groups.get(group_id)
        if group is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        armed_for_ms = group.wake_at_ms
        error = handle_heartbeat(group, request, self._clock.monotonic() * 1000)
        if group.wake_at_ms < armed_for_ms:
            self._runtime.arm(owned, group_id)
        return error

    def leave(self, group_id: str, members: Sequence[LeavingMember]) -> list[LeaveResult]:
        owned = self._find_named(group_id)
        results: list[LeaveResult] = []
        self._runtime.run(owned, group_id, lambda step: results.extend(owned.shard.leave(group_id, members, step)))
        return results

    # Offsets

    def commit(self, request: CommitRequest) -> CommitResult | Later[CommitResult]:
        owned = self._find(request.group_id)
        return self._runtime.handle(owned, request.group_id, owned.shard.handle_commit, request)

    def fetch(
        self, group_id: str, partitions: Iterable[TopicPartition] | None, *, require_stable: bool = False
    ) -> dict[TopicPartition, FetchedOffset]:
        """The committed offsets of these partitions, or of all that have one."""
        return self._find(group_id).shard.offsets.fetch(group_id, partitions, require_stable=require_stable)

    def delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition]
    ) -> DeleteOffsetsResult | Later[DeleteOffsetsResult]:
        owned = _holding(self._find_named(group_id), group_id)
        return self._runtime.handle(owned, group_id, owned.shard.handle_delete_offsets, group_id, partitions)

    def topics_deleted(self, topics: Collection[str]) -> None:
        """Offsets of topics that are gone would come back to life with a topic of the same name."""
        names = frozenset(topics)
        for owned, group_id in self._all_groups():
            self._runtime.run(owned, group_id, partial(owned.shard.topics_deleted, group_id, names))

    def _all_groups(self) -> Iterator[tuple[OwnedPartition[GroupShard], str]]:
        """Some of which may have gone when their turn comes."""
        for owned in list(self._runtime.partitions()):
            for group_id in owned.shard.group_ids():
                yield owned, group_id

    def _expire_offsets(self, owned: OwnedPartition[GroupShard], group_id: str) -> None:
        if not owned.is_lost and group_id in owned.shard:
            self._runtime.run(owned, group_id, partial(owned.shard.expire_offsets, group_id))

    # Groups as a whole

    def delete_group(self, group_id: str) -> ErrorCode | Later[ErrorCode]:
        owned = _holding(self._find(group_id), group_id)
        return self._runtime.handle(owned, group_id, owned.shard.handle_delete_group, group_id)

    def list_groups(
        self, states: Collection[str] = (), types: Collection[str] = ()
    ) -> tuple[ErrorCode, list[GroupOverview]]:
        """While a partition loads the list has a code that says that it is not whole."""
        self._runtime.check_active()
        error = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS if self._runtime.is_loading else ErrorCode.NONE
        return error, listed((group for shard in self.shards() for group in shard.overviews()), states, types)

    def describe_group(self, group_id: str) -> GroupDescription | None:
        """None when there is no such group."""
        return self._find(group_id).shard.describe(group_id)


def _holding(owned: OwnedPartition[GroupShard], group_id: str) -> OwnedPartition[GroupShard]:
    if group_id not in owned.shard:
        raise GroupIdNotFoundError("The group id does not exist.")
    return owned
