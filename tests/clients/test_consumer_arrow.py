"""Records as Arrow columns."""

import asyncio

import pyarrow as pa
import pytest

import ottla
from support.librdkafka import write_topic

COLUMNS = ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"]


def read_all(consumer, count, **options):
    batches = []
    while sum(batch.num_rows for batch in batches) < count:
        batches.append(consumer.poll_arrow(10_000, **options))
    return pa.Table.from_batches(batches)


def test_the_columns_are_those_of_sparks_kafka_source(broker_address, topic):
    records = [
        {"key": None, "value": b"a", "timestamp": 1_700_000_000_000, "headers": [("x", b"1"), ("y", None)]},
        {"key": b"k", "value": None, "timestamp": 1_700_000_000_001},
    ]
    write_topic(broker_address, topic, records)
    with ottla.Consumer(broker_address, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        table = read_all(consumer, 2, with_headers=True)
        assert table.schema.names == [*COLUMNS, "headers"]
        assert [str(field.type) for field in table.schema][:7] == [
            "binary", "binary", "string", "int32", "int64", "timestamp[ms, tz=UTC]", "int32",
        ]  # fmt: skip
        first, second = table.to_pylist()
        assert (first["key"], first["value"], first["offset"], first["topic"]) == (None, b"a", 0, topic)
        assert first["headers"] == [{"key": "x", "value": b"1"}, {"key": "y", "value": None}]
        assert (second["key"], second["value"], second["headers"]) == (b"k", None, [])
        assert first["timestamp"].timestamp() == 1_700_000_000
        consumer.seek_to_beginning()
        assert read_all(consumer, 2).schema.names == COLUMNS
        assert consumer.poll_arrow(20) is None


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_columns_of_several_partitions_equal_the_records(broker_address, wide_topic, codec):
    records = [{"key": b"k%d" % n, "value": b"v" * (n % 50), "partition": n % 4} for n in range(5000)]
    write_topic(broker_address, wide_topic, records, **{"compression.type": codec, "linger.ms": 20})
    partitions = [(wide_topic, index) for index in range(4)]
    with ottla.Consumer(broker_address, auto_offset_reset="earliest") as consumer:
        consumer.assign(partitions)
        table = read_all(consumer, 5000)
        assert [consumer.position(partition) for partition in partitions] == [1250] * 4
        consumer.seek_to_beginning()
        rows = []
        while len(rows) < 5000:
            rows += consumer.poll(10_000)
    columns = ("partition", "offset", "key", "value")
    expected = sorted((row.partition, row.offset, row.key, row.value) for row in rows)
    assert sorted(zip(*(table.column(name).to_pylist() for name in columns), strict=True)) == expected


def test_records_and_columns_may_be_mixed(broker_address, topic):
    write_topic(broker_address, topic, [{"value": b"%d" % n} for n in range(1000)], **{"linger.ms": 50})
    with ottla.Consumer(broker_address, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        assert [record.offset for record in consumer.poll(10_000, max_records=10)] == list(range(10))
        for record in consumer:
            if record.offset == 14:
                break
        table = read_all(consumer, 985)
        assert table.column("offset").to_pylist() == list(range(15, 1000))


def test_what_the_producer_writes_from_arrow_comes_back_as_arrow(broker_address, topic):
    values = [b"%d" % n for n in range(10_000)]
    with ottla.Producer(broker_address) as producer:
        producer.send_arrow(topic, pa.table({"value": values, "key": values})).result(20)
    with ottla.Consumer(broker_address, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, 0)])
        table = read_all(consumer, 10_000)
    assert table.column("value").to_pylist() == values


def test_on_asyncio_too(broker_address, topic):
    write_topic(broker_address, topic, [{"value": b"v"}])

    async def read():
        from ottla import aio

        async with aio.Consumer(broker_address, auto_offset_reset="earliest") as consumer:
            await consumer.assign([(topic, 0)])
            batch = await consumer.poll_arrow(10_000)
            return batch.column("value").to_pylist(), await consumer.poll_arrow(10)

    assert asyncio.run(read()) == ([b"v"], None)
