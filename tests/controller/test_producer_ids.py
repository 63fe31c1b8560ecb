import asyncio

import pytest

from ottla.clock import ManualClock
from ottla.controller.producer_ids import BLOCK_SIZE, PRODUCER_ID_MAX, ProducerIdManager, next_block
from ottla.coordination import paths
from ottla.coordination.payloads.cluster import ProducerIdBlock
from ottla.errors.kafka import CoordinatorLoadInProgressError, UnknownServerError
from ottla.testing.memory_session import MemorySession, MemoryZooKeeper
from support.coroutines import on_event_loop


async def started(zookeeper: MemoryZooKeeper) -> MemorySession:
    session = zookeeper.session()
    await session.start()
    return session


@on_event_loop
async def test_ids_of_two_brokers_are_unique_and_the_block_is_in_zookeeper() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    managers = [ProducerIdManager(await started(zookeeper), broker) for broker in (0, 1)]
    ids = await asyncio.gather(*(m.generate() for m in managers for _ in range(BLOCK_SIZE * 2 + 5)))
    assert len(set(ids)) == len(ids)
    data, _ = await (await started(zookeeper)).get(paths.PRODUCER_ID_BLOCK)
    assert ProducerIdBlock.decode("", data).last >= max(ids)


@on_event_loop
async def test_ids_are_never_given_again_after_a_restart() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    first = await ProducerIdManager(await started(zookeeper), 0).generate()
    second = await ProducerIdManager(await started(zookeeper), 0).generate()
    assert (first, second) == (0, BLOCK_SIZE)


@pytest.mark.parametrize("executed", [False, True])
@on_event_loop
async def test_lost_answer_costs_at_most_a_block(executed: bool) -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    session = await started(zookeeper)
    await session.create(paths.PRODUCER_ID_BLOCK)
    session.subscribe(lambda _: session.reconnect())
    session.lose_next_write(executed=executed)
    assert await ProducerIdManager(session, 0).generate() == (BLOCK_SIZE if executed else 0)


@on_event_loop
async def test_next_block_is_there_before_the_current_one_ends() -> None:
    manager = ProducerIdManager(await started(MemoryZooKeeper(ManualClock())), 0)
    taken = [await manager.generate()]
    for _ in range(BLOCK_SIZE - 1):
        taken.append(manager.take())
        await asyncio.sleep(0)
    assert None not in taken
    assert await manager.generate() == BLOCK_SIZE


def test_end_of_all_ids_is_an_error() -> None:
    last = ProducerIdBlock(0, PRODUCER_ID_MAX - BLOCK_SIZE, PRODUCER_ID_MAX - 1)
    with pytest.raises(UnknownServerError, match="exhausted"):
        next_block(last, 0)


@on_event_loop
async def test_zookeeper_that_gives_no_block_is_a_reason_to_ask_again() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    zookeeper.tree.nodes_max = 0
    with pytest.raises(CoordinatorLoadInProgressError):
        await ProducerIdManager(await started(zookeeper), 0).generate()
