"""ZooKeeper as a server of its own, stopped for a while: produce and fetch go on, and everything resumes."""

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.errors import ErrorCode, error_for_code
from ottla.protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from support.acknowledged import AcknowledgedProducer, assert_nothing_lost
from support.broker import OttlaProcess, running
from support.raw_kafka import RawKafka, create_topic
from support.raw_requests import batch, fetch, produce, records_in
from support.zookeepers import ZooKeeperProcess, embedded_server

TOPIC = "steady"
SESSION_TIMEOUT_MS = 2000
LONG_SESSION_TIMEOUT_MS = 60_000
CREATION = CreateTopicsRequest(
    topics=[CreatableTopic(name="meanwhile", num_partitions=1, replication_factor=1)], timeout_ms=500
)


@pytest.fixture
def zookeeper(tmp_path: Path) -> Iterator[ZooKeeperProcess]:
    server = embedded_server(tmp_path / "zookeeper", tickTime="100")
    server.start()
    yield server
    os.kill(server.pid, signal.SIGCONT)
    server.kill()


def broker_on(zookeeper: ZooKeeperProcess, directory: Path, session_timeout_ms: int) -> OttlaProcess:
    return OttlaProcess(
        directory / "broker",
        {"zookeeper.connect": zookeeper.address, "zookeeper.session.timeout.ms": str(session_timeout_ms)},
    )


def registrations(broker: OttlaProcess) -> int:
    return broker.output.read_text().count("registered broker 0")


def test_produce_and_fetch_go_on_while_zookeeper_is_away(zookeeper: ZooKeeperProcess, tmp_path: Path):
    with running(broker_on(zookeeper, tmp_path, LONG_SESSION_TIMEOUT_MS)) as broker, RawKafka(broker.address) as raw:
        create_topic(broker.address, TOPIC)
        os.kill(zookeeper.pid, signal.SIGSTOP)
        for number in range(50):
            assert produce(raw, TOPIC, batch([b"%d" % number])).error_code == 0
            assert records_in(fetch(raw, TOPIC, number).records)[0].value == b"%d" % number
        os.kill(zookeeper.pid, signal.SIGCONT)
        create_topic(broker.address, "afterwards")
        assert registrations(broker) == 1


def test_everything_resumes_after_a_time_longer_than_the_session(zookeeper: ZooKeeperProcess, tmp_path: Path):
    with running(broker_on(zookeeper, tmp_path, SESSION_TIMEOUT_MS)) as broker:
        create_topic(broker.address, TOPIC)
        with AcknowledgedProducer(broker.address, TOPIC, {"acks": "all"}) as producer:
            producer.await_more(100)
            os.kill(zookeeper.pid, signal.SIGSTOP)
            await_output(broker, "is over")
            os.kill(zookeeper.pid, signal.SIGCONT)
            await_registrations(broker, 2)
            producer.await_more(100)
        assert_nothing_lost(broker.address, TOPIC, producer)
        create_topic(broker.address, "afterwards")
        assert "Traceback" not in broker.output.read_text()


def test_nothing_is_promised_beyond_the_session_and_what_is_safe_goes_on(zookeeper: ZooKeeperProcess, tmp_path: Path):
    """Another broker may lead by then: records are not acknowledged as safe, nothing is changed, what is read is."""
    with running(broker_on(zookeeper, tmp_path, SESSION_TIMEOUT_MS)) as broker, RawKafka(broker.address) as raw:
        create_topic(broker.address, TOPIC)
        assert produce(raw, TOPIC, batch([b"before"])).error_code == 0
        os.kill(zookeeper.pid, signal.SIGSTOP)
        await_output(broker, "is over")
        for _ in range(20):
            assert produce(raw, TOPIC, batch([b"meanwhile"])).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert [record.value for record in records_in(fetch(raw, TOPIC, 0).records)] == [b"before"]
        refused = raw.ask(CREATION, 5).topics[0].error_code
        assert refused in (ErrorCode.NOT_CONTROLLER, ErrorCode.REQUEST_TIMED_OUT)
        os.kill(zookeeper.pid, signal.SIGCONT)
        await_registrations(broker, 2)
        await_acknowledgement(raw, b"afterwards")
        values = [record.value for record in records_in(fetch(raw, TOPIC, 0).records)]
        assert (values[0], values[-1]) == (b"before", b"afterwards")
        assert set(values) == {b"before", b"afterwards"}
        create_topic(broker.address, "afterwards")


@pytest.mark.long
def test_everything_resumes_after_zookeeper_was_killed_and_started_again(zookeeper: ZooKeeperProcess, tmp_path: Path):
    with running(broker_on(zookeeper, tmp_path, SESSION_TIMEOUT_MS)) as broker:
        create_topic(broker.address, TOPIC)
        with AcknowledgedProducer(broker.address, TOPIC, {"acks": "all"}) as producer:
            for _ in range(3):
                producer.await_more(100)
                zookeeper.kill()
                zookeeper.start()
            producer.await_more(100)
        assert_nothing_lost(broker.address, TOPIC, producer)
        create_topic(broker.address, "afterwards")


def test_killed_broker_takes_up_its_old_session_and_does_not_wait_for_its_end(
    zookeeper: ZooKeeperProcess, tmp_path: Path
):
    """The old session would hold the broker's id for a minute; the restart takes a second or two."""
    with running(broker_on(zookeeper, tmp_path, LONG_SESSION_TIMEOUT_MS)) as broker:
        create_topic(broker.address, TOPIC)
        broker.kill()
        began = time.monotonic()
        broker.start()
        assert time.monotonic() - began < LONG_SESSION_TIMEOUT_MS / 1000 / 2
        with RawKafka(broker.address) as raw:
            assert produce(raw, TOPIC, batch()).error_code == 0


def await_acknowledgement(raw: RawKafka, value: bytes) -> None:
    """Produce until it is acknowledged, as a client does that is told to look for the leader again."""
    deadline = time.monotonic() + 60
    while (code := produce(raw, TOPIC, batch([value])).error_code) != 0:
        assert error_for_code(code).retriable
        assert time.monotonic() < deadline, ErrorCode(code).name
        time.sleep(0.01)


def await_output(broker: OttlaProcess, text: str, count: int = 1) -> None:
    deadline = time.monotonic() + 60
    while broker.output.read_text().count(text) < count:
        assert time.monotonic() < deadline, f"{text!r} was not said:\n{broker.tail()}"
        time.sleep(0.01)


def await_registrations(broker: OttlaProcess, count: int) -> None:
    await_output(broker, "registered broker 0", count)
