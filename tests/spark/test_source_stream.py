"""The stream source: what Spark asks of it, step by step against a real broker, and whole queries."""

import json
import pickle

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, ReadMinRows
from pyspark.sql.types import (
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)  # fmt: skip

import ottla
from ottla.model import TopicPartition
from ottla.spark.data_source import OttlaDataSource
from ottla.spark.errors import DataLossError
from ottla.spark.offsets import ClusterOffsets
from ottla.spark.options import ClientOptions
from support.filled_topics import fill, numbered

SCHEMA = (
    StructType().add("key", BinaryType()).add("value", BinaryType()).add("topic", StringType())
    .add("partition", IntegerType()).add("offset", LongType()).add("timestamp", TimestampType())
    .add("timestampType", IntegerType())
)  # fmt: skip


@pytest.fixture
def servers(ottla_broker):
    return ottla_broker.bootstrap_servers


@pytest.fixture
def reader_of(servers):
    """Makes stream readers as Spark does, and stops them."""
    made = []

    def make(**options):
        quick = {"fetchOffset.numRetries": "2", "fetchOffset.retryIntervalMs": "1"}
        source = OttlaDataSource({"kafka.bootstrap.servers": servers} | quick | options)
        made.append(source.streamReader(schema=SCHEMA))
        return made[-1]

    yield make
    for reader in made:
        reader.stop()


def rows(reader, start, end):
    """What the tasks of a batch read, on copies of the reader, as in Spark's workers."""
    found = []
    for partition in reader.partitions(start, end):
        task_reader, task = pickle.loads(pickle.dumps((reader, partition)))
        for batch in task_reader.read(task):
            found += zip(batch.column("partition").to_pylist(), batch.column("offset").to_pylist(), strict=True)
    return sorted(found)


def group_offsets(servers, group):
    with ClusterOffsets(ClientOptions.of({"bootstrap.servers": servers})) as cluster:
        return cluster.committed(group)


# Step by step


def test_a_new_query_begins_at_the_end_unless_told_and_says_so_again(reader_of, servers, ottla_topic):
    fill(servers, ottla_topic, numbered(3))
    latest, earliest = reader_of(subscribe=ottla_topic), reader_of(subscribe=ottla_topic, startingOffsets="earliest")
    assert latest.initialOffset() == {ottla_topic: {"0": 3}}
    assert earliest.initialOffset() == {ottla_topic: {"0": 0}}
    fill(servers, ottla_topic, numbered(1))
    assert latest.initialOffset() == {ottla_topic: {"0": 3}}, "Spark asks twice and means one answer"


def test_a_first_batch_that_began_at_an_end_now_forgotten_is_not_skipped_in_silence(reader_of, servers, ottla_topic):
    fill(servers, ottla_topic, numbered(3))
    end = {ottla_topic: {"0": 3}}
    strict = reader_of(subscribe=ottla_topic)
    with pytest.raises(DataLossError, match="failed in its first micro-batch"):
        strict.partitions(strict.initialOffset(), end)
    tolerant = reader_of(subscribe=ottla_topic, failOnDataLoss="false")
    assert tolerant.partitions(tolerant.initialOffset(), end) == []
    earliest = reader_of(subscribe=ottla_topic, startingOffsets="earliest")
    assert rows(earliest, earliest.initialOffset(), end) == [(0, 0), (0, 1), (0, 2)]


def test_a_batch_reads_its_range_and_nothing_else(reader_of, servers, ottla_topic):
    fill(servers, ottla_topic, numbered(10))
    reader = reader_of(subscribe=ottla_topic)
    assert rows(reader, {ottla_topic: {"0": 2}}, {ottla_topic: {"0": 5}}) == [(0, 2), (0, 3), (0, 4)]
    assert reader.partitions({ottla_topic: {"0": 5}}, {ottla_topic: {"0": 5}}) == []


def test_the_limit_comes_from_the_options(reader_of, ottla_topic):
    assert reader_of(subscribe=ottla_topic).getDefaultReadLimit() == ReadAllAvailable()
    assert reader_of(subscribe=ottla_topic, maxOffsetsPerTrigger="9").getDefaultReadLimit() == ReadMaxRows(9)
    assert reader_of(subscribe=ottla_topic, minOffsetsPerTrigger="5").getDefaultReadLimit() == ReadMinRows(5)
    both = reader_of(subscribe=ottla_topic, minOffsetsPerTrigger="5", maxOffsetsPerTrigger="9")
    assert both.getDefaultReadLimit() == ReadMaxRows(9)


