"""Where a query begins and ends, as the options say it: a word, offsets by partition, or times.

Of the three options for one end, the time for all partitions counts before the times by partition, and these before
the offsets, as with Spark's Kafka source.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, TypeAlias

from ottla.model import TopicPartition
from ottla.spark.options import JobOptions
from ottla.spark.source.partition_json import parse_offsets, parse_times

STRATEGY = "startingOffsetsByTimestampStrategy"


class Bound(Enum):
    """Offsets below zero stand for these."""

    LATEST = -1
    EARLIEST = -2


class OnNoMatch(Enum):
    """What to do where no record is as young as the time asked for."""

    ERROR = "ERROR"
    LATEST = "LATEST"


@dataclass(frozen=True)
class SpecificOffsets:
    offsets: Mapping[TopicPartition, int]


@dataclass(frozen=True)
class SpecificTimes:
    times: Mapping[TopicPartition, int]
    on_no_match: OnNoMatch


@dataclass(frozen=True)
class GlobalTime:
    time: int
    on_no_match: OnNoMatch


OffsetLimit: TypeAlias = Bound | SpecificOffsets | SpecificTimes | GlobalTime


class LimitOptions(NamedTuple):
    """The names of the three options for one end of a query."""

    time: str
    times: str
    offsets: str


STARTING = LimitOptions("startingTimestamp", "startingOffsetsByTimestamp", "startingOffsets")
ENDING = LimitOptions("endingTimestamp", "endingOffsetsByTimestamp", "endingOffsets")


def parse_limit(options: JobOptions, names: LimitOptions, default: Bound) -> OffsetLimit:
    on_no_match = _strategy(options)
    if names.time in options:
        text = options[names.time].strip()
        try:
            return GlobalTime(int(text), on_no_match)
        except ValueError:
            raise ValueError(f"Expected a single long value, got {text}") from None
    if names.times in options:
        return SpecificTimes(parse_times(options[names.times].strip()), on_no_match)
    text = options.get(names.offsets, default.name).strip()
    if text.upper() in Bound.__members__:
        return Bound[text.upper()]
    return SpecificOffsets(parse_offsets(text))


def _strategy(options: JobOptions) -> OnNoMatch:
    text = options.get(STRATEGY, OnNoMatch.ERROR.value)
    try:
        return OnNoMatch(text.upper())
    except ValueError:
        raise ValueError(f"No value found for '{text.upper()}'") from None


def begins_at_end(limit: OffsetLimit) -> bool:
    """Whether what it stands for may be the end of a partition, which moves."""
    if isinstance(limit, SpecificOffsets):
        return Bound.LATEST.value in limit.offsets.values()
    if isinstance(limit, SpecificTimes | GlobalTime):
        return limit.on_no_match is OnNoMatch.LATEST
    return limit is Bound.LATEST


def check_batch_limits(start: OffsetLimit, end: OffsetLimit) -> None:
    """What a batch query refuses before it asks the cluster."""
    if start is Bound.LATEST:
        raise ValueError("starting offset can't be latest for batch queries on Kafka")
    if end is Bound.EARLIEST:
        raise ValueError("ending offset can't be earliest for batch queries on Kafka")
    _refuse_bound(start, Bound.LATEST, "startingOffsets", "latest")
    _refuse_bound(end, Bound.EARLIEST, "ending offset", "earliest")
    if isinstance(start, SpecificOffsets) and isinstance(end, SpecificOffsets):
        _check_order(start.offsets, end.offsets, "offset")
    if isinstance(start, SpecificTimes) and isinstance(end, SpecificTimes):
        _check_order(start.times, end.times, "timestamp")


def _refuse_bound(limit: OffsetLimit, bound: Bound, subject: str, word: str) -> None:
    if isinstance(limit, SpecificOffsets):
        for partition, offset in limit.offsets.items():
            if offset == bound.value:
                raise ValueError(f"{subject} for {partition} can't be {word} for batch queries on Kafka")


def _check_order(start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int], kind: str) -> None:
    if start.keys() != end.keys():
        raise ValueError(
            "The specified start offset and end offset should have the same topic-partitions. Topic-partitions for "
            f"start offset: {names(start)}, topic-partitions for end offset: {names(end)}."
        )
    for partition, first in start.items():
        last = end[partition]
        if first > last >= 0:
            raise ValueError(
                f"The specified start {kind} {first} is greater than the end {kind} {last} for topic "
                f"{partition.topic} partition {partition.partition}."
            )


def names(partitions: Mapping[TopicPartition, int] | set[TopicPartition]) -> str:
    return ", ".join(str(partition) for partition in sorted(partitions))
