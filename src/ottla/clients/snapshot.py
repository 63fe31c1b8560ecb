"""What a client knows of the cluster: one immutable picture, replaced as a whole by each Metadata response.

A response names only the topics that were asked for, and may come from a broker that has not heard the latest: topics
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
    """The picture after a response. `is_complete`: all topics were asked for, so one that is not named is gone."""
    brokers = {node.node_id: Broker(node.node_id, node.host, node.port, node.rack) for node in response.brokers}
    topics = {} if is_complete else dict(old.topics)
    for received in response.topics:
        if received.name is None:
            continue
        if received.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            topics.pop(received.name, None)
        else:
            topics[received.name] = _merge_topic(old.topics.get(received.name), received)
    return ClusterSnapshot(response.cluster_id, response.controller_id, brokers, topics, now)


def _merge_topic(known: TopicSnapshot | None, received: MetadataResponseTopic) -> TopicSnapshot:
    assert received.name is not None
    same = known is not None and (
        known.topic_id == received.topic_id or ZERO_UUID in (known.topic_id, received.topic_id)
    )
    before = known.partitions if known is not None and same else {}
    partitions = {
        partition.partition_index: _newer(before.get(partition.partition_index), _partition(partition))
        for partition in received.partitions
    }
    return TopicSnapshot(
        received.name, received.topic_id, received.is_internal, dict(sorted(partitions.items())), received.error_code
    )


def _newer(known: PartitionSnapshot | None, received: PartitionSnapshot) -> PartitionSnapshot:
    if known is None or received.leader_epoch < 0 or received.leader_epoch >= known.leader_epoch:
        return received
    return known


def _partition(received: MetadataResponsePartition) -> PartitionSnapshot:
    return PartitionSnapshot(
        received.partition_index,
        received.leader_id,
        received.leader_epoch,
        tuple(received.replica_nodes),
        tuple(received.isr_nodes),
        tuple(received.offline_replicas),
        received.error_code,
    )
