"""Reading from the middle: by offset and by timestamp; the first and the last offset."""

import pytest

from support.broker import BrokerProcess
from support.drivers.catalogue import CLIENTS, driver
from support.drivers.records import Driver, DriverError
from support.drivers.samples import NOW_MS, assert_same, numbered_records

COUNT = 10


@pytest.fixture
def topic_of_ten(broker: BrokerProcess, make_topic) -> str:
    """Ten records, one a second, in a few batches."""
    topic = make_topic()
    writer = driver("confluent-kafka")
    sent = numbered_records(writer, COUNT)
    for start in range(0, COUNT, 4):
        writer.produce(broker.address, topic, sent[start : start + 4])
    return topic


@pytest.mark.parametrize("client", CLIENTS, indirect=True)
def test_client_reads_from_an_offset_inside_a_batch(broker: BrokerProcess, topic_of_ten: str, client: Driver):
    received = client.consume(broker.address, topic_of_ten, {0: 6}, COUNT - 6)
    assert [record.offset for record in received] == [6, 7, 8, 9]
    assert_same(received, numbered_records(driver("confluent-kafka"), COUNT)[6:])


@pytest.mark.parametrize("client", CLIENTS, indirect=True)
def test_client_finds_offsets_by_name_and_by_timestamp(broker: BrokerProcess, topic_of_ten: str, client: Driver):
    def offset_at(at: str | int) -> int:
        return client.offset_at(broker.address, topic_of_ten, 0, at)

    assert offset_at("earliest") == 0
    assert offset_at("latest") == COUNT
    assert offset_at(NOW_MS - 1) == 0
    assert offset_at(NOW_MS + 5000) == 5
    assert offset_at(NOW_MS + 5001) == 6
    assert offset_at(NOW_MS + 1_000_000) in (-1, COUNT)


@pytest.mark.parametrize("client", ["java-3.9.1", "java-4.3.0"], indirect=True)
def test_java_admin_finds_the_largest_timestamp(broker: BrokerProcess, topic_of_ten: str, client: Driver):
    assert client.offset_at(broker.address, topic_of_ten, 0, "max-timestamp") == COUNT - 1


REFUSES = {
    "confluent-kafka": "OFFSET_OUT_OF_RANGE|AUTO_OFFSET_RESET",
    "kafka-python": "OffsetOutOfRange",
    "kafka-python-2.3.3": "OffsetOutOfRange",
    "aiokafka": "OffsetOutOfRange",
    "java-3.9.1": "OffsetOutOfRange",
    "java-4.3.0": "OffsetOutOfRange",
}


@pytest.mark.parametrize("client", REFUSES, indirect=True)
def test_offset_beyond_the_end_is_out_of_range(broker: BrokerProcess, topic_of_ten: str, client: Driver):
    config = {"auto.offset.reset": "none"} if client.name.startswith("java") else {}
    with pytest.raises(DriverError, match=REFUSES[client.name]):
        client.consume(broker.address, topic_of_ten, {0: COUNT + 1}, 1, config=config)
