"""Brokers as real processes on loopback: ours (`OttlaProcess`) and Apache Kafka 3.9.1 on ZooKeeper (`KafkaProcess`).

Both have the same handles (start, kill, stop, pause, resume), so that one test can be run against either. Readiness is
asked for, never waited out: a broker is up when it answers ApiVersions and is in its own metadata.
"""

import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.peers import kafka_classpath, require_command
from support.ports import free_port
from support.raw_kafka import RawKafka, RawKafkaError, live_broker_ids
from support.zookeepers import embedded_server

START_SECONDS_MAX = 90
STOP_SECONDS_MAX = 60
BROKER_ID = 0

# Topics of one partition, created when a client names them, as a fresh broker does it. The rest keeps tests quick.
# Tools show what is set here for topics (log.retention.ms and the like), and tests compare what they print.
TEST_PROPERTIES = {
    "broker.id": str(BROKER_ID),
    "num.partitions": "1",
    "auto.create.topics.enable": "true",
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "group.initial.rebalance.delay.ms": "0",
}

# Tests of behaviours run against Ottla, and in the long run against Kafka too, which proves that they are Kafka's.
ON_BOTH_BROKERS = pytest.mark.parametrize(
    "broker", [pytest.param("ottla"), pytest.param("kafka", marks=pytest.mark.long)], indirect=True
)


class BrokerProcess(ABC):
    """One broker: the same port and data every time it is started."""

    def __init__(self, directory: Path, properties: Mapping[str, str] | None = None) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.log_dir = directory / "logs"
        self.output = directory / "broker.out"
        self._process: subprocess.Popen[bytes] | None = None
        self.properties = TEST_PROPERTIES | {
            "listeners": f"PLAINTEXT://{self.address}",
            "log.dirs": str(self.log_dir),
        }
        self.properties.update(properties or {})

    @abstractmethod
    def command(self, properties_file: Path) -> list[str]:
        """What runs the broker."""

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def launch(self, prefix: tuple[str, ...] = ()) -> None:
        """Start the process and do not wait for it. `prefix`: a program that runs it, strace for one."""
        properties_file = self.directory / "server.properties"
        properties_file.write_text("".join(f"{key}={value}\n" for key, value in self.properties.items()))
        with self.output.open("ab") as output:
            self._process = subprocess.Popen(
                [*prefix, *self.command(properties_file)], stdout=output, stderr=output, cwd=self.directory
            )

    def start(self, prefix: tuple[str, ...] = ()) -> None:
        self.launch(prefix)
        self.await_ready()

    def await_ready(self) -> None:
        deadline = time.monotonic() + START_SECONDS_MAX
        while not self.answers():
            assert self.is_running, f"the broker ended:\n{self.tail()}"
            assert time.monotonic() < deadline, f"the broker did not come up:\n{self.tail()}"
            time.sleep(0.01)

    def answers(self) -> bool:
        try:
            with RawKafka(self.address, timeout=5) as client:
                return int(self.properties["broker.id"]) in live_broker_ids(client)
        except (OSError, RawKafkaError):
            return False

    def kill(self) -> None:
        """kill -9."""
        self._end(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        return self._end(signal.SIGTERM)

    def pause(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def wait(self, timeout: float = STOP_SECONDS_MAX) -> int:
        """Until the process has ended by itself."""
        assert self._process is not None
        return self._process.wait(timeout)

    def tail(self, characters: int = 3000) -> str:
        return self.output.read_text(errors="replace")[-characters:] if self.output.exists() else ""

    def _end(self, number: int) -> int:
        if self._process is None:
            return 0
        self._process.send_signal(number)
        code = self._process.wait(STOP_SECONDS_MAX)
        self._process = None
        return code


class OttlaProcess(BrokerProcess):
    """`ottla start`, with the interpreter that runs the tests and an embedded ZooKeeper unless told otherwise."""

    def __init__(self, directory: Path, properties: Mapping[str, str] | None = None) -> None:
        super().__init__(directory, {"ottla.zookeeper.port": "0"} | dict(properties or {}))

    def command(self, properties_file: Path) -> list[str]:
        return [sys.executable, "-m", "ottla", "start", str(properties_file)]


class KafkaProcess(BrokerProcess):
    """Apache Kafka 3.9.1 in ZooKeeper mode: `properties` must have a zookeeper.connect."""

    VERSION = "3.9.1"

    def __init__(self, directory: Path, properties: Mapping[str, str]) -> None:
        super().__init__(directory, {"inter.broker.protocol.version": "3.9"} | dict(properties))

    def command(self, properties_file: Path) -> list[str]:
        return [
            require_command("java"), "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
            f"-Dkafka.logs.dir={self.directory}", "-cp", kafka_classpath(self.VERSION), "kafka.Kafka",
            str(properties_file),
        ]  # fmt: skip


@contextmanager
def running(broker: BrokerProcess) -> Iterator[BrokerProcess]:
    """The broker started, and killed at the end of the block."""
    try:
        broker.start()
        yield broker
    finally:
        broker.kill()


@contextmanager
def ottla_broker(directory: Path, properties: Mapping[str, str] | None = None) -> Iterator[BrokerProcess]:
    with running(OttlaProcess(directory, properties)) as broker:
        yield broker


@contextmanager
def kafka_on_zookeeper(directory: Path, properties: Mapping[str, str] | None = None) -> Iterator[BrokerProcess]:
    """Apache Kafka on our embedded ZooKeeper, which is quicker up than Debian's."""
    zookeeper = embedded_server(directory / "zookeeper", tickTime="1000")
    zookeeper.start()
    try:
        connect = {"zookeeper.connect": zookeeper.address}
        with running(KafkaProcess(directory / "kafka", connect | dict(properties or {}))) as broker:
            yield broker
    finally:
        zookeeper.kill()
