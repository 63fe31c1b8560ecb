"""What commands do on a terminal and nowhere else: colours, progress bars, questions. The terminal is a pty."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla

BOLD, RED = "\x1b[1m", "\x1b[31m"


class Ended(NamedTuple):
    code: int
    screen: str


def on_terminal(ottla: Ottla, *arguments: str, typed: str = "", **environment: str) -> Ended:
    """The command with a terminal for input, output and errors, to its end."""
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "ottla", *arguments]
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs,
        env=ottla.environment | {"TERM": "xterm", "COLUMNS": "100"} | environment,
    ) as process:  # fmt: skip
        os.close(theirs)
        os.write(ours, typed.encode())
        screen = b""
        while data := _read(ours):
            screen += data
        os.close(ours)
    return Ended(process.returncode, screen.decode())


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # Linux says so when nobody holds the other end any more
        return b""


def test_colours_are_for_terminals_that_want_them(ottla: Ottla, topic: str) -> None:
    assert BOLD in on_terminal(ottla, "topics", "list").screen
    assert "\x1b" not in on_terminal(ottla, "topics", "list", NO_COLOR="1").screen
    assert "\x1b" not in ottla("topics", "list")


def test_an_error_is_red_on_a_terminal_only(ottla: Ottla) -> None:
    ended = on_terminal(ottla, "topics", "describe", "nowhere")
    assert ended.code == 1
    assert f"{RED}ottla: " in ended.screen
    assert "\x1b" not in ottla.fails("topics", "describe", "nowhere")


@pytest.mark.parametrize("command", [("produce", "-n", "2000"), ("latency", "-n", "20")])
def test_long_work_shows_a_bar_that_reaches_its_end(ottla: Ottla, topic: str, command: tuple[str, ...]) -> None:
    ended = on_terminal(ottla, "perf", command[0], topic, *command[1:])
    assert ended.code == 0
    assert "100%" in ended.screen
    piped = ottla.run("perf", command[0], topic, *command[1:])
    assert "%" not in piped.stdout + piped.stderr


def test_files_are_sent_under_a_bar(ottla: Ottla, topic: str, tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("a\nb\n")
    assert "100%" in on_terminal(ottla, "produce", topic, str(file), "-l").screen
    assert ottla("consume", topic, "-e") == "a\nb\n"


def test_what_cannot_be_undone_is_asked_for(broker: EmbeddedBroker, ottla: Ottla, topic: str) -> None:
    refused = on_terminal(ottla, "topics", "delete", topic, typed="n\n")
    assert refused.code == 1
    assert "Nothing was changed." in refused.screen
    with clients.Admin(broker.bootstrap_servers) as admin:
        assert topic in admin.list_topics()
        assert on_terminal(ottla, "topics", "delete", topic, typed="y\n").code == 0
        assert topic not in admin.list_topics()


def test_ctrl_c_at_a_question_changes_nothing(ottla: Ottla, topic: str) -> None:
    assert on_terminal(ottla, "topics", "delete", topic, typed="\x04").code == 130
    assert topic in ottla("topics", "list")
