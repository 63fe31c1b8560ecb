"""Which partitions a query reads: `assign`, `subscribe` or `subscribePattern`, looked up anew for every plan.

So a topic that is created, or grows, while a streaming query runs is found by the next micro-batch.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

from ottla.model import TopicPartition
from ottla.spark.offsets import ClusterOffsets
from ottla.spark.options import JobOptions
from ottla.spark.source.partition_json import parse_partitions

ASSIGN, SUBSCRIBE, SUBSCRIBE_PATTERN = "assign", "subscribe", "subscribePattern"
_NAMES = "subscribe, subscribepattern, assign"


@dataclass(frozen=True)
class Assign:
    wanted: tuple[TopicPartition, ...]

    def partitions(self, cluster: ClusterOffsets) -> set[TopicPartition]:
        there = cluster.partitions({partition.topic for partition in self.wanted})
        return set(there) & set(self.wanted)


@dataclass(frozen=True)
class Subscribe:
    topics: tuple[str, ...]

    def partitions(self, cluster: ClusterOffsets) -> set[TopicPartition]:
        return set(cluster.partitions(self.topics))


@dataclass(frozen=True)
class SubscribePattern:
    """Matches anywhere in the name, as Spark's does."""

    pattern: str

    def partitions(self, cluster: ClusterOffsets) -> set[TopicPartition]:
        found = re.compile(self.pattern)
        return set(cluster.partitions(name for name in cluster.topic_names() if found.search(name)))


Subscription: TypeAlias = Assign | Subscribe | SubscribePattern


def parse_subscription(options: JobOptions) -> Subscription:
    given = [name for name in (ASSIGN, SUBSCRIBE, SUBSCRIBE_PATTERN) if name in options]
    if len(given) != 1:
        how_many = "Only one" if given else "One"
        verb = "can be" if given else "must be"
        raise ValueError(
            f"{how_many} of the following options {verb} specified for Kafka source: {_NAMES}. "
            "See the docs for more details."
        )
    return _PARSERS[given[0]](options[given[0]])


def _parse_assign(text: str) -> Subscription:
    if not text.strip().startswith("{"):
        raise ValueError(f"No topicpartitions to assign as specified value for option 'assign' is '{text}'")
    return Assign(tuple(parse_partitions(text)))


def _parse_subscribe(text: str) -> Subscription:
    topics = tuple(name.strip() for name in text.split(",") if name.strip())
    if not topics:
        raise ValueError(f"No topics to subscribe to as specified value for option 'subscribe' is '{text}'")
    return Subscribe(topics)


def _parse_pattern(text: str) -> Subscription:
    if not text.strip():
        raise ValueError(f"Pattern to subscribe is empty as specified value for option 'subscribePattern' is '{text}'")
    return SubscribePattern(text.strip())


_PARSERS = {ASSIGN: _parse_assign, SUBSCRIBE: _parse_subscribe, SUBSCRIBE_PATTERN: _parse_pattern}
