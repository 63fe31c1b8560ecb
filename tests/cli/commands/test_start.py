"""`ottla start` as a process: options, exit codes, signals, what is logged."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

READY = "is up on"


def ottla(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ottla", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=30, check=False)


@contextmanager
def started(cwd: Path, *arguments: str) -> Iterator[tuple["subprocess.Popen[str]", list[str]]]:
    """A broker on free ports, and its log lines up to the one that says it is up."""
    ports = ["--override", "listeners=PLAINTEXT://localhost:0", "--override", "ottla.zookeeper.port=0"]
    command = [sys.executable, "-m", "ottla", "start", *ports, *arguments]
    with subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, lines_until(process.stdout, READY)
        finally:
            process.kill()


def lines_until(stream: IO[str], text: str) -> list[str]:
    lines = []
    for line in stream:
        lines.append(line)
        if text in line:
            return lines
    raise AssertionError("".join(lines))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_stops_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with started(tmp_path) as (process, _lines):
        process.send_signal(number)
        assert process.wait(30) == 0
    assert (tmp_path / "data/logs/.kafka_cleanshutdown").exists()


def test_what_was_set_is_logged_and_at_debug_every_key_with_that_marked(tmp_path: Path) -> None:
    properties = tmp_path / "server.properties"
    properties.write_text("num.partitions=3\nlog.retention.hours=1\n")
    given = (str(properties), "--override", "num.partitions=5")
    with started(tmp_path, *given) as (_process, lines):
        assert "log.retention.hours=1, num.partitions=5" in "".join(lines)
    with started(tmp_path, *given, "--override", "ottla.log.level=DEBUG") as (_process, lines):
        log = "".join(lines)
    assert "* num.partitions = 5" in log
    assert "* log.retention.hours = 1" in log
    assert "  log.segment.bytes = 1073741824" in log


def test_unknown_key_is_a_warning_that_names_the_nearest(tmp_path: Path) -> None:
    with started(tmp_path, "--override", "num.partitons=3") as (_process, lines):
        assert any("WARNING" in line and "did you mean num.partitions?" in line for line in lines)


def test_tour_is_printed_after_the_start(tmp_path: Path) -> None:
    with started(tmp_path, "--tour") as (process, _lines):
        assert process.stdout is not None
        lines_until(process.stdout, "kcat -C -b localhost:")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--override", "num.partitions=many"], "num.partitions"),
        (["--override", "nonsense"], "nonsense"),
        (["missing.properties"], "missing.properties"),
        (["--override", "listeners=SSL://localhost:0"], "SSL"),
        (
            ["--override", "zookeeper.connect=127.0.0.1:1", "--override", "zookeeper.connection.timeout.ms=300"],
            "127.0.0.1:1",
        ),
        (["--nonsense"], "--nonsense"),
    ],
)
def test_what_the_operator_must_change_ends_with_2_and_says_what(
    tmp_path: Path, arguments: list[str], said: str
) -> None:
    result = ottla("start", *arguments, "--override", "ottla.zookeeper.port=0", cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    last = result.stderr.strip().splitlines()[-1]
    assert said in last
    assert "Traceback" not in result.stderr


def test_port_in_use_is_said(tmp_path: Path) -> None:
    with started(tmp_path) as (_process, lines):
        address = lines[-1].split("PLAINTEXT://")[1].split()[0]
        result = ottla(
            "start", "--override", f"listeners=PLAINTEXT://{address}", "--override", f"log.dirs={tmp_path}/other/logs",
            "--override", "ottla.zookeeper.port=0", cwd=tmp_path,
        )  # fmt: skip
    assert result.returncode == 2, result.stderr
    assert address in result.stderr.splitlines()[-1]


def test_second_broker_on_the_same_log_directory_is_refused(tmp_path: Path) -> None:
    with started(tmp_path):
        result = ottla("start", "--override", "listeners=PLAINTEXT://localhost:0", cwd=tmp_path)
    assert result.returncode == 2, result.stderr
    assert "data/logs" in result.stderr.splitlines()[-1]


def test_second_signal_ends_at_once(tmp_path: Path) -> None:
    with started(tmp_path) as (process, _lines):
        os.kill(process.pid, signal.SIGSTOP)
        for _ in range(2):
            os.kill(process.pid, signal.SIGTERM)
        os.kill(process.pid, signal.SIGCONT)
        assert process.wait(30) in (0, 1)


def test_help_lists_the_commands_without_importing_them(tmp_path: Path) -> None:
    result = ottla("--help", cwd=tmp_path)
    assert result.returncode == 0
    assert "start" in result.stdout
    assert "zookeeper" in result.stdout
