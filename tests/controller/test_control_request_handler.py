"""A broker refuses old news, whatever the order in which it comes."""

import uuid
from collections.abc import Iterable, Mapping

import pytest

from ottla.controller.control_request_handler import ControlRequestHandler, merge_metadata
from ottla.controller.registration import OwnRegistration
from ottla.errors import ErrorCode
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage
from ottla.model import TopicPartition
from ottla.protocol.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrResponse,
    LeaderAndIsrTopicState,
)
from ottla.protocol.messages.stop_replica import StopReplicaPartitionState, StopReplicaRequest, StopReplicaTopicState
from ottla.protocol.messages.update_metadata import (
    UpdateMetadataBroker,
    UpdateMetadataEndpoint,
    UpdateMetadataPartitionState,
    UpdateMetadataRequest,
    UpdateMetadataTopicState,
)
from support.controlled_cluster import RememberedPartitions
from support.coroutines import on_event_loop

P0 = TopicPartition("t", 0)
ID = uuid.UUID(int=7)


class NoConfigs:
    def __init__(self) -> None:
        self.forgotten: list[str] = []

    async def load(self, topics: Iterable[str]) -> None:
        pass

    def overrides(self, topic: str) -> Mapping[str, str]:
        return {}

    def forget(self, topic: str) -> None:
        self.forgotten.append(topic)


class Broker:
    def __init__(self) -> None:
        self.cache = MetadataCache()
        self.partitions = RememberedPartitions()
        self.configs = NoConfigs()
        registration = OwnRegistration(1)
        registration.registered(50)
        self.state = ControlRequestHandler(registration, self.cache, self.partitions, self.configs)


def role(epoch: int, *, leader: int = 1, controller: int = 1, broker_epoch: int = 50, topic_id: uuid.UUID = ID):
    partition = LeaderAndIsrPartitionState(
        partition_index=0, controller_epoch=controller, leader=leader, leader_epoch=epoch, isr=[1, 2], replicas=[1, 2]
    )
    topic = LeaderAndIsrTopicState(topic_name="t", topic_id=topic_id, partition_states=[partition])
    return LeaderAndIsrRequest(
        controller_id=0, controller_epoch=controller, broker_epoch=broker_epoch, type=1, topic_states=[topic]
    )


def error_of(response: LeaderAndIsrResponse) -> int:
    return response.error_code or response.topics[0].partition_errors[0].error_code


@on_event_loop
async def test_role_is_taken_only_in_a_higher_leader_epoch() -> None:
    broker = Broker()
    assert error_of(await broker.state.handle_leader_and_isr(role(3))) == ErrorCode.NONE
    assert broker.partitions.leading == {P0}
    for old in (2, 3):
        refused = await broker.state.handle_leader_and_isr(role(old, leader=2))
        assert error_of(refused) == ErrorCode.STALE_CONTROLLER_EPOCH
    assert error_of(await broker.state.handle_leader_and_isr(role(4, leader=2))) == ErrorCode.NONE
    assert broker.partitions.leading == set()


@on_event_loop
async def test_requests_of_an_older_controller_are_refused() -> None:
    broker = Broker()
    await broker.state.handle_leader_and_isr(role(1, controller=5))
    assert error_of(await broker.state.handle_leader_and_isr(role(9, controller=4))) == ErrorCode.STALE_CONTROLLER_EPOCH
    refused = await broker.state.handle_update_metadata(UpdateMetadataRequest(controller_id=9, controller_epoch=4))
    assert refused.error_code == ErrorCode.STALE_CONTROLLER_EPOCH
    assert broker.cache.image.controller_id == -1


@on_event_loop
async def test_requests_to_an_earlier_registration_are_refused() -> None:
    broker = Broker()
    refused = await broker.state.handle_leader_and_isr(role(1, broker_epoch=49))
    assert error_of(refused) == ErrorCode.STALE_BROKER_EPOCH
    assert error_of(await broker.state.handle_leader_and_isr(role(1, broker_epoch=-1))) == ErrorCode.NONE


