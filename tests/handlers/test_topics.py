"""Codes and messages are those that a Kafka 3.9.1 in ZooKeeper mode gave to the same requests."""

import uuid
from typing import Any

import pytest

from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from ottla.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from ottla.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from support.admin_broker import AdminBroker, admin_broker
from support.coroutines import on_event_loop


def topic(
    name: str,
    partitions: int = 1,
    factor: int = 1,
    *,
    assigned: list[tuple[int, list[int]]] | None = None,
    configs: dict[str, str | None] | None = None,
) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=factor,
        assignments=[CreatableReplicaAssignment(partition_index=n, broker_ids=ids) for n, ids in assigned or ()],
        configs=[CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()],
    )


async def create(broker: AdminBroker, *topics: CreatableTopic, version: int = 7, **options: Any) -> list[Any]:
    request = CreateTopicsRequest(topics=list(topics), **{"timeout_ms": 10_000, **options})
    return (await broker.call(ApiKey.CREATE_TOPICS, version, request)).topics


@on_event_loop
async def test_created_topic_is_told_with_partitions_factor_configs_and_id() -> None:
    async with admin_broker() as broker:
        (result,) = await create(broker, topic("t", 2, configs={"retention.ms": "5"}))
        assert (result.error_code, result.error_message) == (0, None)
        assert (result.num_partitions, result.replication_factor) == (2, 1)
        assert result.topic_id == broker.broker.cache.image.topics["t"].topic_id
        told = {entry.name: (entry.value, entry.config_source) for entry in result.configs}
        assert told["retention.ms"] == ("5", 1)
        assert told["compression.type"] == ("producer", 5)


@pytest.mark.parametrize("version", range(8))
@on_event_loop
async def test_every_version_creates(version: int) -> None:
    async with admin_broker() as broker:
        (result,) = await create(broker, topic("t"), version=version)
        assert result.error_code == 0
        assert broker.broker.partition("t").leader == 0


@on_event_loop
async def test_minus_one_means_the_brokers_defaults() -> None:
    async with admin_broker() as broker:
        broker.broker.cluster.default_partitions = 3
        (result,) = await create(broker, topic("t", -1, -1))
        assert (result.num_partitions, result.replication_factor) == (3, 1)


REFUSED = [
    (topic("c", 0), 37, "Number of partitions must be larger than 0."),
    (topic("c", -2), 37, "Number of partitions must be larger than 0."),
    (topic("c", 10_001), 44, "Excessively large number of partitions per request."),
    (topic("c", 2**31 - 1), 44, "Excessively large number of partitions per request."),
    (topic("c", 1, 0), 38, "Replication factor must be larger than 0."),
    (topic("c", 1, -2), 38, "Replication factor must be larger than 0."),
    (topic("c", 1, 5), 38, "Replication factor: 5 larger than available brokers: 1."),
    (topic(""), 17, "Topic name is invalid: the empty string is not allowed"),
    (topic(".."), 17, "Topic name is invalid: '..' is not allowed"),
    (
        topic("a b"),
        17,
        "Topic name is invalid: 'a b' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'",
    ),
    (topic("x.y"), 17, "Topic 'x.y' collides with existing topics: x_y"),
    (topic("x_y"), 36, "Topic 'x_y' already exists."),
    (topic("__cluster_metadata"), 42, "Creation of internal topic __cluster_metadata is prohibited."),
    (
        topic("c", 1, -1, assigned=[(0, [0])]),
        42,
        "Both numPartitions or replicationFactor and replicasAssignments were set. Both cannot be used at the same "
        "time.",
    ),
    (
        topic("c", -1, -1, assigned=[(0, [0]), (2, [0])]),
        39,
        "partitions should be a consecutive 0-based integer sequence",
    ),
    (
        topic("c", -1, -1, assigned=[(0, [0]), (1, [0, 1])]),
        39,
        "All partitions should have the same number of replicas",
    ),
    (topic("c", configs={"nope": "1"}), 40, "Unknown topic config name: nope"),
    (
        topic("c", configs={"retention.ms": "x"}),
        40,
        "Invalid value x for configuration retention.ms: Not a number of type LONG",
    ),
    (
        topic("c", configs={"retention.ms": None, "segment.bytes": None}),
        40,
        "Null value not supported for topic configs: retention.ms,segment.bytes",
    ),
    (
        topic("c", configs={"cleanup.policy": "foo"}),
        40,
        "Invalid value foo for configuration cleanup.policy: String must be one of: compact, delete",
    ),
]


@pytest.mark.parametrize(("new", "code", "message"), REFUSED, ids=[message for _, _, message in REFUSED])
@on_event_loop
async def test_refusals_have_kafkas_code_and_words(new: CreatableTopic, code: int, message: str) -> None:
    async with admin_broker() as broker:
        await create(broker, topic("x_y"))
        (result,) = await create(broker, new)
        assert (result.error_code, result.error_message) == (code, message)
        assert (result.num_partitions, result.replication_factor, result.configs) == (-1, -1, [])
        assert broker.broker.cache.image.topics.keys() == {"x_y"}


