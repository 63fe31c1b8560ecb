"""Ranges of offsets to tasks."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ottla.spark.ranges import OffsetRange
from ottla.spark.source.splitting import TASK_ROWS_MANY, TASK_ROWS_MIN, divide, plan_tasks


def plan(ranges, min_partitions=None, max_records=None, cores=2):
    return plan_tasks(ranges, min_partitions=min_partitions, max_records=max_records, cores=cores)


def rows_of(task):
    return sum(piece.size for piece in task)


def test_one_large_partition_is_split_over_the_cores():
    tasks = plan([OffsetRange("t", 0, 100, 1_000_100)], cores=4)
    assert [rows_of(task) for task in tasks] == [250_000] * 4
    assert tasks[0] == (OffsetRange("t", 0, 100, 250_100),)


def test_many_small_partitions_share_the_tasks_of_the_cores():
    tasks = plan([OffsetRange("t", number, 0, 1000) for number in range(100)], cores=2)
    assert [rows_of(task) for task in tasks] == [50_000, 50_000]


def test_a_handful_of_records_is_one_task():
    assert len(plan([OffsetRange("t", number, 0, 10) for number in range(8)], cores=8)) == 1


def test_skewed_partitions_give_tasks_of_equal_size():
    tasks = plan([OffsetRange("t", 0, 0, 900_000), OffsetRange("t", 1, 0, 50_000), OffsetRange("t", 2, 0, 50_000)])
    assert [rows_of(task) for task in tasks] == [500_000, 500_000]


def test_far_more_work_than_cores_is_spread_up_to_a_task_per_partition():
    ranges = [OffsetRange("t", number, 0, TASK_ROWS_MANY) for number in range(50)]
    assert len(plan(ranges, cores=2)) == 50


def test_empty_ranges_give_no_task():
    assert plan([OffsetRange("t", 0, 5, 5)]) == []
    assert plan([]) == []


RANGES = st.lists(st.integers(0, 5 * TASK_ROWS_MIN), max_size=12).map(
    lambda sizes: [OffsetRange("t", number, 7, 7 + size) for number, size in enumerate(sizes)]
)


@given(
    RANGES, st.none() | st.integers(1, 30), st.none() | st.integers(1, 900).map(lambda n: n * 1000), st.integers(1, 9)
)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_offset_is_in_exactly_one_task_and_no_task_is_empty(ranges, min_partitions, max_records, cores):
    tasks = plan(ranges, min_partitions, max_records, cores)
    pieces = sorted(piece for task in tasks for piece in task)
    assert all(piece.size > 0 for piece in pieces)
    for wanted in ranges:
        position = wanted.start
        for piece in (piece for piece in pieces if piece.partition == wanted.partition):
            assert piece.start == position
            position = piece.end
        assert position == wanted.end
    if max_records is not None:
        assert all(piece.size <= max_records for piece in pieces)


# The cases of Spark's own calculator.
@pytest.mark.parametrize(
    ("sizes", "min_partitions", "max_records", "expected"),
    [
        ([5], 1, None, [5]),
        ([5, 21], 2, None, [5, 21]),
        ([4, 4, 4], 6, None, [2, 2, 2, 2, 2, 2]),
        ([100, 5], 3, None, [50, 50, 5]),
        ([10, 0, 12], None, 4, [3, 3, 4, 4, 4, 4]),
    ],
)
def test_with_minpartitions_or_a_maximum_ranges_are_divided_as_spark_does(sizes, min_partitions, max_records, expected):
    ranges = [OffsetRange("t", number, 0, size) for number, size in enumerate(sizes) if size]
    assert [piece.size for piece in divide(ranges, min_partitions, max_records)] == expected
