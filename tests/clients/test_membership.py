"""A consumer whose membership is not that of a classic group: its core asks nothing that only such a group has."""

import asyncio
from collections.abc import Callable, Collection

import pytest

from ottla.clients.addresses import parse_addresses
from ottla.clients.cluster import Cluster
from ottla.clients.configuration import ClientConfig
from ottla.clients.consumer.core import ConsumerCore
from ottla.clients.consumer.events import Assigned, Lost, Revoked
from ottla.clients.consumer.fetched import FetchedPartition
from ottla.clients.consumer.membership import MemberLostError
from ottla.clients.consumer.settings import GroupSettings, consumer_settings
from ottla.clients.group_offsets import GroupIdentity
from ottla.clients.metrics import ClientMetrics, MetricsSettings
from ottla.clients.runtime import runtime_of_running_loop
from ottla.clients.snapshot import ClusterSnapshot
from ottla.config.keys import consumer_keys
from ottla.errors import KafkaError
from ottla.errors.kafka import FencedInstanceIdError
from ottla.model import TopicPartition
from support.coroutines import on_event_loop
from support.librdkafka import write_topic


class StaticMembership:
    """Has the partitions that somebody assigns to it."""

    def __init__(self, cluster: Cluster, settings: GroupSettings, on_change: Callable[[], object], /) -> None:
        self.group_id = settings.group_id
        self.identity = GroupIdentity()
        self.needs_rejoin = self.is_lost = self.revokes_all = False
        self.assigned: tuple[TopicPartition, ...] = ()
        self.calls: list[object] = []
        self.failure: KafkaError | None = None
        self._on_change = on_change

    def assign(self, *partitions: TopicPartition, is_lost: bool = False) -> None:
        self.assigned, self.is_lost, self.needs_rejoin = partitions, is_lost, True
        self._on_change()

    def require_rejoin(self) -> None:
        self.needs_rejoin = True

    def note_poll(self) -> None: ...

    def note_revoked(self) -> None:
        self.calls.append("revoked")

    def handle_metadata(self, snapshot: ClusterSnapshot) -> None: ...

    def take_failure(self) -> KafkaError | None:
        failure, self.failure = self.failure, None
        return failure

    async def join(self, topics: Collection[str], owned: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        self.calls.append(owned)
        if owned and self.is_lost:
            raise MemberLostError("it is another's now")
        self.needs_rejoin = self.is_lost = False
        return self.assigned

    async def close(self) -> None:
        self.calls.append("closed")


class Stage:
    def __init__(self, address: str, topic: str, **config: object) -> None:
        runtime = runtime_of_running_loop()
        self.cluster = Cluster(parse_addresses(address), runtime)
        given = {"group_id": "static", "auto_offset_reset": "earliest"} | config
        settings = consumer_settings(ClientConfig("consumer", consumer_keys(), given))
        metrics = ClientMetrics("consumer", "test", runtime.clock, MetricsSettings(2, 30.0))
        self.members: list[StaticMembership] = []
        self.core = ConsumerCore(self.cluster, settings, metrics, make_membership=self._make_membership)
        self.first, self.second = TopicPartition(topic, 0), TopicPartition(topic, 1)

    def _make_membership(self, *parts: object) -> StaticMembership:
        self.members.append(StaticMembership(*parts))  # type: ignore[arg-type]
        return self.members[0]

    @property
    def member(self) -> StaticMembership:
        return self.members[0]

    async def event(self) -> object:
        return await asyncio.wait_for(self.core.next_event(20_000), 30)

    async def records_of(self, partition: TopicPartition) -> None:
        """Wait for data of this partition."""
        while True:
            event = await self.event()
            if isinstance(event, FetchedPartition) and event.state.partition == partition:
                return


@on_event_loop
async def test_a_consumer_reads_what_its_membership_assigns(broker_address: str, wide_topic: str):
    write_topic(broker_address, wide_topic, [{"value": b"v", "partition": partition} for partition in range(2)])
    stage = Stage(broker_address, wide_topic)
    stage.member.assign(stage.first)
    await stage.core.subscribe([wide_topic])
    assert await stage.event() == Assigned(frozenset({stage.first}))
    await stage.records_of(stage.first)
    stage.member.assign(stage.first, stage.second)
    assert await stage.event() == Assigned(frozenset({stage.second}))
    await stage.records_of(stage.second)
    stage.member.assign(stage.second)
    assert await stage.event() == Revoked(frozenset({stage.first}))
    assert await stage.event() == Assigned(frozenset())
    assert stage.member.calls == [(), (stage.first,), (stage.first, stage.second), "revoked"]
    await stage.core.close()
    assert stage.member.calls[-1] == "closed"


@on_event_loop
async def test_what_a_membership_has_lost_is_given_up_before_it_joins_again(broker_address: str, wide_topic: str):
    stage = Stage(broker_address, wide_topic)
    stage.member.assign(stage.first)
    await stage.core.subscribe([wide_topic])
    assert await stage.event() == Assigned(frozenset({stage.first}))
    stage.member.assign(stage.second, is_lost=True)
    assert await stage.event() == Lost(frozenset({stage.first}))
    assert await stage.event() == Assigned(frozenset({stage.second}))
    await stage.core.close()


@on_event_loop
async def test_a_membership_that_revokes_all_gives_up_everything_before_it_joins(broker_address: str, wide_topic: str):
    stage = Stage(broker_address, wide_topic)
    stage.member.revokes_all = True
    stage.member.assign(stage.first)
    await stage.core.subscribe([wide_topic])
    assert await stage.event() == Assigned(frozenset({stage.first}))
    stage.member.assign(stage.first, stage.second)
    assert await stage.event() == Revoked(frozenset({stage.first}))
    assert await stage.event() == Assigned(frozenset({stage.first, stage.second}))
    assert stage.member.calls == [(), ()]
    await stage.core.close()


@on_event_loop
async def test_the_failure_of_a_membership_is_raised_once(broker_address: str, wide_topic: str):
    stage = Stage(broker_address, wide_topic)
    await stage.core.subscribe([wide_topic])
    stage.member.failure = FencedInstanceIdError("not you")
    with pytest.raises(FencedInstanceIdError):
        await stage.event()
    assert await stage.event() == Assigned(frozenset())
    await stage.core.close()


@on_event_loop
async def test_offsets_are_committed_as_the_membership_says(broker_address: str, wide_topic: str):
    write_topic(broker_address, wide_topic, [{"value": b"v", "partition": 0}])
    stage = Stage(broker_address, wide_topic, group_id=wide_topic)
    stage.member.assign(stage.first)
    await stage.core.subscribe([wide_topic])
    await stage.event()
    await stage.core.seek(stage.first, 1)
    await stage.core.unsubscribe()
    found = await stage.core.committer.committed([stage.first])
    assert found[stage.first].offset == 1
    await stage.core.close()
