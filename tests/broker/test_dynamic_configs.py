"""Broker keys that are altered while the broker runs: what is open takes them over, and the next start finds them."""

import contextlib
from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.records.attributes import Codec
from ottla.testing import EmbeddedBroker
from support.embedded import alter, inside, log_of
from support.raw_kafka import RawKafka
from support.raw_requests import batch, produce

ALL_BROKERS, THIS_BROKER = "", "0"
TOPIC = "t"
LARGE = batch([bytes(1000)])


def restart(broker: EmbeddedBroker) -> None:
    broker.brokers[0].stop()
    broker.brokers[0].start()


def produced(broker: EmbeddedBroker) -> int:
    """The error code."""
    with RawKafka(broker.address) as raw:
        return int(produce(raw, TOPIC, LARGE).error_code)


@pytest.mark.parametrize("name", [ALL_BROKERS, THIS_BROKER])
def test_an_altered_default_of_topics_holds_for_those_that_are_open_and_after_a_restart(
    tmp_path: Path, name: str
) -> None:
    with EmbeddedBroker(directory=tmp_path) as broker:
        broker.create_topic(TOPIC)
        assert produced(broker) == ErrorCode.NONE
        alter(broker, name, "message.max.bytes", "500")
        assert produced(broker) == ErrorCode.MESSAGE_TOO_LARGE
        restart(broker)
        assert produced(broker) == ErrorCode.MESSAGE_TOO_LARGE
        alter(broker, name, "message.max.bytes", None)
        assert produced(broker) == ErrorCode.NONE


def test_what_a_topic_says_itself_goes_before_an_altered_default(tmp_path: Path) -> None:
    with EmbeddedBroker(directory=tmp_path) as broker:
        broker.create_topic(TOPIC, configs={"max.message.bytes": "5000"})
        alter(broker, ALL_BROKERS, "message.max.bytes", "500")
        assert produced(broker) == ErrorCode.NONE


def test_altered_retention_reaches_logs_that_are_open(tmp_path: Path) -> None:
    with EmbeddedBroker(directory=tmp_path) as broker:
        broker.create_topic(TOPIC)
        alter(broker, ALL_BROKERS, "log.retention.ms", "12345")
        assert log_of(broker, TOPIC).config.retention_ms == 12345


def test_keys_of_the_log_manager_can_be_altered(tmp_path: Path) -> None:
    with EmbeddedBroker(directory=tmp_path) as broker:
        broker.create_topic(TOPIC)
        alter(broker, ALL_BROKERS, "producer.id.expiration.ms", "777")
        alter(broker, ALL_BROKERS, "ottla.validate.compressed", "true")
        assert inside(broker).data.logs.registry.settings.producer_expiration_ms == 777
        assert log_of(broker, TOPIC).validation.is_heavy(memoryview(batch([bytes(100)], compression=Codec.GZIP)))


def test_an_altered_bound_on_connections_holds_at_once_and_after_a_restart(tmp_path: Path) -> None:
    with EmbeddedBroker(directory=tmp_path) as broker:
        alter(broker, THIS_BROKER, "max.connections.per.ip", "3")
        for _ in range(2):
            with contextlib.ExitStack() as stack:
                *_, surplus = [stack.enter_context(RawKafka(broker.address)) for _ in range(4)]
                assert surplus.is_closed_by_broker()
            restart(broker)