def test_a_limited_batch_reports_what_is_left_as_lag(reader_of, servers, ottla_topic):
    fill(servers, ottla_topic, numbered(10))
    reader = reader_of(subscribe=ottla_topic, startingOffsets="earliest")
    assert reader.reportLatestOffset() is None
    assert reader.latestOffset(reader.initialOffset(), ReadMaxRows(4)) == {ottla_topic: {"0": 4}}
    assert reader.reportLatestOffset() == {ottla_topic: {"0": 10}}
    assert reader.latestOffset({ottla_topic: {"0": 4}}, ReadAllAvailable()) == {ottla_topic: {"0": 10}}


def test_too_few_records_wait(reader_of, servers, ottla_topic):
    reader = reader_of(subscribe=ottla_topic, startingOffsets="earliest", minOffsetsPerTrigger="5")
    start, limit = reader.initialOffset(), reader.getDefaultReadLimit()
    fill(servers, ottla_topic, numbered(1))
    first = reader.latestOffset(start, limit)
    assert first == {ottla_topic: {"0": 1}}, "the first batch does not wait"
    fill(servers, ottla_topic, numbered(4))
    assert reader.latestOffset(first, limit) == first
    fill(servers, ottla_topic, numbered(1))
    assert reader.latestOffset(first, limit) == {ottla_topic: {"0": 6}}


def test_available_now_ends_with_what_was_there(reader_of, servers, ottla_topic):
    fill(servers, ottla_topic, numbered(5))
    reader = reader_of(subscribe=ottla_topic, startingOffsets="earliest", minOffsetsPerTrigger="4")
    reader.prepareForTriggerAvailableNow()
    assert reader.latestOffset({ottla_topic: {"0": 0}}, ReadMaxRows(4)) == {ottla_topic: {"0": 4}}
    fill(servers, ottla_topic, numbered(5))
    end = reader.latestOffset({ottla_topic: {"0": 4}}, ReadMaxRows(4))
    assert end == {ottla_topic: {"0": 5}}
    assert reader.latestOffset(end, ReadMaxRows(4)) == end


def test_partitions_that_are_added_begin_at_their_first_record(reader_of, servers, ottla_broker, ottla_topic):
    reader = reader_of(subscribe=ottla_topic)
    start = reader.initialOffset()
    with ottla.Admin(servers) as admin:
        admin.create_partitions({ottla_topic: 3})
    fill(servers, ottla_topic, numbered(2), partition=2)
    end = reader.latestOffset(start, ReadMaxRows(100))
    assert end == {ottla_topic: {"0": 0, "1": 0, "2": 2}}
    assert rows(reader, start, end) == [(2, 0), (2, 1)]


def test_topics_that_appear_are_found_by_their_pattern(reader_of, servers, ottla_broker):
    ottla_broker.create_topic("pattern-a")
    reader = reader_of(subscribePattern="^pattern-.*")
    start = reader.initialOffset()
    ottla_broker.create_topic("pattern-b")
    fill(servers, "pattern-b", numbered(2))
    end = reader.latestOffset(start, ReadAllAvailable())
    assert end == {"pattern-a": {"0": 0}, "pattern-b": {"0": 2}}
    assert rows(reader, start, end) == [(0, 0), (0, 1)]


def test_records_that_aged_out_fail_the_query_or_are_passed_over(reader_of, servers, ottla_topic):
    fill(servers, ottla_topic, numbered(10))
    with ottla.Admin(servers) as admin:
        admin.delete_records({TopicPartition(ottla_topic, 0): 6})
    start, end = {ottla_topic: {"0": 4}}, {ottla_topic: {"0": 8}}
    with pytest.raises(DataLossError, match=r"Could not read records in offset \[4, 6\)"):
        rows(reader_of(subscribe=ottla_topic), start, end)
    assert rows(reader_of(subscribe=ottla_topic, failOnDataLoss="false"), start, end) == [(0, 6), (0, 7)]


def test_a_topic_that_is_made_anew_fails_the_query_or_goes_on(reader_of, servers, ottla_broker):
    topic = ottla_broker.create_topic("made-anew")
    fill(servers, topic, numbered(10))
    with ottla.Admin(servers) as admin:
        admin.delete_topics([topic])
    ottla_broker.create_topic(topic)
    fill(servers, topic, numbered(3))
    start = {topic: {"0": 10}}
    strict, tolerant = reader_of(subscribe=topic), reader_of(subscribe=topic, failOnDataLoss="false")
    end = strict.latestOffset(start, ReadAllAvailable())
    assert end == {topic: {"0": 3}}
    with pytest.raises(DataLossError, match="Partition made-anew-0 offset was changed from 10 to 3"):
        strict.partitions(start, end)
    assert tolerant.partitions(start, end) == []
    fill(servers, topic, numbered(2))
    assert rows(tolerant, end, tolerant.latestOffset(end, ReadAllAvailable())) == [(0, 3), (0, 4)]


