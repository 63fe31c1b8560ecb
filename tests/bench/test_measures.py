"""What the benchmark concludes from its samples. The benchmark itself is run by `make bench`, never by a test."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.__main__ import selected_cases, until_stopped
from bench.brokers import BrokerProcess
from bench.measures import Case, CaseResult, Effort, Metric, Must, Row, Sample, Verdict, rows_of
from bench.picture import draw
from bench.report import joined_results, load_results, overlaid, page_lines, save_results


def never(broker: BrokerProcess, effort: Effort) -> Sample:
    raise AssertionError("no test measures anything")


def result(metric: Metric, kafka: list[float], ottla: list[float], **client: float) -> CaseResult:
    case = Case("name", "group", "title", never, (metric,))
    rounds = {
        name: [{metric.key: value, **client} for value in values]
        for name, values in (("Kafka", kafka), ("Ottla", ottla))
    }
    return CaseResult(case, {name: samples[0] for name, samples in rounds.items()}, rounds)


def row(metric: Metric, kafka: list[float], ottla: list[float], **client: float) -> Row:
    (only,) = rows_of(result(metric, kafka, ottla, **client))
    return only


def test_a_row_has_the_median_the_spread_and_the_ratio() -> None:
    measured = row(Metric("x", "MB/s"), [10, 100, 20], [40, 30, 50])
    assert measured.values["Kafka"] == (20, 10, 100)
    assert measured.values["Ottla"] == (40, 30, 50)
    assert measured.ratio == 2
    assert measured.verdict is Verdict.NONE


@pytest.mark.parametrize(("ottla", "verdict"), [(50.0, Verdict.HOLDS), (49.0, Verdict.FAILS)])
def test_a_ratio_is_judged_at_its_bound(ottla: float, verdict: Verdict) -> None:
    assert row(Metric("x", "/s", Must(at_least=5)), [10], [ottla]).verdict is verdict


def test_an_absolute_bound_does_not_look_at_kafka() -> None:
    assert row(Metric("x", "s", Must(at_most=0.5, of_ratio=False)), [0.1], [0.5]).verdict is Verdict.HOLDS


def test_a_full_client_core_lowers_the_bound_and_is_marked() -> None:
    metric = Metric("x", "MB/s", Must(at_least=1, client_bound=0.95))
    bound, free = row(metric, [100], [96], client_busiest=0.97), row(metric, [100], [96], client_busiest=0.5)
    assert (bound.verdict, bound.client_bound) == (Verdict.HOLDS, True)
    assert (free.verdict, free.client_bound) == (Verdict.FAILS, False)


@pytest.mark.parametrize(("waited_share", "verdict"), [(0.09, Verdict.HOLDS), (0.11, Verdict.FAILS)])
def test_a_client_that_always_has_records_to_take_lowers_the_bound_too(waited_share: float, verdict: Verdict) -> None:
    metric = Metric("x", "MB/s", Must(at_least=1, client_bound=0.95))
    assert row(metric, [100], [96], client_busiest=0.5, waited_share=waited_share).verdict is verdict


def test_results_are_read_back_as_they_were_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.report.RESULTS", tmp_path)
    rows = rows_of(result(Metric("x", "/s", Must(at_least=5), "label"), [1, 2], [3, 4]))
    machine = {"date": "2026-01-02 03:04 UTC"}
    assert load_results(save_results(machine, "quick", rows)) == (machine, "quick", rows)


def test_what_was_not_run_again_is_taken_from_an_earlier_run_which_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.report.RESULTS", tmp_path)
    rows = rows_of(result(Metric("x", "/s"), [1], [2]))
    again, left = ([row._replace(group=group) for row in rows] for group in ("again", "left"))
    new = save_results({"date": "2026-01-03", "commit": "b"}, "full", again)
    old = save_results({"date": "2026-01-02", "commit": "a"}, "full", [*again, *left])
    machine, effort, joined = joined_results([new, old])
    carried_over = [row._replace(measured="2026-01-02, a") for row in left]
    assert (machine["commit"], effort, joined) == ("b", "full", [*again, *carried_over])
    assert joined_results([new, old, old]) == (machine, effort, joined)
    assert [line for line in page_lines(machine, effort, joined) if line.endswith("| 2026-01-02, a |")]


def test_what_was_carried_over_before_keeps_its_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.report.RESULTS", tmp_path)
    (only,) = rows_of(result(Metric("x", "/s"), [1], [2]))
    old = save_results({"date": "2026-01-02", "commit": "a"}, "full", [only._replace(measured="2026-01-01, z")])
    new = save_results({"date": "2026-01-03", "commit": "b"}, "full", [only._replace(group="other")])
    assert [row.measured for row in joined_results([new, old])[2]] == ["2026-01-01, z", ""]


def test_rows_keep_their_order_and_new_ones_follow_their_neighbour() -> None:
    (only,) = rows_of(result(Metric("x", "/s"), [1], [2]))
    a, b, c, new = (only._replace(title=title) for title in ("a", "b", "c", "new"))
    newer_b = b._replace(unit="s")
    assert overlaid([a, b, c], [newer_b, new]) == [a, newer_b, new, c]


def test_the_page_names_what_falls_short() -> None:
    rows = rows_of(result(Metric("x", "/s", Must(at_least=5)), [10], [20]))
    page = "\n".join(page_lines({"date": "today"}, "full", rows))
    assert "0 of 1 requirements hold" in page
    assert "group: title: 20 /s, ratio 2.00, must be ratio >= 5" in page


def test_the_picture_draws_cheaper_and_quicker_to_the_same_side() -> None:
    quicker = row(Metric("x", "MB/s"), [10], [20])
    cheaper = row(Metric("x", "us"), [20], [10])
    assert re.findall(r'fill="#333">([\d.]+)</text>', draw([quicker, cheaper])) == ["2", "2"]


def test_quick_run_leaves_out_what_takes_minutes_unless_it_is_named() -> None:
    quick = {case.name for case in selected_cases([], quick=True)}
    left_out = {case.name for case in selected_cases([], quick=False)} - quick
    assert {"produce-1kb-acks1-none-1p", "latency-1000", "groups"} <= quick
    assert {name.split("-")[0] for name in left_out} == {"cluster", "spark"}
    assert {case.name for case in selected_cases(["spark"], quick=True)} <= left_out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_keeps_what_it_has_measured(number: signal.Signals) -> None:
    (row,) = rows_of(result(Metric("m", "s"), [1.0], [2.0]))

    def measured() -> Iterator[list[Row]]:
        yield [row]
        os.kill(os.getpid(), number)
        yield [row]

    before = {each: signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert until_stopped(measured()) == ([row], False)
        assert until_stopped(iter([[row], [row]])) == ([row, row], True)
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
