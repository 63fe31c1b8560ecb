"""The source on stock Apache Kafka: streams, transactions, growth, and a broker that is killed."""

import json

import pytest
from confluent_kafka import Producer

import ottla
from ottla.model import TopicPartition
from ottla.spark.offsets import ClusterOffsets
from ottla.spark.options import ClientOptions
from support.filled_topics import fill, numbered
from support.kafka import kafka_broker

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def kafka():
    with kafka_broker("4.3.0") as broker:
        yield broker


def transact(address, topic, values, commit):
    producer = Producer({"bootstrap.servers": address, "transactional.id": f"{topic}-writer", "log_level": 0})
    producer.init_transactions(60)
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, value, partition=0)
    producer.flush(60)
    if commit:
        producer.commit_transaction(60)
    else:
        producer.abort_transaction(60)


def values(spark, address, topic, **options):
    reader = spark.read.format("ottla").option("kafka.bootstrap.servers", address).option("subscribe", topic)
    return [bytes(row.value) for row in reader.options(**options).load().orderBy("offset").collect()]


def test_aborted_transactions_are_left_out_when_only_committed_records_are_wanted(spark, kafka):
    transact(kafka.address, "transactions", [b"a", b"b"], commit=True)
    transact(kafka.address, "transactions", [b"lost"], commit=False)
    transact(kafka.address, "transactions", [b"c"], commit=True)
    committed = {"kafka.isolation.level": "read_committed"}
    assert values(spark, kafka.address, "transactions", **committed) == [b"a", b"b", b"c"]
    assert values(spark, kafka.address, "transactions") == [b"a", b"b", b"lost", b"c"]


def test_a_stream_follows_a_topic_that_grows_and_commits_to_a_group(spark, kafka, tmp_path):
    with ottla.Admin(kafka.address) as admin:
        admin.create_topic("growing", partitions=1)
    seen = []
    reader = spark.readStream.format("ottla").option("kafka.bootstrap.servers", kafka.address)
    frame = reader.options(subscribePattern="grow.*", startingOffsets="earliest", commitOffsets="watchers").load()
    writer = frame.writeStream.option("checkpointLocation", str(tmp_path))
    query = writer.foreachBatch(lambda batch, _: seen.extend(bytes(row.value) for row in batch.collect())).start()
    try:
        fill(kafka.address, "growing", numbered(10))
        query.processAllAvailable()
        with ottla.Admin(kafka.address) as admin:
            admin.create_partitions({"growing": 2})
        fill(kafka.address, "growing", numbered(5, 10), partition=1)
        query.processAllAvailable()
        fill(kafka.address, "growing", numbered(1, 15), partition=1)
        query.processAllAvailable()
        assert json.loads(query.lastProgress.sources[0].endOffset) == {"growing": {"0": 10, "1": 6}}
    finally:
        query.stop()
    assert sorted(map(int, seen)) == list(range(16))
    with ClusterOffsets(ClientOptions.of({"bootstrap.servers": kafka.address})) as cluster:
        assert cluster.committed("watchers")[TopicPartition("growing", 1)] >= 5


def test_a_query_waits_for_a_broker_that_is_killed_and_comes_back(spark, kafka, tmp_path):
    fill(kafka.address, "killed", numbered(1000))
    seen = []
    reader = spark.readStream.format("ottla").option("kafka.bootstrap.servers", kafka.address)
    frame = reader.options(subscribe="killed", startingOffsets="earliest", maxOffsetsPerTrigger="300").load()
    writer = frame.writeStream.option("checkpointLocation", str(tmp_path))

    def note(batch, number):
        if number == 1:
            kafka.kill()
            kafka.start()
        seen.extend(int(bytes(row.value)) for row in batch.collect())

    query = writer.trigger(availableNow=True).foreachBatch(note).start()
    query.awaitTermination(120)
    assert seen == list(range(1000))
