"""Partitions on the command line: `clicks`, `clicks:0`, `clicks:0,3-5`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ottla.errors.tree import OperatorError
from ottla.model import TopicPartition

if TYPE_CHECKING:
    from ottla import Admin


def parse_partitions(text: str) -> tuple[str, list[int] | None]:
    """Topic and partitions; None for all of them."""
    topic, colon, ranges = text.partition(":")
    if not colon:
        return topic, None
    try:
        return topic, [number for part in ranges.split(",") for number in _range(part)]
    except ValueError:
        raise OperatorError(f"{text}: partitions are written topic:0 or topic:0,3-5") from None


def resolve_partitions(admin: "Admin", names: Iterable[str]) -> list[TopicPartition]:
    """The partitions that the names mean on this cluster; an error for what it does not have."""
    from ottla.errors.kafka import UnknownTopicOrPartitionError

    parsed = [parse_partitions(name) for name in names]
    described = admin.describe_topics({topic for topic, _ in parsed})
    found = []
    for topic, wanted in parsed:
        there = [one.partition for one in described[topic].partitions]
        for partition in there if wanted is None else wanted:
            if partition not in there:
                raise UnknownTopicOrPartitionError(f"topic {topic} has no partition {partition}")
            found.append(TopicPartition(topic, partition))
    return found


def _range(text: str) -> Iterable[int]:
    first, dash, last = text.partition("-")
    return range(int(first), int(last) + 1) if dash else (int(first),)