@on_event_loop
async def test_topic_listed_twice_is_refused_and_the_rest_of_the_request_is_done() -> None:
    async with admin_broker() as broker:
        results = await create(broker, topic("dup"), topic("ok"), topic("dup"))
        twice = (42, "Found multiple entries for this topic.")
        assert [(r.error_code, r.error_message) for r in results] == [twice, (0, None), twice]


@on_event_loop
async def test_topics_of_one_request_collide_with_each_other() -> None:
    async with admin_broker() as broker:
        first, second = await create(broker, topic("a.b", 1, 1), topic("a_b", 1, 1))
        assert first.error_code == ErrorCode.NONE
        assert second.error_message == "Topic 'a_b' collides with existing topics: a.b"


@on_event_loop
async def test_validating_creates_nothing_and_tells_what_would_be() -> None:
    async with admin_broker() as broker:
        (result,) = await create(broker, topic("t", 3), validate_only=True, timeout_ms=0)
        assert (result.error_code, result.num_partitions, result.topic_id) == (0, 3, uuid.UUID(int=0))
        assert broker.broker.cache.image.topics == {}


@on_event_loop
async def test_client_that_does_not_wait_is_told_a_timeout_and_the_topic_is_created() -> None:
    async with admin_broker() as broker:
        (result,) = await create(broker, topic("t"), timeout_ms=0)
        assert (result.error_code, result.num_partitions) == (ErrorCode.REQUEST_TIMED_OUT, -1)
        assert broker.broker.partition("t").leader == 0


@on_event_loop
async def test_topic_whose_brokers_are_away_times_out() -> None:
    async with admin_broker() as broker:
        (result,) = await create(broker, topic("t", -1, -1, assigned=[(0, [7])]), timeout_ms=5)
        assert result.error_code == ErrorCode.REQUEST_TIMED_OUT


@on_event_loop
async def test_broker_that_is_not_the_controller_says_so_for_every_topic() -> None:
    async with admin_broker(brokers=(0, 1), at=1) as broker:
        results = await create(broker, topic("a"), topic("b"))
        assert [r.error_code for r in results] == [ErrorCode.NOT_CONTROLLER] * 2
        request = DeleteTopicsRequest(topics=[DeleteTopicState(name="a")])
        response = await broker.call(ApiKey.DELETE_TOPICS, 6, request)
        assert [r.error_code for r in response.responses] == [ErrorCode.NOT_CONTROLLER]


async def add_partitions(broker: AdminBroker, *topics: tuple[str, int, Any], **options: Any) -> list[tuple[int, Any]]:
    request = CreatePartitionsRequest(
        topics=[
            CreatePartitionsTopic(
                name=name,
                count=count,
                assignments=None if assigned is None else [CreatePartitionsAssignment(broker_ids=b) for b in assigned],
            )
            for name, count, assigned in topics
        ],
        **{"timeout_ms": 10_000, **options},
    )
    response = await broker.call(ApiKey.CREATE_PARTITIONS, 3, request)
    return [(result.error_code, result.error_message) for result in response.results]


@on_event_loop
async def test_all_topics_of_a_request_share_the_bound_of_its_partitions() -> None:
    async with admin_broker() as broker:
        made = await create(broker, topic("a", 6_000), topic("b", 6_000), topic("c", 4_000), validate_only=True)
        assert [result.error_code for result in made] == [0, ErrorCode.POLICY_VIOLATION, 0]


@on_event_loop
async def test_partitions_are_added() -> None:
    async with admin_broker() as broker:
        await create(broker, topic("t", 2))
        assert await add_partitions(broker, ("t", 3, None)) == [(0, None)]
        assert await add_partitions(broker, ("t", 4, [[0]])) == [(0, None)]
        assert list(broker.broker.cache.image.topics["t"].partitions) == [0, 1, 2, 3]
        assert TopicPartition("t", 3) in broker.broker.partitions.leading


@pytest.mark.parametrize(
    ("wanted", "code", "message"),
    [
        (("t", 3, None), 37, "Topic already has 3 partitions."),
        (("t", 1, None), 37, "Topic currently has 3 partitions, which is higher than the requested 1."),
        (("t", 10_004, None), 44, "Excessively large number of partitions per request."),
        (("t", 2**31 - 1, None), 44, "Excessively large number of partitions per request."),
        (("nope", 3, None), 3, "The topic 'nope' does not exist."),
        (
            ("t", 5, [[0], [0], [0]]),
            39,
            "Increasing the number of partitions by 2 but 3 assignments provided.",
        ),
        (("t", 5, [[0], [9]]), 39, "Unknown broker(s) in replica assignment: 9."),
        (
            ("t", 5, [[0], [0, 0]]),
            39,
            "Duplicate brokers not allowed in replica assignment: 0, 0 for partition id 4.",
        ),
        (("t", 5, [[0], []]), 39, "Cannot have replication factor of 0 for partition id 4."),
    ],
)
@on_event_loop
async def test_partitions_that_cannot_be_are_refused_in_kafkas_words(wanted: Any, code: int, message: str) -> None:
    async with admin_broker() as broker:
        await create(broker, topic("t", 3))
        assert await add_partitions(broker, wanted) == [(code, message)]
        assert len(broker.broker.cache.image.topics["t"].partitions) == 3