def test_a_topic_that_vanished_fails_the_query_or_is_passed_over(reader_of, servers, ottla_broker):
    for name in ("vanishing-a", "vanishing-b"):
        ottla_broker.create_topic(name)
    fill(servers, "vanishing-b", numbered(1))
    strict = reader_of(subscribePattern="vanishing-.")
    tolerant = reader_of(subscribePattern="vanishing-.", failOnDataLoss="false")
    start = {"vanishing-a": {"0": 0}, "vanishing-b": {"0": 0}}
    with ottla.Admin(servers) as admin:
        admin.delete_topics(["vanishing-a"])
    end = strict.latestOffset(start, ReadAllAvailable())
    assert end == {"vanishing-b": {"0": 1}}
    with pytest.raises(DataLossError, match="Partitions vanishing-a-0 have been deleted"):
        strict.partitions(start, end)
    assert rows(tolerant, start, end) == [(0, 0)]


def test_finished_batches_are_committed_to_the_group_that_is_named(reader_of, servers, ottla_topic):
    fill(servers, ottla_topic, numbered(10))
    reader = reader_of(subscribe=ottla_topic, commitOffsets="lag-tools")
    reader.commit({ottla_topic: {"0": 7}})
    assert group_offsets(servers, "lag-tools") == {TopicPartition(ottla_topic, 0): 7}


# Whole queries: the first ones of a session make the JVM load a good part of Spark, which takes its time under load.
slow_start = pytest.mark.timeout(300)


@pytest.fixture
def stream(spark, servers, tmp_path):
    """Starts a query that notes the values of each batch."""
    started = []

    def start(batches, available_now=False, checkpoint="checkpoint", **options):
        reader = spark.readStream.format("ottla").option("kafka.bootstrap.servers", servers)
        frame = reader.options(**options).load()
        writer = frame.writeStream.option("checkpointLocation", str(tmp_path / checkpoint))
        if available_now:
            writer = writer.trigger(availableNow=True)
        note = lambda batch, _number: batches.append(sorted(bytes(row.value) for row in batch.collect()))  # noqa: E731
        started.append(writer.foreachBatch(note).start())
        return started[-1]

    yield start
    for query in started:
        query.stop()


@slow_start
def test_a_query_restarted_from_its_checkpoint_goes_on_where_it_was(stream, servers, ottla_topic, tmp_path):
    options = {"subscribe": ottla_topic, "startingOffsets": "earliest", "commitOffsets": "restarted"}
    fill(servers, ottla_topic, numbered(5))
    batches = []
    stream(batches, available_now=True, maxOffsetsPerTrigger="3", **options).awaitTermination()
    assert batches == [[b"0", b"1", b"2"], [b"3", b"4"]]
    logged = (tmp_path / "checkpoint" / "offsets" / "1").read_text().splitlines()[-1]
    assert json.loads(logged) == {ottla_topic: {"0": 5}}, "as Spark's Kafka source writes it"
    assert group_offsets(servers, "restarted") == {TopicPartition(ottla_topic, 0): 3}, "one batch behind"

    fill(servers, ottla_topic, numbered(2, 5))
    stream(batches, available_now=True, **options).awaitTermination()
    assert batches[2:] == [[b"5", b"6"]]
    assert group_offsets(servers, "restarted") == {TopicPartition(ottla_topic, 0): 5}


@slow_start
def test_a_running_query_takes_what_comes_and_reports_its_lag(stream, servers, ottla_topic):
    batches = []
    query = stream(batches, subscribe=ottla_topic, startingOffsets="earliest", maxOffsetsPerTrigger="3")
    fill(servers, ottla_topic, numbered(4))
    query.processAllAvailable()
    with ottla.Admin(servers) as admin:
        admin.create_partitions({ottla_topic: 2})
    fill(servers, ottla_topic, [b"grown"], partition=1)
    query.processAllAvailable()
    assert sorted(value for batch in batches for value in batch) == [b"0", b"1", b"2", b"3", b"grown"]
    assert max(map(len, batches)) <= 3
    (source,) = query.lastProgress.sources
    assert json.loads(source.latestOffset) == {ottla_topic: {"0": 4, "1": 1}}


@slow_start
def test_data_that_aged_out_stops_a_query(stream, servers, ottla_topic):
    options = {"subscribe": ottla_topic, "startingOffsets": json.dumps({ottla_topic: {"0": 1}})}
    fill(servers, ottla_topic, numbered(6))
    with ottla.Admin(servers) as admin:
        admin.delete_records({TopicPartition(ottla_topic, 0): 4})
    batches = []
    with pytest.raises(Exception, match="Some data may have been lost because they are not available in Kafka"):
        stream(batches, available_now=True, checkpoint="strict", **options).awaitTermination()
    assert batches == []
    stream(batches, available_now=True, checkpoint="lax", failOnDataLoss="false", **options).awaitTermination()
    assert batches == [[b"4", b"5"]]
