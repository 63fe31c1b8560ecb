"""Records of one byte to 900 KB, topics of one to a hundred partitions."""

import pytest

from support.broker import BrokerProcess
from support.drivers.catalogue import CLIENTS, one_quick
from support.drivers.records import ClientRecord, Driver, DriverError
from support.drivers.samples import NOW_MS, assert_same, stamped
from support.raw_kafka import RawKafka
from support.raw_requests import batch, produce

SIZES = (1, 2, 100, 1_000, 16_383, 16_384, 65_536, 300_000, 900_000)


@pytest.mark.parametrize("client", one_quick("aiokafka"), indirect=True)
def test_records_of_one_byte_to_900_kilobytes(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic()
    sent = stamped([ClientRecord(b"key", bytes([number]) * size) for number, size in enumerate(SIZES)], client)
    client.produce(broker.address, topic, sent)
    assert_same(client.consume(broker.address, topic, {0: 0}, len(sent)), sent)


@pytest.mark.long
@pytest.mark.parametrize("client", CLIENTS, indirect=True)
@pytest.mark.parametrize("partitions", [1, 10, 100])
def test_every_partition_gets_its_own_records(broker: BrokerProcess, make_topic, client: Driver, partitions: int):
    topic = make_topic(partitions)
    sent = stamped([ClientRecord(b"key", b"to %d" % number, partition=number) for number in range(partitions)], client)
    client.produce(broker.address, topic, sent, codec="gzip")
    received = client.consume(broker.address, topic, dict.fromkeys(range(partitions), 0), partitions)
    assert_same(sorted(received, key=lambda record: record.partition or 0), sent)
    assert {record.offset for record in received} == {0}


@pytest.mark.parametrize("client", one_quick("kafka-python"), indirect=True)
@pytest.mark.parametrize(
    ("partitions", "size"),
    [
        pytest.param(2, 2_000_000, id="batches larger than a consumer asks of a partition"),
        pytest.param(24, 700_000, id="batches that do not go into what is left of an answer"),
    ],
)
def test_a_large_batch_behind_those_of_other_partitions_is_read(
    broker: BrokerProcess, raw: RawKafka, make_topic, client: Driver, partitions: int, size: int
):
    topic = make_topic(partitions, **{"max.message.bytes": "5000000"})
    for index in range(partitions):
        records = batch([bytes([index]) * size], timestamps=[NOW_MS])
        assert produce(raw, topic, records, partition=index).error_code == 0
    received = client.consume(broker.address, topic, dict.fromkeys(range(partitions), 0), partitions)
    assert sorted(record.partition or 0 for record in received) == list(range(partitions))


@pytest.mark.long
@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "kcat"], indirect=True)
def test_partition_chosen_by_the_client_is_the_one_of_its_key(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic(5)
    sent = stamped([ClientRecord(b"key %d" % (n % 7), b"%d" % n, partition=None) for n in range(70)], client)
    client.produce(broker.address, topic, sent)
    received = client.consume(broker.address, topic, dict.fromkeys(range(5), 0), len(sent))
    assert len({(record.key, record.partition) for record in received}) == 7
    assert sorted(int(record.value or b"") for record in received) == list(range(70))


TOO_LARGE = {
    "confluent-kafka": "MSG_SIZE_TOO_LARGE",
    "kafka-python": "MessageSizeTooLarge|RecordTooLarge|MessageTooLarge",
    "kafka-python-2.3.3": "MessageSizeTooLarge",
    "aiokafka": "MessageSizeTooLarge",
    "java-3.9.1": "RecordTooLarge",
    "java-4.3.0": "RecordTooLarge",
    "franz-go": "MESSAGE_TOO_LARGE",
    "kcat": "(?i)too large",
}


@pytest.mark.parametrize("client", one_quick("java-3.9.1"), indirect=True)
def test_batch_larger_than_the_topic_allows_is_refused_and_the_next_is_taken(
    broker: BrokerProcess, make_topic, client: Driver
):
    topic = make_topic(**{"max.message.bytes": "1000"})
    with pytest.raises(DriverError, match=TOO_LARGE[client.name]):
        client.produce(broker.address, topic, [ClientRecord(b"key", b"x" * 2000)])
    client.produce(broker.address, topic, [ClientRecord(b"key", b"small")])
    assert [record.value for record in client.consume(broker.address, topic, {0: 0}, 1)] == [b"small"]
