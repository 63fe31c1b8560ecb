"""The runtime with a toy coordinator (`support.lease_counters`): steps, timers, owners that change, crashes."""

import asyncio
import random

import pytest

from ottla.clock import ManualClock, TimerWheel
from ottla.coordinators.runtime.partition_loader import RETRY_MS_FIRST, RETRY_MS_MAX
from ottla.coordinators.runtime.step import KeyValue, Step, Transaction
from ottla.errors import ErrorCode
from ottla.errors.kafka import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    KafkaStorageError,
    NotCoordinatorError,
)
from support.coordinator_logs import MemoryCoordinatorLog
from support.lease_counters import LEASE_MS, LeaseCounters
from support.loops import on_loop
from support.replicas import turn

A, B = "a", "b"  # One in each of two partitions.


class World:
    """A log that outlives its coordinators."""

    def __init__(self, log: MemoryCoordinatorLog | None = None) -> None:
        self.clock = ManualClock()
        self.timers = TimerWheel(self.clock)
        self.log = log or MemoryCoordinatorLog()
        self.epoch = 0
        self.counters = LeaseCounters(self.log, self.clock, self.timers)

    async def start(self) -> LeaseCounters:
        self.epoch += 1
        self.counters = LeaseCounters(self.log, self.clock, self.timers)
        return await self.counters.won(self.epoch)

    async def crash(self, *, kept: int = 0) -> LeaseCounters:
        """Kill the coordinator and start another; of the appends that were not replicated the first `kept` last."""
        self.counters.crash()
        self.log.crash(kept=kept)
        self.timers = TimerWheel(self.clock)
        return await self.start()

    def advance(self, milliseconds: int) -> None:
        self.clock.advance_ms(milliseconds)
        self.timers.advance()


# Steps


@on_loop
async def test_a_change_is_seen_at_once_and_responded_to_when_it_is_replicated():
    world = World()
    counters = await world.start()
    world.log.is_held = True
    first, second = counters.add(a=1), counters.add(a=2)
    assert counters.counter(A).total == 3
    assert not first.done()
    world.log.replicate()
    assert (await first, await second) == ({A: 1}, {A: 3})


@on_loop
async def test_a_refused_append_changes_nothing():
    world = World()
    counters = await world.start()
    world.log.refuse_with = ErrorCode.NOT_ENOUGH_REPLICAS
    assert counters.add(a=1) is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert counters.counter(A).total == 0
    world.log.refuse_with = None
    assert counters.add(a=1) == {A: 1}


@on_loop
async def test_the_records_of_an_append_are_one_batch():
    world = World()
    counters = await world.start()
    counters.transfer("t", A, B, 5)
    batches = world.log.batches
    assert sum(len(world.log.records(index)) for index in batches) > sum(map(len, batches.values()))
    for index in batches:
        keys = [record.key for record in world.log.records(index)]
        assert keys in ([b"counter a", b"open t", b"open t"], [b"counter b"])


