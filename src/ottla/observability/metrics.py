"""The registry: every series of one broker by name and labels, and its text for Prometheus.

One object, made by the broker and passed to what counts; there is no global one. A name has to stand in the
catalogue (`ottla.observability.catalogue`), with these labels and this type: a metric that is not documented is a
mistake in our code.

Text exposition format 0.0.4, as documented by Prometheus:

    # HELP name text                 `\\` and line feeds escaped
    # TYPE name counter|gauge|summary
    name{label="value",...} number   `\\`, `"` and line feeds escaped in values

A summary has one line per quantile and name_sum, name_count: jmx_exporter's names, plus the sum. The text comes in
chunks, so that the server of it can let the event loop go on between them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from ottla.clock import Clock, SystemClock
from ottla.observability.catalogue import MetricDefinition, metric_definitions
from ottla.observability.instruments import MILLISECONDS, QUANTILES, SECONDS, Counter, Gauge, Histogram, SizeHistogram

WINDOW_SECONDS = 60.0
CHUNK_LINES = 400

Labels = Mapping[str, str]
Samples = Callable[[], Iterable[tuple[tuple[str, ...], float]]]

_BOUNDS = {"ms": MILLISECONDS, "seconds": SECONDS}


class _Series(NamedTuple):
    """`label_text` is what stands between the braces, written once."""

    label_text: str
    instrument: Counter | Gauge | Histogram


class _Family:
    """All series of one name. `retired` is what removed series had counted: a total must never go down."""

    __slots__ = ("collector", "definition", "retired", "series")

    def __init__(self, definition: MetricDefinition) -> None:
        self.definition = definition
        self.series: dict[tuple[str | None, ...], _Series] = {}
        self.collector: Samples | None = None
        self.retired: float = 0


class Metrics:
    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._families: dict[str, _Family] = {}
        self._rotated_at = self._clock.monotonic()

    def counter(self, name: str, labels: Labels | None = None) -> Counter:
        """The counter of this name and these labels, made when it is first asked for."""
        instrument = self._instrument(name, "counter", labels, Counter)
        assert isinstance(instrument, Counter)
        return instrument

    def gauge(self, name: str, labels: Labels | None = None, function: Callable[[], float] | None = None) -> Gauge:
        instrument = self._instrument(name, "gauge", labels, Gauge)
        assert isinstance(instrument, Gauge)
        if function is not None:
            instrument.function = function
        return instrument

    def histogram(self, name: str, labels: Labels | None = None) -> Histogram:
        unit = self._family(name).definition.unit
        make = SizeHistogram if unit == "bytes" else partial(Histogram, _BOUNDS[unit])
        instrument = self._instrument(name, "summary", labels, make)
        assert isinstance(instrument, Histogram)
        return instrument

    def collect(self, name: str, samples: Samples) -> None:
        """Let a function give the samples at each scrape: (label values in the catalogue's order, number).

        For what exists in thousands, such as partitions. The function is run a part at a time while others run in
        between, so it has to go over a copy of its collection.
        """
        self._family(name).collector = samples

    def remove(self, label: str, value: str) -> None:
        """Drop every series that has this label: a topic that was deleted."""
        for family in self._families.values():
            if label in family.definition.labels:
                _remove_from(family, family.definition.labels.index(label), value)

    def rotate(self) -> None:
        """Turn the histograms' windows when it is time. Called at each scrape and by the event loop's monitor."""
        now = self._clock.monotonic()
        if now - self._rotated_at < WINDOW_SECONDS:
            return
        self._rotated_at = now
        for family in self._families.values():
            for _, instrument in family.series.values():
                if isinstance(instrument, Histogram):
                    instrument.rotate()

    def render(self, chunk_lines: int = CHUNK_LINES) -> Iterator[bytes]:
        """The text for Prometheus, in pieces of whole lines."""
        self.rotate()
        lines: list[str] = []
        for name in sorted(self._families):
            for line in _family_lines(self._families[name]):
                lines.append(line)
                if len(lines) >= chunk_lines:
                    yield _chunk(lines)
                    lines = []
        if lines:
            yield _chunk(lines)

    def _family(self, name: str) -> _Family:
        family = self._families.get(name)
        if family is None:
            definition = metric_definitions().get(name)
            assert definition is not None, f"{name} does not stand in the catalogue of metrics"
            family = self._families[name] = _Family(definition)
        return family

    def _instrument(
        self, name: str, kind: str, labels: Labels | None, make: Callable[[], Counter | Gauge | Histogram]
    ) -> Counter | Gauge | Histogram:
        family = self._family(name)
        definition = family.definition
        assert definition.type == kind, f"{name} is a {definition.type}"
        given = labels or {}
        assert given.keys() <= set(definition.labels), f"{name} has the labels {definition.labels}"
        key = tuple(given.get(label) for label in definition.labels)
        series = family.series.get(key)
        if series is None:
            series = family.series[key] = _Series(_label_text(definition.labels, key), make())
        return series.instrument


def _remove_from(family: _Family, position: int, value: str) -> None:
    for key in [key for key in family.series if key[position] == value]:
        instrument = family.series.pop(key).instrument
        if isinstance(instrument, Counter):
            family.retired += instrument.value


def _family_lines(family: _Family) -> Iterator[str]:
    definition = family.definition
    yield f"# HELP {definition.name} {_escape_help(definition.help)}\n"
    yield f"# TYPE {definition.name} {definition.type}\n"
    series = tuple(family.series.values())
    if definition.is_summed:
        counters = [entry.instrument for entry in series if isinstance(entry.instrument, Counter)]
        yield f"{definition.name} {family.retired + sum(counter.value for counter in counters)}\n"
    for label_text, instrument in series:
        if isinstance(instrument, Histogram):
            yield from _summary_lines(definition.name, label_text, instrument)
        elif label_text or not definition.is_summed:
            value = instrument.value if isinstance(instrument, Counter) else instrument.read()
            yield _sample_line(definition.name, label_text, value)
    if family.collector is not None:
        for values, number in family.collector():
            yield _sample_line(definition.name, _label_text(definition.labels, values), number)


def _summary_lines(name: str, label_text: str, histogram: Histogram) -> Iterator[str]:
    prefix = f"{label_text}," if label_text else ""
    for rank, value in zip(QUANTILES, histogram.quantiles(), strict=True):
        yield _sample_line(name, f'{prefix}quantile="{rank}"', value)
    yield _sample_line(f"{name}_sum", label_text, histogram.sum)
    yield _sample_line(f"{name}_count", label_text, histogram.count)


def _sample_line(name: str, label_text: str, value: float) -> str:
    return f"{name}{{{label_text}}} {_number(value)}\n" if label_text else f"{name} {_number(value)}\n"


def _number(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return repr(+value)  # the plus makes 1 of True


def _label_text(names: tuple[str, ...], values: tuple[str | None, ...]) -> str:
    pairs = zip(names, values, strict=True)
    return ",".join(f'{name}="{_escape_label(value)}"' for name, value in pairs if value is not None)


def _escape_label(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def _escape_help(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _chunk(lines: list[str]) -> bytes:
    return "".join(lines).encode("utf-8", "replace")
