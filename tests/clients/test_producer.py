"""The producer on a real broker, read back by librdkafka."""

import asyncio
import json
import threading
import time
from itertools import pairwise

import pyarrow as pa
import pytest

import ottla
from ottla.clients.errors import (
    BufferExhaustedError,
    ClientClosedError,
    ClientTimeoutError,
    InvalidRecordSizeError,
    SerializationError,
)
from ottla.errors import ConfigError
from ottla.errors.kafka import InvalidRecordError, InvalidTopicError, MessageTooLargeError, UnknownTopicOrPartitionError
from ottla.records.partitioning import partition_for_key
from support.librdkafka import read_topic


@pytest.fixture
def producer(broker_address):
    with ottla.Producer(broker_address) as client:
        yield client


def test_a_record_comes_back_as_it_was_sent(broker_address, producer, topic):
    metadata = producer.send(
        topic, b"value", key=b"key", timestamp_ms=1_700_000_000_123, headers={"a": b"1", "b": "text", "none": None}
    ).result(20)
    assert metadata == (topic, 0, 0, 1_700_000_000_123)
    (record,) = read_topic(broker_address, topic)
    assert (record.key, record.value, record.timestamp[1]) == (b"key", b"value", 1_700_000_000_123)
    assert record.headers == [("a", b"1"), ("b", b"text"), ("none", None)]


def test_records_keep_their_order_and_their_offsets(broker_address, producer, topic):
    futures = [producer.send(topic, b"%d" % number) for number in range(3000)]
    producer.flush()
    assert all(future.done() for future in futures)
    assert [future.result().offset for future in futures] == list(range(3000))
    assert [record.value for record in read_topic(broker_address, topic)] == [b"%d" % number for number in range(3000)]


def test_keys_go_where_java_puts_them_and_the_rest_fills_one_batch_after_the_other(
    broker_address, producer, wide_topic
):
    keyed = [producer.send(wide_topic, b"v", key=b"key-%d" % number) for number in range(50)]
    for number, future in enumerate(keyed):
        assert future.result(20).partition == partition_for_key(b"key-%d" % number, 4)
    unkeyed = [producer.send(wide_topic, b"x" * 1000) for _ in range(200)]
    producer.flush()
    partitions = [future.result().partition for future in unkeyed]
    changes = sum(before != after for before, after in pairwise(partitions))
    assert 1 <= changes <= 40, "the sticky partition changes with batches, not with records"


def test_an_explicit_partition_is_kept_and_a_wrong_one_refused(producer, wide_topic):
    assert producer.send(wide_topic, b"v", key=b"k", partition=3).result(20).partition == 3
    with pytest.raises(UnknownTopicOrPartitionError, match="partitions 0 to 3, not 4"):
        producer.send(wide_topic, b"v", partition=4)
    assert producer.partitions_for(wide_topic) == [0, 1, 2, 3]


def test_a_custom_partitioner_sees_the_record(broker_address, wide_topic):
    def by_length(record, partitions_count):
        return len(record.value) % partitions_count

    with ottla.Producer(broker_address, partitioner_class=by_length) as producer:
        assert [producer.send(wide_topic, b"x" * size).result(20).partition for size in (4, 5, 7)] == [0, 1, 3]


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_every_codec_is_read_by_others(broker_address, topic, codec):
    values = [b"abc" * number for number in range(200)]
    with ottla.Producer(broker_address, compression_type=codec, linger_ms=20) as producer:
        for value in values:
            producer.send(topic, value)
    assert [record.value for record in read_topic(broker_address, topic)] == values


def test_many_records_at_once_go_the_same_ways(broker_address, producer, wide_topic):
    values = [b"value-%d" % number for number in range(2000)]
    keys = [b"key-%d" % (number % 100) if number % 3 else None for number in range(2000)]
    written = producer.send_many(wide_topic, values, keys).result(20)
    assert sum(batch.records_count for batch in written) == 2000
    records = read_topic(broker_address, wide_topic, 4)
    assert sorted((record.value, record.key) for record in records) == sorted(zip(values, keys, strict=True))
    assert all(record.partition == partition_for_key(record.key, 4) for record in records if record.key)


def test_many_records_without_keys_keep_their_order_in_large_batches(broker_address, producer, topic):
    values = [b"%07d" % number for number in range(100_000)]
    written = producer.send_many(topic, values).result(20)
    assert 1 < len(written) < 10
    assert [record.value for record in read_topic(broker_address, topic)] == values


def test_many_takes_tombstones_text_and_nothing(broker_address, producer, topic):
    assert producer.send_many(topic, []).result(20) == []
    producer.send_many(topic, [b"a", None, "ü"], ["k", "k", "k"]).result(20)
    assert [record.value for record in read_topic(broker_address, topic)] == [b"a", None, "ü".encode()]
    with pytest.raises(SerializationError, match="1 keys for 2 values"):
        producer.send_many(topic, [b"a", b"b"], [b"k"])


