"""SIGTERM ends a broker within ten seconds in whatever state it is; its exit code says whether anything was left."""

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from ottla.protocol.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from support.acknowledged import AcknowledgedProducer
from support.broker import OttlaProcess, running
from support.eventually import eventually
from support.flash_disk import flash_disk
from support.raw_kafka import RawKafka, create_topic
from support.raw_requests import batch, fetch_partition, fetch_request, produce
from support.zookeepers import ZooKeeperProcess, embedded_server

TOPIC = "stopped"
STOP_SECONDS_MAX = 10
LARGE = b"x" * 900_000


def stop(broker: OttlaProcess) -> int:
    os.kill(broker.pid, signal.SIGTERM)
    return broker.wait(STOP_SECONDS_MAX)


def creation(name: str, value: str = "", timeout_ms: int = 60_000) -> CreateTopicsRequest:
    configs = [CreatableTopicConfig(name="follower.replication.throttled.replicas", value=value)] if value else []
    topic = CreatableTopic(name=name, num_partitions=1, replication_factor=1, configs=configs)
    return CreateTopicsRequest(topics=[topic], timeout_ms=timeout_ms)


@contextmanager
def on_zookeeper(directory: Path, **settings: str) -> Iterator[tuple[OttlaProcess, ZooKeeperProcess]]:
    """A broker whose ZooKeeper is a process of its own."""
    zookeeper = embedded_server(directory / "zookeeper", **{"tickTime": "1000"} | settings)
    zookeeper.start()
    broker = OttlaProcess(directory / "broker", {"zookeeper.connect": zookeeper.address})
    try:
        with running(broker):
            create_topic(broker.address, TOPIC)
            yield broker, zookeeper
    finally:
        os.kill(zookeeper.pid, signal.SIGCONT)
        zookeeper.kill()


def test_while_zookeeper_does_not_answer(tmp_path: Path) -> None:
    with on_zookeeper(tmp_path) as (broker, zookeeper), RawKafka(broker.address) as waiting:
        os.kill(zookeeper.pid, signal.SIGSTOP)
        waiting.send(creation("never"), 5)  # the controller waits, and its client with it
        assert stop(broker) == 0
        assert "did not confirm the end of session" in broker.tail()


def test_while_zookeeper_is_gone(tmp_path: Path) -> None:
    with on_zookeeper(tmp_path) as (broker, zookeeper):
        zookeeper.kill()
        zookeeper.start()
        os.kill(zookeeper.pid, signal.SIGKILL)
        assert stop(broker) == 0


def test_while_the_start_waits_for_zookeeper(tmp_path: Path) -> None:
    zookeeper = embedded_server(tmp_path / "zookeeper")
    zookeeper.start()
    os.kill(zookeeper.pid, signal.SIGSTOP)
    broker = OttlaProcess(tmp_path / "broker", {"zookeeper.connect": zookeeper.address})
    try:
        broker.launch()
        eventually(lambda: (broker.log_dir / ".lock").exists())
        assert stop(broker) == 0
    finally:
        os.kill(zookeeper.pid, signal.SIGCONT)
        zookeeper.kill()


def test_while_zookeeper_is_full(tmp_path: Path) -> None:
    with on_zookeeper(tmp_path, **{"ottla.bytes.max": "100000"}) as (broker, _), RawKafka(broker.address) as raw:
        value = ",".join(f"{number}:0" for number in range(5_000))
        codes = [raw.ask(creation(f"t{number}", value), 5).topics[0].error_code for number in range(6)]
        assert codes[0] == 0
        assert codes[-1] != 0  # and it answered
        assert stop(broker) == 0


def test_after_a_value_that_zookeeper_does_not_take(tmp_path: Path) -> None:
    """The server's own bound is lower than the one that the broker knows: it closes the connection each time."""
    with on_zookeeper(tmp_path, **{"jute.maxbuffer": "20000"}) as (broker, _), RawKafka(broker.address) as raw:
        value = ",".join(f"{number}:0" for number in range(5_000))
        assert raw.ask(creation("large", value), 5).topics[0].error_code != 0
        create_topic(broker.address, "small")
        assert stop(broker) == 0


def test_while_clients_wait_and_a_load_goes_on(tmp_path: Path) -> None:
    with running(OttlaProcess(tmp_path)) as broker, ExitStack() as clients:
        create_topic(broker.address, TOPIC)
        consumer = clients.enter_context(RawKafka(broker.address))
        consumer.send(fetch_request(TOPIC, [fetch_partition(1 << 40)], wait_ms=600_000, min_bytes=1 << 30), 12)
        half = clients.enter_context(RawKafka(broker.address))
        half.sock.sendall(b"\0\0\1\0half a request")
        producer = clients.enter_context(AcknowledgedProducer(broker.address, TOPIC, {"acks": "all"}))
        producer.await_more(100)
        assert stop(broker) == 0
        broker.start()
        producer.await_more(1)


def fill(path: Path) -> None:
    with path.open("wb", buffering=0) as filler:
        for size in (1 << 16, 1):
            try:
                while filler.write(b"x" * size):
                    pass
            except OSError:
                continue


@pytest.mark.long
@pytest.mark.timeout(120)
def test_while_the_disk_is_full_and_the_broker_starts_again_when_there_is_room(tmp_path: Path) -> None:
    with flash_disk(tmp_path, 48 << 20) as disk:
        broker = OttlaProcess(tmp_path / "broker", {"log.dirs": str(disk.mount_point / "logs")})
        with running(broker):
            create_topic(broker.address, TOPIC)
            with RawKafka(broker.address) as raw:
                count = 0
                while produce(raw, TOPIC, batch([LARGE])).error_code == 0:
                    count += 1
                fill(disk.mount_point / "filler")
                for number in range(3):
                    assert raw.ask(creation(f"t{number}"), 5).topics[0].error_code != 0
            code = stop(broker)
            assert (code == 0) == (disk.mount_point / "logs" / ".kafka_cleanshutdown").exists()
            (disk.mount_point / "filler").unlink()
        with running(broker), RawKafka(broker.address) as raw:
            create_topic(broker.address, "afterwards")
            assert produce(raw, TOPIC, batch([b"small"])).base_offset == count
            stop(broker)


@pytest.mark.long
@pytest.mark.timeout(120)
def test_after_the_disk_failed_and_the_broker_starts_again_when_it_is_back(tmp_path: Path) -> None:
    with flash_disk(tmp_path, 128 << 20) as disk:
        broker = OttlaProcess(tmp_path / "broker", {"log.dirs": str(disk.mount_point / "logs")})
        with running(broker):
            create_topic(broker.address, TOPIC)
            with RawKafka(broker.address) as raw:
                assert produce(raw, TOPIC, batch(), timeout_ms=1000).error_code == 0
                os.sync()
                disk.cut_power()  # every access fails with EIO from here on
                raw.send(creation("never"), 5)
                assert stop(broker) != 0
            disk.unmount()
            disk.mount()
        with running(broker), RawKafka(broker.address) as raw:
            create_topic(broker.address, "afterwards")
            assert produce(raw, TOPIC, batch()).base_offset == 1
