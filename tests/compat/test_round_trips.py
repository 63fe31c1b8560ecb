"""What a client wrote it reads back, record for record: every client, every codec, every shape of record."""

import pytest

from support.broker import BrokerProcess
from support.drivers.catalogue import CLIENTS
from support.drivers.records import CODECS, Driver
from support.drivers.samples import assert_same, numbered_records, varied_records

# In the usual run each client has one codec, so that each codec is seen with several clients.
QUICK_CODECS = dict(zip(CLIENTS, ("zstd", "lz4", "gzip", "snappy", "gzip", "lz4", "zstd", "snappy"), strict=True))
MATRIX = [
    pytest.param(client, codec, marks=[] if codec == QUICK_CODECS[client] else [pytest.mark.long])
    for client in CLIENTS
    for codec in CODECS
]


@pytest.mark.parametrize(("client", "codec"), MATRIX, indirect=["client"])
def test_client_reads_back_records_of_every_shape(broker: BrokerProcess, make_topic, client: Driver, codec: str):
    topic = make_topic()
    sent = varied_records(client)
    offsets = client.produce(broker.address, topic, sent, codec=codec)
    if client.reports_offsets:
        assert offsets == list(range(len(sent)))
    received = client.consume(broker.address, topic, {0: 0}, len(sent))
    assert [record.offset for record in received] == list(range(len(sent)))
    assert_same(received, sent)


@pytest.mark.long
@pytest.mark.parametrize("client", CLIENTS, indirect=True)
@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_records_are_there_whatever_the_acknowledgement(broker: BrokerProcess, make_topic, client: Driver, acks: str):
    if (client.name, acks) == ("kafka-python-2.3.3", "0"):
        pytest.skip("this client takes a record as sent before it is written to the socket, and closes")
    topic = make_topic()
    sent = numbered_records(client, 20)
    client.produce(broker.address, topic, sent, acks=acks, config=NOT_IDEMPOTENT.get(client.name, {}))
    assert_same(client.consume(broker.address, topic, {0: 0}, len(sent)), sent)


NOT_IDEMPOTENT = {name: {"enable.idempotence": "false"} for name in ("java-3.9.1", "java-4.3.0")}


@pytest.mark.long
@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "kcat"], indirect=True)
def test_thousands_of_records_in_many_batches_keep_their_order(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic()
    sent = numbered_records(client, 5000)
    client.produce(broker.address, topic, sent, codec="lz4")
    assert_same(client.consume(broker.address, topic, {0: 0}, len(sent)), sent)
