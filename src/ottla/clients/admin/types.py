"""What the admin client takes and gives: frozen values, in Kafka's words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple
from uuid import UUID

from ottla.clients.group_offsets import OffsetAndMetadata
from ottla.clients.offset_lookup import OffsetAndTimestamp, OffsetSpec
from ottla.clients.snapshot import Broker
from ottla.model import TopicPartition

__all__ = [
    "AlterOperation", "Broker", "ClusterDescription", "ConfigEntry", "ConfigResource", "ConfigSource", "CreatedTopic",
    "ElectionType", "GroupDescription", "GroupListing", "LogDirDescription", "MemberDescription", "NewTopic",
    "OffsetAndMetadata", "OffsetAndTimestamp", "OffsetSpec", "PartitionDescription", "Reassignment",
    "ReplicaLogDir", "ResourceType", "TopicDescription", "TopicListing", "TopicPartitionReplica",
]  # fmt: skip

DEFAULT_COUNT = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDescription:
    cluster_id: str | None
    controller_id: int
    brokers: tuple[Broker, ...]


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to be created: counts (-1 is the broker's default) or an explicit `assignment` of replicas."""

    name: str
    partitions: int = DEFAULT_COUNT
    replication_factor: int = DEFAULT_COUNT
    configs: Mapping[str, str] = field(default_factory=dict)
    assignment: Mapping[int, Sequence[int]] = field(default_factory=dict)


class CreatedTopic(NamedTuple):
    name: str
    topic_id: UUID
    partitions: int
    replication_factor: int
    configs: Mapping[str, str | None]


class TopicListing(NamedTuple):
    name: str
    topic_id: UUID
    is_internal: bool


class PartitionDescription(NamedTuple):
    partition: int
    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    in_sync_replicas: tuple[int, ...]
    offline_replicas: tuple[int, ...]


class TopicDescription(NamedTuple):
    name: str
    topic_id: UUID
    is_internal: bool
    partitions: tuple[PartitionDescription, ...]


class ResourceType(IntEnum):
    TOPIC = 2
    BROKER = 4
    BROKER_LOGGER = 8
    CLIENT_METRICS = 16
    GROUP = 32


class ConfigResource(NamedTuple):
    """What has a configuration: `ConfigResource(ResourceType.TOPIC, "clicks")`. A broker's name is its id or ""."""

    type: ResourceType
    name: str

    @classmethod
    def topic(cls, name: str) -> "ConfigResource":
        return cls(ResourceType.TOPIC, name)

    @classmethod
    def broker(cls, broker_id: int | None = None) -> "ConfigResource":
        """One broker, or the default of all."""
        return cls(ResourceType.BROKER, "" if broker_id is None else str(broker_id))


class ConfigSource(IntEnum):
    UNKNOWN = 0
    DYNAMIC_TOPIC_CONFIG = 1
    DYNAMIC_BROKER_CONFIG = 2
    DYNAMIC_DEFAULT_BROKER_CONFIG = 3
    STATIC_BROKER_CONFIG = 4
    DEFAULT_CONFIG = 5
    DYNAMIC_BROKER_LOGGER_CONFIG = 6
    DYNAMIC_CLIENT_METRICS_CONFIG = 7
    DYNAMIC_GROUP_CONFIG = 8

    @classmethod
    def _missing_(cls, value: object) -> "ConfigSource":
        return cls.UNKNOWN


class ConfigEntry(NamedTuple):
    name: str
    value: str | None
    source: ConfigSource
    is_read_only: bool
    is_sensitive: bool
    synonyms: tuple[tuple[str, str | None, ConfigSource], ...]
    documentation: str | None

    @property
    def is_default(self) -> bool:
        return self.source is ConfigSource.DEFAULT_CONFIG


class AlterOperation(IntEnum):
    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


class GroupListing(NamedTuple):
    group_id: str
    protocol_type: str
    state: str
    type: str


class MemberDescription(NamedTuple):
    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    assignment: frozenset[TopicPartition]


class GroupDescription(NamedTuple):
    group_id: str
    state: str
    protocol_type: str
    assignor: str
    coordinator: int
    members: tuple[MemberDescription, ...]


class ElectionType(IntEnum):
    PREFERRED = 0
    UNCLEAN = 1


class Reassignment(NamedTuple):
    replicas: tuple[int, ...]
    adding_replicas: tuple[int, ...]
    removing_replicas: tuple[int, ...]


class ReplicaLogDir(NamedTuple):
    """One replica in a log directory. `is_future`: it is being moved there."""

    size_bytes: int
    offset_lag: int
    is_future: bool


class LogDirDescription(NamedTuple):
    replicas: Mapping[TopicPartition, ReplicaLogDir]
    total_bytes: int
    usable_bytes: int


class TopicPartitionReplica(NamedTuple):
    topic: str
    partition: int
    broker_id: int
