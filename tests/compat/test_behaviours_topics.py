"""Metadata and topics: behaviours 8, 9 and 12 to 15."""

from collections.abc import Callable
from typing import Any

import pytest

from ottla.errors import ErrorCode
from ottla.protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from ottla.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from ottla.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from ottla.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from support.broker import BROKER_ID, ON_BOTH_BROKERS, BrokerProcess
from support.raw_kafka import RawKafka, await_leaders, topic_metadata
from support.raw_requests import LATEST, batch, fetch, list_offsets, produce

pytestmark = ON_BOTH_BROKERS

NO_OPERATIONS = -0x80000000


def metadata(raw: RawKafka, names: list[str] | None, version: int = 9, *, create: bool = False) -> Any:
    topics = None if names is None else [MetadataRequestTopic(name=name) for name in names]
    return raw.ask(MetadataRequest(topics=topics, allow_auto_topic_creation=create), version)


def test_08_no_topics_means_all_in_version_0_and_none_from_version_1_on(raw: RawKafka, make_topic):
    topic = make_topic()
    assert topic in [answer.name for answer in metadata(raw, [], version=0).topics]
    assert metadata(raw, [], version=1).topics == []
    assert topic in [answer.name for answer in metadata(raw, None, version=1).topics]
    assert [broker.node_id for broker in metadata(raw, [], version=1).brokers] == [BROKER_ID]


@pytest.mark.parametrize("version", range(13))
def test_08_every_version_shows_the_topic(raw: RawKafka, broker: BrokerProcess, make_topic, version: int):
    topic = make_topic(2)
    response = metadata(raw, [topic], version)
    assert [(node.node_id, f"{node.host}:{node.port}") for node in response.brokers] == [(BROKER_ID, broker.address)]
    (answer,) = response.topics
    assert (answer.error_code, answer.name, answer.is_internal) == (ErrorCode.NONE, topic, False)
    parts = sorted(answer.partitions, key=lambda part: part.partition_index)
    assert [(part.partition_index, part.leader_id, part.replica_nodes, part.isr_nodes) for part in parts] == [
        (index, BROKER_ID, [BROKER_ID], [BROKER_ID]) for index in range(2)
    ]
    if version >= 2:
        assert len(response.cluster_id) == 22


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("not-there", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ("not legal", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("..", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("x" * 250, ErrorCode.INVALID_TOPIC_EXCEPTION),
    ],
)
def test_08_unknown_and_illegal_names_are_told_apart(raw: RawKafka, name: str, error: ErrorCode):
    (answer,) = metadata(raw, [name]).topics
    assert (answer.error_code, answer.partitions) == (error, [])


def test_09_metadata_creates_a_topic_only_where_it_may(
    raw: RawKafka, broker: BrokerProcess, fresh_name: Callable[[], str]
):
    topic = fresh_name()
    assert metadata(raw, [topic], 9).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    produce(raw, topic, batch())
    fetch(raw, topic, 0)
    assert metadata(raw, [topic], 9).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    first = metadata(raw, [topic], 9, create=True).topics[0].error_code
    assert first in (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.LEADER_NOT_AVAILABLE)
    await_leaders(broker.address, topic)


def test_09_old_versions_imply_creation(raw: RawKafka, broker: BrokerProcess, fresh_name: Callable[[], str]):
    topic = fresh_name()
    metadata(raw, [topic], 3)
    await_leaders(broker.address, topic)


def test_12_authorized_operations_are_left_out_unless_asked_for(raw: RawKafka, make_topic):
    response = metadata(raw, [make_topic()], 8)
    assert response.cluster_authorized_operations == NO_OPERATIONS
    assert response.topics[0].topic_authorized_operations == NO_OPERATIONS


def create(raw: RawKafka, *topics: CreatableTopic, version: int = 7, validate_only: bool = False) -> list[Any]:
    request = CreateTopicsRequest(topics=list(topics), timeout_ms=10_000, validate_only=validate_only)
    answers: list[Any] = raw.ask(request, version).topics
    return answers


def creatable(name: str, partitions: int = 1, replication_factor: int = 1, **configs: str) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replication_factor,
        configs=[CreatableTopicConfig(name=key.replace("_", "."), value=value) for key, value in configs.items()],
    )


def test_13_defaults_are_filled_in_and_told(raw: RawKafka, broker: BrokerProcess, fresh_name: Callable[[], str]):
    name = fresh_name()
    (answer,) = create(raw, creatable(name, -1, -1, retention_ms="1000"))
    assert (answer.error_code, answer.num_partitions, answer.replication_factor) == (ErrorCode.NONE, 1, 1)
    assert {config.name: config.value for config in answer.configs}["retention.ms"] == "1000"
    await_leaders(broker.address, name)
    assert answer.topic_id == topic_metadata(broker.address, name).topic_id


