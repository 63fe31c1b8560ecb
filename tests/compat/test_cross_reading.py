"""What one client wrote, every other client reads identically: key, value, headers and timestamp."""

import pytest

from support.broker import BrokerProcess
from support.drivers.catalogue import CLIENTS, driver
from support.drivers.records import CODECS, ClientRecord, Driver
from support.drivers.samples import NOW_MS, assert_same, varied_records

WRITERS = [
    pytest.param(client, codec, marks=[] if (client, codec) == ("franz-go", "lz4") else [pytest.mark.long])
    for client in CLIENTS
    for codec in CODECS
]


@pytest.mark.parametrize(("client", "codec"), WRITERS, indirect=["client"])
def test_every_client_reads_what_one_client_wrote(broker: BrokerProcess, make_topic, client: Driver, codec: str):
    topic = make_topic()
    client.produce(broker.address, topic, varied_records(client), codec=codec)
    seen = {name: driver(name).consume(broker.address, topic, {0: 0}, len(varied_records(client))) for name in CLIENTS}
    assert_same(seen["confluent-kafka"], varied_records(client))
    for name, records in seen.items():
        assert records == seen["confluent-kafka"], name


# kcat prints headers as text, where a null value and none at all look alike.
@pytest.mark.parametrize("client", [name for name in CLIENTS if name != "kcat"], indirect=True)
def test_null_header_value_is_read_as_it_was_written(broker: BrokerProcess, make_topic, client: Driver):
    topic = make_topic()
    sent = [ClientRecord(b"k", b"v", (("null", None), ("empty", b""), ("binary", b"\x00\xff")), NOW_MS)]
    driver("confluent-kafka").produce(broker.address, topic, sent)
    assert_same(client.consume(broker.address, topic, {0: 0}, 1), sent)
