"""The table sent to a broker, case after case: some change what later ones find."""

import json
from functools import partial
from typing import Any

from support.admin_errors.case import Case
from support.admin_errors.cluster_cases import CLUSTER_CASES
from support.admin_errors.config_cases import CONFIG_CASES
from support.admin_errors.group_cases import GROUP_CASES
from support.admin_errors.plain import plain
from support.admin_errors.record_cases import RECORD_CASES
from support.admin_errors.topic_cases import TOPIC_CASES
from support.admin_errors.world import World, make_world
from support.eventually import eventually
from support.peers import ROOT
from support.raw_kafka import RawKafka, RawKafkaError

RECORDED = ROOT / "tests" / "data" / "admin-errors" / "kafka-3.9.1.json"
CLOSED = "the connection is closed"
CASES: list[Case] = [*CONFIG_CASES, *TOPIC_CASES, *RECORD_CASES, *CLUSTER_CASES, *GROUP_CASES]


def replay(address: str) -> dict[str, Any]:
    """The answers by name of the case."""
    assert len({case.name for case in CASES}) == len(CASES)
    world = make_world(address)
    answers = {}
    for case in CASES:
        with RawKafka(address) as client:
            answers[case.name] = eventually(partial(_settled, client, case, world))
    return answers


def _settled(client: RawKafka, case: Case, world: World) -> Any:
    """None while a change is on its way."""
    answer = _answer(client, case, world)
    return answer if case.until in json.dumps(answer) else None


def _answer(client: RawKafka, case: Case, world: World) -> Any:
    """Through JSON, as the recorded ones were. Some requests are answered by the end of the connection."""
    try:
        answer = client.ask(case.make(world), case.version)
    except TimeoutError as error:
        raise AssertionError(f"no answer to {case.name}") from error
    except RawKafkaError:
        return CLOSED
    return json.loads(json.dumps(plain(answer)))


def recorded() -> dict[str, Any]:
    answers: dict[str, Any] = json.loads(RECORDED.read_text())
    return answers
