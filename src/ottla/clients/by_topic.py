"""Partitions grouped by topic, as most requests want them."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from ottla.model import TopicPartition

V = TypeVar("V")


def partitions_by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    grouped: dict[str, list[int]] = {}
    for topic, partition in partitions:
        grouped.setdefault(topic, []).append(partition)
    return grouped


def values_by_topic(values: Mapping[TopicPartition, V]) -> dict[str, list[tuple[int, V]]]:
    grouped: dict[str, list[tuple[int, V]]] = {}
    for (topic, partition), value in values.items():
        grouped.setdefault(topic, []).append((partition, value))
    return grouped
