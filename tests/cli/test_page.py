"""docs/command-line.md names only commands that exist, and all of Kafka's tools that there are."""

import re
from pathlib import Path

import click

from ottla.cli.kafka.names import KAFKA_TOOLS
from ottla.cli.main import cli

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text()


def test_every_command_of_the_page_exists() -> None:
    context = click.Context(cli)
    named = set(re.findall(r"ottla ([a-z][a-z-]+)", PAGE))
    assert {name for name in named if cli.get_command(context, name) is None} == set()


def test_subcommands_of_the_page_are_those_that_there_are() -> None:
    context = click.Context(cli)
    for name, listed in re.findall(r"^\| `ottla ([a-z]+) ([a-z]+(?:\\\|[a-z]+)+)[` ]", PAGE, re.MULTILINE):
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            assert sorted(listed.split("\\|")) == sorted(command.commands)


def test_every_tool_of_kafka_is_on_the_page() -> None:
    assert {name for name in KAFKA_TOOLS if f"`{name}`" not in PAGE} == set()


def test_every_command_has_help_and_a_summary() -> None:
    context = click.Context(cli)
    for table in cli.sections.values():
        for name, (_module, _attribute, summary) in table.items():
            assert summary.endswith((".", "?")), name
            assert cli.get_command(context, name) is not None
