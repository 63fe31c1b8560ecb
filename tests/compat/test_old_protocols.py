"""Clients that speak as in 2015 (0.9: message format v0) and 2016 (0.10: v1), beside clients of today on one topic."""

import pytest

from support.broker import BrokerProcess
from support.drivers.catalogue import PINNED_0_9, PINNED_0_10, driver
from support.drivers.records import ClientRecord, Driver
from support.drivers.samples import NOW_MS, assert_same, numbered_records, varied_records

PINNED = (*PINNED_0_9, *PINNED_0_10)
TODAY = "confluent-kafka"
# These clients themselves refuse lz4 where it would have to be in the message format v0.
REFUSE_LZ4 = ("kafka-python-2.3.3 as 0.9.0", "aiokafka as 0.9.0")
MATRIX = [
    pytest.param(client, codec, marks=[] if codec == "gzip" else [pytest.mark.long])
    for client in PINNED
    for codec in ("none", "gzip", "snappy", "lz4")
    if codec != "lz4" or client not in REFUSE_LZ4
]


def keeps_timestamps(client: Driver) -> bool:
    return client.sets_timestamps and "0.9" not in client.name


@pytest.mark.parametrize(("client", "codec"), MATRIX, indirect=["client"])
def test_old_client_writes_and_both_old_and_new_read(broker: BrokerProcess, make_topic, client: Driver, codec: str):
    topic = make_topic()
    sent = varied_records(client)
    offsets = client.produce(broker.address, topic, sent, codec=codec, acks="1")
    if client.reports_offsets:
        assert offsets == list(range(len(sent)))
    for reader in (client, driver(TODAY)):
        received = reader.consume(broker.address, topic, {0: 0}, len(sent))
        assert [record.offset for record in received] == list(range(len(sent)))
        assert_same(received, sent, timestamps=keeps_timestamps(client))


@pytest.mark.parametrize(("client", "codec"), MATRIX, indirect=["client"])
def test_new_client_writes_and_old_client_reads(broker: BrokerProcess, make_topic, client: Driver, codec: str):
    topic = make_topic()
    sent = numbered_records(driver(TODAY), 50)
    driver(TODAY).produce(broker.address, topic, sent, codec=codec)
    received = client.consume(broker.address, topic, {0: 0}, len(sent))
    assert [record.offset for record in received] == list(range(len(sent)))
    assert_same(received, sent, timestamps="0.9" not in client.name)


@pytest.mark.parametrize("client", PINNED, indirect=True)
def test_headers_are_dropped_for_clients_that_know_none(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic()
    driver(TODAY).produce(broker.address, topic, [ClientRecord(b"key", b"value", (("name", b"x"),), NOW_MS)])
    (received,) = client.consume(broker.address, topic, {0: 0}, 1)
    assert (received.key, received.value, received.headers) == (b"key", b"value", ())


@pytest.mark.parametrize("client", PINNED, indirect=True)
def test_old_client_reads_from_an_offset_inside_a_compressed_batch(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic()
    sent = numbered_records(driver(TODAY), 50)
    driver(TODAY).produce(broker.address, topic, sent, codec="gzip")
    received = client.consume(broker.address, topic, {0: 33}, 17)
    assert [record.offset for record in received] == list(range(33, 50))
    assert_same(received, sent[33:], timestamps="0.9" not in client.name)


@pytest.mark.parametrize("client", [name for name in PINNED if not name.startswith("aiokafka")], indirect=True)
def test_old_client_finds_the_first_and_the_last_offset(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic()
    driver(TODAY).produce(broker.address, topic, numbered_records(driver(TODAY), 7))
    assert client.offset_at(broker.address, topic, 0, "earliest") == 0
    assert client.offset_at(broker.address, topic, 0, "latest") == 7
