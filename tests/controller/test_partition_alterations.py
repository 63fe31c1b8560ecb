"""AlterPartition: an ISR is written when its leader, its epochs and its members are those of now."""

import uuid

import pytest

from ottla.controller.topic_rules import NewTopic
from ottla.errors import ErrorCode
from ottla.errors.kafka import NotControllerError, StaleBrokerEpochError
from ottla.model import TopicPartition
from ottla.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    BrokerState,
    RequestPartitionData,
    RequestTopicData,
    ResponsePartitionData,
)
from support.controlled_cluster import ControlledCluster
from support.coroutines import on_event_loop


async def cluster_with_topic() -> tuple[ControlledCluster, uuid.UUID]:
    cluster = ControlledCluster()
    await cluster.start(0, 1, 2)
    await cluster.controller.controller.create_topics([NewTopic("t", assignments=[(0, (0, 1, 2))])])
    await cluster.settle()
    return cluster, cluster.controller.cache.image.topics["t"].topic_id


def request(
    cluster: ControlledCluster, topic_id: uuid.UUID, isr: tuple[int, ...], **fields: int
) -> AlterPartitionRequest:
    epochs = {broker: cluster.states[broker].registration.broker_epoch for broker in isr if broker in cluster.states}
    members = [BrokerState(broker_id=b, broker_epoch=fields.get(f"epoch_of_{b}", epochs.get(b, 1))) for b in isr]
    asked = RequestPartitionData(
        partition_index=0,
        leader_epoch=fields.get("leader_epoch", 0),
        new_isr_with_epochs=members,
        partition_epoch=fields.get("partition_epoch", 0),
    )
    sender = fields.get("sender", 0)
    return AlterPartitionRequest(
        broker_id=sender,
        broker_epoch=fields.get("broker_epoch", cluster.states[sender].registration.broker_epoch),
        topics=[RequestTopicData(topic_id=topic_id, partitions=[asked])],
    )


async def alter(cluster: ControlledCluster, asked: AlterPartitionRequest) -> ResponsePartitionData:
    response = await cluster.controller.controller.alter_partition(asked, 3)
    await cluster.settle()
    (answer,) = response.topics[0].partitions
    return answer


@on_event_loop
async def test_a_smaller_isr_is_written_and_told_to_everybody() -> None:
    cluster, topic_id = await cluster_with_topic()
    answer = await alter(cluster, request(cluster, topic_id, (0, 1)))
    assert (answer.error_code, answer.isr, answer.partition_epoch) == (ErrorCode.NONE, [0, 1], 1)
    assert all(broker.partition("t").isr == (0, 1) for broker in cluster.running.values())
    await cluster.close()


@on_event_loop
async def test_an_attempt_whose_answer_was_lost_succeeds_when_repeated() -> None:
    cluster, topic_id = await cluster_with_topic()
    await alter(cluster, request(cluster, topic_id, (0, 1)))
    answer = await alter(cluster, request(cluster, topic_id, (0, 1)))
    assert (answer.error_code, answer.partition_epoch) == (ErrorCode.NONE, 1)
    await cluster.close()


@on_event_loop
async def test_what_stands_is_written_again_in_its_own_epoch() -> None:
    cluster, topic_id = await cluster_with_topic()
    answer = await alter(cluster, request(cluster, topic_id, (0, 1, 2)))
    assert (answer.error_code, answer.partition_epoch) == (ErrorCode.NONE, 1)
    await cluster.close()


@pytest.mark.parametrize(
    ("isr", "fields", "code"),
    [
        ((0, 1), {"leader_epoch": 1}, ErrorCode.FENCED_LEADER_EPOCH),
        ((1, 2), {"sender": 1}, ErrorCode.INVALID_REQUEST),
        ((1, 2), {}, ErrorCode.INVALID_REQUEST),
        ((0, 9), {}, ErrorCode.INVALID_REQUEST),
        ((0, 1), {"partition_epoch": 7}, ErrorCode.INVALID_UPDATE_VERSION),
        ((0, 1), {"epoch_of_1": 1}, ErrorCode.INELIGIBLE_REPLICA),
    ],
)
def test_what_is_not_of_now_is_refused(isr: tuple[int, ...], fields: dict[str, int], code: ErrorCode) -> None:
    @on_event_loop
    async def refused() -> None:
        cluster, topic_id = await cluster_with_topic()
        assert (await alter(cluster, request(cluster, topic_id, isr, **fields))).error_code == code
        assert cluster.controller.partition("t").isr == (0, 1, 2)
        await cluster.close()

    refused()


