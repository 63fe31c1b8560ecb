"""A real Apache Kafka broker in KRaft mode, for tests of our clients: `kafka_broker("4.3.0")`.

One node is broker and controller at once, on free ports, with a small heap. It can be killed and started again on the
same port and the same data. Groups form at once (no initial rebalance delay) and internal topics have one partition.
"""

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.peers import kafka_classpath, require_command, run_kafka_class
from support.ports import free_port

START_TIMEOUT_S = 90
CLUSTER_ID = "5L6g3nShT-eMCtK--X86sw"
JVM_FLAGS = ("-Xmx512m", "-Xms128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")

PROPERTIES = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller_port}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}
advertised.listeners=PLAINTEXT://127.0.0.1:{advertised_port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={log_dir}
num.partitions=1
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
log.retention.check.interval.ms=600000
auto.create.topics.enable=true
delete.topic.enable=true
"""


class KafkaBroker:
    """A broker process. `address` is what clients bootstrap from."""

    def __init__(self, version: str, directory: Path, advertised_port: int | None = None) -> None:
        self.version = version
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None
        self._properties = directory / "server.properties"
        self._properties.write_text(
            PROPERTIES.format(
                port=self.port,
                advertised_port=advertised_port or self.port,
                controller_port=free_port(),
                log_dir=directory / "logs",
            )
        )

    def format(self) -> None:
        done = run_kafka_class(
            self.version, "kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(self._properties)
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        command = [
            require_command("java"), *JVM_FLAGS, f"-Dkafka.logs.dir={self._directory}",
            "-cp", kafka_classpath(self.version), "kafka.Kafka", str(self._properties),
        ]  # fmt: skip
        with (self._directory / "broker.out").open("ab") as output:
            self._process = subprocess.Popen(command, stdout=output, stderr=output, cwd=self._directory)
        self._await_answer()

    def kill(self) -> None:
        """kill -9: what it had not written to its files is lost with it."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            os.kill(self._process.pid, number)
            self._process.wait(60)
            self._process = None

    def _await_answer(self) -> None:
        """Until the broker answers ApiVersions (version 0, no client id), which is the last thing that comes up."""
        request = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            assert self._process is not None
            assert self._process.poll() is None, (self._directory / "broker.out").read_text()[-4000:]
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as probe:
                    probe.settimeout(5)
                    probe.sendall(request)
                    if probe.recv(4):
                        return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("Kafka did not start: " + (self._directory / "broker.out").read_text()[-4000:])


@contextmanager
def kafka_broker(version: str, advertised_port: int | None = None) -> Iterator[KafkaBroker]:
    """A broker that runs until the block ends. `advertised_port`: where a proxy in front of it listens."""
    with tempfile.TemporaryDirectory(prefix="kafka-") as directory:
        broker = KafkaBroker(version, Path(directory), advertised_port)
        broker.format()
        broker.start()
        try:
            yield broker
        finally:
            broker.kill()
