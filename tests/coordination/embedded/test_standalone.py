"""The server as a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from support.raw_zookeeper import RawClient
from support.zookeepers import embedded_server

COMMANDS = {
    "module": [sys.executable, "-m", "ottla.coordination.embedded"],
    "command": [sys.executable, "-c", "from ottla.cli.commands.zookeeper import zookeeper; zookeeper()"],
}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_it_serves_until_sigterm_and_ends_with_zero(tmp_path: Path, command: str) -> None:
    server = embedded_server(tmp_path)
    server._command = COMMANDS[command]
    server.start()
    client = RawClient(server.port)
    client.create("/a")
    client.close()
    assert server.stop() == 0
    server.start()
    client = RawClient(server.port)
    assert client.get("/a").error == 0
    client.close()
    assert server.stop() == 0
    assert "ZooKeeper server listens on 127.0.0.1" in server.log.read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [("clientPort=1\n", "dataDir is missing"), ("dataDir=d\nclientPortAddress=0.0.0.0\n", "requireClientAuth")],
)
def test_a_wrong_zoo_cfg_is_told_and_ends_with_two(tmp_path: Path, text: str, message: str) -> None:
    config = tmp_path / "zoo.cfg"
    config.write_text(text)
    done = subprocess.run([*COMMANDS["module"], str(config)], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_zoo_cfg_is_told(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.cfg")
    done = subprocess.run([*COMMANDS["module"], missing], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert "cannot read" in done.stderr