@on_event_loop
async def test_adding_partitions_twice_in_one_request_validating_and_not_waiting() -> None:
    async with admin_broker() as broker:
        await create(broker, topic("t", 3))
        assert await add_partitions(broker, ("t", 5, None), ("t", 6, None)) == [(42, "Duplicate topic in request.")]
        assert await add_partitions(broker, ("t", 5, None), validate_only=True) == [(0, None)]
        assert len(broker.broker.cache.image.topics["t"].partitions) == 3
        assert await add_partitions(broker, ("t", 4, None), timeout_ms=0) == [(ErrorCode.REQUEST_TIMED_OUT, None)]


async def delete(broker: AdminBroker, *topics: DeleteTopicState, timeout_ms: int = 10_000) -> list[Any]:
    request = DeleteTopicsRequest(topics=list(topics), timeout_ms=timeout_ms)
    return (await broker.call(ApiKey.DELETE_TOPICS, 6, request)).responses


@on_event_loop
async def test_internal_topics_are_not_deleted() -> None:
    async with admin_broker() as broker:
        await create(broker, topic("__consumer_offsets", 1, 1))
        (result,) = await delete(broker, DeleteTopicState(name="__consumer_offsets"))
        assert result.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
        assert "__consumer_offsets" in broker.broker.cache.image.topics


@on_event_loop
async def test_topic_is_deleted_by_name_and_can_be_made_again_at_once() -> None:
    async with admin_broker() as broker:
        await create(broker, topic("t"))
        (result,) = await delete(broker, DeleteTopicState(name="t"))
        assert (result.name, result.error_code, result.error_message) == ("t", 0, None)
        assert broker.broker.partitions.deleted == [TopicPartition("t", 0)]
        (again,) = await create(broker, topic("t"))
        assert again.error_code == 0


@pytest.mark.parametrize("version", range(6))
@on_event_loop
async def test_every_older_version_deletes_by_name(version: int) -> None:
    async with admin_broker() as broker:
        await create(broker, topic("t"))
        request = DeleteTopicsRequest(topic_names=["t", "nope"], timeout_ms=10_000)
        response = await broker.call(ApiKey.DELETE_TOPICS, version, request)
        assert [(r.name, r.error_code) for r in response.responses] == [("t", 0), ("nope", 3)]


@on_event_loop
async def test_topic_is_deleted_by_id() -> None:
    async with admin_broker() as broker:
        await create(broker, topic("t"))
        topic_id = broker.broker.cache.image.topics["t"].topic_id
        unknown = uuid.UUID(int=9)
        found, missing = await delete(
            broker, DeleteTopicState(name=None, topic_id=topic_id), DeleteTopicState(name=None, topic_id=unknown)
        )
        assert (found.name, found.topic_id, found.error_code) == ("t", topic_id, 0)
        assert (missing.name, missing.topic_id, missing.error_code) == (None, unknown, ErrorCode.UNKNOWN_TOPIC_ID)


@on_event_loop
async def test_name_and_id_together_are_refused() -> None:
    async with admin_broker() as broker:
        await create(broker, topic("t"))
        (result,) = await delete(broker, DeleteTopicState(name="t", topic_id=uuid.UUID(int=9)))
        assert result.error_code == ErrorCode.INVALID_REQUEST
        assert "t" in broker.broker.cache.image.topics


@on_event_loop
async def test_deletion_without_waiting_is_told_as_a_timeout() -> None:
    async with admin_broker() as broker:
        await create(broker, topic("t"))
        (result,) = await delete(broker, DeleteTopicState(name="t"), timeout_ms=0)
        assert result.error_code == ErrorCode.REQUEST_TIMED_OUT
        assert "t" not in broker.broker.cache.image.topics


@pytest.mark.parametrize(("version", "code"), [(2, ErrorCode.INVALID_REQUEST), (3, ErrorCode.TOPIC_DELETION_DISABLED)])
@on_event_loop
async def test_disabled_deletion_has_its_own_code_from_version_3_on(version: int, code: ErrorCode) -> None:
    async with admin_broker({"delete.topic.enable": "false"}) as broker:
        await create(broker, topic("t"))
        response = await broker.call(ApiKey.DELETE_TOPICS, version, DeleteTopicsRequest(topic_names=["t"]))
        assert response.responses[0].error_code == code
