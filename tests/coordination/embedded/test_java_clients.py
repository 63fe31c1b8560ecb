"""Clients in Java against the embedded server: Debian's zkCli.sh, and an Apache Kafka broker in ZooKeeper mode."""

import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from support.peers import kafka_classpath, require_command
from support.ports import free_port
from support.zkcli import run_zkcli
from support.zookeepers import ZooKeeperProcess, embedded_server

KAFKA_VERSION = "3.9.1"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ZooKeeperProcess]:
    running = embedded_server(tmp_path / "zookeeper", tickTime="2000")
    running.start()
    yield running
    running.stop()


def test_zkcli_creates_reads_watches_and_deletes(server: ZooKeeperProcess) -> None:
    output = run_zkcli(
        server,
        "create /a first",
        "create -s -e /a-",
        "create -c /container",
        "create -t 60000 /ttl",
        "get -w /a",
        "set /a second",
        "stat /a",
        "addWatch -m PERSISTENT_RECURSIVE /a",
        "create /a/b",
        "ls -R /a",
        "addauth digest bob:secret",
        "create /private data auth::cdrwa",
        "getAcl /private",
        "whoami",
        "getEphemerals",
        "getAllChildrenNumber /a",
        "setquota -n 10 /a",
        "sync /a",
        "config",
        "deleteall /a",
        "delete /missing",
    )
    for expected in (
        "Created /a\n",
        "Created /a-0000000001",
        "Created /container",
        "Created /ttl",
        "first",
        "type:NodeDataChanged path:/a",
        "dataVersion = 1",
        "type:NodeCreated path:/a/b",
        "/a/b",
        "'digest,'bob:",
        "digest: bob",
        "[/a-0000000001]",
        "Sync is OK",
        "Node does not exist: /missing",
    ):
        assert expected in output, f"{expected!r} is missing in:\n{output}"


class KafkaBroker:
    """An Apache Kafka broker whose ZooKeeper is ours."""

    def __init__(self, directory: Path, zookeeper: str) -> None:
        self.port = free_port()
        self.log = directory / "kafka.log"
        properties = directory / "server.properties"
        properties.write_text(
            f"broker.id=0\nlisteners=PLAINTEXT://127.0.0.1:{self.port}\nlog.dirs={directory / 'kafka-logs'}\n"
            f"zookeeper.connect={zookeeper}/kafka\noffsets.topic.replication.factor=1\n"
            "group.initial.rebalance.delay.ms=0\noffsets.topic.num.partitions=1\n"
        )
        command = [
            require_command("java"), "-Xmx300m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-cp", kafka_classpath(KAFKA_VERSION), "kafka.Kafka", str(properties),
        ]  # fmt: skip
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=directory)

    def wait_until_serving(self) -> AdminClient:
        admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{self.port}", "log_level": 0})
        deadline = time.monotonic() + 90
        while True:
            try:
                assert admin.list_topics(timeout=2).brokers
                return admin
            except KafkaException:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise AssertionError(f"the broker did not come up:\n{self.log.read_text()[-4000:]}") from None

    def stop(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)


def test_a_kafka_broker_in_zookeeper_mode_lives_on_it(server: ZooKeeperProcess, tmp_path: Path) -> None:
    broker = KafkaBroker(tmp_path, server.address)
    try:
        admin = broker.wait_until_serving()
        admin.create_topics([NewTopic("events", 3, 1)])["events"].result(30)
        server.kill()  # the broker's session outlives the server
        server.start()
        admin.create_topics([NewTopic("after-restart", 1, 1)])["after-restart"].result(30)
        producer = Producer({"bootstrap.servers": f"127.0.0.1:{broker.port}"})
        for number in range(100):
            producer.produce("events", b"%d" % number)
        assert producer.flush(30) == 0
        assert sorted(consume(broker.port, 100)) == list(range(100))
    finally:
        broker.stop()


def consume(port: int, count: int) -> list[int]:
    consumer = Consumer(
        {"bootstrap.servers": f"127.0.0.1:{port}", "group.id": "readers", "auto.offset.reset": "earliest"}
    )
    consumer.subscribe(["events"])
    values: list[int] = []
    deadline = time.monotonic() + 60
    while len(values) < count and time.monotonic() < deadline:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            values.append(int(message.value()))
    consumer.close()
    return values