@on_loop
async def test_what_waits_gets_its_outcome_once_when_the_partition_is_lost():
    world = World()
    counters = await world.start()
    world.log.is_held = True
    waiting = counters.add(a=1)
    for index in range(counters.partitions):
        counters.runtime.partition_lost(index)
    with pytest.raises(NotCoordinatorError):
        counters.add(a=1)
    world.log.fail(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert await waiting is ErrorCode.NOT_COORDINATOR


@on_loop
async def test_a_lost_shard_appends_nothing_and_has_no_effects():
    world = World()
    counters = await world.start()
    owned = counters.runtime.partition(0)
    counters.runtime.partition_lost(0)
    outcomes, effects = [], []

    def late(step: Step) -> None:
        step.append([KeyValue(b"counter z", b"[1, null, []]")], lambda error, offset, step: outcomes.append(error))
        step.perform(lambda: effects.append(1))

    counters.runtime.run(owned, "z", late)
    assert (outcomes, effects) == ([ErrorCode.NOT_LEADER_OR_FOLLOWER], [])
    assert world.log.batches == {}


@on_loop
async def test_a_response_that_shows_what_is_not_replicated_waits_behind_an_append_without_records():
    world = World()
    counters = await world.start()
    owned, told = counters.runtime.partition(1), []

    def read(step: Step) -> None:
        total = owned.shard.counter(A).total
        step.append([], lambda error, offset, step: told.append((error, total)))

    counters.runtime.run(owned, A, read)
    world.log.is_held = True
    counters.add(a=1)
    counters.runtime.run(owned, A, read)
    assert told == [(ErrorCode.NONE, 0)]
    world.log.replicate()
    assert told == [(ErrorCode.NONE, 0), (ErrorCode.NONE, 1)]
    counters.runtime.run(owned, A, read)
    assert len(told) == 3
    counters.runtime.partition_lost(1)
    counters.runtime.run(owned, A, read)
    assert told[3:] == [(ErrorCode.NOT_LEADER_OR_FOLLOWER, 1)]
    assert len(world.log.records(1)) == 1


# Loading


@on_loop
async def test_a_request_that_meets_loading_is_refused_or_waits_for_the_end_of_it():
    world = World()
    (await world.start()).add(a=1)
    counters = LeaseCounters(world.log, world.clock, world.timers)
    for index in range(counters.partitions):
        counters.runtime.partition_won(index, 2)
    with pytest.raises(CoordinatorLoadInProgressError):
        counters.add(a=1)
    await counters.runtime.loaded()
    assert counters.add(a=1) == {A: 2}


@on_loop
async def test_a_coordinator_that_is_stopped_is_not_available():
    counters = await World().start()
    counters.runtime.stop()
    with pytest.raises(CoordinatorNotAvailableError):
        counters.add(a=1)


class FailingLog(MemoryCoordinatorLog):
    """Partition 0 cannot be read."""

    reads = 0

    async def read(self, partition, offset, max_bytes):
        if partition == 0:
            self.reads += 1
            raise KafkaStorageError("not now")
        return await super().read(partition, offset, max_bytes)


@on_loop
async def test_a_partition_that_cannot_be_read_is_read_again_ever_more_rarely_while_others_are_served():
    log = FailingLog()
    world = World(log)
    runtime = world.counters.runtime
    runtime.partition_won(0, 1)
    runtime.partition_won(1, 1)
    await turn()
    assert [owned.index for owned in runtime.partitions()] == [1]
    pause_ms = RETRY_MS_FIRST
    for number in range(1, 12):
        assert log.reads == number
        world.advance(pause_ms - 20)
        await turn()
        assert log.reads == number
        world.advance(60)
        await turn()
        pause_ms = min(2 * pause_ms, RETRY_MS_MAX)
    runtime.partition_lost(0)
    world.advance(RETRY_MS_MAX + 20)
    await turn()
    assert log.reads == 12


# Timers


@on_loop
async def test_a_unit_has_one_timer_and_a_lease_ends_by_the_clock():
    world = World()
    counters = await world.start()
    for _ in range(5):
        assert counters.lease(A, "x") is True
    assert counters.lease(A, "y") is False
    assert len(world.timers) == 1
    world.advance(LEASE_MS + 20)
    assert counters.counter(A).holder is None
    assert len(world.timers) == 0
    assert counters.lease(A, "y") is True


@on_loop
async def test_deadlines_begin_anew_with_a_new_owner():
    world = World()
    counters = await world.start()
    counters.lease(A, "x")
    world.advance(LEASE_MS - 100)
    counters = await world.crash()
    world.advance(200)
    assert counters.counter(A).holder == "x"
    world.advance(LEASE_MS)
    assert counters.counter(A).holder is None


@on_loop
async def test_losing_a_partition_stops_its_timers():
    world = World()
    counters = await world.start()
    counters.lease(A, "x")
    counters.lease(B, "x")
    counters.runtime.stop()
    assert len(world.timers) == 0


# Changes in two steps, and transactions


@on_loop
async def test_a_change_in_two_steps_goes_on_when_the_first_is_replicated():
    world = World()
    counters = await world.start()
    world.log.is_held = True
    opened = counters.transfer("t", A, B, 5)
    await turn()
    assert counters.counter(B).total == 0
    world.log.is_held = False
    world.log.replicate()
    await turn()
    assert await opened is True
    assert (counters.counter(A).total, counters.counter(B).total) == (-5, 5)


@on_loop
async def test_a_new_owner_goes_on_with_a_change_that_was_begun():
    world = World()
    counters = await world.start()
    world.log.is_held = True
    counters.transfer("t", A, B, 5)
    world.log.is_held = False
    counters = await world.crash(kept=1)
    await turn()
    world.advance(1000)
    await turn()
    assert (counters.counter(A).total, counters.counter(B).total) == (-5, 5)
    assert not any(owned.shard.open for owned in counters.runtime.partitions())


@on_loop
async def test_a_step_that_is_repeated_is_confirmed_when_the_first_attempt_is_replicated():
    """Otherwise the change is closed on one side and lost with a crash on the other."""
    world = World()
    counters = await world.start()
    world.log.is_held = True
    counters.transfer("t", A, B, 5)
    world.log.replicate()
    assert counters.counter(B).total == 5
    world.log.fail(ErrorCode.REQUEST_TIMED_OUT)
    await turn()
    world.advance(1000)
    source = counters.runtime.partition(1).shard
    assert source.open
    world.log.replicate()
    await turn()
    assert not source.open
    assert (counters.counter(A).total, counters.counter(B).total) == (-5, 5)


@pytest.mark.parametrize("is_committed", [True, False])
@pytest.mark.parametrize("is_loaded", [True, False], ids=["at loading", "live"])
@on_loop
async def test_records_of_a_transaction_count_when_it_commits(is_committed, is_loaded):
    world = World()
    counters = await world.start()
    owned, transaction = counters.runtime.partition(0), Transaction(7, 0)
    record = KeyValue(b"counter z", b"[9, null, []]")
    counters.runtime.run(owned, "z", lambda step: step.append([record], replays=True, transaction=transaction))
    if is_loaded:
        owned = (await world.crash()).runtime.partition(0)
    assert owned.shard.counter("z").total == 0
    runtime = world.counters.runtime
    outcome = runtime.end_transaction(owned, transaction, coordinator_epoch=0, is_committed=is_committed)
    assert outcome is ErrorCode.NONE
    assert owned.shard.counter("z").total == (9 if is_committed else 0)
    owned = (await world.crash()).runtime.partition(0)
    assert owned.shard.counter("z").total == (9 if is_committed else 0)


# Crashes


class Client:
    """Adds to pairs of counters and moves between them, and knows what it was told."""

    def __init__(self, world: World, rng: random.Random) -> None:
        self.world, self.rng = world, rng
        self.waiting: list[tuple[dict[str, int], asyncio.Future]] = []
        self.told: dict[str, int] = {}
        self.errors = 0
        self.number = 0

    def act(self) -> None:
        counters, rng = self.world.counters, self.rng
        self.number += 1
        if rng.random() < 0.3:
            counters.transfer(f"t{self.number}", "bank", rng.choice([A, B]), 1)
            return
        pair = {f"x{self.number % 3}": 1, f"y{self.number % 3}": 1}
        outcome = counters.add(**pair)
        if isinstance(outcome, asyncio.Future):
            self.waiting.append((pair, outcome))
        else:
            self.was_told(outcome)

    def was_told(self, outcome: object) -> None:
        if isinstance(outcome, ErrorCode):
            self.errors += 1
            return
        for name, total in outcome.items():
            self.told[name] = max(self.told.get(name, 0), total)

    def collect(self) -> None:
        for _, outcome in self.waiting:
            if outcome.done():
                self.was_told(outcome.result())
        self.waiting = [(pair, outcome) for pair, outcome in self.waiting if not outcome.done()]


def check(world: World, client: Client) -> None:
    """Nothing that was told is lost; a pair was changed together or not at all."""
    shards = [owned.shard for owned in world.counters.runtime.partitions()]
    found = {name: counter.total for shard in shards for name, counter in shard.counters.items()}
    for name, total in client.told.items():
        assert found[name] >= total
    for number in range(3):
        assert found.get(f"x{number}", 0) == found.get(f"y{number}", 0)
    in_flight = sum(transfer.amount for shard in shards for transfer in shard.open.values())
    credited = {id_ for shard in shards for counter in shard.counters.values() for id_ in counter.taken}
    in_flight -= sum(transfer.amount for shard in shards for id_, transfer in shard.open.items() if id_ in credited)
    assert found.get("bank", 0) + found.get(A, 0) + found.get(B, 0) + in_flight == 0


@pytest.mark.parametrize("seed", range(40))
@on_loop
async def test_no_crash_loses_what_was_told_or_shows_half_of_a_change(seed):
    rng = random.Random(seed)
    world = World()
    await world.start()
    client = Client(world, rng)
    world.log.is_held = True
    for _ in range(120):
        match rng.randrange(10):
            case 0:
                client.waiting.clear()  # Whoever waits has lost its connection.
                await world.crash(kept=rng.randrange(4))
                check(world, client)
            case 1 | 2 | 3:
                world.log.replicate(rng.randrange(1, 5))
            case 4:
                world.advance(rng.randrange(1000))
                if rng.random() < 0.5:
                    world.log.fail(ErrorCode.REQUEST_TIMED_OUT)
                world.log.refuse_with = rng.choice([None, None, ErrorCode.NOT_ENOUGH_REPLICAS])
            case _:
                client.act()
        await turn()
        client.collect()
    world.log.is_held, world.log.refuse_with = False, None
    await world.crash()
    world.log.replicate()
    world.advance(1000)
    await turn()
    check(world, client)
    assert not any(owned.shard.open for owned in world.counters.runtime.partitions())
    assert client.told
    assert client.errors
