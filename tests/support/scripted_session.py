"""A session with a broker in which every API that it serves is asked in every version.

Requests are written as one dictionary for all versions; what a version does not have is left out. The broker is fresh,
makes no topics by itself and has nobody else to talk to, so that it answers the same each time but for what it draws
or measures itself (`support.masked_messages`).
"""

import uuid
from collections.abc import Callable
from typing import Any

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.field import Field
from ottla.protocol.layout import layout_of
from ottla.protocol.message import Request, Struct
from ottla.records.legacy import down_convert
from support.raw_group import METADATA
from support.raw_requests import BIG, EARLIEST, LATEST, NOW_MS, batch

PROPERTIES = {"auto.create.topics.enable": "false", "group.initial.rebalance.delay.ms": "0", "broker.id": "1"}
TOPIC, NOBODY, GROUP = "t", "nobody", "group"
STALE = 0
"""A controller epoch that is over, a broker epoch that never was."""

Ask = Callable[[Request, int], Any]


def build(struct_class: type[Struct], version: int, values: dict[str, Any]) -> Any:
    """A message of the values that the version has."""
    layout = layout_of(struct_class, version)
    fields = {field.name: field for field in (*layout.untagged, *layout.tagged)}
    return struct_class(
        **{name: _value(fields[name], version, value) for name, value in values.items() if name in fields}
    )


def _value(field: Field[Any], version: int, value: Any) -> Any:
    if value is None or field.element is None or isinstance(field.element, Field):
        return value
    if field.type == "array":
        return [build(field.element, version, element) for element in value]
    return build(field.element, version, value)


