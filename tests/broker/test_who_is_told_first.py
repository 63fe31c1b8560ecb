"""A consumer that waits has a record before its producer has the answer: whoever reads the answer need not wait."""

from pathlib import Path

import pytest

from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.testing import EmbeddedBroker
from ottla.transport.receive_buffer import RECEIVE_BYTES
from support.connections import is_readable
from support.raw_kafka import RawKafka
from support.raw_requests import FETCH_VERSION, PRODUCE_VERSION, batch, fetch_partition, fetch_request, produce

TIMES = 20
LONGEST_WAIT_MS = 20_000


@pytest.mark.parametrize("value_bytes", [100, 2 * RECEIVE_BYTES])
@pytest.mark.parametrize("version", [3, PRODUCE_VERSION])
def test_a_waiting_consumer_is_sent_a_record_before_the_producer_is_answered(
    tmp_path: Path, version: int, value_bytes: int
) -> None:
    with (
        EmbeddedBroker(directory=tmp_path) as broker,
        RawKafka(broker.bootstrap_servers) as producer,
        RawKafka(broker.bootstrap_servers) as consumer,
    ):
        broker.create_topic("t")
        for offset in range(TIMES):
            consumer.send(fetch_request("t", [fetch_partition(offset)], wait_ms=LONGEST_WAIT_MS), FETCH_VERSION)
            producer.ask(ApiVersionsRequest(), 0)  # Answered not before the turn in which the fetch begins to wait.
            produce(producer, "t", batch([bytes(value_bytes)]), version=version, acks=1)
            assert is_readable(consumer.sock), f"record {offset} came after the answer to its producer"
            consumer.receive()
