import asyncio

import pytest

from ottla.clock import ManualClock
from ottla.controller import registration
from ottla.controller.registration import BrokerIdInUseError, BrokerRegistration, WrongClusterError
from ottla.coordination import paths
from ottla.coordination.errors import ConnectionLossError
from ottla.coordination.payloads.brokers import BrokerInfo, Endpoint
from ottla.testing.memory_session import MemorySession, MemoryZooKeeper
from support.coroutines import on_event_loop

INFO = BrokerInfo((Endpoint("PLAINTEXT", "alpha", 9092),), 1)


async def started(zookeeper: MemoryZooKeeper) -> MemorySession:
    session = zookeeper.session()
    await session.start()
    await registration.create_roots(session)
    return session


@on_event_loop
async def test_registration_gives_the_epoch_and_rises_with_each() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    session = await started(zookeeper)
    first = await BrokerRegistration(session, 3, INFO).register()
    stat = await session.exists(paths.broker_id(3))
    assert stat is not None
    assert (stat.czxid, stat.ephemeral_owner) == (first, session.session_id)
    await session.close()
    again = await started(zookeeper)
    assert await BrokerRegistration(again, 3, INFO).register() > first


@on_event_loop
async def test_another_live_owner_is_an_error_that_says_who_and_since_when() -> None:
    zookeeper = MemoryZooKeeper(ManualClock(wall_ms=1_794_736_304_062))
    await BrokerRegistration(await started(zookeeper), 3, INFO).register()
    impatient = zookeeper.session(timeout_ms=100)
    await impatient.start()
    with pytest.raises(
        BrokerIdInUseError, match=r"broker id 3 is in use: alpha:9092 registered it at 2026-11-15 09:51:44"
    ):
        await BrokerRegistration(impatient, 3, INFO).register()


@on_event_loop
async def test_end_of_a_dead_brokers_session_is_waited_for(caplog: pytest.LogCaptureFixture) -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    dead = await started(zookeeper)
    before = await BrokerRegistration(dead, 3, INFO).register()
    registering = asyncio.ensure_future(BrokerRegistration(await started(zookeeper), 3, INFO).register())
    while "waiting up to 27.0 s for it to end" not in caplog.text:  # noqa: ASYNC110 - that it is said is the claim
        await asyncio.sleep(0)
    assert not registering.done()
    zookeeper.expire(dead)
    assert await registering > before


@on_event_loop
async def test_registration_whose_answers_are_all_lost_ends_with_an_error() -> None:
    session = await started(MemoryZooKeeper(ManualClock()))

    def lose_again(_: object) -> None:
        session.reconnect()
        session.lose_next_write(executed=False)

    session.subscribe(lose_again)
    session.lose_next_write(executed=False)
    with pytest.raises(ConnectionLossError):
        await BrokerRegistration(session, 3, INFO).register()


@on_event_loop
async def test_node_of_our_own_former_session_is_replaced() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    former = await started(zookeeper)
    broker = BrokerRegistration(former, 3, INFO)
    before = await broker.register()
    broker._session = await started(zookeeper)  # the former one has not expired yet at the server
    assert await broker.register() > before


@on_event_loop
async def test_registration_whose_answer_was_lost_is_recognised() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    session = await started(zookeeper)
    session.lose_next_write(executed=True)
    session.subscribe(lambda _: session.reconnect())
    epoch = await BrokerRegistration(session, 3, INFO).register()
    stat = await session.exists(paths.broker_id(3))
    assert stat is not None
    assert stat.czxid == epoch


@on_event_loop
async def test_cluster_id_is_made_once_and_checked() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    session = await started(zookeeper)
    made = await registration.cluster_id(session)
    assert len(made) == 22
    assert await registration.cluster_id(await started(zookeeper), made) == made
    with pytest.raises(WrongClusterError, match=f"The Cluster ID {made} doesn't match stored clusterId other"):
        await registration.cluster_id(session, "other")


@on_event_loop
async def test_cluster_id_of_meta_properties_is_kept_when_zookeeper_is_empty() -> None:
    session = await started(MemoryZooKeeper(ManualClock()))
    assert await registration.cluster_id(session, "thZDzCkNTueY2KLrT0plMg") == "thZDzCkNTueY2KLrT0plMg"


@on_event_loop
async def test_generated_ids_count_up_from_above_the_reserved_ones() -> None:
    session = await started(MemoryZooKeeper(ManualClock()))
    assert [await registration.generate_broker_id(session, 1000) for _ in range(3)] == [1001, 1002, 1003]
