"""`spark.read.format("ottla")` on a real session and a real broker."""

import json

import pytest
from pyspark.sql.pandas.types import to_arrow_schema

from ottla.spark.schema import arrow_schema
from support.filled_topics import fill, numbered
from support.kafka import kafka_broker

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


@pytest.fixture
def read(spark, ottla_broker):
    def frame(**options):
        reader = spark.read.format("ottla").option("kafka.bootstrap.servers", ottla_broker.bootstrap_servers)
        for name, value in options.items():
            reader = reader.option(name, value)
        return reader.load()

    return frame


@pytest.fixture(scope="module")
def topic(ottla_broker):
    """Three partitions with 30, 20 and 0 records."""
    name = ottla_broker.create_topic("source-batch", partitions=3)
    fill(ottla_broker.bootstrap_servers, name, numbered(30), 0, timestamp_ms=1000)
    fill(ottla_broker.bootstrap_servers, name, numbered(20, 100), 1, timestamp_ms=2000)
    return name


def values(frame):
    return sorted(int(bytes(row.value)) for row in frame.select("value").collect())


def test_a_topic_is_read_with_the_columns_of_sparks_kafka_source(read, ottla_broker, ottla_topic):
    fill(ottla_broker.bootstrap_servers, ottla_topic, [b"one"], key=b"k", timestamp_ms=1_700_000_000_123)
    fill(ottla_broker.bootstrap_servers, ottla_topic, [None], headers=[("a", b"1"), ("b", None)])
    frame = read(subscribe=ottla_topic, includeHeaders="true")
    assert frame.dtypes == [
        ("key", "binary"), ("value", "binary"), ("topic", "string"), ("partition", "int"), ("offset", "bigint"),
        ("timestamp", "timestamp"), ("timestampType", "int"),
        ("headers", "array<struct<key:string,value:binary>>"),
    ]  # fmt: skip
    first, second = frame.orderBy("offset").collect()
    assert (bytes(first.key), bytes(first.value), first.headers) == (b"k", b"one", None)
    assert (first.topic, first.partition, first.offset, first.timestampType) == (ottla_topic, 0, 0, 0)
    assert first.timestamp.timestamp() == pytest.approx(1_700_000_000.123)
    assert (second.key, second.value, second.offset) == (None, None, 1)
    assert [(header.key, header.value and bytes(header.value)) for header in second.headers] == [
        ("a", b"1"),
        ("b", None),
    ]


@pytest.mark.parametrize("include_headers", [False, True])
def test_the_arrow_schema_is_what_spark_expects_to_the_letter(read, topic, include_headers):
    frame = read(subscribe=topic, includeHeaders=str(include_headers))
    assert to_arrow_schema(frame.schema, timezone="UTC") == arrow_schema(include_headers=include_headers)


def test_a_query_may_begin_and_end_at_offsets(read, topic):
    start = json.dumps({topic: {"0": 10, "1": -2, "2": -2}})
    end = json.dumps({topic: {"0": 12, "1": -1, "2": -1}})
    assert values(read(subscribe=topic, startingOffsets=start, endingOffsets=end)) == [10, 11, *range(100, 120)]


def test_a_query_may_begin_and_end_at_times(read, topic):
    late = read(subscribe=topic, startingTimestamp="1500", startingOffsetsByTimestampStrategy="latest")
    assert values(late) == list(range(100, 120))
    assert values(read(assign=json.dumps({topic: [0, 1]}), endingTimestamp="1500")) == list(range(30))


def test_large_partitions_are_split_over_tasks_and_every_record_is_read_once(read, topic):
    frame = read(subscribePattern="source-b.tch", minPartitions="10")
    assert frame.rdd.getNumPartitions() == 10
    assert values(frame) == sorted([*range(30), *range(100, 120)])
    assert read(subscribe=topic, maxRecordsPerPartition="7").rdd.getNumPartitions() == 8
    assert read(subscribe=topic).rdd.getNumPartitions() == 1, "so few records are one task's work"


def test_an_empty_topic_gives_no_rows(read, ottla_topic):
    assert read(subscribe=ottla_topic).count() == 0


def test_what_is_wrong_with_the_options_is_said_in_sparks_words(read, topic):
    with pytest.raises(Exception, match="starting offset can't be latest for batch queries on Kafka"):
        read(subscribe=topic, startingOffsets="latest").count()
    with pytest.raises(Exception, match=r"No offset matched from request of topic-partition .* and timestamp 1500"):
        read(subscribe=topic, startingTimestamp="1500").count()


def test_the_schema_cannot_be_chosen(spark, ottla_broker, topic):
    reader = spark.read.format("ottla").option("kafka.bootstrap.servers", ottla_broker.bootstrap_servers)
    with pytest.raises(Exception, match="Kafka source has a fixed schema and cannot be set with a custom one"):
        reader.option("subscribe", topic).schema("value string").load().count()


def test_a_topic_that_is_not_there_is_named(read):
    options = {"subscribe": "not-there", "fetchOffset.numRetries": "2", "fetchOffset.retryIntervalMs": "1"}
    with pytest.raises(Exception, match="topic 'not-there' does not exist"):
        read(**options).count()


def test_filters_on_partition_offset_and_timestamp_are_pushed_down(spark, read, topic):
    spark.conf.set(PUSHDOWN, "true")
    try:
        frame = read(subscribe=topic, minPartitions="1")
        narrow = frame.where("partition = 0 and offset >= 5 and offset < 8")
        assert values(narrow) == [5, 6, 7]
        assert narrow.rdd.getNumPartitions() == 1, "the other partitions are not read"
        late = frame.where("timestamp > timestamp_millis(1500)")
        assert values(late) == list(range(100, 120))
        assert late.rdd.getNumPartitions() == 1
        assert values(frame.where("topic = 'another'")) == []
    finally:
        spark.conf.unset(PUSHDOWN)


def test_stock_kafka_is_read_as_well(spark):
    with kafka_broker("4.3.0") as kafka:
        fill(kafka.address, "stock", numbered(100), timestamp_ms=7, headers=[("h", b"1")])
        reader = spark.read.format("ottla").option("kafka.bootstrap.servers", kafka.address)
        frame = reader.option("subscribe", "stock").option("includeHeaders", "true").load()
        assert values(frame) == list(range(100))
        assert frame.selectExpr("max(headers[0].key)", "max(unix_millis(timestamp))").first()[:] == ("h", 7)
