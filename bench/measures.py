"""What a case reports, what it must show, and the row that comes of it.

A sample is what one round of one broker gave, by key. A row is one metric of one case: the median of each broker's
rounds, their spread, and the ratio of Ottla to Kafka, or to an earlier commit of itself. A requirement holds for the
ratio or for Ottla's own value.
"""

import statistics
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

from bench.brokers import BrokerProcess, Kafka, Ottla
from bench.processes import CORE_IS_FULL

Sample = dict[str, float]


class Effort(NamedTuple):
    """How much is done in a round, and how many rounds there are. `memory_megabytes` is what a round may use,
    `reading_s` how long a consumer reads in a round, again and again, what a cache holds: once takes a second, the
    machine's moods last longer."""

    rounds: int
    seconds: float
    megabytes: int
    starts: int
    warm_up_s: float
    memory_megabytes: int
    reading_s: float
    discards_all_first_passes: bool = True


FULL = Effort(rounds=5, seconds=4.0, megabytes=300, starts=5, warm_up_s=40.0, memory_megabytes=2_000, reading_s=8.0)
QUICK = Effort(
    rounds=1,
    seconds=0.7,
    megabytes=25,
    starts=1,
    warm_up_s=12.0,
    memory_megabytes=200,
    reading_s=0.0,
    discards_all_first_passes=False,
)


class Must(NamedTuple):
    """A requirement. `of_ratio`: on Ottla / Kafka, else on Ottla's value. `client_bound`: the bound where the client's
    core is full for both brokers, or records lie ready for it all the time, so that neither can show more."""

    at_least: float | None = None
    at_most: float | None = None
    of_ratio: bool = True
    client_bound: float | None = None

    @property
    def text(self) -> str:
        sign, bound = (">=", self.at_least) if self.at_least is not None else ("<=", self.at_most)
        return f"ratio {sign} {bound:g}" if self.of_ratio else f"{sign} {bound:g}"

    def holds(self, value: float, *, client_bound: bool) -> bool:
        at_least = self.client_bound if client_bound and self.client_bound is not None else self.at_least
        return (at_least is None or value >= at_least) and (self.at_most is None or value <= self.at_most)


class Metric(NamedTuple):
    key: str
    unit: str
    must: Must | None = None
    label: str = ""


class Case(NamedTuple):
    """`name` selects it on the command line, `group` heads its rows, `run` is one round of one broker."""

    name: str
    group: str
    title: str
    run: Callable[[BrokerProcess, Effort], Sample]
    metrics: tuple[Metric, ...]
    brokers: tuple[type[BrokerProcess], ...] = (Kafka, Ottla)
    first_pass_discarded: bool = True
    rounds: Callable[[Effort], int] = lambda effort: effort.rounds
    in_quick_run: bool = True
    """Not for what needs minutes to say anything: clusters that are made for it, Spark."""


class CaseResult(NamedTuple):
    """`discarded`: the first pass of each broker; `rounds`: what counts."""

    case: Case
    discarded: dict[str, Sample]
    rounds: dict[str, list[Sample]]


class Verdict(Enum):
    HOLDS = "yes"
    FAILS = "NO"
    NONE = ""


class Spread(NamedTuple):
    median: float
    low: float
    high: float


class Row(NamedTuple):
    """`measured`: when and at which commit, if that was not in the run whose page it stands on."""

    group: str
    title: str
    unit: str
    first: dict[str, float]
    values: dict[str, Spread]
    ratio: float | None
    must: str
    verdict: Verdict
    client_bound: bool
    measured: str = ""


def rows_of(result: CaseResult) -> list[Row]:
    return [_row(result, metric) for metric in result.case.metrics]


def _row(result: CaseResult, metric: Metric) -> Row:
    values = {name: _spread([sample[metric.key] for sample in samples]) for name, samples in result.rounds.items()}
    ratio = _ratio(values)
    client_bound = _is_client_bound(result)
    judged = ratio if metric.must is not None and metric.must.of_ratio else _median_of(values, "Ottla")
    verdict = Verdict.NONE
    if metric.must is not None and judged is not None:
        verdict = Verdict.HOLDS if metric.must.holds(judged, client_bound=client_bound) else Verdict.FAILS
    return Row(
        group=result.case.group,
        title=f"{result.case.title}, {metric.label}" if metric.label else result.case.title,
        unit=metric.unit,
        first={name: sample[metric.key] for name, sample in result.discarded.items()},
        values=values,
        ratio=ratio,
        must=metric.must.text if metric.must else "",
        verdict=verdict,
        client_bound=client_bound and metric.must is not None and metric.must.client_bound is not None,
    )


def _median_of(values: dict[str, Spread], name: str) -> float | None:
    return values[name].median if name in values else None


def _spread(values: list[float]) -> Spread:
    return Spread(statistics.median(values), min(values), max(values))


def _ratio(values: dict[str, Spread]) -> float | None:
    """Ottla to whatever is measured beside it."""
    beside = [spread for name, spread in values.items() if name != "Ottla"]
    if len(values) < 2 or not beside[0].median:
        return None
    return values["Ottla"].median / beside[0].median


def _is_client_bound(result: CaseResult) -> bool:
    """Whether the client was the limit with either broker.

    Either its busiest thread had a full core, or it is a consumer that had nearly always records to take: its threads
    hand them to each other under locks, so that none of them is ever quite busy.
    """
    return all(
        _median_of_key(samples, "client_busiest", 0.0) >= CORE_IS_FULL
        or _median_of_key(samples, "waited_share", 1.0) <= 1 - CORE_IS_FULL
        for samples in result.rounds.values()
    )


def _median_of_key(samples: list[Sample], key: str, default: float) -> float:
    return statistics.median(sample.get(key, default) for sample in samples)
