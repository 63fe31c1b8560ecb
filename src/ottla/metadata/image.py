"""What every broker knows of the cluster: brokers, topics, partitions and their leaders. Immutable.

A reader takes the image once and sees one consistent state for as long as it keeps it. A change makes a new image that
shares everything that did not change.

Invariants
- `topics_by_id` has exactly the topics of `topics` that have an id.
- A topic's `partitions` are keyed by their number; numbers may be missing while the controller has not told all.
- Leader epochs of a topic with the same id never go down from one image to the next (`merge` in broker_state).
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ottla.model import NO_BROKER, ZERO_UUID

NO_LEADER = int(NO_BROKER)


class Endpoint(NamedTuple):
    host: str
    port: int
    security_protocol: str = "PLAINTEXT"


class BrokerRegistration(NamedTuple):
    broker_id: int
    endpoints: Mapping[str, Endpoint]  # by listener name
    rack: str | None = None
    epoch: int = -1


class PartitionImage(NamedTuple):
    leader: int  # -1: none
    leader_epoch: int
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    partition_epoch: int
    controller_epoch: int
    offline_replicas: tuple[int, ...] = ()


class TopicImage(NamedTuple):
    name: str
    topic_id: uuid.UUID
    partitions: Mapping[int, PartitionImage]


class ClusterImage:
    __slots__ = ("brokers", "cluster_id", "controller_id", "topics", "topics_by_id")

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        controller_id: int = NO_LEADER,
        brokers: Mapping[int, BrokerRegistration] | None = None,
        topics: Mapping[str, TopicImage] | None = None,
        topics_by_id: Mapping[uuid.UUID, TopicImage] | None = None,
    ) -> None:
        self.cluster_id = cluster_id
        self.controller_id = controller_id
        self.brokers: Mapping[int, BrokerRegistration] = {} if brokers is None else brokers
        self.topics: Mapping[str, TopicImage] = {} if topics is None else topics
        if topics_by_id is None:
            topics_by_id = {topic.topic_id: topic for topic in self.topics.values() if topic.topic_id != ZERO_UUID}
        self.topics_by_id = topics_by_id

    def with_brokers(self, controller_id: int, brokers: Mapping[int, BrokerRegistration]) -> "ClusterImage":
        return ClusterImage(
            cluster_id=self.cluster_id,
            controller_id=controller_id,
            brokers=brokers,
            topics=self.topics,
            topics_by_id=self.topics_by_id,
        )

    def with_topics(self, changed: Iterable[TopicImage], removed: Iterable[str] = ()) -> "ClusterImage":
        topics, by_id = dict(self.topics), dict(self.topics_by_id)
        for name in removed:
            gone = topics.pop(name, None)
            if gone is not None:
                by_id.pop(gone.topic_id, None)
        for topic in changed:
            before = topics.get(topic.name)
            if before is not None and before.topic_id != topic.topic_id:
                by_id.pop(before.topic_id, None)
            topics[topic.name] = topic
            if topic.topic_id != ZERO_UUID:
                by_id[topic.topic_id] = topic
        return ClusterImage(
            cluster_id=self.cluster_id,
            controller_id=self.controller_id,
            brokers=self.brokers,
            topics=topics,
            topics_by_id=by_id,
        )

    def partition(self, topic: str, partition: int) -> PartitionImage | None:
        found = self.topics.get(topic)
        return None if found is None else found.partitions.get(partition)

    def endpoint(self, broker_id: int, listener: str) -> Endpoint | None:
        broker = self.brokers.get(broker_id)
        return None if broker is None else broker.endpoints.get(listener)

    def brokers_on(self, listener: str) -> Iterator[tuple[BrokerRegistration, Endpoint]]:
        """The live brokers that can be reached through this listener."""
        for broker in self.brokers.values():
            endpoint = broker.endpoints.get(listener)
            if endpoint is not None:
                yield broker, endpoint
