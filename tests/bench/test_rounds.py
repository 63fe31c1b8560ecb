"""Whoever is measured is alone on the machine, and nobody stays stopped when a round fails."""

import pytest
from bench.brokers import Kafka, Ottla
from bench.measures import QUICK, Case, Effort, Sample
from bench.rounds import run_case


class PausedBroker:
    """Says what is done to it; the process is somebody else's matter."""

    paused = False

    def __init__(self) -> None:
        pass

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False


class PausedKafka(PausedBroker, Kafka):
    pass


class PausedOttla(PausedBroker, Ottla):
    pass


def case_of(run: object) -> Case:
    return Case("name", "group", "title", run, (), brokers=(PausedKafka, PausedOttla))  # type: ignore[arg-type]


def test_the_other_broker_is_paused_while_one_is_measured() -> None:
    brokers = [PausedKafka(), PausedOttla()]
    seen = []

    def run(broker: PausedBroker, _effort: Effort) -> Sample:
        seen.append([other.paused for other in brokers if other is not broker] + [broker.paused])
        return {}

    run_case(case_of(run), brokers, QUICK)  # type: ignore[arg-type]
    assert seen == [[True, False]] * 3  # Kafka's first pass, then a round of each
    assert not any(broker.paused for broker in brokers)


def test_a_round_that_fails_leaves_nobody_paused() -> None:
    brokers = [PausedKafka(), PausedOttla()]

    def run(_broker: PausedBroker, _effort: Effort) -> Sample:
        raise RuntimeError("no record came")

    with pytest.raises(RuntimeError):
        run_case(case_of(run), brokers, QUICK)  # type: ignore[arg-type]
    assert not any(broker.paused for broker in brokers)
