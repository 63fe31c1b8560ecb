"""The controller over a ZooKeeper in memory: elections, brokers that come and go, topics, tools."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ottla.controller import context
from ottla.controller.registration import create_roots
from ottla.controller.topic_rules import NewTopic
from ottla.coordination import paths
from ottla.coordination.payloads.admin import encode_partitions
from ottla.coordination.payloads.cluster import ControllerInfo
from ottla.coordination.payloads.topics import LeaderAndIsr, TopicAssignment
from ottla.coordination.session import Session, SessionEvent
from ottla.errors import KafkaError
from ottla.errors.kafka import (
    InvalidConfigError,
    KafkaStorageError,
    NotControllerError,
    PolicyViolationError,
    RequestTimedOutError,
    TopicAlreadyExistsError,
)
from ottla.model import ZERO_UUID, TopicPartition, random_uuid
from support.controlled_cluster import ControlledBroker, ControlledCluster
from support.coroutines import on_event_loop

P0 = TopicPartition("t", 0)


@asynccontextmanager
async def cluster_of(*broker_ids: int, racks: dict[int, str] | None = None) -> AsyncIterator[ControlledCluster]:
    cluster = ControlledCluster()
    await cluster.start(*broker_ids, racks=racks)
    try:
        yield cluster
    finally:
        await cluster.close()


async def tool(cluster: ControlledCluster) -> Session:
    """A session of somebody else who writes ZooKeeper."""
    session = cluster.zookeeper.session()
    await session.start()
    return session


async def create(cluster: ControlledCluster, *assignments: tuple[int, ...], name: str = "t") -> None:
    new = NewTopic(name, assignments=list(enumerate(assignments)))
    (created,) = await cluster.controller.controller.create_topics([new])
    assert not isinstance(created, Exception), created
    await cluster.settle()


async def state_of(cluster: ControlledCluster, partition: TopicPartition = P0) -> tuple[LeaderAndIsr, int]:
    path = paths.partition_state(partition)
    session = await tool(cluster)
    data, stat = await session.get(path)
    await session.close()
    return LeaderAndIsr.decode(path, data), stat.version


@on_event_loop
async def test_first_broker_is_elected_in_epoch_one() -> None:
    async with cluster_of(0) as cluster:
        session = await tool(cluster)
        data, stat = await session.get(paths.CONTROLLER)
        assert ControllerInfo.decode(paths.CONTROLLER, data).broker_id == 0
        assert stat.ephemeral_owner == cluster.running[0].session.session_id
        data, stat = await session.get(paths.CONTROLLER_EPOCH)
        assert (data, stat.version) == (b"1", 1)
        assert cluster.running[0].cache.image.controller_id == 0


@on_event_loop
async def test_new_topic_is_in_zookeeper_led_and_known_to_every_broker() -> None:
    async with cluster_of(0, 1, 2) as cluster:
        await create(cluster, (1, 2), (2, 0))
        for broker in cluster.running.values():
            assert [broker.partition("t", n).leader for n in (0, 1)] == [1, 2]
        assert cluster.running[1].partitions.leading == {P0}
        role = cluster.running[2].partitions.roles[P0]
        assert (role.leader, role.leader_epoch, role.is_new, role.isr) == (1, 0, True, (1, 2))
        state, version = await state_of(cluster)
        assert (state, version) == (LeaderAndIsr(1, 0, (1, 2), 1), 0)


@on_event_loop
async def test_topic_that_exists_is_refused_and_the_others_of_the_request_are_created() -> None:
    async with cluster_of(0) as cluster:
        await create(cluster, (0,))
        refused, created = await cluster.controller.controller.create_topics([NewTopic("t", 1, 1), NewTopic("u", 2, 1)])
        assert isinstance(refused, TopicAlreadyExistsError)
        assert not isinstance(created, Exception)
        assert len(created.partitions) == 2


@on_event_loop
async def test_validating_only_changes_nothing() -> None:
    async with cluster_of(0) as cluster:
        before = dict(cluster.zookeeper.tree.nodes)
        (created,) = await cluster.controller.controller.create_topics([NewTopic("t", 3, 1)], validate_only=True)
        assert not isinstance(created, Exception)
        assert cluster.zookeeper.tree.nodes == before


@on_event_loop
async def test_configs_reach_the_replicas_before_they_open() -> None:
    async with cluster_of(0, 1) as cluster:
        new = NewTopic("t", assignments=[(0, (1,))], configs={"retention.ms": "5"})
        await cluster.controller.controller.create_topics([new])
        await cluster.settle()
        assert cluster.running[1].partitions.overrides[P0] == {"retention.ms": "5"}


@on_event_loop
async def test_leader_that_dies_is_followed_by_the_next_in_sync_replica() -> None:
    async with cluster_of(0, 1, 2) as cluster:
        await create(cluster, (1, 2))
        await cluster.running[1].crash()
        state, _ = await state_of(cluster)
        assert state == LeaderAndIsr(2, 1, (2,), 1)
        assert cluster.running[0].partition("t").leader == 2
        assert cluster.running[0].partition("t").offline_replicas == (1,)
        assert 1 not in cluster.running[0].cache.image.brokers
        assert cluster.running[2].partitions.leading == {P0}


@on_event_loop
async def test_last_in_sync_replica_stays_in_the_isr_and_leads_when_it_is_back() -> None:
    async with cluster_of(0, 1) as cluster:
        await create(cluster, (1,))
        await cluster.running[1].crash()
        state, _ = await state_of(cluster)
        assert state == LeaderAndIsr(-1, 1, (1,), 1)
        assert cluster.running[0].partition("t").leader == -1
        await cluster.start(1)
        state, _ = await state_of(cluster)
        assert state == LeaderAndIsr(1, 2, (1,), 1)
        assert cluster.running[1].partitions.leading == {P0}


@on_event_loop
async def test_broker_that_may_lack_records_is_not_elected_by_the_next_controller() -> None:
    """The state in ZooKeeper is of before: nobody saw that the replica was away, and it is the first to be here."""
    cluster = ControlledCluster()
    await created_by_a_former_controller(cluster, LeaderAndIsr(3, 7, (3, 2, 1), 1))
    back = ControlledBroker(cluster, 3, None)
    back.registration._info = back.registration._info._replace(may_lack_records=True)
    await back.start()
    assert (await state_of(cluster))[0] == LeaderAndIsr(-1, 8, (2, 1), 1)
    await cluster.start(1)
    assert (await state_of(cluster))[0] == LeaderAndIsr(1, 9, (1,), 1)
    await cluster.close()


@on_event_loop
async def test_broker_that_comes_back_whole_is_elected_by_the_next_controller() -> None:
    cluster = ControlledCluster()
    await created_by_a_former_controller(cluster, LeaderAndIsr(3, 7, (3, 2, 1), 1))
    await cluster.start(3)
    assert (await state_of(cluster))[0].leader == 3
    await cluster.close()


async def created_by_a_former_controller(cluster: ControlledCluster, state: LeaderAndIsr) -> None:
    session = await tool(cluster)
    await create_roots(session)
    assignment = TopicAssignment({0: tuple(state.isr)}, random_uuid())
    await session.create(paths.topic("t"), assignment.encode())
    await session.create(paths.partition_state(P0), state.encode(), make_parents=True)
    await session.close()


@on_event_loop
async def test_replica_outside_the_isr_leads_only_where_unclean_election_is_allowed() -> None:
    async with cluster_of(0, 1, 2) as cluster:
        await create(cluster, (1, 2))
        await cluster.running[2].crash()
        await cluster.start(2)  # back, but not in sync
        await cluster.running[1].crash()
        assert (await state_of(cluster))[0].leader == -1
        cluster.unclean = True
        session = await tool(cluster)
        await session.delete(paths.CONTROLLER)
        await cluster.settle()
        state, _ = await state_of(cluster)
        assert (state.leader, state.isr) == (2, (2,))


@on_event_loop
async def test_next_controller_takes_over_in_the_next_epoch_with_everything() -> None:
    async with cluster_of(0, 1, 2) as cluster:
        await create(cluster, (0, 1))
        await cluster.running[0].crash()
        assert cluster.controller.broker_id in (1, 2)
        state, _ = await state_of(cluster)
        assert state == LeaderAndIsr(1, 1, (1,), 2)
        assert cluster.running[2].cache.image.controller_id == cluster.controller.broker_id


@on_event_loop
async def test_deposed_controller_changes_nothing_and_gives_up() -> None:
    async with cluster_of(0, 1, 2) as cluster:
        await create(cluster, (1, 2))
        session = await tool(cluster)
        await session.set(paths.CONTROLLER_EPOCH, b"7")  # as another controller's election does
        before = set(cluster.zookeeper.tree.nodes), await state_of(cluster)
        with pytest.raises(NotControllerError):
            await cluster.running[0].controller.create_topics([NewTopic("u", 1, 1)])
        assert (set(cluster.zookeeper.tree.nodes), await state_of(cluster)) == before


@on_event_loop
async def test_requests_to_a_broker_that_is_not_the_controller_are_refused() -> None:
    async with cluster_of(0, 1) as cluster:
        with pytest.raises(NotControllerError):
            await cluster.running[1].controller.create_topics([NewTopic("t", 1, 1)])


async def away_until_expired(cluster: ControlledCluster, broker: ControlledBroker) -> None:
    broker.session.disconnect()
    for _ in range(4):
        cluster.clock.advance_ms(2000)
        cluster.zookeeper.tick()
        await cluster.settle()


@on_event_loop
async def test_controller_cut_off_leaves_office_by_its_own_clock_and_registers_again_when_it_is_back() -> None:
    async with cluster_of(0, 1) as cluster:
        await create(cluster, (0, 1))
        broker = cluster.running[0]
        epoch = broker.state.registration.broker_epoch
        await away_until_expired(cluster, broker)
        assert not broker.controller.is_active
        assert cluster.controller.broker_id == 1
        assert (await state_of(cluster))[0] == LeaderAndIsr(1, 1, (1,), 2)
        broker.session.reconnect()
        await cluster.settle()
        assert broker.state.registration.broker_epoch > epoch
        assert broker.partition("t").leader == 1
        assert broker.partitions.roles[P0].leader == 1


@on_event_loop
async def test_lone_broker_whose_session_expired_is_controller_again_and_leads_on() -> None:
    async with cluster_of(0) as cluster:
        await create(cluster, (0,))
        cluster.zookeeper.expire(cluster.running[0].session)
        assert not cluster.running[0].controller.is_active
        await cluster.settle()
        assert cluster.controller.controller._active.state.epoch == 2
        assert cluster.running[0].partition("t").leader == 0
        await create(cluster, (0,), name="u")
        assert cluster.running[0].partition("u").leader == 0


@on_event_loop
async def test_bounced_broker_gets_everything_again() -> None:
    async with cluster_of(0, 1) as cluster:
        await create(cluster, (1, 0))
        await cluster.running[1].crash()
        await cluster.start(1)
        role = cluster.running[1].partitions.roles[P0]
        assert role.leader == 0
        assert cluster.running[1].cache.image.topics.keys() == {"t"}


@on_event_loop
async def test_topic_written_by_a_tool_is_obeyed_and_gets_an_id() -> None:
    async with cluster_of(0, 1) as cluster:
        session = await tool(cluster)
        await session.create(paths.topic("t"), b'{"version":1,"partitions":{"0":[1,0]}}')
        await cluster.settle()
        assert cluster.running[0].partition("t").leader == 1
        assert cluster.running[0].cache.image.topics["t"].topic_id != ZERO_UUID


@on_event_loop
async def test_partitions_added_by_a_tool_are_opened() -> None:
    async with cluster_of(0, 1) as cluster:
        await create(cluster, (0,))
        session = await tool(cluster)
        data, stat = await session.get(paths.topic("t"))
        more = TopicAssignment.decode("", data)._replace(partitions={0: (0,), 1: (1,)})
        await session.set(paths.topic("t"), more.encode(), stat.version)
        await cluster.settle()
        assert cluster.running[0].partition("t", 1).leader == 1


@on_event_loop
async def test_deleted_topic_goes_to_the_last_znode_and_file() -> None:
    async with cluster_of(0, 1) as cluster:
        before = set(cluster.zookeeper.tree.nodes)
        await create(cluster, (0, 1), (1, 0))
        (done,) = await cluster.controller.controller.delete_topics(["t"])
        assert isinstance(done, asyncio.Future)
        await done
        await cluster.settle()
        assert set(cluster.zookeeper.tree.nodes) == before
        for broker in cluster.running.values():
            assert sorted(broker.partitions.deleted) == [P0, TopicPartition("t", 1)]
            assert "t" not in broker.cache.image.topics


@on_event_loop
async def test_deletion_waits_for_the_broker_that_is_away_and_metadata_does_not() -> None:
    async with cluster_of(0, 1) as cluster:
        await create(cluster, (0, 1))
        await cluster.running[1].crash()
        session = await tool(cluster)
        await session.create(paths.deleted_topic("t"))
        await cluster.settle()
        assert "t" not in cluster.running[0].cache.image.topics
        assert await session.exists(paths.topic("t")) is not None
        await cluster.start(1)
        assert cluster.running[1].partitions.deleted == [P0]
        assert await session.exists(paths.topic("t")) is None


@on_event_loop
async def test_deletion_is_refused_where_it_is_disabled() -> None:
    async with cluster_of(0) as cluster:
        cluster.deletion_enabled = False
        await create(cluster, (0,))
        session = await tool(cluster)
        await session.create(paths.deleted_topic("t"))
        await cluster.settle()
        assert await session.children(paths.DELETE_TOPICS) == []
        assert cluster.running[0].partition("t").leader == 0


@on_event_loop
async def test_topic_made_again_has_another_id_and_its_own_configs() -> None:
    async with cluster_of(0) as cluster:
        node = cluster.controller.controller
        (first,) = await node.create_topics([NewTopic("t", 1, 1, configs={"retention.ms": "1"})])
        (done,) = await node.delete_topics(["t"])
        assert isinstance(done, asyncio.Future)
        await done
        (second,) = await node.create_topics([NewTopic("t", 1, 1)])
        await cluster.settle()
        assert not isinstance(first, Exception)
        assert not isinstance(second, Exception)
        assert first.topic_id != second.topic_id
        assert cluster.running[0].partitions.overrides[P0] == {}
        assert cluster.running[0].partitions.roles[P0].leader_epoch == 0


@on_event_loop
async def test_preferred_leaders_are_elected_when_a_tool_asks() -> None:
    async with cluster_of(0, 1) as cluster:
        await create(cluster, (1, 0))
        state, version = await state_of(cluster)
        session = await tool(cluster)
        moved = state._replace(leader=0, leader_epoch=1)
        await session.set(paths.partition_state(P0), moved.encode(), version)
        await session.create(f"{paths.ISR_CHANGE_NOTIFICATION}/isr_change_", encode_partitions([P0]), sequence=True)
        await cluster.settle()
        assert cluster.running[1].partition("t").leader == 0
        assert await session.children(paths.ISR_CHANGE_NOTIFICATION) == []
        await session.create(paths.PREFERRED_REPLICA_ELECTION, encode_partitions([P0]))
        await cluster.settle()
        assert cluster.running[1].partition("t").leader == 1
        assert await session.exists(paths.PREFERRED_REPLICA_ELECTION) is None


@on_event_loop
async def test_broker_whose_id_no_message_can_hold_is_ignored() -> None:
    async with cluster_of(0) as cluster:
        session = await tool(cluster)
        await session.create(f"{paths.BROKER_IDS}/{1 << 40}", b'{"endpoints":["PLAINTEXT://127.0.0.1:1"]}')
        await cluster.settle()
        await session.close()
        assert cluster.running[0].cache.image.brokers.keys() == {0}
        await create(cluster, (0,))
        assert cluster.running[0].partition("t").leader == 0


@on_event_loop
async def test_topic_that_could_not_be_read_is_taken_up_when_it_can() -> None:
    async with cluster_of(0) as cluster:
        session = await tool(cluster)
        await session.create(paths.topic("t"), b"garbage")
        await cluster.settle()
        assert "t" not in cluster.running[0].cache.image.topics
        await session.set(paths.topic("t"), TopicAssignment({0: (0,)}, random_uuid()).encode())
        await cluster.settle()
        await session.close()
        assert cluster.running[0].partition("t").leader == 0


@on_event_loop
async def test_topic_that_a_controller_could_not_read_at_its_start_is_led_again_when_it_can() -> None:
    async with cluster_of(0) as cluster:
        session = await tool(cluster)
        readable = TopicAssignment({0: (0,)}, random_uuid()).encode()
        await session.create(paths.topic("t"), readable)
        await cluster.settle()
        assert P0 in cluster.running[0].partitions.leading
        await cluster.running[0].stop()
        await session.set(paths.topic("t"), b"garbage")
        await cluster.start(0)
        await cluster.settle()
        assert P0 not in cluster.running[0].partitions.leading
        await session.set(paths.topic("t"), readable)
        await cluster.settle()
        await session.close()
        assert P0 in cluster.running[0].partitions.leading


@on_event_loop
async def test_partition_whose_state_could_not_be_read_is_led_when_it_can() -> None:
    async with cluster_of(0) as cluster:
        session = await tool(cluster)
        await session.create(paths.topic("t"), TopicAssignment({0: (0,)}, random_uuid()).encode())
        await cluster.settle()
        kept, _ = await session.get(paths.partition_state(P0))
        await session.set(paths.partition_state(P0), b"garbage")
        await cluster.running[0].stop()
        await cluster.start(0)
        await cluster.settle()
        assert P0 not in cluster.running[0].partitions.leading
        await session.set(paths.partition_state(P0), kept)
        await cluster.settle()
        await session.close()
        assert P0 in cluster.running[0].partitions.leading
        assert cluster.running[0].partition("t").leader == 0


@on_event_loop
async def test_replica_in_a_broken_directory_loses_its_leadership() -> None:
    async with cluster_of(0, 1) as cluster:
        cluster.running[1].partitions.failure = KafkaStorageError("broken")
        await create(cluster, (1, 0))
        state, _ = await state_of(cluster)
        assert (state.leader, state.isr) == (0, (0,))
        assert cluster.running[0].partition("t").offline_replicas == (1,)


@on_event_loop
async def test_state_changed_behind_the_controllers_back_is_taken_into_account() -> None:
    async with cluster_of(0, 1, 2) as cluster:
        await create(cluster, (1, 2, 0))
        state, version = await state_of(cluster)
        session = await tool(cluster)
        shrunk = state._replace(isr=(1, 0))
        await session.set(paths.partition_state(P0), shrunk.encode(), version)
        await cluster.running[1].crash()
        state, _ = await state_of(cluster)
        assert state == LeaderAndIsr(0, 1, (0,), 1)


@pytest.mark.parametrize("executed", [False, True])
@on_event_loop
async def test_answers_lost_with_the_connection_do_not_stop_a_creation(executed: bool) -> None:
    async with cluster_of(0) as cluster:
        session = cluster.running[0].session
        session.lose_next_write(executed=executed)
        creating = asyncio.ensure_future(cluster.controller.controller.create_topics([NewTopic("t", 2, 1)]))
        for _ in range(20):
            await asyncio.sleep(0)
        session.reconnect()
        (created,) = await creating
        assert not isinstance(created, Exception)
        await cluster.settle()
        assert cluster.running[0].partition("t", 1).leader == 0


@on_event_loop
async def test_what_happens_while_the_controller_is_disconnected_is_seen_afterwards() -> None:
    async with cluster_of(0, 1) as cluster:
        session = await tool(cluster)
        cluster.running[0].session.disconnect()
        await session.create(paths.topic("t"), TopicAssignment({0: (1,)}).encode())
        cluster.running[0].session.reconnect()
        await cluster.settle()
        assert cluster.running[0].partition("t").leader == 1


@on_event_loop
async def test_controller_that_stops_gives_its_office_back() -> None:
    async with cluster_of(0, 1) as cluster:
        await cluster.running[0].controller.stop()
        await cluster.settle()
        assert cluster.controller.broker_id == 1


@on_event_loop
async def test_replicas_go_to_different_racks() -> None:
    async with cluster_of(0, 1, 2, 3, racks={0: "a", 1: "a", 2: "b", 3: "b"}) as cluster:
        (created,) = await cluster.controller.controller.create_topics([NewTopic("t", 8, 2)])
        assert not isinstance(created, Exception)
        assert all({b // 2 for b in replicas} == {0, 1} for replicas in created.partitions.values())


@on_event_loop
async def test_internal_state_of_the_brokers_is_what_their_metadata_says() -> None:
    async with cluster_of(0, 1, 2) as cluster:
        await create(cluster, (0, 1, 2), (1, 2, 0), (2, 0, 1))
        await cluster.running[1].crash()
        await cluster.start(1)

        def led_by(broker: ControlledBroker) -> set[TopicPartition]:
            partitions = broker.cache.image.topics["t"].partitions
            return {TopicPartition("t", n) for n, p in partitions.items() if p.leader == broker.broker_id}

        for broker in cluster.running.values():
            assert broker.partitions.leading == led_by(broker)


@on_event_loop
async def test_creation_whose_answers_are_all_lost_is_refused_and_the_controller_goes_on() -> None:
    """As where a server closes the connection at this very request, each time."""
    async with cluster_of(0) as cluster:
        session = cluster.running[0].session

        def lose_again(event: SessionEvent) -> None:
            if event is SessionEvent.SUSPENDED:
                session.lose_next_write(executed=False)
                session.reconnect()

        unsubscribe = session.subscribe(lose_again)
        session.lose_next_write(executed=False)
        (refused,) = await cluster.controller.controller.create_topics([NewTopic("t", 1, 1)])
        assert isinstance(refused, RequestTimedOutError)
        unsubscribe()
        session._lose_next = None
        session.reconnect()
        await create(cluster, (0,), name="other")


@on_event_loop
async def test_what_does_not_fit_into_zookeeper_is_refused_with_its_size_and_nothing_is_written() -> None:
    async with cluster_of(0) as cluster:
        replicas = ",".join(f"{number}:0" for number in range(200_000))
        large = NewTopic("large", 1, 1, configs={"follower.replication.throttled.replicas": replicas})
        refused, created = await cluster.controller.controller.create_topics([large, NewTopic("small", 1, 1)])
        assert isinstance(refused, InvalidConfigError)
        assert "bytes, and at most" in str(refused)
        assert not isinstance(created, Exception)
        await cluster.settle()
        assert cluster.running[0].partition("small").leader == 0
        assert await (await tool(cluster)).exists(paths.topic("large")) is None


@on_event_loop
async def test_full_zookeeper_refuses_creations_and_lets_topics_be_deleted() -> None:
    async with cluster_of(0) as cluster:
        await create(cluster, (0,))
        cluster.zookeeper.tree.nodes_max = len(cluster.zookeeper.tree.nodes)
        controller = cluster.controller.controller
        (refused,) = await controller.create_topics([NewTopic("more", 1, 1)])
        assert isinstance(refused, PolicyViolationError)
        assert controller.is_active
        cluster.zookeeper.tree.nodes_max += 1  # what marks a topic for deletion is a node too
        (deleted,) = await controller.delete_topics(["t"])
        assert not isinstance(deleted, KafkaError)
        await asyncio.wait_for(deleted, 10)
        await create(cluster, (0,), name="again")


@on_event_loop
async def test_states_that_zookeeper_was_too_full_for_are_written_when_there_is_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(context, "_REFUSED_SECONDS", 0.01)
    async with cluster_of(0) as cluster:
        cluster.zookeeper.tree.nodes_max = len(cluster.zookeeper.tree.nodes) + 2  # the topic and its config
        (created,) = await cluster.controller.controller.create_topics([NewTopic("t", 1, 1)])
        assert not isinstance(created, Exception)
        cluster.zookeeper.tree.nodes_max += 100
        known = cluster.running[0].cache
        assert await known.wait_for(lambda image: (p := image.partition("t", 0)) is not None and p.leader == 0, 10_000)


@on_event_loop
async def test_broker_whose_new_session_cannot_be_registered_tries_again() -> None:
    async with cluster_of(0) as cluster:
        broker, tree = cluster.running[0], cluster.zookeeper.tree
        before = broker.state.registration.broker_epoch
        tree.nodes_max = 0
        cluster.zookeeper.expire(broker.session)
        await cluster.settle()
        assert not broker.controller.is_active
        tree.nodes_max = 1 << 20
        while not broker.controller.is_active:  # noqa: ASYNC110 - that it becomes active is the claim
            await asyncio.sleep(0.01)
        assert broker.state.registration.broker_epoch > before


@on_event_loop
async def test_who_waits_for_a_deletion_waits_no_longer_than_the_controller_is_in_office() -> None:
    async with cluster_of(0, 1) as cluster:
        await create(cluster, (0, 1))
        await cluster.running[1].crash()
        controller = cluster.controller
        (deleted,) = await controller.controller.delete_topics(["t"])
        assert not isinstance(deleted, KafkaError)
        await cluster.settle()
        assert not deleted.done()
        cluster.zookeeper.expire(controller.session)
        await cluster.settle()
        assert deleted.done()
