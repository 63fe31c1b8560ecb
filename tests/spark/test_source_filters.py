"""Conditions that narrow what is read."""

from datetime import UTC, datetime

from pyspark.sql.datasource import EqualTo, GreaterThan, GreaterThanOrEqual, In, IsNotNull, LessThan, Not

from ottla.model import TopicPartition
from ottla.spark.ranges import OffsetRange
from ottla.spark.source.filters import Narrowing

RANGES = [OffsetRange("t", 0, 0, 100), OffsetRange("t", 1, 0, 100), OffsetRange("t", 2, 0, 100)]


def test_partitions_and_offsets_are_narrowed_and_done_with():
    narrowing = Narrowing()
    left = narrowing.push(
        [IsNotNull(("partition",)), In(("partition",), (0, 2)), GreaterThan(("offset",), 9), LessThan(("offset",), 50)]
    )
    assert left == []
    assert narrowing.apply(RANGES, {}) == [OffsetRange("t", 0, 10, 50), OffsetRange("t", 2, 10, 50)]


def test_conditions_that_exclude_each_other_leave_nothing():
    narrowing = Narrowing()
    assert narrowing.push([EqualTo(("partition",), 0), EqualTo(("partition",), 1)]) == []
    assert narrowing.apply(RANGES, {}) == []


def test_other_columns_and_other_conditions_are_left_to_spark():
    filters = [EqualTo(("topic",), "t"), Not(EqualTo(("partition",), 1)), EqualTo(("headers", "key"), "a")]
    narrowing = Narrowing()
    assert narrowing.push(filters) == filters
    assert narrowing.apply(RANGES, {}) == RANGES


def test_a_time_moves_the_start_and_is_left_to_spark_too():
    since = GreaterThanOrEqual(("timestamp",), datetime(2026, 1, 1, tzinfo=UTC))
    narrowing = Narrowing()
    assert narrowing.push([since]) == [since]
    assert narrowing.time_ms == 1_767_225_600_000
    firsts = {TopicPartition("t", 0): 40, TopicPartition("t", 1): None, TopicPartition("t", 2): 0}
    assert narrowing.apply(RANGES, firsts) == [OffsetRange("t", 0, 40, 100), OffsetRange("t", 2, 0, 100)]