REFUSED = {
    "no partitions": (creatable("never", 0), ErrorCode.INVALID_PARTITIONS),
    "too many replicas": (creatable("never", 1, 2), ErrorCode.INVALID_REPLICATION_FACTOR),
    "no replicas": (creatable("never", 1, 0), ErrorCode.INVALID_REPLICATION_FACTOR),
    "illegal name": (creatable("never/ever"), ErrorCode.INVALID_TOPIC_EXCEPTION),
    "wrong config": (creatable("never", segment_bytes="many"), ErrorCode.INVALID_CONFIG),
    "unknown config": (creatable("never", no_such_key="1"), ErrorCode.INVALID_CONFIG),
    "counts and assignments": (
        CreatableTopic(
            name="never",
            num_partitions=1,
            replication_factor=1,
            assignments=[CreatableReplicaAssignment(partition_index=0, broker_ids=[BROKER_ID])],
        ),
        ErrorCode.INVALID_REQUEST,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_13_topic_is_refused(raw: RawKafka, case: str):
    topic, error = REFUSED[case]
    (answer,) = create(raw, topic)
    assert answer.error_code == error
    assert answer.error_message


def test_13_topic_twice_in_one_request_is_invalid(raw: RawKafka, fresh_name: Callable[[], str]):
    name = fresh_name()
    answers = create(raw, creatable(name), creatable(name))
    assert {answer.error_code for answer in answers} == {ErrorCode.INVALID_REQUEST}


def test_13_existing_and_colliding_names_are_refused(raw: RawKafka, make_topic, fresh_name: Callable[[], str]):
    name = make_topic()
    (answer,) = create(raw, creatable(name))
    assert answer.error_code == ErrorCode.TOPIC_ALREADY_EXISTS
    dotted = f"{fresh_name()}.x"
    assert create(raw, creatable(dotted))[0].error_code == ErrorCode.NONE
    assert create(raw, creatable(dotted.replace(".", "_")))[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


def test_13_validation_alone_creates_nothing(raw: RawKafka, fresh_name: Callable[[], str]):
    name = fresh_name()
    assert create(raw, creatable(name), validate_only=True)[0].error_code == ErrorCode.NONE
    assert metadata(raw, [name]).topics[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_14_topic_created_again_is_another_topic(raw: RawKafka, broker: BrokerProcess, make_topic):
    name = make_topic()
    produce(raw, name, batch(5))
    first_id = topic_metadata(broker.address, name).topic_id
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name=name)], timeout_ms=30_000)
    assert raw.ask(request, 6).responses[0].error_code == ErrorCode.NONE
    assert produce(raw, name, batch()).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    while create(raw, creatable(name))[0].error_code == ErrorCode.TOPIC_ALREADY_EXISTS:
        pass  # Kafka takes the topic away in the background.
    await_leaders(broker.address, name)
    assert topic_metadata(broker.address, name).topic_id != first_id
    assert list_offsets(raw, name, LATEST).offset == 0


def test_14_unknown_topic_cannot_be_deleted(raw: RawKafka):
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="never-there")], timeout_ms=30_000)
    assert raw.ask(request, 6).responses[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_15_partitions_are_added_and_never_taken_away(raw: RawKafka, broker: BrokerProcess, make_topic):
    name = make_topic(2)

    def grow(count: int) -> int:
        topic = CreatePartitionsTopic(name=name, count=count, assignments=None)
        request = CreatePartitionsRequest(topics=[topic], timeout_ms=10_000, validate_only=False)
        error: int = raw.ask(request, 3).results[0].error_code
        return error

    assert grow(2) == ErrorCode.INVALID_PARTITIONS
    assert grow(1) == ErrorCode.INVALID_PARTITIONS
    assert grow(4) == ErrorCode.NONE
    await_leaders(broker.address, name, 4)


def delete_before(raw: RawKafka, topic: str, offset: int) -> tuple[int, int]:
    part = DeleteRecordsPartition(partition_index=0, offset=offset)
    request = DeleteRecordsRequest(topics=[DeleteRecordsTopic(name=topic, partitions=[part])], timeout_ms=10_000)
    answer = raw.ask(request, 2).topics[0].partitions[0]
    return answer.error_code, answer.low_watermark


def test_15_records_are_deleted_up_to_an_offset(raw: RawKafka, make_topic):
    topic = make_topic()
    produce(raw, topic, batch(5))
    assert delete_before(raw, topic, 2) == (ErrorCode.NONE, 2)
    assert delete_before(raw, topic, 6)[0] == ErrorCode.OFFSET_OUT_OF_RANGE
    assert fetch(raw, topic, 1).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert fetch(raw, topic, 2).error_code == ErrorCode.NONE
    assert delete_before(raw, topic, -1) == (ErrorCode.NONE, 5)


def test_15_records_of_a_compacted_topic_are_not_deleted(raw: RawKafka, make_topic):
    topic = make_topic(**{"cleanup.policy": "compact"})
    produce(raw, topic, batch(5))
    assert delete_before(raw, topic, 2)[0] == ErrorCode.POLICY_VIOLATION
