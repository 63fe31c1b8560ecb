"""What a client knows of the cluster: one immutable picture, replaced as a whole by each Metadata answer.

An answer names only the topics that were asked for, and may come from a broker that has not heard the latest: topics
that it does not name are kept, and a partition with an older leader epoch than the known one is not taken over
(KIP-320), unless the topic was deleted and created again (another topic id).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from ottla.clients.addresses import Address
from ottla.errors import ErrorCode
from ottla.model import ZERO_UUID
from ottla.protocol.messages.metadata import MetadataResponse, MetadataResponsePartition, MetadataResponseTopic

NO_LEADER = -1


class Broker(NamedTuple):
    node_id: int
    host: str
    port: int
    rack: str | None = None

    @property
    def address(self) -> Address:
        return Address(self.host, self.port)


class PartitionSnapshot(NamedTuple):
    partition: int
    leader_id: int
    leader_epoch: int
    replicas: tuple[int, ...]
    in_sync_replicas: tuple[int, ...]
    offline_replicas: tuple[int, ...]
    error_code: int = 0


class TopicSnapshot(NamedTuple):
    name: str
    topic_id: UUID
    is_internal: bool
    partitions: Mapping[int, PartitionSnapshot]
    error_code: int = 0

    @property
    def partitions_count(self) -> int:
        return len(self.partitions)


class ClusterSnapshot(NamedTuple):
    cluster_id: str | None
    controller_id: int
    brokers: Mapping[int, Broker]
    topics: Mapping[str, TopicSnapshot]
    fetched_at: float

    def leader_of(self, topic: str, partition: int) -> PartitionSnapshot | None:
        """The partition, if it has a leader that is known."""
        known = self.topics.get(topic)
        found = known.partitions.get(partition) if known is not None else None
        return found if found is not None and found.leader_id in self.brokers else None

    def partitions_count(self, topic: str) -> int:
        """How many partitions a topic has; 0 when it is not known."""
        known = self.topics.get(topic)
        return 0 if known is None else known.partitions_count

    def topic_ids_of(self, names: Iterable[str]) -> dict[str, UUID] | None:
        """The ids of these topics; None when one has none, or none that is known (KIP-516)."""
        topic_ids: dict[str, UUID] = {}
        for name in names:
            known = self.topics.get(name)
            if known is None or known.topic_id == ZERO_UUID:
                return None
            topic_ids[name] = known.topic_id
        return topic_ids


EMPTY = ClusterSnapshot(None, NO_LEADER, {}, {}, float("-inf"))


def merge(old: ClusterSnapshot, response: MetadataResponse, now: float, *, is_complete: bool) -> ClusterSnapshot:
    """The picture after an answer. `is_complete`: all topics were asked for, so one that is not named is gone."""
    brokers = {node.node_id: Broker(node.node_id, node.host, node.port, node.rack) for node in response.brokers}
    topics = {} if is_complete else dict(old.topics)
    for answered in response.topics:
        if answered.name is None:
            continue
        if answered.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            topics.pop(answered.name, None)
        else:
            topics[answered.name] = _merge_topic(old.topics.get(answered.name), answered)
    return ClusterSnapshot(response.cluster_id, response.controller_id, brokers, topics, now)


def _merge_topic(known: TopicSnapshot | None, answered: MetadataResponseTopic) -> TopicSnapshot:
    assert answered.name is not None
    same = known is not None and (
        known.topic_id == answered.topic_id or ZERO_UUID in (known.topic_id, answered.topic_id)
    )
    before = known.partitions if known is not None and same else {}
    partitions = {
        partition.partition_index: _newer(before.get(partition.partition_index), _partition(partition))
        for partition in answered.partitions
    }
    return TopicSnapshot(
        answered.name, answered.topic_id, answered.is_internal, dict(sorted(partitions.items())), answered.error_code
    )


def _newer(known: PartitionSnapshot | None, answered: PartitionSnapshot) -> PartitionSnapshot:
    if known is None or answered.leader_epoch < 0 or answered.leader_epoch >= known.leader_epoch:
        return answered
    return known


def _partition(answered: MetadataResponsePartition) -> PartitionSnapshot:
    return PartitionSnapshot(
        answered.partition_index,
        answered.leader_id,
        answered.leader_epoch,
        tuple(answered.replica_nodes),
        tuple(answered.isr_nodes),
        tuple(answered.offline_replicas),
        answered.error_code,
    )