def test_arrow_columns_are_written(broker_address, producer, wide_topic):
    table = pa.table(
        {
            "key": pa.array([b"a", None, b"c"], pa.binary()),
            "value": pa.array(["x", "y", None], pa.large_string()),
            "partition": pa.array([2, 0, 2], pa.int32()),
            "timestamp": pa.array([1_700_000_000_000_000, 1_700_000_000_001_000, 1], pa.timestamp("us")),
        }
    )
    producer.send_arrow(wide_topic, table.slice(0, 2)).result(20)
    producer.send_arrow(wide_topic, table.to_batches()[0].slice(2)).result(20)
    records = sorted(read_topic(broker_address, wide_topic, 4))
    assert [(r.partition, r.key, r.value, r.timestamp[1]) for r in records] == [
        (0, None, b"y", 1_700_000_000_001),
        (2, b"a", b"x", 1_700_000_000_000),
        (2, b"c", None, 0),
    ]


def test_arrow_rows_without_a_partition_go_by_their_key(broker_address, producer, wide_topic):
    keys = [b"a", b"a", b"a", None]
    table = pa.table({"key": keys, "value": [b"1", b"2", b"3", b"4"], "partition": pa.array([None, 3, None, None])})
    producer.send_arrow(wide_topic, table.cast(table.schema.set(2, pa.field("partition", pa.int32())))).result(20)
    producer.send(wide_topic, b"5", key=b"a").result(20)
    partition_of = {record.value: record.partition for record in read_topic(broker_address, wide_topic, 4)}
    assert len(partition_of) == 5
    assert partition_of[b"1"] == partition_of[b"3"] == partition_of[b"5"]
    assert partition_of[b"2"] == 3
    with pytest.raises(SerializationError, match="not negative: -1"):
        producer.send_arrow(wide_topic, pa.table({"value": [b"a"], "partition": [-1]}))


HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def test_arrow_headers_arrive_with_their_rows(broker_address, producer, wide_topic):
    many = [(f"h{number}", b"x") for number in range(100)]
    rows = [[("a", b"1"), ("a", None)], None, [], many, [("ä", b"")]]
    table = pa.table(
        {
            "key": [b"a", b"b", b"c", b"d", None],
            "value": [b"0", b"1", b"2", b"3", None],
            "partition": pa.array([3, 0, 0, 3, 1], pa.int32()),
            "headers": pa.array([[("lost", b"")], *rows], HEADERS).slice(1),
        }
    )
    producer.send_arrow(wide_topic, table).result(20)
    records = sorted(read_topic(broker_address, wide_topic, 4))
    assert [(r.partition, r.value, r.headers) for r in records] == [
        (0, b"1", None),
        (0, b"2", None),
        (1, None, rows[4]),
        (3, b"0", rows[0]),
        (3, b"3", many),
    ]


def test_arrow_rows_without_a_partition_go_by_their_key_and_without_a_timestamp_are_of_now(
    broker_address, producer, wide_topic
):
    before = int(time.time() * 1000)
    table = pa.table(
        {
            "key": pa.array([b"k", b"k", None]).dictionary_encode(),
            "value": pa.array([b"chosen", b"by key", b"anywhere"], pa.binary_view()),
            "partition": pa.array([3 - partition_for_key(b"k", 4), None, None], pa.int64()),
            "timestamp": pa.array([5, None, None], pa.timestamp("ms", tz="UTC")),
        }
    )
    producer.send_arrow(wide_topic, table).result(20)
    found = {r.value: r for r in read_topic(broker_address, wide_topic, 4)}
    assert found[b"chosen"].partition == 3 - partition_for_key(b"k", 4)
    assert found[b"by key"].partition == partition_for_key(b"k", 4)
    assert found[b"chosen"].timestamp[1] == 5
    assert all(found[value].timestamp[1] >= before for value in (b"by key", b"anywhere"))


def test_arrow_rows_may_name_their_topics(broker_address, producer, admin, topic):
    other = f"{topic}-other"
    admin.create_topic(other, partitions=1)
    table = pa.table({"topic": [topic, other, topic], "value": ["1", "2", "3"]})
    assert len(producer.send_arrow(None, table)) == 3
    producer.flush()
    assert [r.value for r in read_topic(broker_address, topic, 1)] == [b"1", b"3"]
    assert [r.value for r in read_topic(broker_address, other, 1)] == [b"2"]
    producer.send_arrow(other, table).result(20)  # a topic that is given goes before the column
    assert len(read_topic(broker_address, other, 1)) == 4


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"value": ["v"]}, "no topic"),
        ({"value": ["v"], "topic": pa.array([None], pa.string())}, "null in the column topic"),
        ({"value": [1], "topic": ["t"]}, "binary or string columns, not int64"),
        ({"value": ["v"], "topic": ["t"], "headers": ["h"]}, "list<struct<key: string, value: binary>>, not string"),
        ({"value": ["v"], "topic": ["t"], "headers": pa.array([[(None, b"")]], HEADERS)}, "without a key"),
    ],
)
def test_arrow_columns_of_another_kind_are_refused(producer, columns, text):
    with pytest.raises(SerializationError, match=text):
        producer.send_arrow(None, pa.table(columns))


