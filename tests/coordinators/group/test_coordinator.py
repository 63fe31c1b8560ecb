"""The driver: partitions won and lost, loading, timers, expiry, metrics. What groups do is in `tests/scenarios`."""

import asyncio

import pytest

from ottla.clock import ManualClock, SystemClock, TimerWheel
from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.group.requests import GroupProtocol, HeartbeatRequest, JoinRequest, JoinResult, SyncRequest
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.offsets.expiry import GROUPS_AT_A_TIME
from ottla.coordinators.offsets.requests import CommitRequest, OffsetToCommit
from ottla.coordinators.partitioning import partition_for
from ottla.coordinators.runtime.partition_loader import RETRY_MS_FIRST
from ottla.errors import ErrorCode
from ottla.errors.kafka import CoordinatorLoadInProgressError, LeaderNotAvailableError, NotCoordinatorError
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from support.coordinator_logs import MemoryCoordinatorLog
from support.loops import on_loop

T0 = TopicPartition("t", 0)


class World:
    def __init__(self, *, partitions: int = 1, log: MemoryCoordinatorLog | None = None, **settings: int) -> None:
        self.clock = ManualClock()
        self.timers = TimerWheel(self.clock)
        self.log = log or MemoryCoordinatorLog()
        self.metrics = Metrics(self.clock)
        self.settings = GroupSettings(**{"initial_rebalance_delay_ms": 0, **settings})
        self.coordinator = GroupCoordinator(
            self.settings, self.log, lambda: partitions, self.clock, self.timers, self.metrics
        )
        self.coordinator.start()

    async def won(self, *partitions: int, epoch: int = 1) -> "World":
        for partition in partitions:
            self.coordinator.partition_won(partition, epoch)
        await self.coordinator.loaded()
        return self

    def join(self, group_id: str = "g", member_id: str = "", fresh_id: str = "1"):
        request = JoinRequest(
            group_id, member_id, None, "c", "/h", 10_000, 60_000, "consumer", (GroupProtocol("range", b""),), fresh_id
        )
        return self.coordinator.join(request)

    def stable_member(self, group_id: str = "g") -> str:
        joined = self.join(group_id)
        assert isinstance(joined, JoinResult)
        self.coordinator.sync(SyncRequest(group_id, joined.generation, joined.member_id))
        return joined.member_id

    def commit(self, group_id: str = "g", offset: int = 1):
        offsets = {T0: OffsetToCommit(offset, -1, "", self.clock.wall_ms())}
        return self.coordinator.commit(CommitRequest(group_id, -1, "", None, offsets))

    def advance(self, milliseconds: int) -> None:
        self.clock.advance_ms(milliseconds)
        self.timers.advance()

    def metric(self, name: str) -> float:
        text = b"".join(self.metrics.render()).decode()
        return float(next(line.split()[1] for line in text.splitlines() if line.startswith(f"{name} ")))


# Partitions


@on_loop
async def test_a_group_is_coordinated_where_its_partition_is_led():
    world = await World(partitions=50).won(partition_for("g", 50))
    assert world.commit("g") == {T0: ErrorCode.NONE}
    with pytest.raises(NotCoordinatorError):
        world.commit("another")


@on_loop
async def test_losing_a_partition_answers_whoever_waits_and_stops_its_timers():
    world = await World().won(0)
    world.stable_member()
    waiting = world.join(fresh_id="2")
    world.log.is_held = True
    world.coordinator.partition_lost(0)
    assert (await waiting).error is ErrorCode.NOT_COORDINATOR
    assert len(world.coordinator) == 0
    assert len(world.timers) == 1, "that of the expiry"


@on_loop
async def test_a_partition_is_loaded_once_per_epoch():
    world = await World().won(0, epoch=3)
    world.commit()
    await world.won(0, epoch=3)
    (shard,) = world.coordinator.shards()
    await world.won(0, epoch=2)
    assert world.coordinator.shards() == [shard]
    await world.won(0, epoch=4)
    assert world.coordinator.shards() != [shard]
    assert world.coordinator.fetch("g", [T0])[T0].offset == 1


@on_loop
async def test_a_partition_that_is_lost_while_it_loads_is_forgotten():
    world = await World().won(0)
    world.commit()
    world.coordinator.partition_lost(0)
    world.coordinator.partition_won(0, 2)
    with pytest.raises(CoordinatorLoadInProgressError):
        world.commit()
    world.coordinator.partition_lost(0)
    await world.coordinator.loaded()
    assert len(world.coordinator) == 0


class LogThatFailsOnce(MemoryCoordinatorLog):
    def __init__(self) -> None:
        super().__init__()
        self.has_failed = asyncio.Event()

    async def read(self, partition, offset, max_bytes):
        if not self.has_failed.is_set():
            self.has_failed.set()
            raise LeaderNotAvailableError("not yet")
        return await super().read(partition, offset, max_bytes)


