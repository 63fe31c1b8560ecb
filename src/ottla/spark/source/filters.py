"""Conditions of a query that narrow what is read: on partition, offset and timestamp.

Those on partition and offset are then done with. One on the timestamp can only move the start of a range (everything
before the first record that is as young is older; behind it nothing is certain, producers set timestamps as they like),
so Spark still has to look at each row.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
)

from ottla.spark.ranges import OffsetRange

PARTITION, OFFSET, TIMESTAMP = "partition", "offset", "timestamp"
OFFSET_END = 2**63 - 1


@dataclass
class Narrowing:
    """What the conditions leave: partitions (None: all), offsets from `start` to before `end`, a time to begin at."""

    partitions: set[int] | None = None
    start: int = 0
    end: int = OFFSET_END
    time_ms: int | None = None

    def push(self, filters: Iterable[Filter]) -> list[Filter]:
        """Take what can be taken; the filters that Spark still has to apply."""
        return [condition for condition in filters if not self._take(condition)]

    def _take(self, condition: Filter) -> bool:
        column = _column(condition)
        if column == PARTITION:
            return self._take_partition(condition)
        if column == OFFSET:
            return self._take_offset(condition)
        if column == TIMESTAMP:
            self._take_timestamp(condition)
        return False

    def _take_partition(self, condition: Filter) -> bool:
        if isinstance(condition, IsNotNull):
            return True
        if isinstance(condition, EqualTo | EqualNullSafe):
            wanted = {condition.value}
        elif isinstance(condition, In):
            wanted = set(condition.value)
        else:
            return False
        self.partitions = wanted if self.partitions is None else self.partitions & wanted
        return True

    def _take_offset(self, condition: Filter) -> bool:
        if isinstance(condition, IsNotNull):
            return True
        bounds = _bounds(condition)
        if bounds is None:
            return False
        self.start, self.end = max(self.start, bounds[0]), min(self.end, bounds[1])
        return True

    def _take_timestamp(self, condition: Filter) -> None:
        if isinstance(condition, GreaterThan | GreaterThanOrEqual | EqualTo) and isinstance(condition.value, datetime):
            time_ms = int(condition.value.timestamp() * 1000)
            self.time_ms = time_ms if self.time_ms is None else max(self.time_ms, time_ms)

    def apply(self, ranges: Iterable[OffsetRange], since: Mapping[Any, int | None]) -> list[OffsetRange]:
        """The ranges narrowed. `since`: for each partition the first offset of `time_ms`; None: there is none."""
        narrowed = []
        for wanted in ranges:
            if self.partitions is not None and wanted.partition not in self.partitions:
                continue
            start = max(wanted.start, self.start)
            if wanted.topic_partition in since:
                first = since[wanted.topic_partition]
                start = wanted.end if first is None else max(start, first)
            narrowed.append(wanted._replace(start=start, end=min(wanted.end, self.end)))
        return [wanted for wanted in narrowed if wanted.size]


def _column(condition: Filter) -> str | None:
    attribute = getattr(condition, "attribute", None)
    return attribute[0] if attribute is not None and len(attribute) == 1 else None


def _bounds(condition: Filter) -> tuple[int, int] | None:
    value = getattr(condition, "value", None)
    if not isinstance(value, int):
        return None
    if isinstance(condition, EqualTo | EqualNullSafe):
        return value, value + 1
    if isinstance(condition, GreaterThan):
        return value + 1, OFFSET_END
    if isinstance(condition, GreaterThanOrEqual):
        return value, OFFSET_END
    if isinstance(condition, LessThan):
        return 0, value
    if isinstance(condition, LessThanOrEqual):
        return 0, value + 1
    return None
