"""What one task of the sink does, without Spark around it: Arrow batches to topics, on a real broker."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

import ottla
from ottla.clients.errors import SerializationError
from ottla.errors import KafkaError
from ottla.spark.sink.options import SinkOptions
from ottla.spark.sink.task_writer import write_batches
from ottla.testing import EmbeddedBroker
from support.kafka import kafka_broker

COLUMNS = ("topic", "key", "value", "headers", "partition")
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def batch(rows: list[dict[str, Any]], *, text: bool = False) -> pa.RecordBatch:
    """Rows as Spark hands them over: every column there, nulls where a row has none."""
    data = pa.string() if text else pa.binary()
    kinds = {"topic": pa.string(), "key": data, "value": data, "headers": HEADERS, "partition": pa.int32()}
    columns = {name: pa.array([row.get(name) for row in rows], kind) for name, kind in kinds.items()}
    return pa.record_batch(columns | {"other": pa.array(range(len(rows)))})


def records_of(servers: str, topic: str, count: int, partitions: int = 1) -> list[Any]:
    with ottla.Consumer(servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, partition) for partition in range(partitions)])
        records: list[Any] = []
        while len(records) < count:
            records.extend(consumer.poll(timeout_ms=10_000))
        return records


@pytest.fixture(scope="module", params=["ottla", pytest.param("kafka-4.3.0", marks=pytest.mark.long)])
def servers(request: pytest.FixtureRequest) -> Iterator[str]:
    """Our broker, and in the long run Apache Kafka: the sink writes to either."""
    if request.param == "ottla":
        with EmbeddedBroker() as embedded:
            yield embedded.bootstrap_servers
        return
    with kafka_broker(request.param.removeprefix("kafka-")) as kafka:
        yield kafka.address


def create_topic(servers: str, name: str, partitions: int = 1, configs: dict[str, str] | None = None) -> str:
    with ottla.Admin(servers) as admin:
        admin.create_topic(name, partitions=partitions, configs=configs)
    return name


def options(servers: str, topic: str | None = None, **producer: str) -> SinkOptions:
    return SinkOptions(topic, servers, producer)


def test_rows_go_to_the_topics_they_name_in_their_order(servers: str) -> None:
    even, odd = create_topic(servers, "even"), create_topic(servers, "odd")
    rows = [{"topic": odd if n % 2 else even, "key": b"k", "value": b"%d" % n} for n in range(1000)]

    assert write_batches(options(servers), COLUMNS, [batch(rows[:600]), batch(rows[600:])]) == 1000

    assert [int(record.value) for record in records_of(servers, even, 500)] == list(range(0, 1000, 2))
    assert [int(record.value) for record in records_of(servers, odd, 500)] == list(range(1, 1000, 2))


def test_nulls_are_tombstones_records_without_keys_and_free_choice_of_partition(servers: str) -> None:
    topic = create_topic(servers, "nulls", partitions=3)
    rows = [
        {"key": "a", "value": "1", "partition": 2},
        {"key": "a", "value": None, "partition": 2},
        {"key": None, "value": "3", "partition": 0},
        {"key": "b", "value": "4"},
        {"key": None, "value": "5"},
    ]

    write_batches(options(servers, topic), COLUMNS[1:], [batch(rows, text=True)])

    found = records_of(servers, topic, 5, partitions=3)
    assert [(r.key, r.value) for r in found if r.partition == 2][:2] == [(b"a", b"1"), (b"a", None)]
    assert {(r.key, r.value) for r in found} >= {(None, b"3"), (b"b", b"4"), (None, b"5")}


def test_headers_are_written_in_their_order(servers: str) -> None:
    topic = create_topic(servers, "headers")
    headers = [("b", b"1"), ("a", None), ("b", b"")]
    rows = [{"value": b"1", "headers": [{"key": k, "value": v} for k, v in headers]}, {"value": b"2"}]

    write_batches(options(servers, topic), COLUMNS[1:], [batch(rows)])

    assert [list(record.headers) for record in records_of(servers, topic, 2)] == [headers, []]


def test_rows_without_keys_are_spread_over_the_partitions(servers: str) -> None:
    topic = create_topic(servers, "spread", partitions=3)
    rows = [{"value": b"x" * 1000} for _ in range(500)]

    write_batches(options(servers, topic), COLUMNS[1:], [batch(rows) for _ in range(30)])

    assert len({record.partition for record in records_of(servers, topic, 15_000, partitions=3)}) == 3


def test_a_row_without_a_topic_fails_the_task(servers: str) -> None:
    with pytest.raises(SerializationError, match=r"null topic present in the data\. Use the topic option"):
        write_batches(options(servers), COLUMNS, [batch([{"value": b"v"}])])


def test_a_record_that_is_refused_fails_the_task(servers: str) -> None:
    topic = create_topic(servers, "small", configs={"max.message.bytes": "1000"})
    rows = [{"value": b"fits"}, {"value": b"x" * 5000}]

    with pytest.raises(KafkaError):
        write_batches(options(servers, topic), COLUMNS[1:], [batch(rows)])


def test_a_task_without_a_broker_fails_after_the_delivery_timeout(servers: str) -> None:
    with pytest.raises(KafkaError):
        write_batches(SinkOptions("t", "127.0.0.1:1", {"max.block.ms": "300"}), ("value",), [batch([{"value": b"v"}])])