@on_event_loop
async def test_a_replica_that_is_gone_does_not_join() -> None:
    cluster, topic_id = await cluster_with_topic()
    victim = next(b for b in (1, 2) if not cluster.running[b].controller.is_active)
    await cluster.running[victim].crash()
    state = cluster.controller.partition("t")
    assert victim not in state.isr
    asked = request(
        cluster, topic_id, (0, 1, 2), leader_epoch=state.leader_epoch, partition_epoch=state.partition_epoch
    )
    assert (await alter(cluster, asked)).error_code == ErrorCode.INELIGIBLE_REPLICA
    await cluster.close()


@on_event_loop
async def test_a_leader_of_an_earlier_registration_is_refused_as_a_whole() -> None:
    cluster, topic_id = await cluster_with_topic()
    with pytest.raises(StaleBrokerEpochError):
        await alter(cluster, request(cluster, topic_id, (0, 1), broker_epoch=1))
    other = next(broker for broker in cluster.running.values() if not broker.controller.is_active)
    with pytest.raises(NotControllerError):
        await other.controller.alter_partition(request(cluster, topic_id, (0, 1)), 3)
    await cluster.close()


@on_event_loop
async def test_controlled_shutdown_moves_leaders_and_leaves_the_isrs() -> None:
    cluster, _ = await cluster_with_topic()
    epoch = cluster.states[0].registration.broker_epoch
    assert await cluster.controller.controller.controlled_shutdown(0, epoch) == []
    await cluster.settle()
    state = cluster.controller.partition("t")
    assert (state.leader, state.isr) == (1, (1, 2))
    with pytest.raises(StaleBrokerEpochError):
        await cluster.controller.controller.controlled_shutdown(0, epoch - 1)
    await cluster.close()


@on_event_loop
async def test_controlled_shutdown_says_what_nobody_else_can_lead() -> None:
    cluster, topic_id = await cluster_with_topic()
    await alter(cluster, request(cluster, topic_id, (0,)))
    remaining = await cluster.controller.controller.controlled_shutdown(0, cluster.states[0].registration.broker_epoch)
    assert remaining == [TopicPartition("t", 0)]
    assert cluster.controller.partition("t").leader == 0
    await cluster.close()


@on_event_loop
async def test_preferred_election_gives_the_lead_back() -> None:
    cluster, topic_id = await cluster_with_topic()
    controller, name = cluster.controller.controller, TopicPartition("t", 0)
    outcome = (await controller.elect_leaders(0, [name, TopicPartition("u", 0)])).values()
    assert [error.code for error in outcome if error] == [
        ErrorCode.ELECTION_NOT_NEEDED,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    await controller.controlled_shutdown(0, cluster.states[0].registration.broker_epoch)
    await cluster.settle()
    outcome = (await controller.elect_leaders(0, [name])).values()
    assert [error.code for error in outcome if error] == [ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE]
    active = controller._active
    assert active is not None
    active.state.shutting_down.clear()
    state = cluster.controller.partition("t")
    fields = {"leader_epoch": state.leader_epoch, "partition_epoch": state.partition_epoch, "sender": 1}
    await alter(cluster, request(cluster, topic_id, (1, 2, 0), **fields))
    assert await controller.elect_leaders(0, None) == {name: None}
    await cluster.settle()
    assert cluster.controller.partition("t").leader == 0
    await cluster.close()


@on_event_loop
async def test_rebalancing_moves_leaders_where_too_many_are_elsewhere() -> None:
    cluster, topic_id = await cluster_with_topic()
    active = cluster.controller.controller._active
    assert active is not None
    await active.moves.shut_down(0, -1)
    active.state.shutting_down.clear()
    await cluster.settle()
    state = cluster.controller.partition("t")
    fields = {"leader_epoch": state.leader_epoch, "partition_epoch": state.partition_epoch, "sender": 1}
    await alter(cluster, request(cluster, topic_id, (1, 2, 0), **fields))
    await active.moves.rebalance(100)
    assert active.state.partitions[TopicPartition("t", 0)].leader == 1
    await active.moves.rebalance(10)
    assert active.state.partitions[TopicPartition("t", 0)].leader == 0
    await cluster.close()