def test_arrow_without_values_or_with_a_wrong_partition_is_refused(producer, topic):
    with pytest.raises(SerializationError, match="no column value"):
        producer.send_arrow(topic, pa.table({"key": [b"a"]}))
    with pytest.raises(UnknownTopicOrPartitionError):
        producer.send_arrow(topic, pa.table({"value": [b"a"], "partition": [1]}))


def test_without_acknowledgement_the_offset_is_unknown(broker_address, topic):
    with ottla.Producer(broker_address, acks=0) as producer:
        assert producer.send(topic, b"v").result(20).offset == -1
    with ottla.Producer(broker_address, acks=1) as producer:
        assert producer.send(topic, b"w").result(20).offset == 1


def test_callbacks_hear_of_success_and_of_failure(producer, topic, admin):
    heard = []
    producer.send(topic, b"v", on_delivery=lambda metadata, error: heard.append((metadata, error)))
    future = producer.send(topic, b"w")
    future.add_done_callback(heard.append)
    producer.flush()
    assert heard == [((topic, 0, 0, heard[0][0].timestamp), None), future]


def test_a_callback_that_fails_harms_nobody(producer, topic, caplog):
    producer.send(topic, b"v", on_delivery=lambda *_: 1 / 0).result(20)
    assert producer.send(topic, b"w").result(20).offset == 1
    assert "a delivery callback failed" in caplog.text


def test_serializers_by_name_by_function_and_their_errors(broker_address, topic):
    with ottla.Producer(
        broker_address, value_serializer="json", key_serializer=lambda number: b"%d" % number
    ) as client:
        client.send(topic, {"a": [1, "ü"]}, key=7).result(20)
        with pytest.raises(SerializationError, match=r"value\.serializer: TypeError"):
            client.send(topic, object())
    (record,) = read_topic(broker_address, topic)
    assert (json.loads(record.value), record.key) == ({"a": [1, "ü"]}, b"7")


def test_text_is_utf8_and_other_types_are_refused(broker_address, producer, topic):
    producer.send(topic, "ü", key=bytearray(b"k")).result(20)
    with pytest.raises(SerializationError, match="bytes or str expected, not int"):
        producer.send(topic, 5)
    assert read_topic(broker_address, topic)[0].value == "ü".encode()


def test_interceptors_change_records_and_hear_of_them(broker_address, topic):
    class Stamp:
        def __init__(self):
            self.heard = []

        def on_send(self, record):
            return record._replace(value=record.value.upper(), headers=(("stamp", b"1"),))

        def on_acknowledgement(self, metadata, error):
            self.heard.append((metadata.offset, error))

    stamp = Stamp()
    with ottla.Producer(broker_address, interceptor_classes=[stamp]) as client:
        client.send(topic, b"loud").result(20)
    (record,) = read_topic(broker_address, topic)
    assert (record.value, record.headers, stamp.heard) == (b"LOUD", [("stamp", b"1")], [(0, None)])


def test_a_record_over_the_request_size_is_refused_at_once(broker_address, producer, topic):
    with pytest.raises(InvalidRecordSizeError):
        producer.send(topic, b"x" * 1_100_000)
    with ottla.Producer(broker_address, max_request_size=5_000_000) as client:
        with pytest.raises(MessageTooLargeError):
            client.send(topic, b"x" * 1_100_000).result(20)
        assert client.send(topic, b"x" * 1_000_000).result(20).offset == 0
        assert client.send(topic, b"after").result(20).offset == 1


def test_a_batch_that_the_broker_finds_too_large_is_split(broker_address, admin, name):
    admin.create_topic(name, partitions=1, configs={"max.message.bytes": "2000"})
    with ottla.Producer(broker_address, linger_ms=50, max_request_size=5_000_000, batch_size=100_000) as client:
        futures = [client.send(name, b"%03d" % number + b"x" * 100) for number in range(200)]
        client.flush()
        bulk = client.send_many(name, [b"%03d" % number + b"y" * 100 for number in range(200)]).result(20)
    assert [future.result().offset for future in futures] == list(range(200))
    assert sum(batch.records_count for batch in bulk) == 200
    assert [int(record.value[:3]) for record in read_topic(broker_address, name)] == [*range(200), *range(200)]


