"""`ottla perf`: figures that say something, of as many records as were asked for."""

from ottla.cli.perf_load import Latencies
from support.command import Ottla


def test_percentiles_have_three_digits() -> None:
    latencies = Latencies()
    for latency_ms in (0.1239, 0.9999, 12.39, 12.39, 1234.5):
        latencies.note(latency_ms, 10)
    assert [latencies.percentile(share) for share in (0.2, 0.4, 0.6, 1)] == [0.12, 0.99, 12.3, 1234]
    assert [latencies.whole_percentile(share) for share in (0.2, 0.4, 0.6, 1)] == [0, 0, 12, 1234]
    assert len({latencies.percentile(share / 100) for share in range(101)}) <= 5


def test_latency_tells_parts_of_a_millisecond(ottla: Ottla, topic: str) -> None:
    figures = ottla.fields("perf", "latency", topic, "-n", "20")
    assert figures["latency_ms_50"] > 0
    assert any(figures[name] % 1 for name in ("latency_ms_50", "latency_ms_99", "latency_ms_999"))


def test_consume_reads_as_many_records_as_were_asked_for(ottla: Ottla, topic: str) -> None:
    assert ottla.fields("perf", "produce", topic, "-n", "2000")["records"] == 2000
    assert ottla.fields("perf", "consume", topic, "-n", "100")["records"] == 100
    assert ottla.fields("perf", "consume", topic, "-n", "1100")["records"] == 1100