@on_event_loop
async def test_role_of_another_topic_of_the_same_name_is_refused() -> None:
    broker = Broker()
    await broker.state.handle_leader_and_isr(role(1))
    refused = await broker.state.handle_leader_and_isr(role(2, topic_id=uuid.UUID(int=8)))
    assert error_of(refused) == ErrorCode.INCONSISTENT_TOPIC_ID


@pytest.mark.parametrize(("name", "index"), [("../elsewhere", 0), ("..", 0), ("", 0), ("a/b", 0), ("t", -1)])
@on_event_loop
async def test_partition_that_cannot_be_a_directory_is_refused_alone(name: str, index: int) -> None:
    broker = Broker()
    request = role(1)
    wrong = role(1).topic_states[0]
    wrong.topic_name, wrong.partition_states[0].partition_index = name, index
    request.topic_states.append(wrong)
    right, refused = (await broker.state.handle_leader_and_isr(request)).topics
    assert right.partition_errors[0].error_code == ErrorCode.NONE
    assert refused.partition_errors[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert broker.partitions.leading == {P0}


@pytest.mark.parametrize(
    ("epoch", "error"), [(2, ErrorCode.FENCED_LEADER_EPOCH), (3, ErrorCode.NONE), (-2, ErrorCode.NONE)]
)
@on_event_loop
async def test_replica_is_stopped_only_in_its_epoch_or_for_deletion(epoch: int, error: ErrorCode) -> None:
    broker = Broker()
    await broker.state.handle_leader_and_isr(role(3))
    state = StopReplicaPartitionState(partition_index=0, leader_epoch=epoch, delete_partition=True)
    request = StopReplicaRequest(
        controller_epoch=1, topic_states=[StopReplicaTopicState(topic_name="t", partition_states=[state])]
    )
    response = await broker.state.handle_stop_replica(request)
    assert response.partition_errors[0].error_code == error
    assert broker.partitions.deleted == ([P0] if error == ErrorCode.NONE else [])


def metadata(*partitions: tuple[int, int], type_: int = 1, topic: str = "t") -> UpdateMetadataRequest:
    states = [
        UpdateMetadataPartitionState(partition_index=n, leader=leader, leader_epoch=1, isr=[1], replicas=[1])
        for n, leader in partitions
    ]
    endpoint = UpdateMetadataEndpoint(listener="L", host="h", port=1, security_protocol=3)
    return UpdateMetadataRequest(
        controller_id=1,
        controller_epoch=1,
        type=type_,
        topic_states=[UpdateMetadataTopicState(topic_name=topic, topic_id=ID, partition_states=states)],
        live_brokers=[UpdateMetadataBroker(id=1, endpoints=[endpoint], rack="r")],
    )


def test_metadata_is_merged_partition_by_partition() -> None:
    image = merge_metadata(ClusterImage(), metadata((1, 1), (0, 2)))
    assert list(image.topics["t"].partitions) == [0, 1]
    after = merge_metadata(image, metadata((0, 5)))
    assert [p.leader for p in after.topics["t"].partitions.values()] == [5, 1]
    assert image.topics["t"].partitions[0].leader == 2
    assert after.topics_by_id[ID] is after.topics["t"]
    assert after.endpoint(1, "L") == ("h", 1, "SASL_SSL")
    assert after.brokers[1].rack == "r"


@on_event_loop
async def test_topic_whose_partitions_are_all_deleted_is_forgotten_with_its_configs() -> None:
    broker = Broker()
    await broker.state.handle_update_metadata(metadata((0, 1), (1, 1)))
    await broker.state.handle_update_metadata(metadata((0, -2), (1, -2)))
    assert broker.cache.image.topics == {}
    assert broker.cache.image.topics_by_id == {}
    assert broker.configs.forgotten == ["t"]


def test_full_update_says_which_topics_there_are_not() -> None:
    image = merge_metadata(ClusterImage(), metadata((0, 1), topic="old"))
    assert merge_metadata(image, metadata((0, 1), type_=2)).topics.keys() == {"t"}
    assert merge_metadata(image, metadata((0, 1), type_=1)).topics.keys() == {"t", "old"}
