"""`--format json` on every command that has it: a result is JSON on standard output, an error on standard error."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from ottla.cli.kafka.names import KAFKA_TOOLS
from ottla.cli.main import cli
from ottla.testing import EmbeddedBroker
from support.command import Ended, Ottla, run_here
from support.ports import free_port

# What makes each command do something. {topic} has records, {group} has committed, {new} is not there, {dir} has logs.
LINES = {
    "brokers": "",
    "cluster": "",
    "configs": "topic {topic} retention.ms=60000",
    "consume": "{topic} -e",
    "groups delete": "{group} --yes",
    "groups describe": "{group}",
    "groups list": "",
    "groups reset": "{group} --to-earliest --yes",
    "leaders elect": "{topic}",
    "load": "{topic} --to parquet:{dir}/table --dry-run",
    "log adopt": "{dir} --dry-run",
    "log dump": "{dir}",
    "log verify": "{dir}",
    "offsets": "{topic}",
    "perf consume": "{topic} -n 1",
    "perf latency": "{topic} -n 1",
    "perf produce": "{topic} -n 1",
    "produce": "{topic}",
    "records delete": "{topic} --before end --yes",
    "topics alter": "{topic} -p 3",
    "topics create": "{new}",
    "topics delete": "{topic} --yes",
    "topics describe": "{topic}",
    "topics list": "",
}
# The other way to use a command that changes something, and what it is called for beside.
MORE = [
    "topics create {new} --dry-run",
    "topics create {topic} --if-not-exists",
    "topics alter {topic} -c retention.ms=1 --dry-run",
    "topics delete {topic} --dry-run",
    "groups delete {group} --dry-run",
    "groups describe {group} --members",
    "configs topic {topic} --all",
    "configs topic {topic} retention.ms=5 retention.ms",
    "produce {topic} --dry-run",
    "log dump --records {dir}",
]


def commands(group: click.Group = cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command of ours that ends in no others."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = None if name in KAFKA_TOOLS else group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        elif command is not None:
            yield " ".join((*path, name)), command


WITH_FORMAT = {name for name, command in commands() if any("--format" in option.opts for option in command.params)}


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log directory of a broker that was stopped."""
    path = tmp_path_factory.mktemp("stopped")
    with EmbeddedBroker(directory=path) as broker:
        broker.create_topic("clicks")
        Ottla(broker.address)("produce", "clicks", stdin="v\n")
    (found,) = (one.parent.parent for one in path.rglob("clicks-0/*.log"))
    return found


def ran(ottla: Ottla, line: str, topic: str, name: str, directory: object, *more: str) -> Ended:
    words = line.format(topic=topic, group=f"{name}-group", new=f"{name}-new", dir=directory).split()
    return run_here(*words, "--format", "json", *more, stdin="line\n", environment=ottla.environment)


def test_every_command_with_a_format_is_tried_here() -> None:
    assert set(LINES) == WITH_FORMAT


@pytest.mark.parametrize("line", [*(f"{name} {arguments}" for name, arguments in LINES.items()), *MORE])
def test_the_result_is_json(ottla: Ottla, topic: str, name: str, directory: Path, line: str) -> None:
    if line.startswith("load") and importlib.util.find_spec("pyspark") is None:
        pytest.skip("loading needs pyspark")
    ottla("produce", topic, stdin="a\nb\n")
    ottla("consume", topic, "-G", f"{name}-group", "-e")
    ended = ran(ottla, line, topic, name, directory)
    assert ended.code == 0, ended
    assert isinstance(json.loads(ended.stdout), list | dict)
    if not line.startswith("load"):
        assert ended.stderr == ""


def error_of(ended: Ended) -> dict[str, Any]:
    (line,) = ended.stderr.splitlines()
    found: dict[str, Any] = json.loads(line)
    assert set(found) == {"error", "code", "message", "advice"}
    assert ended.code in (1, 2)
    assert ended.stdout == ""
    return found


@pytest.mark.parametrize("name", sorted(WITH_FORMAT))
def test_a_broker_or_a_file_that_is_not_there_is_an_error_in_json(name: str, tmp_path: Path) -> None:
    away = Ottla(f"127.0.0.1:{free_port()}")
    found = error_of(ran(away, f"{name} {LINES[name]}", "t", "n", tmp_path / "nowhere"))
    assert found["error"] == ("USAGE" if name == "log adopt" else "OPERATOR" if name.startswith("log") else "NO_BROKER")
    assert found["message"]


def test_an_error_of_the_broker_has_its_name_and_code(ottla: Ottla, topic: str, name: str) -> None:
    found = error_of(ran(ottla, "topics describe nowhere", topic, name, ""))
    assert (found["error"], found["code"]) == ("UNKNOWN_TOPIC_OR_PARTITION", 3)
    assert found["advice"] == "`ottla topics list` shows the topics that there are."


@pytest.mark.parametrize("line", ["topics list --bogus", "topics describe -X a", "consume", "topics list -X a=b"])
def test_what_is_wrong_with_the_line_itself_is_json_too(ottla: Ottla, line: str) -> None:
    found = error_of(run_here(*line.split(), "--format=json", environment=ottla.environment))
    assert found["error"] in ("USAGE", "CONFIG")


def test_a_profile_may_ask_for_json(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(f'[profiles.p]\nformat = "jsonl"\nbootstrap-server = "127.0.0.1:{free_port()}"\n')
    environment = {"OTTLA_CONFIG": str(file), "OTTLA_PROFILE": "p"}
    assert error_of(run_here("topics", "list", environment=environment))["error"] == "NO_BROKER"
    assert "ottla: no broker" in run_here("topics", "list", "--format", "table", environment=environment).stderr


def test_some_done_and_some_failed_are_told_apart(ottla: Ottla, topic: str, name: str) -> None:
    ended = ran(ottla, "topics create {new} {topic}", topic, name, "")
    assert json.loads(ended.stdout) == [{"topic": f"{name}-new", "outcome": "created"}]
    assert json.loads(ended.stderr)["error"] == "TOPIC_ALREADY_EXISTS"
    assert ended.code == 1