def test_an_error_of_the_broker_reaches_the_future_and_the_next_records_go_on(broker_address, admin, name):
    admin.create_topic(name, partitions=1, configs={"cleanup.policy": "compact"})
    with ottla.Producer(broker_address) as client:
        with pytest.raises(InvalidRecordError):
            client.send(name, b"without a key").result(20)
        assert client.send(name, b"v", key=b"k").result(20).offset == 0
        assert isinstance(client.send(name, b"v").exception(20), InvalidRecordError)
        assert client.send(name, b"w", key=b"k").result(20).offset == 1


def test_a_topic_is_created_by_sending_to_it(broker_address, producer, name):
    assert producer.send(name, b"v").result(20).offset == 0
    with pytest.raises(InvalidTopicError):
        producer.send("not/a/topic", b"v")


def test_a_full_buffer_blocks_or_fails(broker_address, topic):
    with ottla.Producer(broker_address, buffer_memory=50_000, batch_size=10_000, linger_ms=10_000) as client:
        futures = [client.send(topic, b"x" * 1000) for _ in range(500)]
        assert len({future.result(20).offset for future in futures[:400]}) == 400
    config = {"buffer_memory": 30_000, "batch_size": 10_000, "block_on_buffer_full": False}
    with ottla.Producer(broker_address, **config) as client, pytest.raises(BufferExhaustedError):
        for _ in range(100_000):
            client.send(topic, b"x" * 1000)


def test_no_broker_is_a_timeout_after_max_block(free_address):
    with ottla.Producer(free_address, max_block_ms=200) as client, pytest.raises(ClientTimeoutError):
        client.send("t", b"v")


def test_threads_may_share_a_producer(broker_address, producer, topic):
    def work(worker):
        for number in range(500):
            producer.send(topic, b"%d:%d" % (worker, number), key=b"%d" % worker)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    producer.flush()
    records = read_topic(broker_address, topic)
    for worker in range(4):
        own = [record.value for record in records if record.key == b"%d" % worker]
        assert own == [b"%d:%d" % (worker, number) for number in range(500)]


def test_closing_sends_what_lingers_and_then_refuses(broker_address, topic):
    client = ottla.Producer(broker_address, linger_ms=100_000, delivery_timeout_ms=200_000)
    future = client.send(topic, b"v")
    client.close()
    client.close()
    assert future.result(0).offset == 0
    with pytest.raises(ClientClosedError):
        client.send(topic, b"w")


def test_flush_does_not_wait_for_the_linger(broker_address, topic):
    with ottla.Producer(broker_address, linger_ms=100_000, delivery_timeout_ms=200_000) as client:
        future = client.send(topic, b"v")
        started = time.monotonic()
        client.flush()
        assert future.done()
        assert time.monotonic() - started < 60


def test_on_asyncio_futures_are_awaited(broker_address, topic):
    async def produce():
        from ottla import aio

        async with aio.Producer(broker_address, buffer_memory=50_000, batch_size=10_000) as client:
            futures = [await client.send(topic, b"x" * 1000) for _ in range(300)]
            offsets = [(await future).offset for future in futures]
            bulk = await (await client.send_many(topic, [b"y"] * 10))
            arrow = await (await client.send_arrow(topic, pa.table({"value": [b"z"]})))
            await client.flush()
            return offsets, bulk + arrow

    offsets, bulk = asyncio.run(produce())
    assert offsets == list(range(300))
    assert [(batch.base_offset, batch.records_count) for batch in bulk] == [(300, 10), (310, 1)]


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"enable_idempotence": True, "acks": 1}, "acks to all"),
        ({"enable_idempotence": True, "retries": 0}, "retries to non-zero"),
        ({"enable_idempotence": True, "max_in_flight_requests_per_connection": 6}, "at most 5"),
        ({"delivery_timeout_ms": 10}, "linger.ms"),
        ({"value_serializer": "avro"}, "value.serializer"),
        ({"partitioner_class": "nonsense"}, "partitioner.class"),
        ({"lingerms": 5}, "linger_ms|linger.ms"),
    ],
)
def test_settings_that_contradict_each_other_are_refused(config, text):
    with pytest.raises(ConfigError, match=text):
        ottla.Producer("localhost:9092", **config)


def test_metrics_have_the_names_of_the_manual(broker_address, topic):
    with ottla.Producer(broker_address, client_id="measured") as client:
        client.send(topic, b"v").result(20)
        metrics = client.metrics()
    main = metrics["kafka.producer:type=producer-metrics,client-id=measured"]
    assert main["record-send-rate"] > 0
    assert main["buffer-total-bytes"] == 33554432
    assert metrics[f"kafka.producer:type=producer-topic-metrics,client-id=measured,topic={topic}"]["byte-rate"] > 0
    assert any("producer-node-metrics" in name for name in metrics)
