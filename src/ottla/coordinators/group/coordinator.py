"""The group coordinator of a broker: drives the groups of the partitions of `__consumer_offsets` that it leads.

    request ──► find the group (or say why not) ──► state machine ──► append its records ──► answer when replicated
                                                         ▲
    timer wheel ─────────────── tick ────────────────────┘

A partition that was won is loaded first, in slices; COORDINATOR_LOAD_IN_PROGRESS meanwhile. There is one timer per
group, at its earliest deadline, and none per member: heartbeats only move deadlines (`liveness`).

Requests raise KafkaError where no group can be asked: the id is bad, the coordinator is elsewhere, not there yet or
loading. What a group itself says is in the result. Results of requests that wait are futures.

Invariant: a group that is not DEAD and whose partition is loaded is in `_groups` and in its partition's `groups`.
"""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Sequence

from ottla.clock import Clock, TimerWheel
from ottla.coordinators.group.coordinator_metrics import CoordinatorMetrics
from ottla.coordinators.group.describing import GroupDescription, GroupOverview, describe, listed
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.group_runner import GroupRunner
from ottla.coordinators.group.joining import handle_join
from ottla.coordinators.group.liveness import begin_sessions, handle_heartbeat, handle_leave, unload
from ottla.coordinators.group.offsets import (
    NO_COMMITTED_OFFSET,
    fetch_offset,
    handle_commit,
    handle_delete_group,
    handle_delete_offsets,
    topics_deleted,
)
from ottla.coordinators.group.offsets_expiry import OffsetsExpiry
from ottla.coordinators.group.offsets_log import OffsetsLog
from ottla.coordinators.group.owned_partition import HostedGroup, OwnedPartition
from ottla.coordinators.group.partition_loader import PartitionLoader
from ottla.coordinators.group.requests import (
    UNKNOWN_MEMBER,
    CommitRequest,
    CommitResult,
    DeleteOffsetsResult,
    FetchedOffset,
    HeartbeatRequest,
    JoinRequest,
    JoinResult,
    LeaveResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.syncing import handle_sync
from ottla.coordinators.group.waiter import Waiter
from ottla.coordinators.partitioning import partition_for
from ottla.errors import ErrorCode
from ottla.errors.kafka import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    GroupIdNotFoundError,
    InvalidGroupIdError,
    NotCoordinatorError,
)
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics

logger = logging.getLogger(__name__)

Later = asyncio.Future


