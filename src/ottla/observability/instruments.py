"""The instruments Counter, Gauge and Histogram: plain slots, so that the hot path pays for an addition and no more.

A histogram's buckets grow by a quarter of an octave, so a quantile is right to about 10 %; those of sizes grow by an
octave, because every request has one and its bucket is then known without a search. A histogram keeps two windows, the
one being filled and the one before: quantiles are of the last one to two windows, `count` and `sum` of all time. The
windows are turned by `Metrics.rotate`, so recording looks at no clock.
"""

from bisect import bisect_right
from collections.abc import Callable, Sequence

QUANTILES = (0.5, 0.75, 0.95, 0.98, 0.99, 0.999)


def _quarter_octaves(smallest: float, largest: float) -> tuple[float, ...]:
    bounds = [smallest]
    while bounds[-1] < largest:
        bounds.append(bounds[-1] * 2**0.25)
    return tuple(bounds)


# One microsecond to about two minutes; one byte to a gibibyte.
MILLISECONDS = _quarter_octaves(0.001, 120_000.0)
SECONDS = tuple(bound / 1000 for bound in MILLISECONDS)
BYTES = tuple(float(1 << bits) for bits in range(31))


class Counter:
    """A number that only grows: `counter.value += n`. An int as long as ints are added."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: float = 0


class Gauge:
    """A number of now: set `value`, or give a function that is asked at each scrape."""

    __slots__ = ("function", "value")

    def __init__(self, function: Callable[[], float] | None = None) -> None:
        self.value: float = 0
        self.function = function

    def read(self) -> float:
        return self.value if self.function is None else self.function()


class Histogram:
    """`record(value)` in the unit of the bounds; anything below the first bound counts as up to it.

    Where 0 is the usual value, `histogram.zeros += 1` is `record(0)` for a tenth of its price.
    """

    __slots__ = ("_bounds", "_buckets", "_earlier", "_settled", "_sum", "collect", "zeros")

    def __init__(self, bounds: tuple[float, ...] = MILLISECONDS) -> None:
        # Called before anybody looks: for values that were gathered elsewhere first, where recording is cheaper.
        self.collect: Callable[[], None] | None = None
        self._bounds = bounds
        self._buckets = [0] * (len(bounds) + 1)
        self._earlier = [0] * (len(bounds) + 1)
        self._settled = 0  # values that are no longer in `_buckets`
        self.zeros: int = 0
        self._sum: float = 0.0

    def record(self, value: float) -> None:
        self._sum += value
        self._buckets[bisect_right(self._bounds, value)] += 1

    def add(self, gathered: "GatheredTimes") -> None:
        """Record all of these, whose bounds must be ours."""
        self._sum += gathered.sum
        self._buckets = [a + b for a, b in zip(self._buckets, gathered.buckets, strict=True)]

    @property
    def sum(self) -> float:
        """Of all values there ever were."""
        if self.collect is not None:
            self.collect()
        return self._sum

    @property
    def count(self) -> int:
        """How many values there ever were."""
        if self.collect is not None:
            self.collect()
        return self._settled + sum(self._buckets) + self.zeros

    def rotate(self) -> None:
        """The window being filled becomes the one before."""
        self._settled = self.count
        self._buckets[0] += self.zeros
        self.zeros = 0
        self._earlier = self._buckets
        self._buckets = [0] * len(self._earlier)

    def quantiles(self, ranks: Sequence[float] = QUANTILES) -> list[float]:
        """The values at these ranks (ascending) among the recent ones; 0 where there are none."""
        if self.collect is not None:
            self.collect()
        merged = [a + b for a, b in zip(self._buckets, self._earlier, strict=True)]
        merged[0] += self.zeros
        total = sum(merged)
        if not total:
            return [0.0] * len(ranks)
        values: list[float] = []
        bucket, below = 0, 0
        for rank in ranks:
            wanted = rank * total
            while below + merged[bucket] < wanted:
                below += merged[bucket]
                bucket += 1
            values.append(self._within(bucket, (wanted - below) / merged[bucket]))
        return values

    def _within(self, bucket: int, share: float) -> float:
        """The value a share of the way through a bucket, taking its contents as evenly spread."""
        low = self._bounds[bucket - 1] if bucket else 0.0
        high = self._bounds[min(bucket, len(self._bounds) - 1)]
        return low + (high - low) * share


class GatheredTimes:
    """Milliseconds on their way into several histograms that they are all recorded in (`Histogram.collect`)."""

    __slots__ = ("buckets", "sum")

    def __init__(self) -> None:
        self.clear()

    def record(self, milliseconds: float) -> None:
        self.sum += milliseconds
        self.buckets[bisect_right(MILLISECONDS, milliseconds)] += 1

    def clear(self) -> None:
        self.sum = 0.0
        self.buckets = [0] * (len(MILLISECONDS) + 1)


class SizeHistogram(Histogram):
    """Of whole bytes, up to a frame's largest size."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(BYTES)

    def record(self, value: float) -> None:
        self._sum += value
        self._buckets[int(value).bit_length()] += 1
