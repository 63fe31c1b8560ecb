"""CreateTopics, DeleteTopics and CreatePartitions: validate_only and manual assignments too."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

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
from support.admin_errors.case import Case

TIMEOUT_MS = 20_000
NOBODYS_ID = UUID(int=12345)


def topic(
    name: str,
    partitions: int = 1,
    replicas: int = 1,
    assignments: Mapping[int, Sequence[int]] | None = None,
    configs: Mapping[str, str | None] | None = None,
) -> CreatableTopic:
    manual = [
        CreatableReplicaAssignment(partition_index=index, broker_ids=list(brokers))
        for index, brokers in (assignments or {}).items()
    ]
    settings = [CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()]
    return CreatableTopic(
        name=name, num_partitions=partitions, replication_factor=replicas, assignments=manual, configs=settings
    )


def create(*topics: CreatableTopic, validate_only: bool = False) -> CreateTopicsRequest:
    return CreateTopicsRequest(topics=list(topics), timeout_ms=TIMEOUT_MS, validate_only=validate_only)


def manual(assignments: Mapping[int, Sequence[int]], partitions: int = -1, replicas: int = -1) -> CreateTopicsRequest:
    return create(topic("manual", partitions, replicas, assignments), validate_only=True)


def configured(**configs: str | None) -> CreateTopicsRequest:
    dotted = {key.replace("_", "."): value for key, value in configs.items()}
    return create(topic("configured", configs=dotted), validate_only=True)


def delete(*names: str) -> DeleteTopicsRequest:
    return DeleteTopicsRequest(topics=[DeleteTopicState(name=name) for name in names], timeout_ms=TIMEOUT_MS)


def delete_id(topic_id: UUID, name: str | None = None) -> DeleteTopicsRequest:
    return DeleteTopicsRequest(topics=[DeleteTopicState(name=name, topic_id=topic_id)], timeout_ms=TIMEOUT_MS)


def grow(name: str, count: int, assignments: Sequence[Sequence[int]] | None = None, **fields: Any) -> Any:
    manual = None if assignments is None else [CreatePartitionsAssignment(broker_ids=list(ids)) for ids in assignments]
    topics = [CreatePartitionsTopic(name=name, count=count, assignments=manual)]
    return CreatePartitionsRequest(topics=topics, timeout_ms=TIMEOUT_MS, **{"validate_only": True} | fields)


CREATE_CASES = [
    Case("create: would be created", 7, create(topic("new", 3), validate_only=True)),
    Case("create: with the broker's defaults", 7, create(topic("new", -1, -1), validate_only=True)),
    Case("create: exists", 7, create(topic("t"))),
    Case("create: exists, only validated", 7, create(topic("t"), validate_only=True)),
    Case("create: exists, answer without messages", 0, create(topic("t"))),
    Case("create: twice in one request", 7, create(topic("twice"), topic("twice"))),
    Case("create: no topics", 7, create()),
    Case("create: empty name", 7, create(topic(""))),
    Case("create: name is a dot", 7, create(topic("."))),
    Case("create: name is two dots", 7, create(topic(".."))),
    Case("create: name with a slash", 7, create(topic("a/b"))),
    Case("create: name of 250 characters", 7, create(topic("n" * 250))),
    Case("create: name of 249 characters", 7, create(topic("n" * 249), validate_only=True)),
    Case("create: name of an internal topic", 7, create(topic("__consumer_offsets"))),
    Case("create: no partitions", 7, create(topic("new", 0))),
    Case("create: negative partitions", 7, create(topic("new", -2))),
    Case("create: no replicas", 7, create(topic("new", 1, 0))),
    Case("create: negative replicas", 7, create(topic("new", 1, -2))),
    Case("create: more replicas than brokers", 7, create(topic("new", 1, 3))),
    Case("create: more replicas than brokers, only validated", 7, create(topic("new", 1, 3), validate_only=True)),
    Case("create: default partitions in an old version", 3, create(topic("new", -1), validate_only=True)),
    Case("create: default replicas in an old version", 3, create(topic("new", 1, -1), validate_only=True)),
    Case("create: several, some wrong", 7, create(topic("t"), topic("fine"), topic("a b"), validate_only=True)),
    Case("create: and colliding names", 7, create(topic("col_lide"))),
    Case("create: collides with an existing one", 7, create(topic("col.lide"))),
    Case("manual: one partition", 7, manual({0: [0]})),
    Case("manual: two partitions", 7, manual({0: [0], 1: [0]})),
    Case("manual: with a number of partitions", 7, manual({0: [0]}, partitions=1)),
    Case("manual: with a number of replicas", 7, manual({0: [0]}, replicas=1)),
    Case("manual: with both numbers", 7, manual({0: [0]}, partitions=1, replicas=1)),
    Case("manual: unknown broker", 7, manual({0: [9]})),
    Case("manual: the same broker twice", 7, manual({0: [0, 0]})),
    Case("manual: no brokers", 7, manual({0: []})),
    Case("manual: not from zero", 7, manual({1: [0]})),
    Case("manual: with a hole", 7, manual({0: [0], 2: [0]})),
    Case("manual: replicas of different number", 7, manual({0: [0], 1: [0, 1]})),
    Case("manual: negative broker", 7, manual({0: [-1]})),
    Case("create configs: valid", 7, configured(retention_ms="5", cleanup_policy="compact,delete")),
    Case("create configs: unknown", 7, configured(nope="1")),
    Case("create configs: null", 7, configured(retention_ms=None)),
    Case("create configs: not a number", 7, configured(retention_ms="soon")),
    Case("create configs: too small", 7, configured(segment_bytes="1")),
    Case("create configs: not in the list", 7, configured(cleanup_policy="burn")),
    Case("create configs: empty", 7, configured(retention_ms="")),
    Case("create configs: not a boolean", 7, configured(preallocate="maybe")),
    Case("create configs: unknown codec", 7, configured(compression_type="rar")),
    Case("create configs: too large for the type", 7, configured(segment_bytes="3000000000")),
    Case("create configs: local retention above the whole", 7, configured(retention_ms="5", local_retention_ms="9")),
]

DELETE_CASES = [
    Case("delete: unknown", 6, delete("unknown")),
    Case("delete: unknown, version 5", 5, DeleteTopicsRequest(topic_names=["unknown"], timeout_ms=TIMEOUT_MS)),
    Case("delete: unknown, version 1", 1, DeleteTopicsRequest(topic_names=["unknown"], timeout_ms=TIMEOUT_MS)),
    Case("delete: unknown id", 6, delete_id(NOBODYS_ID)),
    Case("delete: invalid name", 6, delete("a/b")),
    Case("delete: no topics", 6, delete()),
    Case("delete: twice in one request", 6, delete("f", "f")),
    Case("delete: unknown name twice", 6, delete("unknown", "unknown")),
    Case("delete: by id", 6, lambda world: delete_id(world.topic_ids["d"])),
    Case("delete: by name", 6, delete("e")),
]

GROW_CASES = [
    Case("grow: would grow", 3, grow("t", 3)),
    Case("grow: to fewer", 3, grow("t", 1)),
    Case("grow: to the same", 3, grow("t", 2)),
    Case("grow: to none", 3, grow("t", 0)),
    Case("grow: to a negative number", 3, grow("t", -1)),
    Case("grow: unknown topic", 3, grow("unknown", 3)),
    Case("grow: unknown topic in version 0", 0, grow("unknown", 3)),
    Case("grow: with an assignment", 3, grow("t", 3, [[0]])),
    Case("grow: with too few assignments", 3, grow("t", 4, [[0]])),
    Case("grow: with too many assignments", 3, grow("t", 3, [[0], [0]])),
    Case("grow: with an empty list of assignments", 3, grow("t", 3, [])),
    Case("grow: with an assignment to nobody", 3, grow("t", 3, [[]])),
    Case("grow: with an unknown broker", 3, grow("t", 3, [[9]])),
    Case("grow: with the same broker twice", 3, grow("t", 3, [[0, 0]])),
    Case("grow: with another number of replicas", 3, grow("t", 3, [[0, 1]])),
    Case("grow: internal topic", 3, grow("__consumer_offsets", 0)),
    Case("grow: no topics", 3, CreatePartitionsRequest(topics=[], timeout_ms=TIMEOUT_MS)),
    Case(
        "grow: twice in one request",
        3,
        CreatePartitionsRequest(
            topics=[CreatePartitionsTopic(name="t", count=count, assignments=None) for count in (3, 4)],
            timeout_ms=TIMEOUT_MS,
        ),
    ),
]

TOPIC_CASES = [*CREATE_CASES, *GROW_CASES, *DELETE_CASES]
