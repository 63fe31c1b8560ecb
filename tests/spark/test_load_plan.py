"""Which offsets a load reads, and in which tasks."""

import itertools

import pytest

from ottla.model import TopicPartition
from ottla.spark.loader.errors import GapError
from ottla.spark.loader.plan import TASK_ROWS_MIN, plan_load, plan_tasks
from ottla.spark.ranges import OffsetRange

ZERO, ONE = TopicPartition("clicks", 0), TopicPartition("clicks", 1)


def test_load_begins_where_the_table_ends_and_else_at_the_first_offset() -> None:
    plan = plan_load({ZERO: 10}, {ZERO: 0, ONE: 3}, {ZERO: 15, ONE: 8}, allow_gaps=False)
    assert plan.ranges == (OffsetRange("clicks", 0, 10, 15), OffsetRange("clicks", 1, 3, 8))
    assert plan.next_offsets == {ZERO: 15, ONE: 8}


def test_partition_without_news_is_left_out() -> None:
    assert plan_load({ZERO: 10}, {ZERO: 0}, {ZERO: 10}, allow_gaps=False).ranges == ()


def test_records_that_aged_out_stop_the_load_with_what_to_do() -> None:
    with pytest.raises(GapError, match=r"clicks-0: the records 10 to 19 were deleted .* --allow-gaps"):
        plan_load({ZERO: 10}, {ZERO: 20}, {ZERO: 30}, allow_gaps=False)


def test_allowed_gap_is_skipped_and_told() -> None:
    plan = plan_load({ZERO: 10}, {ZERO: 20}, {ZERO: 30}, allow_gaps=True)
    assert plan.ranges == (OffsetRange("clicks", 0, 20, 30),)
    assert plan.gaps == (OffsetRange("clicks", 0, 10, 20),)


def test_topic_that_ends_before_the_table_is_never_loaded_twice() -> None:
    with pytest.raises(GapError, match=r"made anew.*another table.*--allow-gaps"):
        plan_load({ZERO: 10}, {ZERO: 0}, {ZERO: 4}, allow_gaps=False)
    plan = plan_load({ZERO: 10}, {ZERO: 0}, {ZERO: 4}, allow_gaps=True)
    assert plan.ranges == ()
    assert plan.next_offsets == {ZERO: 4}


def test_records_max_gives_every_partition_its_share() -> None:
    plan = plan_load({}, {ZERO: 0, ONE: 0}, {ZERO: 300, ONE: 100}, allow_gaps=False, records_max=100)
    assert [wanted.size for wanted in plan.ranges] == [75, 25]


def test_records_max_always_moves_every_partition() -> None:
    plan = plan_load({}, {ZERO: 0, ONE: 0}, {ZERO: 1000, ONE: 1}, allow_gaps=False, records_max=10)
    assert all(wanted.size for wanted in plan.ranges)


def test_large_ranges_are_cut_and_cover_the_same_offsets() -> None:
    wanted = [OffsetRange("clicks", 0, 7, 7 + 10 * TASK_ROWS_MIN), OffsetRange("clicks", 1, 0, 5)]
    tasks = plan_tasks(wanted, cores=2)
    assert len(tasks) == 1 + 8
    *covered, small = sorted(tasks)
    assert all(before.end == after.start for before, after in itertools.pairwise(covered))
    assert (covered[0].start, covered[-1].end) == (7, 7 + 10 * TASK_ROWS_MIN)
    assert small == wanted[1]
