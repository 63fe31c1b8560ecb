"""docs/quickstart.md, run: the files it shows are written, its commands run in a shell, their output compared.

The page's ports become free ones. `&` starts a process; `pkill` of the page is a kill -9 of that process alone, because
others may run brokers on this machine; what stops all servers at the end stops those of the test, for the same reason.
"""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.eventually import eventually
from support.ports import free_port

PAGE = Path(__file__).resolve().parents[2] / "docs" / "quickstart.md"
BLOCK = re.compile(r"^```(console|properties file=(\S+))\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PORTS = ("2181", "9092", "9093", "9094")
# So that the tests notice a dead broker sooner than people need to.
QUICKER = {"zookeeper.properties": "tickTime=500\n", "server": "zookeeper.session.timeout.ms=2000\n"}
NOT_RUN = ("pip install", "ottla kafka-server-stop", "ottla zookeeper-server-stop")


class Shell:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.ports = {port: str(free_port()) for port in PORTS}
        self.started: dict[str, subprocess.Popen[bytes]] = {}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environment = os.environ | {"PATH": path, "OTTLA_CONFIG": os.devnull}

    def localized(self, text: str) -> str:
        for port, free in self.ports.items():
            text = text.replace(port, free)
        return text

    def write(self, name: str, text: str) -> None:
        quicker = QUICKER.get(name, QUICKER["server"])
        (self.directory / name).write_text(self.localized(text) + quicker)

    def start(self, command: str) -> None:
        """Start it and wait until its port answers."""
        name = command.split()[-1]
        port = re.search(r"(?:clientPort|port)=(\d+)", (self.directory / name).read_text())
        assert port is not None
        with (self.directory / f"{name}.log").open("ab") as log:
            self.started[name] = subprocess.Popen(
                shlex.split(command), cwd=self.directory, env=self.environment, stdout=log, stderr=log
            )
        eventually(lambda: self._answers(name, int(port[1])))

    def _answers(self, name: str, port: int) -> bool:
        assert self.started[name].poll() is None, (self.directory / f"{name}.log").read_text()[-3000:]
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    def kill(self, command: str) -> None:
        name = command.rstrip("'").split()[-1]
        self.started[name].send_signal(signal.SIGKILL)
        self.started[name].wait(30)

    def output(self, command: str) -> str:
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.directory, env=self.environment, capture_output=True, text=True,
            timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def stop(self) -> None:
        for process in reversed(self.started.values()):
            if process.poll() is None:
                process.kill()
                process.wait(30)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path)
    try:
        yield shell
    finally:
        shell.stop()


def steps(text: str) -> Iterator[tuple[str, str]]:
    """Commands with the output that follows them."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _newline, output = part.partition("\n")
        yield command, output


def test_every_command_of_the_page_prints_what_the_page_says(shell: Shell) -> None:
    run_page(shell, PAGE.read_text())
    run_page(shell, PAGE.read_text().partition("## Step 6")[0])  # and again, after the page's own cleaning up


def run_page(shell: Shell, page: str) -> None:
    for match in BLOCK.finditer(page):
        _kind, file, text = match.groups()
        if file is not None:
            shell.write(file, text)
            continue
        for command, printed in steps(text):
            expected = shell.localized(printed)
            if command.startswith("ottla kafka-server-stop"):
                shell.stop()
            if command.startswith(NOT_RUN):
                continue
            local = shell.localized(command)
            if command.endswith("&"):
                shell.start(local.removesuffix("&").strip())
            elif command.startswith("pkill"):
                shell.kill(local)
            elif "--describe" in command:
                eventually(lambda local=local, expected=expected: shell.output(local) == expected)  # type: ignore[misc]
            else:
                assert shell.output(local) == expected, command
