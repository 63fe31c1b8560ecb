import pytest

from ottla.observability.instruments import SizeHistogram


@pytest.mark.parametrize("size", [1, 2, 3, 127, 128, 1000, 100 * 1024 * 1024, 2**31 - 1])
def test_quantile_of_equal_sizes_lies_in_their_octave(size: int) -> None:
    histogram = SizeHistogram()
    for _ in range(10):
        histogram.record(size)
    assert (histogram.count, histogram.sum) == (10, 10 * size)
    assert all(size / 2 <= value <= size * 2 for value in histogram.quantiles())


def test_no_size_at_all_is_a_size() -> None:
    histogram = SizeHistogram()
    histogram.record(0)
    assert histogram.count == 1