class GroupCoordinator:
    """`partition_count`: how many partitions `__consumer_offsets` has, or will be created with."""

    def __init__(
        self,
        settings: GroupSettings,
        log: OffsetsLog,
        partition_count: Callable[[], int],
        clock: Clock,
        timers: TimerWheel,
        metrics: Metrics,
    ) -> None:
        self._settings = settings
        self._partition_count = partition_count
        self._clock = clock
        self._is_active = False
        self._partitions: dict[int, OwnedPartition] = {}
        self._groups: dict[str, HostedGroup] = {}
        self._metrics = CoordinatorMetrics(metrics, self.groups)
        self._loader = PartitionLoader(log, settings, clock, self._partition_loaded)
        self._runner = GroupRunner(settings, log, clock, timers, self._metrics, self._forget)
        self._expiry = OffsetsExpiry(settings, timers, self._runner, self._metrics, self._groups)

    def __len__(self) -> int:
        """How many groups there are here."""
        return len(self._groups)

    def groups(self) -> list[Group]:
        return [hosted.group for hosted in self._groups.values()]

    # Start, stop, and which partitions are ours

    def start(self) -> None:
        self._is_active = True
        self._expiry.start()

    def stop(self) -> None:
        """Whoever waits is told to look for another coordinator."""
        self._is_active = False
        self._expiry.stop()
        self._loader.stop()
        for partition in list(self._partitions):
            self.partition_lost(partition)

    def partition_won(self, partition: int, epoch: int) -> None:
        """This broker leads the partition in this epoch: load it. An epoch that is not newer is nothing new."""
        known = self._partitions.get(partition)
        if known is not None and known.epoch >= epoch:
            return
        self.partition_lost(partition)
        logger.debug("Elected as the group coordinator for partition %d in epoch %d", partition, epoch)
        owned = self._partitions[partition] = OwnedPartition(partition, epoch)
        self._loader.load(owned)

    async def loaded(self) -> None:
        """Until every partition that was won is loaded, or lost again."""
        await self._loader.idle()

    def partition_lost(self, partition: int) -> None:
        """Another broker leads the partition, or none does."""
        owned = self._partitions.pop(partition, None)
        if owned is None:
            return
        logger.debug("Resigned as the group coordinator for partition %d in epoch %d", partition, owned.epoch)
        owned.is_lost = True
        for hosted in list(owned.groups.values()):
            self._runner.run(hosted, unload)

    def _partition_loaded(self, owned: OwnedPartition, groups: dict[str, Group], took_ms: float) -> None:
        for group in groups.values():
            self._runner.run(self._host(group, owned), begin_sessions)
        owned.is_loading = False
        self._metrics.partition_loaded(took_ms)
        logger.debug("Loaded %d groups from %r in %d ms", len(groups), owned, took_ms)

    def _host(self, group: Group, owned: OwnedPartition) -> HostedGroup:
        hosted = HostedGroup(group, owned)
        self._groups[group.group_id] = owned.groups[group.group_id] = hosted
        return hosted

    def _forget(self, hosted: HostedGroup) -> None:
        group_id = hosted.group.group_id
        if self._groups.get(group_id) is hosted:
            del self._groups[group_id]
            del hosted.partition.groups[group_id]

    # Which group

    def partition_for(self, group_id: str) -> int:
        return partition_for(group_id, self._partition_count())

    def _find(self, group_id: str, *, may_be_unnamed: bool = False) -> HostedGroup | None:
        """The group; None when there is none of that id. KafkaError when this is not known here, or not yet."""
        hosted = self._groups.get(group_id)
        if hosted is None or not (group_id or may_be_unnamed):
            self._owner(group_id, may_be_unnamed=may_be_unnamed)
        return hosted

    def _owner(self, group_id: str, *, may_be_unnamed: bool = False) -> OwnedPartition:
        if not group_id and not may_be_unnamed:
            raise InvalidGroupIdError("The configured groupId is invalid.")
        if not self._is_active:
            raise CoordinatorNotAvailableError("The coordinator is not available.")
        owned = self._partitions.get(self.partition_for(group_id))
        if owned is None:
            raise NotCoordinatorError("This is not the correct coordinator.")
        if owned.is_loading:
            raise CoordinatorLoadInProgressError("The coordinator is loading and hence can't process requests.")
        return owned

    def _create(self, group_id: str, *, may_be_unnamed: bool = False) -> HostedGroup:
        owned = self._owner(group_id, may_be_unnamed=may_be_unnamed)
        return self._host(Group(group_id, self._settings, self._clock.wall_ms()), owned)

    # Membership

    def join(self, request: JoinRequest) -> JoinResult | Later[JoinResult]:
        hosted = self._find(request.group_id)
        settings = self._settings
        if not settings.session_timeout_min_ms <= request.session_timeout_ms <= settings.session_timeout_max_ms:
            return JoinResult(ErrorCode.INVALID_SESSION_TIMEOUT, request.member_id)
        if hosted is None:
            if request.member_id != UNKNOWN_MEMBER:
                return JoinResult(ErrorCode.UNKNOWN_MEMBER_ID, request.member_id)
            hosted = self._create(request.group_id)
        waiter: Waiter[JoinResult] = Waiter()
        self._runner.run(hosted, lambda group, step: handle_join(group, request, waiter, step))
        return waiter.outcome()

    def sync(self, request: SyncRequest) -> SyncResult | Later[SyncResult]:
        try:
            hosted = self._find(request.group_id)
        except CoordinatorLoadInProgressError:
            # What was agreed before is lost. Older clients know this code, and join again.
            return SyncResult(ErrorCode.REBALANCE_IN_PROGRESS)
        if hosted is None:
            return SyncResult(ErrorCode.UNKNOWN_MEMBER_ID)
        waiter: Waiter[SyncResult] = Waiter()
        self._runner.run(hosted, lambda group, step: handle_sync(group, request, waiter, step))
        return waiter.outcome()

    def heartbeat(self, request: HeartbeatRequest) -> ErrorCode:
        try:
            hosted = self._find(request.group_id)
        except CoordinatorLoadInProgressError:
            return ErrorCode.NONE
        if hosted is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        error = handle_heartbeat(hosted.group, request, self._clock.monotonic() * 1000)
        self._runner.maybe_arm(hosted)
        return error

    def leave(self, group_id: str, members: Sequence[LeavingMember]) -> list[LeaveResult]:
        hosted = self._find(group_id)
        if hosted is None:
            return [LeaveResult(member, ErrorCode.UNKNOWN_MEMBER_ID) for member in members]
        results: list[LeaveResult] = []
        self._runner.run(hosted, lambda group, step: results.extend(handle_leave(group, members, step)))
        return results

    # Offsets

    def commit(self, request: CommitRequest) -> CommitResult | Later[CommitResult]:
        hosted = self._find(request.group_id, may_be_unnamed=True)
        if hosted is None:
            if request.generation >= 0:
                return dict.fromkeys(request.offsets, ErrorCode.ILLEGAL_GENERATION)
            hosted = self._create(request.group_id, may_be_unnamed=True)
        waiter: Waiter[CommitResult] = Waiter()
        self._runner.run(hosted, lambda group, step: handle_commit(group, request, waiter, step))
        return waiter.outcome()

    def fetch(
        self, group_id: str, partitions: Iterable[TopicPartition] | None, *, require_stable: bool = False
    ) -> dict[TopicPartition, FetchedOffset]:
        """The committed offsets of these partitions, or of all that have one."""
        hosted = self._find(group_id, may_be_unnamed=True)
        if hosted is None:
            return dict.fromkeys(partitions or (), NO_COMMITTED_OFFSET)
        group = hosted.group
        wanted = group.offsets.committed if partitions is None else partitions
        return {partition: fetch_offset(group, partition, require_stable=require_stable) for partition in wanted}

    def delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition]
    ) -> DeleteOffsetsResult | Later[DeleteOffsetsResult]:
        hosted = self._find(group_id)
        if hosted is None:
            raise GroupIdNotFoundError("The group id does not exist.")
        waiter: Waiter[DeleteOffsetsResult] = Waiter()
        before = len(hosted.group.offsets.committed)
        self._runner.run(hosted, lambda group, step: handle_delete_offsets(group, partitions, waiter, step))
        self._metrics.deletions.value += before - len(hosted.group.offsets.committed)
        return waiter.outcome()

    def topics_deleted(self, topics: Collection[str]) -> None:
        """Offsets of topics that are gone would come back to life with a topic of the same name."""
        names = frozenset(topics)
        for hosted in list(self._groups.values()):
            self._runner.run(hosted, lambda group, step: topics_deleted(group, names, step))

    # Groups as a whole

    def delete_group(self, group_id: str) -> ErrorCode | Later[ErrorCode]:
        hosted = self._find(group_id, may_be_unnamed=True)
        if hosted is None:
            raise GroupIdNotFoundError("The group id does not exist.")
        waiter: Waiter[ErrorCode] = Waiter()
        self._runner.run(hosted, lambda group, step: handle_delete_group(group, waiter, step))
        return waiter.outcome()

    def list_groups(
        self, states: Collection[str] = (), types: Collection[str] = ()
    ) -> tuple[ErrorCode, list[GroupOverview]]:
        """While a partition loads the list has a code that says that it is not whole."""
        if not self._is_active:
            raise CoordinatorNotAvailableError("The coordinator is not available.")
        is_loading = any(owned.is_loading for owned in self._partitions.values())
        error = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS if is_loading else ErrorCode.NONE
        return error, listed(self.groups(), states, types)

    def describe_group(self, group_id: str) -> GroupDescription | None:
        """None when there is no such group."""
        hosted = self._find(group_id, may_be_unnamed=True)
        return None if hosted is None else describe(hosted.group)
