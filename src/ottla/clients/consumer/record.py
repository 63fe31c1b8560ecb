"""A record as consumers see it."""

from typing import Any, NamedTuple

from ottla.model import TopicPartition


class ConsumerRecord(NamedTuple):
    """One record of a topic. Without deserializers key and value are bytes; None is no key, or a tombstone.

    `timestamp` is in milliseconds; `timestamp_type` says whose: 0 the producer's, 1 the broker's.
    """

    topic: str
    partition: int
    timestamp_type: int
    leader_epoch: int
    offset: int
    timestamp: int
    key: Any
    value: Any
    headers: tuple[tuple[str, bytes | None], ...]

    @property
    def topic_partition(self) -> TopicPartition:
        return TopicPartition(self.topic, self.partition)
