"""Beside an earlier commit of Ottla the only requirement is that nothing is worse."""

from pathlib import Path

import pytest
from bench.brokers import BrokerProcess, Kafka, Ottla
from bench.cases import ALL_CASES
from bench.earlier import without_regression
from bench.measures import QUICK, Case, CaseResult, Effort, Metric, Must, Sample, Verdict, rows_of
from bench.report import print_rows
from bench.rounds import run_case


class EarlierOttla(Ottla):
    name = "6c5be90"


def case_of(*metrics: Metric) -> Case:
    def never(broker: BrokerProcess, effort: Effort) -> Sample:
        raise AssertionError("no test measures anything")

    return without_regression(Case("name", "group", "title", never, metrics))


def verdict(metric: Metric, before: float, after: float) -> Verdict:
    rounds = {"6c5be90": [{metric.key: before}], "Ottla": [{metric.key: after}]}
    (row,) = rows_of(CaseResult(case_of(metric), {}, rounds))
    return row.verdict


@pytest.mark.parametrize(
    ("metric", "worse", "as_good"),
    [
        (Metric("x", "/s", Must(at_least=5)), 96.0, 98.0),
        (Metric("x", "us", Must(at_most=0.25)), 104.0, 102.0),
        (Metric("x", "s/GB", label="broker CPU"), 104.0, 102.0),
    ],
)
def test_what_is_worse_than_before_falls_short(metric: Metric, worse: float, as_good: float) -> None:
    assert verdict(metric, 100.0, worse) is Verdict.FAILS
    assert verdict(metric, 100.0, as_good) is Verdict.HOLDS


def test_the_clients_own_cost_is_not_judged() -> None:
    assert verdict(Metric("x", "us", label="client CPU each"), 1.0, 2.0) is Verdict.NONE


def test_the_earlier_broker_takes_kafkas_place_in_every_comparing_case(tmp_path: Path) -> None:
    brokers = [EarlierOttla(tmp_path / "before"), Ottla(tmp_path / "after")]
    names = []
    case = case_of()._replace(run=lambda broker, _: names.append(broker.name) or {}, first_pass_discarded=False)
    run_case(case, brokers, QUICK)
    assert names == ["6c5be90", "Ottla"]
    assert sum(set(case.brokers) == {Kafka, Ottla} for case in ALL_CASES) > 20


def test_the_table_names_the_commit(capsys: pytest.CaptureFixture[str]) -> None:
    rounds = {"6c5be90": [{"x": 1.0}], "Ottla": [{"x": 2.0}]}
    print_rows(rows_of(CaseResult(case_of(Metric("x", "/s")), {}, rounds)))
    assert "6c5be90 1" in capsys.readouterr().out
