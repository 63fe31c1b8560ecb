from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from ottla.clock import ManualClock
from ottla.observability.instruments import GatheredTimes
from ottla.observability.metrics import WINDOW_SECONDS, Metrics
from ottla.observability.topic_metrics import TopicMetrics

MESSAGES = "kafka_server_brokertopicmetrics_messagesin_total"
TOTAL_TIME = "kafka_network_requestmetrics_totaltimems"

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def scrape(metrics: Metrics) -> Samples:
    """The samples as Prometheus' own parser reads them."""
    text = b"".join(metrics.render()).decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_counter_is_the_same_one_for_the_same_labels() -> None:
    metrics = Metrics()
    counter = metrics.counter("kafka_network_requestmetrics_requests_total", {"request": "Produce", "version": "9"})
    counter.value += 3
    again = metrics.counter("kafka_network_requestmetrics_requests_total", {"version": "9", "request": "Produce"})
    assert again is counter
    key = ("kafka_network_requestmetrics_requests_total", (("request", "Produce"), ("version", "9")))
    assert scrape(metrics) == {key: 3.0}


def test_the_series_without_a_topic_is_the_sum_and_never_goes_down() -> None:
    metrics = Metrics()
    topics = TopicMetrics(metrics)
    topics.of("a").messages_in.value += 5
    topics.of("b").messages_in.value += 2
    assert scrape(metrics)[MESSAGES, ()] == 7
    topics.remove("a")
    samples = scrape(metrics)
    assert samples[MESSAGES, ()] == 7
    assert (MESSAGES, (("topic", "a"),)) not in samples
    assert samples[MESSAGES, (("topic", "b"),)] == 2
    topics.of("a").messages_in.value += 1
    assert scrape(metrics)[MESSAGES, ()] == 8


def test_a_gauge_is_set_or_asked() -> None:
    metrics = Metrics()
    metrics.gauge("ottla_kernels_compiled").value = True
    metrics.gauge("kafka_server_replicamanager_partitioncount", function=lambda: 42)
    samples = scrape(metrics)
    assert samples["ottla_kernels_compiled", ()] == 1
    assert samples["kafka_server_replicamanager_partitioncount", ()] == 42


def test_a_histogram_is_exported_as_quantiles_sum_and_count() -> None:
    metrics = Metrics()
    histogram = metrics.histogram(TOTAL_TIME, {"request": "FetchConsumer"})
    for millisecond in range(1, 1001):
        histogram.record(millisecond)
    samples = scrape(metrics)
    request = ("request", "FetchConsumer")
    assert samples[TOTAL_TIME + "_count", (request,)] == 1000
    assert samples[TOTAL_TIME + "_sum", (request,)] == 500_500
    assert samples[TOTAL_TIME, (("quantile", "0.5"), request)] == pytest.approx(500, rel=0.1)
    assert samples[TOTAL_TIME, (("quantile", "0.99"), request)] == pytest.approx(990, rel=0.1)


def test_quantiles_forget_what_is_older_than_two_windows_while_the_count_stays() -> None:
    clock = ManualClock()
    metrics = Metrics(clock)
    histogram = metrics.histogram("kafka_log_logflushstats_logflushrateandtimems")
    histogram.record(900.0)
    clock.advance_ms(int(WINDOW_SECONDS * 1000))
    metrics.rotate()
    histogram.record(1.0)
    assert histogram.quantiles([0.99]) == [pytest.approx(900, rel=0.2)]
    clock.advance_ms(int(WINDOW_SECONDS * 1000))
    metrics.rotate()
    assert histogram.quantiles([0.99]) == [pytest.approx(1, rel=0.2)]
    assert histogram.count == 2


def test_zeros_count_as_recorded_values() -> None:
    histogram = Metrics().histogram(TOTAL_TIME)
    histogram.zeros += 3
    histogram.record(8.0)
    assert (histogram.count, histogram.sum) == (4, 8.0)
    median, highest = histogram.quantiles([0.5, 1.0])
    assert median < 0.001
    assert highest == pytest.approx(8.0, rel=0.2)
    histogram.rotate()
    histogram.rotate()
    assert (histogram.count, histogram.quantiles([0.5])) == (4, [0.0])


def test_an_empty_histogram_has_quantiles_of_zero() -> None:
    assert Metrics().histogram(TOTAL_TIME).quantiles([0.5, 0.999]) == [0.0, 0.0]


@given(st.lists(st.floats(min_value=0.002, max_value=100_000), min_size=1, max_size=200), st.floats(0.01, 1.0))
def test_quantiles_are_right_to_a_bucket(values: list[float], rank: float) -> None:
    histogram = Metrics().histogram(TOTAL_TIME)
    for value in values:
        histogram.record(value)
    ordered = sorted(values)
    exact = ordered[min(len(ordered) - 1, max(0, -int(-rank * len(ordered) // 1) - 1))]
    (estimate,) = histogram.quantiles([rank])
    assert exact / 1.2 <= estimate <= exact * 1.2


def test_undocumented_metrics_wrong_types_and_unknown_labels_are_our_mistakes() -> None:
    metrics = Metrics()
    with pytest.raises(AssertionError, match="catalogue"):
        metrics.counter("ottla_something_new")
    with pytest.raises(AssertionError, match="is a counter"):
        metrics.gauge(MESSAGES)
    with pytest.raises(AssertionError, match="has the labels"):
        metrics.counter(MESSAGES, {"client": "x"})


@given(st.text())
def test_any_label_value_comes_through(value: str) -> None:
    metrics = Metrics()
    metrics.counter(MESSAGES, {"topic": value}).value += 1
    shown = value.encode("utf-8", "replace").decode()
    assert scrape(metrics)[MESSAGES, (("topic", shown),)] == 1


def test_thousands_of_partitions_come_in_chunks_and_only_as_they_are_asked_for() -> None:
    metrics = Metrics()
    produced = 0

    def samples() -> Iterator[tuple[tuple[str, str], float]]:
        nonlocal produced
        for partition in range(4000):
            produced += 1
            yield ("views", str(partition)), partition

    metrics.collect("kafka_log_log_size", samples)
    chunks = metrics.render(chunk_lines=100)
    first = next(chunks)
    assert first.count(b"\n") == 100
    assert produced < 200
    rest = list(chunks)
    assert all(chunk.endswith(b"\n") for chunk in rest)
    assert len(rest) == 40
    assert b'kafka_log_log_size{topic="views",partition="3999"} 3999\n' in rest[-1]


def test_what_is_gathered_is_as_if_recorded_in_each_histogram() -> None:
    gathered, alone = GatheredTimes(), Metrics().histogram(TOTAL_TIME)
    histograms = [Metrics().histogram(TOTAL_TIME) for _ in range(2)]

    def collect() -> None:
        for histogram in histograms:
            histogram.add(gathered)
        gathered.clear()

    for histogram in histograms:
        histogram.collect = collect
    for turn in range(3):
        for value in (0.0, 0.0005, 3.0, 3.0, 90_000.0, 1e9):
            gathered.record(value)
            alone.record(value)
        if turn == 1:
            for histogram in (*histograms, alone):
                histogram.rotate()
        for histogram in histograms:
            assert (histogram.count, histogram.sum) == (alone.count, alone.sum)
            assert histogram.quantiles() == alone.quantiles()
