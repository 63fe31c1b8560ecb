"""`spark.read.format("ottla")` on a real session and a real broker."""

import pytest

import ottla


@pytest.fixture
def read(spark, ottla_broker):
    def frame(**options):
        reader = spark.read.format("ottla").option("kafka.bootstrap.servers", ottla_broker.bootstrap_servers)
        for name, value in options.items():
            reader = reader.option(name, value)
        return reader.load()

    return frame


def fill(broker, topic, partition, values, **fields):
    with ottla.Producer(broker.bootstrap_servers) as producer:
        sent = [producer.send(topic, value, partition=partition, **fields) for value in values]
        return [future.result(30) for future in sent]


def test_a_topic_is_read_with_the_columns_of_sparks_kafka_source(read, ottla_broker, ottla_topic):
    fill(ottla_broker, ottla_topic, 0, [b"one"], key=b"k", timestamp_ms=1_700_000_000_123)
    fill(ottla_broker, ottla_topic, 0, [None])
    frame = read(subscribe=ottla_topic)
    assert frame.dtypes == [
        ("key", "binary"), ("value", "binary"), ("topic", "string"), ("partition", "int"), ("offset", "bigint"),
        ("timestamp", "timestamp"), ("timestampType", "int"),
    ]  # fmt: skip
    first, second = frame.orderBy("offset").collect()
    assert (bytes(first.key), bytes(first.value)) == (b"k", b"one")
    assert (first.topic, first.partition, first.offset, first.timestampType) == (ottla_topic, 0, 0, 0)
    assert first.timestamp.timestamp() == pytest.approx(1_700_000_000.123)
    assert (second.key, second.value, second.offset) == (None, None, 1)