@on_loop
async def test_a_load_that_fails_is_tried_again_and_nothing_is_answered_meanwhile():
    first = await World().won(0)
    first.commit(offset=7)
    log = LogThatFailsOnce()
    log.batches = first.log.batches
    world = World(log=log)
    world.coordinator.partition_won(0, 1)
    await log.has_failed.wait()
    with pytest.raises(CoordinatorLoadInProgressError):
        world.commit()
    world.advance(RETRY_MS_FIRST + 20)
    await world.coordinator.loaded()
    assert world.coordinator.fetch("g", [T0])[T0].offset == 7


@on_loop
async def test_loading_lets_the_event_loop_go_on():
    first = await World().won(0)
    for number in range(3000):
        first.commit(f"group-{number}")
    coordinator = GroupCoordinator(
        GroupSettings(), first.log, lambda: 1, SystemClock(), first.timers, Metrics(first.clock)
    )
    coordinator.start()
    coordinator.partition_won(0, 1)
    turns = 0
    while coordinator.list_groups()[0] is not ErrorCode.NONE:
        turns += 1
        await asyncio.sleep(0)
    assert turns > 3
    assert len(coordinator) == 3000


# Timers


@on_loop
async def test_a_group_has_one_timer_however_many_members_and_heartbeats_schedule_none():
    world = await World().won(0)
    member_ids = [world.stable_member()]
    world.join(fresh_id="2")
    world.join(fresh_id="3")
    joined = world.join(member_id=member_ids[0])
    assert len(joined.members) == 3
    assert len(world.timers) == 2, "the group's and that of the expiry"
    for _ in range(100):
        world.advance(20)
        for member in joined.members:
            world.coordinator.heartbeat(HeartbeatRequest("g", joined.generation, member.member_id))
    assert len(world.timers) == 2


@on_loop
async def test_a_member_that_is_heard_of_stays_and_one_that_is_not_goes():
    world = await World().won(0)
    member_id = world.stable_member()
    for _ in range(10):
        world.advance(9_000)
        assert world.coordinator.heartbeat(HeartbeatRequest("g", 1, member_id)) is ErrorCode.NONE
    world.advance(10_040)
    assert world.coordinator.heartbeat(HeartbeatRequest("g", 1, member_id)) is ErrorCode.UNKNOWN_MEMBER_ID


@on_loop
async def test_many_groups_are_looked_through_for_expired_offsets_some_at_a_time():
    world = await World(offsets_retention_ms=1000, retention_check_interval_ms=5000).won(0)
    for number in range(GROUPS_AT_A_TIME + 50):
        world.commit(f"group-{number}")
    world.advance(5020)
    assert len(world.coordinator) == 50
    world.advance(40)
    assert len(world.coordinator) == 0
    assert world.metric("kafka_server_groupcoordinatormetrics_offset_expiration_count") == GROUPS_AT_A_TIME + 50
    world.commit()
    world.advance(5100)
    assert len(world.coordinator) == 0


# Sizes


@on_loop
async def test_a_group_of_fifty_members_on_two_hundred_partitions_stabilises():
    world = await World(initial_rebalance_delay_ms=3000).won(0)
    waiting = [world.join(fresh_id=str(number)) for number in range(50)]
    world.advance(3020)
    world.advance(3020)
    joined = [await one for one in waiting]
    (leader,) = [result for result in joined if result.members]
    shares = {
        member.member_id: bytes(range(number * 4, number * 4 + 4)) for number, member in enumerate(leader.members)
    }
    followers = [
        world.coordinator.sync(SyncRequest("g", 1, result.member_id))
        for result in joined
        if result.member_id != leader.member_id
    ]
    assigned = [world.coordinator.sync(SyncRequest("g", 1, leader.member_id, assignments=shares))]
    assigned += [await follower for follower in followers]
    owned = [partition for result in assigned for partition in result.assignment]
    assert sorted(owned) == list(range(200))


# Metrics


@on_loop
async def test_groups_and_offsets_are_counted():
    world = await World().won(0)
    world.stable_member("stable")
    world.commit("empty")
    world.commit("empty", offset=2)
    prefix = "kafka_coordinator_group_groupmetadatamanager_num"
    assert world.metric(f"{prefix}groups") == 2
    assert world.metric(f"{prefix}groupsstable") == 1
    assert world.metric(f"{prefix}groupsempty") == 1
    assert world.metric(f"{prefix}groupspreparingrebalance") == 0
    assert world.metric(f"{prefix}offsets") == 1
    counters = "kafka_server_groupcoordinatormetrics_"
    assert world.metric(f"{counters}offset_commit_count") == 2
    assert world.metric(f"{counters}group_completed_rebalance_count") == 1
    world.coordinator.delete_offsets("empty", [T0])
    assert world.metric(f"{counters}offset_deletion_count") == 1
