"""Topics that are empty, and topics that are not there: created by their first use, or refused."""

from collections.abc import Callable

import pytest

from ottla.errors import ErrorCode
from support.broker import BrokerProcess
from support.drivers.catalogue import CLIENTS, one_quick
from support.drivers.records import ClientRecord, Driver, DriverError
from support.raw_kafka import topic_metadata


@pytest.mark.long
@pytest.mark.parametrize("client", CLIENTS, indirect=True)
def test_empty_topic_gives_no_record_and_no_error(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic()
    assert client.consume(broker.address, topic, {0: 0}, 1, timeout=2) == []
    assert client.offset_at(broker.address, topic, 0, "earliest") == 0
    assert client.offset_at(broker.address, topic, 0, "latest") == 0


# franz-go has no topics created unless it is told to.
CREATION_CONFIG = {"franz-go": {"allow.auto.create.topics": "true"}}


@pytest.mark.parametrize("client", one_quick("kcat"), indirect=True)
def test_producing_to_a_topic_that_is_not_there_creates_it(
    broker: BrokerProcess, fresh_name: Callable[[], str], client: Driver
):
    topic = fresh_name()
    config = CREATION_CONFIG.get(client.name, {})
    client.produce(broker.address, topic, [ClientRecord(b"key", b"value")], config=config)
    assert len(topic_metadata(broker.address, topic).partitions) == 1
    assert [record.value for record in client.consume(broker.address, topic, {0: 0}, 1)] == [b"value"]


UNKNOWN = {
    "confluent-kafka": ("UNKNOWN_TOPIC", {"message.timeout.ms": "3000", "topic.metadata.propagation.max.ms": "500"}),
    "kafka-python": ("UnknownTopic|KafkaTimeout", {"max.block.ms": "2000"}),
    "kafka-python-2.3.3": ("UnknownTopic|KafkaTimeout", {"max.block.ms": "2000"}),
    "aiokafka": ("UnknownTopic", {"request.timeout.ms": "2000"}),
    "java-3.9.1": ("TimeoutException: Topic .* not present in metadata", {"max.block.ms": "2000"}),
    "java-4.3.0": ("TimeoutException: Topic .* not present in metadata", {"max.block.ms": "2000"}),
    "franz-go": ("UNKNOWN_TOPIC_OR_PARTITION", {}),
    "kcat": ("(?i)unknown topic", {"message.timeout.ms": "3000", "topic.metadata.propagation.max.ms": "500"}),
}


@pytest.mark.long
@pytest.mark.parametrize("client", CLIENTS, indirect=True)
def test_topic_that_is_not_there_is_refused_where_creation_is_off(
    broker_without_auto_creation: BrokerProcess, fresh_name: Callable[[], str], client: Driver
):
    address = broker_without_auto_creation.address
    topic = fresh_name()
    pattern, config = UNKNOWN[client.name]
    with pytest.raises(DriverError, match=pattern):
        client.produce(address, topic, [ClientRecord(b"key", b"value")], config=config)
    assert topic_metadata(address, topic).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.long
@pytest.mark.parametrize("client", ["kcat"], indirect=True)
def test_reading_a_topic_that_is_not_there_is_an_error(
    broker_without_auto_creation: BrokerProcess, fresh_name: Callable[[], str], client: Driver
):
    """kcat says so; the other clients wait for the topic to come."""
    with pytest.raises(DriverError, match=r"(?i)unknown.topic"):
        client.consume(broker_without_auto_creation.address, fresh_name(), {0: 0}, 1)
