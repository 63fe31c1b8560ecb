"""How much a micro-batch takes."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ottla.model import TopicPartition
from ottla.spark.source.admission import MinimumRows, limit_offsets

A, B, C = (TopicPartition("t", number) for number in range(3))


def test_the_limit_is_shared_in_proportion_to_what_waits():
    assert limit_offsets(100, {A: 0, B: 50}, {A: 300, B: 150}) == {A: 75, B: 75}


def test_a_small_partition_is_not_starved():
    assert limit_offsets(10, {A: 0, B: 0}, {A: 1_000_000, B: 1})[B] == 1


def test_with_less_waiting_than_the_limit_all_is_taken():
    assert limit_offsets(1000, {A: 3}, {A: 9}) == {A: 9}


def test_a_partition_that_went_back_stays_as_it_is():
    assert limit_offsets(10, {A: 50, B: 0}, {A: 20, B: 100}) == {A: 20, B: 10}


OFFSETS = st.fixed_dictionaries({key: st.integers(0, 10**12) for key in (A, B, C)})


@given(st.integers(1, 10**9), OFFSETS, OFFSETS)
@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_limited_batch_goes_forward_and_never_past_the_end(rows_max, start, waiting):
    end = {key: start[key] + waiting[key] for key in start}
    limited = limit_offsets(rows_max, start, end)
    assert all(start[key] <= limited[key] <= end[key] for key in start)
    assert sum(limited[key] - start[key] for key in start) <= rows_max + len(start)
    assert limited == start if end == start else limited != start


def test_too_few_rows_wait_for_more_or_for_the_delay():
    minimum = MinimumRows(10, delay_max_ms=5000)
    assert not minimum.holds_back({A: 0}, {A: 1}, now=100.0), "the first batch is never held back"
    assert minimum.holds_back({A: 1}, {A: 2}, now=101.0)
    assert not minimum.holds_back({A: 1}, {A: 11}, now=102.0), "enough"
    assert minimum.holds_back({A: 11}, {A: 12}, now=106.9)
    assert not minimum.holds_back({A: 11}, {A: 12}, now=107.0), "long enough"
