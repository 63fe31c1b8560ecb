"""The topics that a producer writes to: the queues of their partitions, and which one gets records without a key.

One partition at a time is the sticky one: it gets the records without a key, until a batch's worth of bytes went there
(KIP-480, KIP-794), so that batches fill.
"""

import random
from collections import deque

from ottla.clients.producer.batch import ProducerBatch
from ottla.clients.snapshot import ClusterSnapshot, TopicSnapshot
from ottla.errors.kafka import UnknownTopicOrPartitionError
from ottla.records.attributes import NO_PRODUCER_EPOCH, NO_PRODUCER_ID


class PartitionQueue:
    """The batches of one partition, and what the sender remembers about it.

    `open` is the batch that records are added to, if any; `queue` are closed batches in the order of their sending,
    those to be sent again first; `in_flight` are those that wait for their response.
    """

    __slots__ = (
        "in_flight",
        "needs_new_epoch",
        "next_sequence",
        "open",
        "owner",
        "partition",
        "producer_epoch",
        "producer_id",
        "queue",
        "retry_at",
        "topic",
    )

    def __init__(self, owner: "ProducerTopic", partition: int) -> None:
        self.owner = owner
        self.topic = owner.name
        self.partition = partition
        self.open: ProducerBatch | None = None
        self.queue: deque[ProducerBatch] = deque()
        self.in_flight: list[ProducerBatch] = []
        self.retry_at = 0.0
        self.producer_id = NO_PRODUCER_ID
        self.producer_epoch = NO_PRODUCER_EPOCH
        self.next_sequence = 0
        self.needs_new_epoch = False

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class ProducerTopic:
    __slots__ = ("_available", "_random", "_sticky_bytes", "name", "queues", "sticky")

    def __init__(self, topic: TopicSnapshot, snapshot: ClusterSnapshot, randomness: random.Random) -> None:
        self.name = topic.name
        self.queues: list[PartitionQueue] = []
        self._available: list[PartitionQueue] = []
        self._random = randomness
        self._sticky_bytes = 0
        self._add_partitions(topic, snapshot)
        self.sticky = randomness.choice(self._available or self.queues)

    def update(self, topic: TopicSnapshot, snapshot: ClusterSnapshot) -> None:
        """Take over partitions that were added and leaders that came or went."""
        self._add_partitions(topic, snapshot)
        if self._available and self.sticky not in self._available:
            self._switch_sticky()

    def _add_partitions(self, topic: TopicSnapshot, snapshot: ClusterSnapshot) -> None:
        for partition in range(len(self.queues), topic.partitions_count):
            self.queues.append(PartitionQueue(self, partition))
        self._available = [queue for queue in self.queues if snapshot.leader_of(self.name, queue.partition) is not None]

    def _switch_sticky(self) -> None:
        choices = [queue for queue in self._available or self.queues if queue is not self.sticky]
        self.sticky = self._random.choice(choices or [self.sticky])
        self._sticky_bytes = 0

    def note_closed(self, queue: PartitionQueue, size: int, batch_size: int) -> None:
        """A batch of so many bytes was closed: enough of them, and another partition is the sticky one."""
        if queue is self.sticky:
            self._sticky_bytes += size
            if self._sticky_bytes >= batch_size:
                self._switch_sticky()

    def explicit(self, partition: int) -> PartitionQueue:
        if not isinstance(partition, int) or not 0 <= partition < len(self.queues):
            last = len(self.queues) - 1
            raise UnknownTopicOrPartitionError(f"{self.name} has partitions 0 to {last}, not {partition!r}")
        return self.queues[partition]


class ProducerTopics:
    """All topics by name, kept up to date by the cluster's snapshots."""

    def __init__(self) -> None:
        self.by_name: dict[str, ProducerTopic] = {}
        self._random = random.Random()

    def add(self, topic: TopicSnapshot, snapshot: ClusterSnapshot) -> ProducerTopic:
        known = self.by_name.get(topic.name)
        if known is None:
            known = self.by_name[topic.name] = ProducerTopic(topic, snapshot, self._random)
        return known

    def update(self, snapshot: ClusterSnapshot) -> None:
        for name, known in self.by_name.items():
            topic = snapshot.topics.get(name)
            if topic is not None and topic.partitions:
                known.update(topic, snapshot)
