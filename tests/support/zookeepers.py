"""ZooKeeper servers as processes on loopback: the embedded one and Debian's (Apache ZooKeeper)."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from support.peers import absent, require_command
from support.ports import free_port

DEBIAN_JAR = Path("/usr/share/java/zookeeper.jar")
START_SECONDS_MAX = 60

COMMON_CONFIG = {
    "tickTime": "100",
    "maxSessionTimeout": "60000",
    "maxClientCnxns": "0",
    "4lw.commands.whitelist": "*",
}


class ZooKeeperProcess:
    """One server: `start`, `kill`, `stop`; the same data and port when it is started again."""

    def __init__(self, directory: Path, command: list[str], settings: dict[str, str]) -> None:
        self.directory = directory
        self.port = free_port()
        self.log = directory / "server.log"
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        directory.mkdir(parents=True, exist_ok=True)
        config = COMMON_CONFIG | {"clientPort": str(self.port), "dataDir": str(directory / "data")} | settings
        self.config_file = directory / "zoo.cfg"
        self.config_text = "".join(f"{key}={value}\n" for key, value in config.items())
        self.config_file.write_text(self.config_text)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, str(self.config_file)], stdout=log, stderr=log, cwd=self.directory
            )
        deadline = time.monotonic() + START_SECONDS_MAX
        while four_letter_word(self.port, "ruok") != "imok":
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError(f"the server did not come up:\n{self.log.read_text()[-4000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        return self._end(signal.SIGTERM)

    def _end(self, number: int) -> int:
        if self._process is None:
            return 0
        self._process.send_signal(number)
        code = self._process.wait(30)
        self._process = None
        return code


def embedded_server(directory: Path, **settings: str) -> ZooKeeperProcess:
    """`ottla zookeeper`, with the interpreter that runs the tests."""
    return ZooKeeperProcess(directory, [sys.executable, "-m", "ottla.coordination.embedded"], settings)


def debian_server(directory: Path, **settings: str) -> ZooKeeperProcess:
    if not DEBIAN_JAR.exists():
        absent("Debian's zookeeper package")
    command = [
        require_command("java"), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        "-Dzookeeper.admin.enableServer=false", "-Dzookeeper.extendedTypesEnabled=true",
        "-cp", str(DEBIAN_JAR), "org.apache.zookeeper.server.ZooKeeperServerMain",
    ]  # fmt: skip
    return ZooKeeperProcess(directory, command, {"clientPortAddress": "127.0.0.1"} | settings)


def four_letter_word(port: int, word: str) -> str | None:
    """The answer to a text command; None while nobody listens."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
            sock.sendall(word.encode())
            answer = b""
            while data := sock.recv(4096):
                answer += data
            return answer.decode()
    except OSError:
        return None


def resident_bytes(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
