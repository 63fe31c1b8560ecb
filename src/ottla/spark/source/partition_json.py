"""Offsets by partition as JSON, `{"topicA":{"0":23,"1":-1}}`: in options, and in Spark's checkpoints.

The form is that of Spark's Kafka source, so that offsets in a checkpoint read alike. As an option, -2 stands for the
earliest offset and -1 for the latest.
"""

import json
from collections.abc import Mapping
from typing import Any

from ottla.model import TopicPartition

OffsetsByTopic = dict[str, dict[str, int]]
_PARTITIONS_EXAMPLE = '{"topicA":[0,1],"topicB":[0,1]}'
_OFFSETS_EXAMPLE = '{"topicA":{"0":23,"1":-1},"topicB":{"0":-2}}'
_TIMES_EXAMPLE = '{"topicA": {"0": 123456789, "1": 123456789},\n"topicB": {"0": 123456789, "1": 123456789}}'


def parse_partitions(text: str) -> list[TopicPartition]:
    """The value of `assign`."""
    try:
        found: dict[str, list[int]] = json.loads(text)
        return [TopicPartition(topic, _number(part)) for topic, parts in found.items() for part in parts]
    except (ValueError, TypeError, AttributeError):
        raise _expected(_PARTITIONS_EXAMPLE, text) from None


def parse_offsets(text: str) -> dict[TopicPartition, int]:
    return _parse(text, _OFFSETS_EXAMPLE)


def parse_times(text: str) -> dict[TopicPartition, int]:
    return _parse(text, _TIMES_EXAMPLE)


def _parse(text: str, example: str) -> dict[TopicPartition, int]:
    try:
        return from_plain(json.loads(text))
    except (ValueError, TypeError, AttributeError):
        raise _expected(example, text) from None


def _expected(example: str, text: str) -> ValueError:
    return ValueError(f"Expected e.g. {example}, got {text}")


def from_plain(value: Mapping[str, Mapping[str, Any]]) -> dict[TopicPartition, int]:
    """What Spark hands back: the JSON of a checkpoint, parsed."""
    return {
        TopicPartition(topic, int(partition)): _number(offset)
        for topic, offsets in value.items()
        for partition, offset in offsets.items()
    }


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no number")
    return value


def to_plain(offsets: Mapping[TopicPartition, int]) -> OffsetsByTopic:
    """In order, so that equal offsets give equal text."""
    plain: OffsetsByTopic = {}
    for (topic, partition), offset in sorted(offsets.items()):
        plain.setdefault(topic, {})[str(partition)] = offset
    return plain
