"""A real Apache Kafka 3.9 broker in ZooKeeper mode, whose log directory and znodes outlive it."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

from kazoo.client import KazooClient

from support.kafka import JVM_FLAGS, START_TIMEOUT_S
from support.peers import kafka_classpath, require_command
from support.ports import free_port

VERSION = "3.9.1"

PROPERTIES = """
broker.id=1
zookeeper.connect={zookeeper}
zookeeper.session.timeout.ms=6000
listeners=PLAINTEXT://127.0.0.1:{port}
log.dirs={log_dir}
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
log.index.interval.bytes=500
"""

LOG4J = """
log4j.rootLogger=INFO, stdout
log4j.appender.stdout=org.apache.log4j.ConsoleAppender
log4j.appender.stdout.layout=org.apache.log4j.PatternLayout
log4j.appender.stdout.layout.ConversionPattern=%p %m (%c)%n
log4j.logger.org.apache.zookeeper=WARN
"""


class ZooKeeperModeBroker:
    """`start`, `stop` (clean) or `kill`, and start again on the same data."""

    def __init__(self, directory: Path, zookeeper: str) -> None:
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self.log_dir = directory / "logs"
        self._directory = directory
        self._zookeeper = zookeeper
        self._process: subprocess.Popen[bytes] | None = None
        self._properties = directory / "server.properties"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "log4j.properties").write_text(LOG4J)
        self._properties.write_text(PROPERTIES.format(zookeeper=zookeeper, port=self.port, log_dir=self.log_dir))

    @property
    def output(self) -> str:
        return (self._directory / "broker.out").read_text()

    def start(self) -> None:
        command = [
            require_command("java"), *JVM_FLAGS, f"-Dlog4j.configuration=file:{self._directory}/log4j.properties",
            "-cp", kafka_classpath(VERSION), "kafka.Kafka", str(self._properties),
        ]  # fmt: skip
        self._await_unregistered()
        with (self._directory / "broker.out").open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output, cwd=self._directory)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self._answers():
            assert self._process.poll() is None, self.output[-4000:]
            assert time.monotonic() < deadline, self.output[-4000:]
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as probe:
                probe.settimeout(5)
                probe.sendall(bytes.fromhex("0000000a 0012 0000 00000001 ffff"))
                return bool(probe.recv(4))
        except OSError:
            return False

    def _await_unregistered(self) -> None:
        """The session of a broker that was killed, and its registration, live on for the session timeout."""
        client = KazooClient(self._zookeeper)
        client.start()
        deadline = time.monotonic() + START_TIMEOUT_S
        while client.exists("/brokers/ids/1") is not None:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        client.stop()
        client.close()

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            os.kill(process.pid, number)
            process.wait(60)
