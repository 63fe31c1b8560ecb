"""What a topic's settings do to records, as clients see it: append time, compaction's keys, a codec of its own."""

import time

import pytest

from ottla.records.attributes import Codec
from support.broker import BrokerProcess
from support.drivers.catalogue import CLIENTS, PINNED_0_9, PINNED_0_10, driver, one_quick
from support.drivers.records import ClientRecord, Driver, DriverError
from support.drivers.samples import assert_same, numbered_records, varied_records
from support.raw_kafka import RawKafka
from support.raw_requests import fetch, headers_in

ALL = (*CLIENTS, *PINNED_0_9, *PINNED_0_10)


@pytest.mark.parametrize("client", one_quick("java-3.9.1", ALL), indirect=True)
def test_log_append_time_replaces_the_clients_own(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic(**{"message.timestamp.type": "LogAppendTime"})
    before = int(time.time() * 1000)
    sent = numbered_records(client, 5)
    client.produce(broker.address, topic, sent, codec="gzip", acks="1", config=NOT_IDEMPOTENT.get(client.name, {}))
    after = int(time.time() * 1000)
    received = driver("confluent-kafka").consume(broker.address, topic, {0: 0}, len(sent))
    assert_same(received, sent, timestamps=False)
    assert all(before <= (record.timestamp or 0) <= after for record in received)


NOT_IDEMPOTENT = {name: {"enable.idempotence": "false"} for name in ("java-3.9.1", "java-4.3.0")}

NO_KEY = {
    "confluent-kafka": "INVALID_RECORD",
    "kafka-python": "InvalidRecord",
    "kafka-python-2.3.3": "InvalidRecord",
    "aiokafka": "InvalidRecord|UnknownError|87",
    "kcat": "(?i)Broker failed to validate record",
    "java-3.9.1": "InvalidRecordException",
    "java-4.3.0": "InvalidRecordException",
    "franz-go": "INVALID_RECORD",
}


@pytest.mark.parametrize("client", one_quick("java-4.3.0"), indirect=True)
def test_compacted_topic_refuses_a_record_without_key(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic(**{"cleanup.policy": "compact"})
    with pytest.raises(DriverError, match=NO_KEY[client.name]):
        client.produce(broker.address, topic, [ClientRecord(None, b"no key")])
    client.produce(broker.address, topic, [ClientRecord(b"key", b"value")])
    assert [record.value for record in client.consume(broker.address, topic, {0: 0}, 1)] == [b"value"]


@pytest.mark.long
@pytest.mark.parametrize("client", CLIENTS, indirect=True)
@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd", "uncompressed"])
def test_topic_with_a_codec_of_its_own_is_read_by_every_client(
    broker: BrokerProcess, make_topic, client: Driver, codec: str
):
    """The broker compresses anew what comes in another codec; so this reads what Ottla's own codecs write."""
    topic = make_topic(**{"compression.type": codec})
    sent = varied_records(client)
    client.produce(broker.address, topic, sent, codec="gzip" if codec != "gzip" else "lz4")
    assert_same(client.consume(broker.address, topic, {0: 0}, len(sent)), sent)
    with RawKafka(broker.address) as raw:
        stored = {header.compression for header in headers_in(fetch(raw, topic, 0).records)}
    assert stored == {Codec.named(codec)}
