"""What all commands have in common: help, formats, profiles, pipes, exit codes, errors."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ottla.testing import EmbeddedBroker
from support.command import Ottla
from support.ports import free_port


@pytest.fixture(scope="module")
def ottla(broker: EmbeddedBroker) -> Ottla:
    return Ottla(broker.bootstrap_servers, as_process=True)


def test_help_names_the_commands_and_imports_none_of_them() -> None:
    program = (
        "import sys; from ottla.cli.main import cli; cli.main(['--help'], standalone_mode=False);"
        "print([name for name in sys.modules if name.startswith(('ottla.clients', 'ottla.broker', 'asyncio'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "topics" in done.stdout
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv"])
def test_every_format_has_the_same_values(ottla: Ottla, topic: str, form: str) -> None:
    text = ottla("topics", "describe", topic, "--format", form)
    rows = {
        "table": lambda: [dict(zip(text.split("\n")[0].lower().replace("-", "_").split(), line.split(), strict=True))
                          for line in text.splitlines()[1:]],
        "json": lambda: json.loads(text),
        "jsonl": lambda: [json.loads(line) for line in text.splitlines()],
        "csv": lambda: list(csv.DictReader(io.StringIO(text))),
    }[form]()  # fmt: skip
    assert [(row["topic"], str(row["partition"]), str(row["leader"])) for row in rows] == [
        (topic, "0", "0"),
        (topic, "1", "0"),
    ]
    assert "\x1b" not in text


def test_profile_names_a_cluster(ottla: Ottla, topic: str, tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        f'profile = "here"\n[profiles.here]\nbootstrap-server = "{ottla.bootstrap_server}"\nformat = "jsonl"\n'
        '[profiles.there]\nbootstrap-server = "localhost:1"\nproperties = { "linger.ms" = 5 }\n'
    )
    with_profile = Ottla(environment={"OTTLA_CONFIG": str(file)})
    assert f'"topic": "{topic}"' in with_profile("topics", "list")
    assert "localhost:1" in with_profile.fails("topics", "list", "--profile", "there", code=2)
    assert topic in with_profile("topics", "list", "--profile", "there", "-b", ottla.bootstrap_server)
    assert "there are: here, there" in with_profile.fails("topics", "list", "--profile", "nowhere", code=2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("profiles = 3", "a profile is a table like [profiles.x]"),
        ("[profiles]\nx = 3", "a profile is a table like [profiles.x]"),
        ("[profiles.x]\nbootstrap-server = 5", "bootstrap-server cannot be 5"),
        ('[profiles.x]\nformat = "yaml"', "format is one of table, json, jsonl, csv, not yaml"),
        ('[profiles.x]\nserver = "h"', "unknown key server"),
        ("bad = [", "cannot use"),
    ],
)
def test_a_profile_that_cannot_be_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    assert said in Ottla(environment={"OTTLA_CONFIG": str(file)}).fails("topics", "list", "--profile", "x", code=2)


def test_nobody_listening_is_said_at_once_with_what_to_do() -> None:
    said = Ottla(f"127.0.0.1:{free_port()}", as_process=True).fails("topics", "list", code=2)
    assert "no broker answers" in said
    assert "ottla start" in said


def test_unknown_property_is_refused_with_the_nearest_name(ottla: Ottla) -> None:
    assert "request.timeout.ms" in ottla.fails("topics", "list", "-X", "request.timeout.msec=1", code=2)


def test_reader_that_goes_away_ends_the_command_quietly(ottla: Ottla, broker: object) -> None:
    process = ottla.start("configs", "broker", "0", "--all", "--format", "jsonl")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait(30) == 141
    process.stderr.close()
    assert process.stdin is not None
    process.stdin.close()


def test_completion_of_the_shell_knows_the_commands(ottla: Ottla) -> None:
    environment = {"_OTTLA_COMPLETE": "bash_complete", "COMP_WORDS": "ottla topics cr", "COMP_CWORD": "2"}
    done = Ottla(environment=environment).run()
    assert "plain,create" in done.stdout


def test_a_file_that_cannot_be_read_is_no_traceback(tmp_path: Path) -> None:
    directory = tmp_path / "t-0"
    directory.mkdir()
    (directory / "00000000000000000000.log").symlink_to(tmp_path / "nowhere")
    said = Ottla().fails("log", "verify", str(directory))
    assert "00000000000000000000.log: No such file or directory" in said


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("perf produce t -n 0", 2, "0 is not in the range"),
        ("perf produce t -s -5", 2, "-5 is not in the range"),
        ("consume t -c -1", 2, "-1 is not in the range"),
        ("produce t -H novalue", 2, "a header is written NAME=VALUE"),
        ("configs broker 99", 1, "`ottla brokers` shows the brokers"),
        ("offsets a:x", 2, "partitions are written topic:0"),
        ("consume t -f %q", 2, "there is no %q in a format"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_is_meant(
    broker: EmbeddedBroker, line: str, code: int, said: str
) -> None:
    assert said in Ottla(broker.bootstrap_servers).fails(*line.split(), code=code)
