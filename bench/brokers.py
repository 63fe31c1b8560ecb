"""Apache Kafka 4.3.0 and Ottla as processes, each in a folder of its own, on loopback, with their own defaults.

Kafka runs as KRaft broker and controller in one, with the JVM flags of its start script; it is formatted beforehand.
Ottla runs with its embedded ZooKeeper. What both are told beyond ports and folders: deleted files go after a second,
not after a minute, so that a long run does not fill the disk; and sessions last longer than most rounds, in which the
other broker is paused.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from bench.driver import ROOT
from bench.raw_driver import first_acknowledgement
from bench.topics import free_port

KAFKA_LIB = ROOT / ".peers" / "kafka-4.3.0" / "lib"
JVM_FLAGS = (
    "-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent",
)  # fmt: skip
CLUSTER_ID = "b3R0bGEtYmVuY2htYXJrcw"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 60.0
# The most that the embedded ZooKeeper grants.
SESSION_TIMEOUT_MS = 40_000


class BrokerProcess:
    """A broker that is started and stopped; `name` heads its column."""

    name: str

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.folder.mkdir(parents=True)
        self.port = free_port()
        self.log_dir = folder / "data" / "logs"
        self.process: subprocess.Popen[bytes] | None = None
        self.prepare()

    def prepare(self) -> None:
        """Once, before the first start."""

    def command(self) -> list[str]:
        raise NotImplementedError

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def start(self) -> float:
        """Until a record is acknowledged: how many seconds that took, topic creation included."""
        began = time.perf_counter()
        with (self.folder / "broker.log").open("ab") as log:
            self.process = subprocess.Popen(self.command(), cwd=self.folder, stdout=log, stderr=log, env=environment())
        first_acknowledgement(self.port, f"first-{time.time_ns()}", self._check_alive, START_TIMEOUT_S)
        return time.perf_counter() - began

    def stop(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    def pause(self) -> None:
        """Let it do nothing until `resume`: another broker is measured."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        if self.process is not None:
            self.process.send_signal(number)

    def _check_alive(self) -> None:
        assert self.process is not None
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self.process.returncode}: see {self.folder / 'broker.log'}")

    def log_files(self, topic: str) -> list[Path]:
        return sorted(self.log_dir.glob(f"{topic}-*/*.log"))


class Kafka(BrokerProcess):
    name = "Kafka"

    def prepare(self) -> None:
        self._properties = self.folder / "server.properties"
        controller_port = free_port()
        self._properties.write_text(
            "process.roles=broker,controller\n"
            "node.id=1\n"
            f"controller.quorum.voters=1@127.0.0.1:{controller_port}\n"
            f"listeners=PLAINTEXT://127.0.0.1:{self.port},CONTROLLER://127.0.0.1:{controller_port}\n"
            "controller.listener.names=CONTROLLER\n"
            "inter.broker.listener.name=PLAINTEXT\n"
            f"log.dirs={self.log_dir}\n"
            "offsets.topic.replication.factor=1\n"
            "log.segment.delete.delay.ms=1000\n"
            f"broker.session.timeout.ms={SESSION_TIMEOUT_MS}\n"
        )
        format_command = [*self._java(), "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c"]
        subprocess.run([*format_command, str(self._properties)], check=True, capture_output=True)

    @staticmethod
    def _java() -> list[str]:
        return ["java", *JVM_FLAGS, "-cp", f"{KAFKA_LIB}/*"]

    def command(self) -> list[str]:
        return [*self._java(), "kafka.Kafka", str(self._properties)]


class Ottla(BrokerProcess):
    name = "Ottla"
    program = Path(sys.executable).with_name("ottla")

    def command(self) -> list[str]:
        settings = {
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            "log.dirs": str(self.log_dir),
            "log.segment.delete.delay.ms": "1000",
            "zookeeper.session.timeout.ms": str(SESSION_TIMEOUT_MS),
            "ottla.zookeeper.port": "0",
        }
        overrides = [part for key, value in settings.items() for part in ("--override", f"{key}={value}")]
        return [str(self.program), "start", *overrides]


def environment() -> dict[str, str]:
    """Ours, but Python may keep its bytecode, as it does for users: else every start would compile all sources."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def missing_parts() -> str | None:
    """What stands in the way of a run, for people."""
    if not KAFKA_LIB.is_dir():
        return f"{KAFKA_LIB.relative_to(ROOT)} is not here: run `make setup-test`"
    return None
