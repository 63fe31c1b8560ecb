import asyncio
from typing import Any

import pytest

from ottla.clock import ManualClock
from ottla.controller.config_store import MISSING, NOTICE_LIFETIME_MS, ConfigStore
from ottla.controller.registration import create_roots
from ottla.coordination import paths
from ottla.coordination.errors import BadVersionError
from ottla.coordination.payloads.configs import (
    ConfigEntity,
    broker_entity,
    decode_config_change,
    encode_config,
    topic_entity,
)
from ottla.testing.memory_session import MemoryZooKeeper
from support.coroutines import on_event_loop


class Broker:
    """A ConfigStore and what it told."""

    def __init__(self, zookeeper: MemoryZooKeeper, broker_id: int = 0) -> None:
        self.session = zookeeper.session()
        self.store = ConfigStore(self.session, broker_id, zookeeper.clock)
        self.told: list[Any] = []
        self.store.subscribe(
            on_topic=lambda topic, configs: self.told.append((topic, dict(configs))),
            on_broker=lambda broker, configs: self.told.append((broker, dict(configs))),
            on_client=lambda entity, configs: self.told.append((entity.path, dict(configs))),
        )

    async def start(self) -> "Broker":
        await self.session.start()
        await create_roots(self.session)
        await self.store.start()
        self.told.clear()
        return self


async def turns() -> None:
    for _ in range(60):
        await asyncio.sleep(0)


@on_event_loop
async def test_change_is_one_step_with_its_notice_and_reaches_every_broker() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    writer, reader = await Broker(zookeeper).start(), await Broker(zookeeper, 1).start()
    await writer.session.create(paths.topic_config("t"), encode_config({}))
    await reader.store.load(["t"])
    configs, version = await writer.store.read(topic_entity("t"))
    await writer.store.write(topic_entity("t"), {**configs, "retention.ms": "7"}, version)
    await turns()
    assert reader.told == [("t", {"retention.ms": "7"})]
    assert reader.store.overrides("t") == {"retention.ms": "7"}
    (notice,) = await writer.session.children(paths.CONFIG_CHANGES)
    data, _ = await writer.session.get(f"{paths.CONFIG_CHANGES}/{notice}")
    assert (notice, decode_config_change("", data)) == ("config_change_0000000000", topic_entity("t"))


@on_event_loop
async def test_write_over_a_version_that_is_not_there_any_more_is_refused_whole() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    broker = await Broker(zookeeper).start()
    await broker.store.write(topic_entity("t"), {"a": "1"}, MISSING)
    _, version = await broker.store.read(topic_entity("t"))
    await broker.store.write(topic_entity("t"), {"a": "2"}, version)
    with pytest.raises(BadVersionError):
        await broker.store.write(topic_entity("t"), {"a": "3"}, version)
    assert len(await broker.session.children(paths.CONFIG_CHANGES)) == 2


@on_event_loop
async def test_broker_configs_go_to_their_broker_and_defaults_to_all() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    brokers = [await Broker(zookeeper, n).start() for n in (0, 1)]
    await brokers[0].store.write(broker_entity(1), {"log.cleaner.threads": "2"}, MISSING)
    await brokers[0].store.write(broker_entity(None), {"log.cleaner.threads": "3"}, MISSING)
    await turns()
    assert brokers[0].told[-1:] == [(None, {"log.cleaner.threads": "3"})]
    assert (1, {"log.cleaner.threads": "2"}) in brokers[1].told
    assert all(broker != 1 for broker, _ in brokers[0].told)


@on_event_loop
async def test_users_and_clients_are_stored_with_their_real_names() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    writer = await Broker(zookeeper).start()
    entity = ConfigEntity((("users", "CN=x y"), ("clients", "<default>")))
    await writer.store.write(entity, {"producer_byte_rate": "1024"}, MISSING)
    reader = await Broker(zookeeper, 1).start()
    assert reader.store.client_configs()[entity] == {"producer_byte_rate": "1024"}


@on_event_loop
async def test_old_notices_are_removed() -> None:
    clock = ManualClock()
    zookeeper = MemoryZooKeeper(clock)
    broker = await Broker(zookeeper).start()
    await broker.store.write(topic_entity("t"), {"a": "1"}, MISSING)
    await turns()
    for _ in range(NOTICE_LIFETIME_MS // 5000 + 1):
        clock.advance_ms(5000)
        zookeeper.tick()
    await broker.store.write(topic_entity("u"), {"a": "1"}, MISSING)
    await turns()
    assert await broker.session.children(paths.CONFIG_CHANGES) == ["config_change_0000000001"]


@on_event_loop
async def test_changes_made_while_the_session_was_lost_are_applied_with_the_new_one() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    writer, reader = await Broker(zookeeper).start(), await Broker(zookeeper, 1).start()
    await writer.store.write(topic_entity("t"), {"a": "1"}, MISSING)
    await reader.store.load(["t"])
    await turns()
    reader.session.disconnect()
    await writer.store.write(topic_entity("t"), {"a": "2"}, 0)
    zookeeper.expire(reader.session)
    reader.session.reconnect()
    await turns()
    assert reader.store.overrides("t") == {"a": "2"}


@on_event_loop
async def test_notice_and_configs_that_cannot_be_read_are_left_alone() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    broker = await Broker(zookeeper).start()
    await broker.session.create(f"{paths.CONFIG_CHANGES}/config_change_", b"garbage", sequence=True)
    await broker.session.create(paths.topic_config("bad"), b"garbage")
    await broker.store.load(["bad"])
    await broker.store.write(broker_entity(0), {"k": "v"}, MISSING)
    await turns()
    assert broker.store.overrides("bad") == {}
    assert (0, {"k": "v"}) in broker.told


@on_event_loop
async def test_writer_does_not_wait_for_its_notice_beyond_the_session() -> None:
    zookeeper = MemoryZooKeeper(ManualClock())
    broker = await Broker(zookeeper).start()
    applied = asyncio.ensure_future(broker.store._applied(1000))
    await turns()
    assert not applied.done()
    zookeeper.expire(broker.session)
    await turns()
    assert applied.done()


@on_event_loop
async def test_writer_does_not_wait_for_a_change_that_cannot_be_applied() -> None:
    broker = await Broker(MemoryZooKeeper(ManualClock())).start()

    def fail(topic: str, configs: Any) -> None:
        raise KeyError("a bug of whoever is told")

    broker.store.on_topic_config = fail
    await broker.store.load(["t"])
    await asyncio.wait_for(broker.store.write(topic_entity("t"), {"retention.ms": "7"}, MISSING), 10)