class ScriptedSession:
    """`ask` sends one request and gives the response."""

    def __init__(self, ask: Ask, versions: dict[int, range]) -> None:
        self._ask = ask
        self._versions = versions
        self._topic_id = uuid.UUID(int=0)

    def run(self) -> None:
        self._each(ApiKey.API_VERSIONS, client_software_name="scripted", client_software_version="1")
        self._topics()
        self._records()
        self._offsets()
        self._configs()
        self._groups()
        self._cluster()
        self._end_of_topics()

    # Asking

    def _one(self, key: ApiKey, version: int, /, **values: Any) -> Any:
        return self._ask(build(api_info(key).request_class(), version, values), version)

    def _each(self, key: ApiKey, /, **values: Any) -> None:
        for version in self._versions[key]:
            self._one(key, version, **values)

    # What is asked

    def _topics(self) -> None:
        made = {"num_partitions": 2, "replication_factor": 1, "configs": [{"name": "retention.ms", "value": "-1"}]}
        for version in self._versions[ApiKey.CREATE_TOPICS]:
            topics = [{"name": f"made-{version}", **made}, {"name": f"bad/{version}", **made}]
            self._one(ApiKey.CREATE_TOPICS, version, topics=topics, timeout_ms=5000)
            self._one(ApiKey.CREATE_TOPICS, version, topics=topics[:1], timeout_ms=5000, validate_only=True)
        self._one(ApiKey.CREATE_TOPICS, 4, topics=[{"name": TOPIC, **made}], timeout_ms=5000)
        for version in self._versions[ApiKey.METADATA]:
            names = [{"name": TOPIC, "topic_id": uuid.UUID(int=0)}, {"name": NOBODY, "topic_id": uuid.UUID(int=0)}]
            found = self._one(
                ApiKey.METADATA, version, topics=names, allow_auto_topic_creation=False,
                include_cluster_authorized_operations=True, include_topic_authorized_operations=True,
            )  # fmt: skip
        self._topic_id = next(topic.topic_id for topic in found.topics if topic.name == TOPIC)
        names = [{"name": TOPIC}, {"name": NOBODY}]
        self._each(ApiKey.DESCRIBE_TOPIC_PARTITIONS, topics=names, response_partition_limit=10)
        for version in self._versions[ApiKey.CREATE_PARTITIONS]:
            topics = [{"name": f"made-{version}", "count": 3}, {"name": TOPIC, "count": 1}]
            self._one(ApiKey.CREATE_PARTITIONS, version, topics=topics, timeout_ms=5000)

    def _records(self) -> None:
        self._each(ApiKey.INIT_PRODUCER_ID, transactional_id=None, transaction_timeout_ms=-1)
        for version in self._versions[ApiKey.PRODUCE]:
            records = old_messages(version // 2) if version < 3 else batch(2)
            damaged = records[:-1] + bytes([records[-1] ^ 1])
            sent = {0: records, 1: damaged, 9: records}
            parts = [{"index": index, "records": data} for index, data in sent.items()]
            for topic, topic_id in ((TOPIC, self._topic_id), (NOBODY, uuid.UUID(int=9))):
                data = [{"name": topic, "topic_id": topic_id, "partition_data": parts}]
                self._one(ApiKey.PRODUCE, version, acks=1, timeout_ms=5000, topic_data=data)
            one = [{"name": TOPIC, "topic_id": self._topic_id, "partition_data": parts[:1]}]
            self._one(ApiKey.PRODUCE, version, acks=-1, timeout_ms=5000, topic_data=one)
        for version in self._versions[ApiKey.FETCH]:
            self._fetches(version)

    def _fetches(self, version: int) -> None:
        how = {"max_wait_ms": 0, "min_bytes": 1, "max_bytes": BIG, "replica_id": -1}
        for offsets in ([1], [0, 0], [10_000], [3, 0]):
            parts = [
                {"partition": index, "fetch_offset": offset, "partition_max_bytes": 300}
                for index, offset in enumerate(offsets)
            ]
            topics = [{"topic": TOPIC, "topic_id": self._topic_id, "partitions": parts}]
            for isolation_level in (0, 1):
                self._one(ApiKey.FETCH, version, topics=topics, isolation_level=isolation_level, **how)
        stranger = [{"topic": NOBODY, "topic_id": uuid.UUID(int=9), "partitions": parts}]
        self._one(ApiKey.FETCH, version, topics=stranger, **how)
        opened = self._one(ApiKey.FETCH, version, topics=topics, session_epoch=0, **how)
        self._one(ApiKey.FETCH, version, topics=[], session_id=opened.session_id, session_epoch=1, **how)

    def _offsets(self) -> None:
        for timestamp in (EARLIEST, LATEST, NOW_MS + 1, NOW_MS * 2):
            parts = [{"partition_index": index, "timestamp": timestamp, "max_num_offsets": 2} for index in (0, 9)]
            self._each(ApiKey.LIST_OFFSETS, replica_id=-1, topics=[{"name": TOPIC, "partitions": parts}])
        parts = [{"partition": 0, "leader_epoch": epoch} for epoch in (0, 7)]
        self._each(ApiKey.OFFSET_FOR_LEADER_EPOCH, replica_id=-1, topics=[{"topic": TOPIC, "partitions": parts}])
        for version in self._versions[ApiKey.DELETE_RECORDS]:
            parts = [{"partition_index": 0, "offset": version}, {"partition_index": 9, "offset": 1}]
            self._one(ApiKey.DELETE_RECORDS, version, topics=[{"name": TOPIC, "partitions": parts}], timeout_ms=5000)
        parts = [{"name": TOPIC, "partition_indexes": [0, 9]}]
        self._each(ApiKey.DESCRIBE_PRODUCERS, topics=parts)
        self._each(ApiKey.DESCRIBE_LOG_DIRS, topics=[{"topic": TOPIC, "partitions": [0]}])

    def _configs(self) -> None:
        topic = {"resource_type": 2, "resource_name": TOPIC}
        edits = [{"name": "retention.ms", "value": "100000", "config_operation": 0}]
        for resource in (topic, topic | {"resource_name": NOBODY}):
            self._each(ApiKey.INCREMENTAL_ALTER_CONFIGS, resources=[resource | {"configs": edits}])
            self._each(ApiKey.ALTER_CONFIGS, resources=[resource | {"configs": edits}])
            keys = ["retention.ms", "segment.bytes", "cleanup.policy"]
            self._each(
                ApiKey.DESCRIBE_CONFIGS, resources=[resource | {"configuration_keys": keys}], include_synonyms=True
            )
        broker = {
            "resource_type": 4,
            "resource_name": "1",
            "configuration_keys": ["num.io.threads", "log.retention.ms"],
        }
        self._each(ApiKey.DESCRIBE_CONFIGS, resources=[broker], include_documentation=True)

    def _groups(self) -> None:
        self._each(ApiKey.FIND_COORDINATOR, key=GROUP, key_type=0, coordinator_keys=[GROUP, "other"])
        for version in self._versions[ApiKey.JOIN_GROUP]:
            self._member(f"{GROUP}-{version}", version)
        for version in self._versions[ApiKey.OFFSET_COMMIT]:
            parts = [{"partition_index": 0, "committed_offset": version, "committed_metadata": "m"}]
            topics = [{"name": TOPIC, "topic_id": self._topic_id, "partitions": parts}]
            self._one(ApiKey.OFFSET_COMMIT, version, group_id=GROUP, topics=topics)
        for version in self._versions[ApiKey.OFFSET_FETCH]:
            topics = [{"name": TOPIC, "topic_id": self._topic_id, "partition_indexes": [0, 1]}]
            self._one(
                ApiKey.OFFSET_FETCH,
                version,
                group_id=GROUP,
                topics=topics,
                groups=[{"group_id": GROUP, "topics": topics}],
            )
        self._each(ApiKey.LIST_GROUPS)
        parts = [{"partition_index": 0}, {"partition_index": 9}]
        self._each(ApiKey.OFFSET_DELETE, group_id=GROUP, topics=[{"name": TOPIC, "partitions": parts}])
        for version in self._versions[ApiKey.DELETE_GROUPS]:
            self._one(ApiKey.DELETE_GROUPS, version, groups_names=[f"{GROUP}-{version}", NOBODY])

    def _member(self, group: str, version: int) -> None:
        """One member's life, each request in the version of its JoinGroup, or the last one before."""

        def near(key: ApiKey) -> int:
            return min(version, self._versions[key][-1])

        how = {
            "group_id": group, "session_timeout_ms": 30_000, "rebalance_timeout_ms": 30_000, "member_id": "",
            "protocol_type": "consumer", "protocols": [{"name": "range", "metadata": METADATA}],
        }  # fmt: skip
        joined = self._one(ApiKey.JOIN_GROUP, version, **how)
        if joined.generation_id < 0:
            joined = self._one(ApiKey.JOIN_GROUP, version, **how | {"member_id": joined.member_id})
        who = {"group_id": group, "member_id": joined.member_id, "generation_id": joined.generation_id}
        assigned = {"assignments": [{"member_id": joined.member_id, "assignment": b"all"}]}
        kind = {"protocol_type": "consumer", "protocol_name": "range"}
        self._one(ApiKey.SYNC_GROUP, near(ApiKey.SYNC_GROUP), **who, **kind, **assigned)
        self._one(ApiKey.HEARTBEAT, near(ApiKey.HEARTBEAT), **who)
        self._one(ApiKey.HEARTBEAT, near(ApiKey.HEARTBEAT), **who | {"generation_id": 77})
        self._one(
            ApiKey.DESCRIBE_GROUPS,
            near(ApiKey.DESCRIBE_GROUPS),
            groups=[group, NOBODY],
            include_authorized_operations=True,
        )
        members = [{"member_id": joined.member_id}, {"member_id": NOBODY}]
        self._one(ApiKey.LEAVE_GROUP, near(ApiKey.LEAVE_GROUP), **who, members=members)

    def _cluster(self) -> None:
        self._each(ApiKey.DESCRIBE_CLUSTER, include_cluster_authorized_operations=True)
        parts = [{"topic": TOPIC, "partitions": [0, 9]}]
        self._each(ApiKey.ELECT_LEADERS, election_type=0, topic_partitions=parts, timeout_ms=5000)
        stale = {"controller_id": 1, "controller_epoch": STALE, "broker_epoch": STALE}
        for key in (ApiKey.LEADER_AND_ISR, ApiKey.STOP_REPLICA, ApiKey.UPDATE_METADATA):
            self._each(key, **stale)
        self._each(ApiKey.CONTROLLED_SHUTDOWN, broker_id=99, broker_epoch=STALE)
        self._each(ApiKey.ALTER_PARTITION, broker_id=1, broker_epoch=STALE, topics=[])

    def _end_of_topics(self) -> None:
        for version in self._versions[ApiKey.DELETE_TOPICS]:
            names = [f"made-{version}", NOBODY]
            topics = [{"name": name, "topic_id": uuid.UUID(int=0)} for name in names]
            self._one(ApiKey.DELETE_TOPICS, version, topic_names=names, topics=topics, timeout_ms=5000)


def old_messages(magic: int) -> bytes:
    return bytes(down_convert(batch(2), magic))
