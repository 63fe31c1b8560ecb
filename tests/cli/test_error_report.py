"""What an error message advises can be done: every command in it is one that runs, every key one that exists."""

import re

import click
import pytest

from ottla.cli.error_report import ADVICE
from ottla.cli.main import cli
from support.command import Ottla

ADVISED = sorted({line for text in ADVICE.values() for line in re.findall(r"`ottla ([^`]+)`", text)})


@pytest.mark.parametrize("line", ADVISED)
def test_a_command_that_is_advised_is_no_usage_error(line: str) -> None:
    command: click.Command = cli
    words, context = line.split(), click.Context(cli)
    while isinstance(command, click.Group):
        found = command.get_command(context, words.pop(0))
        assert found is not None, line
        command = found
    command.make_context("ottla", [{"topic|broker|brokers|group": "topic"}.get(word, word) for word in words])


@pytest.mark.parametrize(
    "line",
    ["topics create {new} -c retention.mss=1", "topics alter {topic} -c retention.mss=1",
     "configs topic {topic} retention.mss=1", "configs topic {topic} retention.mss"],
)  # fmt: skip
def test_a_mistyped_key_is_answered_with_the_one_that_was_meant(ottla: Ottla, topic: str, name: str, line: str) -> None:
    words = line.format(topic=topic, new=f"{name}-new").split()
    said = ottla.fails(*words, code=1 if "=" in line else 2)
    assert "retention.mss" in said
    assert "did you mean retention.ms?" in said


def test_a_key_that_is_like_no_other_and_a_bad_value_are_left_as_the_broker_says(ottla: Ottla, topic: str) -> None:
    assert "did you mean" not in ottla.fails("topics", "alter", topic, "-c", "qwertyuiop=1")
    assert "did you mean" not in ottla.fails("topics", "alter", topic, "-c", "retention.ms=soon")
