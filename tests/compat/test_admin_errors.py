"""Admin APIs answer as Apache Kafka 3.9.1 did, code for code and word for word, but for the differences listed here."""

from typing import Any

import pytest

from support.admin_errors.replay import CASES, recorded, replay

# What is meant to differ, and why.
INTENDED = {
    "describe: version 0": "Kafka calls no config a default in version 0; ours tells which ones are",
    "alter: invalid value of the broker": "Kafka divides by its number of threads; ours has no threads to divide by",
    "edit: too small for the broker": "as above",
    "edit: threads by more than twice": "Kafka grows its pools step by step; ours has none, any number is as good",
    "edit: append to an unknown key": "Kafka fails with UNKNOWN_SERVER_ERROR; ours says that the key is unknown",
    "edit: no such operation": "Kafka fails with UNKNOWN_SERVER_ERROR; ours answers INVALID_REQUEST",
    "edit: loggers of another broker": "Kafka names its own id twice in the text; ours names the one it was given",
    "manual: no brokers": "Kafka would create a partition that can never have a leader; ours refuses it",
    "producers: unknown partition": "Kafka has a text for an unknown topic only; ours for both",
    "coordinator: of a share group": "Kafka has no text here; ours has the one of its error",
}


# A broker that no other test uses: all groups are listed.
OWN_BROKER = {"offsets.retention.minutes": "10079"}


@pytest.fixture(scope="module")
def answers(brokers: Any) -> dict[str, Any]:
    return replay(brokers.get("ottla", **OWN_BROKER).address)


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return recorded()


@pytest.mark.parametrize("name", INTENDED)
def test_listed_difference_is_one(answers: dict[str, Any], expected: dict[str, Any], name: str):
    assert answers[name] != expected[name], "take it off the list"


@pytest.mark.parametrize("name", [case.name for case in CASES if case.name not in INTENDED])
def test_answer_is_kafkas(answers: dict[str, Any], expected: dict[str, Any], name: str):
    assert answers[name] == expected[name]
