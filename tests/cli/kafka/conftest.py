"""Kafka's tools beside ours: the same command line on the same broker must print the same and end alike.

Kafka's run in one JVM and ours in this process: that ours work as processes is tested by others.
"""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ottla.testing import EmbeddedBroker
from support.command import run_here
from support.kafka_tools import KafkaTools, kafka_tools


@pytest.fixture(scope="session")
def java() -> Iterator[KafkaTools]:
    with kafka_tools() as tools:
        yield tools


class SideBySide:
    """Runs one of Kafka's tools and ours. The order in which Java's hash maps print is nobody's promise."""

    def __init__(self, java: KafkaTools, broker: EmbeddedBroker) -> None:
        self._java = java
        self.bootstrap = ("--bootstrap-server", broker.bootstrap_servers)

    def __call__(self, name: str, *arguments: str, stdin: str = "", ordered: bool = True, connect: bool = True) -> str:
        """What both print."""
        line = (*self.bootstrap, *arguments) if connect else arguments
        theirs = self._java.run(name, *line, stdin=stdin)
        ours = run_here(name, *line, stdin=stdin)
        outputs = f"--- Kafka\n{theirs.stdout}{theirs.stderr}\n--- Ottla\n{ours.stdout}{ours.stderr}"
        told = f"{name} {' '.join(line)}\n{outputs}"
        assert _canonical(ours.stdout, ordered) == _canonical(theirs.stdout, ordered), told
        assert ours.code == theirs.code, told
        assert "Traceback" not in ours.stderr, told
        return ours.stdout


@pytest.fixture
def side_by_side(java: KafkaTools, broker: EmbeddedBroker) -> SideBySide:
    return SideBySide(java, broker)


def _canonical(text: str, ordered: bool) -> Any:
    lines = [_document(line) for line in text.splitlines()]
    return lines if ordered else sorted(lines)


def _document(line: str) -> str:
    """A line of JSON with its arrays sorted, any other as it is."""
    return json.dumps(_sorted(json.loads(line)), sort_keys=True) if line.startswith("{") else line


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(one) for key, one in value.items()}
    return sorted((_sorted(one) for one in value), key=str) if isinstance(value, list) else value
