"""Spark's own Kafka connector (`format("kafka")`, Java's clients) on an Ottla broker: it reads, streams and writes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ottla
from ottla.testing import EmbeddedBroker
from support.spark_connector import connector_jars
from support.spark_topics import values_of

ROWS = 1000


@pytest.fixture(scope="module", autouse=True)
def connector() -> None:
    """The session of the tests has it where it was fetched."""
    connector_jars()


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(process=True) as broker:
        yield broker


@pytest.fixture
def topic(broker: EmbeddedBroker, request: pytest.FixtureRequest) -> str:
    return broker.create_topic(request.node.name[:60], partitions=3)


@pytest.fixture
def filled(broker: EmbeddedBroker, topic: str) -> str:
    """A topic with ROWS records, keys 0 to 9."""
    with ottla.Producer(broker.address) as producer:
        producer.send_many(topic, *columns(0, ROWS)).result(30)
    return topic


def columns(start: int, end: int) -> tuple[list[bytes], list[bytes]]:
    return [b"value-%d" % number for number in range(start, end)], [
        b"key-%d" % (number % 10) for number in range(start, end)
    ]


def source(reader: Any, broker: EmbeddedBroker, topic: str) -> Any:
    return reader.format("kafka").options(
        **{"kafka.bootstrap.servers": broker.address, "subscribe": topic, "startingOffsets": "earliest"}
    )


def sink(writer: Any, broker: EmbeddedBroker, topic: str) -> Any:
    return writer.format("kafka").options(**{"kafka.bootstrap.servers": broker.address, "topic": topic})


def test_batch_is_written_and_read_back(spark: Any, broker: EmbeddedBroker, topic: str) -> None:
    rows = spark.range(ROWS).selectExpr(
        "CAST(id % 10 AS STRING) AS key", "CAST(id AS STRING) AS value",
        "array(named_struct('key', 'from', 'value', CAST('spark' AS BINARY))) AS headers",
    )  # fmt: skip
    sink(rows.write, broker, topic).save()

    read = source(spark.read, broker, topic).option("includeHeaders", "true").load()
    found = read.selectExpr("CAST(value AS STRING)", "partition", "offset", "headers").collect()

    assert sorted(int(row.value) for row in found) == list(range(ROWS))
    assert len({(row.partition, row.offset) for row in found}) == ROWS
    assert {(header.key, bytes(header.value)) for row in found for header in row.headers} == {("from", b"spark")}


@pytest.mark.long
def test_ranges_by_offset_and_by_time_are_read(spark: Any, broker: EmbeddedBroker, filled: str) -> None:
    everything = source(spark.read, broker, filled)
    ends = {str(partition): 10 for partition in range(3)}

    first = everything.option("endingOffsets", json.dumps({filled: ends})).load().count()
    later = source(spark.read, broker, filled).option("startingTimestamp", "1").option("minPartitions", "7").load()

    assert first == 30
    assert later.count() == ROWS
    assert later.rdd.getNumPartitions() >= 7


@pytest.mark.long
def test_stream_copies_a_topic_that_grows(spark: Any, broker: EmbeddedBroker, filled: str, tmp_path: Path) -> None:
    target = broker.create_topic(f"{filled}-copy", partitions=3)

    def run() -> None:
        stream = source(spark.readStream, broker, filled).option("maxOffsetsPerTrigger", "400").load()
        query = (
            sink(stream.select("key", "value").writeStream, broker, target)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        assert query.awaitTermination(90)

    run()
    with ottla.Producer(broker.address) as producer:
        producer.send_many(filled, *columns(ROWS, 2 * ROWS)).result(30)
    run()

    assert sorted(values_of(broker, target, 2 * ROWS)) == sorted(columns(0, 2 * ROWS)[0])
