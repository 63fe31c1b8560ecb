"""The consumer without groups on a real broker: positions, seeking, pausing, formats, sizes."""

import asyncio
import itertools
import threading

import pytest

import ottla
from ottla import TopicPartition
from ottla.clients.consumer.core import WakeupError
from ottla.clients.errors import (
    ClientClosedError,
    IllegalStateError,
    NoOffsetForPartitionError,
    SerializationError,
)
from ottla.errors import ConfigError
from ottla.errors.kafka import CorruptMessageError
from ottla.testing import EmbeddedBroker
from support.librdkafka import write_topic


@pytest.fixture
def filled(broker_address, topic):
    """A topic with the records 0 to 999, in batches of about a hundred, a millisecond apart."""
    records = [
        {"value": b"%d" % number, "key": b"k%d" % number, "timestamp": 1_700_000_000_000 + number}
        for number in range(1000)
    ]
    write_topic(broker_address, topic, records, **{"batch.num.messages": 100, "linger.ms": 50})
    return topic


@pytest.fixture
def consumer(broker_address):
    with ottla.Consumer(broker_address, auto_offset_reset="earliest") as client:
        yield client


def take(consumer, count):
    return list(itertools.islice(consumer, count))


def test_records_come_in_order_with_all_their_parts(broker_address, consumer, topic):
    headers = [("h", b"1"), ("h", b"2"), ("none", None)]
    write_topic(
        broker_address,
        topic,
        [{"value": b"v", "key": b"k", "headers": headers, "timestamp": 5}, {"value": None, "key": None}],
    )
    consumer.assign([(topic, 0)])
    first, second = take(consumer, 2)
    assert (first.topic, first.partition, first.offset, first.timestamp, first.timestamp_type) == (topic, 0, 0, 5, 0)
    assert (first.key, first.value, first.headers) == (b"k", b"v", (("h", b"1"), ("h", b"2"), ("none", None)))
    assert (second.key, second.value, second.headers, second.offset) == (None, None, (), 1)
    assert first.topic_partition == TopicPartition(topic, 0)


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_every_codec_of_others_is_read(broker_address, consumer, topic, codec):
    values = [b"abc" * number for number in range(200)]
    config = {"compression.type": codec, "linger.ms": 50}
    write_topic(broker_address, topic, [{"value": value} for value in values], **config)
    consumer.assign([(topic, 0)])
    assert [record.value for record in take(consumer, 200)] == values


def test_the_position_follows_a_loop_record_by_record(consumer, filled):
    partition = TopicPartition(filled, 0)
    consumer.assign([partition])
    for record in consumer:
        assert consumer.position(partition) == record.offset + 1
        if record.offset == 7:
            break
    assert [record.offset for record in take(consumer, 3)] == [8, 9, 10]
    assert consumer.position(partition) == 11
    rows = consumer.poll(5000, max_records=5)
    assert rows[0].offset == 11
    assert consumer.position(partition) == rows[-1].offset + 1


def test_a_poll_gives_at_most_as_many_records_as_allowed(broker_address, filled):
    with ottla.Consumer(broker_address, auto_offset_reset="earliest", max_poll_records=7) as client:
        client.assign([(filled, 0)])
        offsets = []
        while len(offsets) < 1000:
            rows = client.poll(5000)
            assert 0 < len(rows) <= 7
            offsets += [record.offset for record in rows]
        assert offsets == list(range(1000))
        assert client.poll(0) == []


def test_seeking_by_offset_by_time_and_to_both_ends(consumer, filled):
    partition = TopicPartition(filled, 0)
    consumer.assign([partition])
    consumer.seek(partition, 500)
    assert take(consumer, 1)[0].offset == 500
    consumer.seek_to_time({partition: 1_700_000_000_250})
    assert take(consumer, 1)[0].offset == 250
    consumer.seek_to_beginning([partition])
    assert take(consumer, 1)[0].offset == 0
    consumer.seek_to_end()
    assert consumer.position(partition) == 1000
    assert consumer.poll(50) == []
    consumer.seek_to_time({partition: 9_900_000_000_000})
    assert consumer.position(partition) == 1000


def test_a_seek_in_the_middle_of_a_loop_takes_effect_at_once(consumer, filled):
    partition = TopicPartition(filled, 0)
    consumer.assign([partition])
    seen = []
    for record in consumer:
        seen.append(record.offset)
        if record.offset == 2:
            consumer.seek(partition, 900)
        if len(seen) == 5:
            break
    assert seen == [0, 1, 2, 900, 901]


def test_offsets_are_looked_up_by_time_and_at_the_ends(consumer, filled):
    partition = TopicPartition(filled, 0)
    assert consumer.beginning_offsets([partition]) == {partition: 0}
    assert consumer.end_offsets([partition]) == {partition: 1000}
    found = consumer.offsets_for_times({partition: 1_700_000_000_123})
    assert (found[partition].offset, found[partition].timestamp) == (123, 1_700_000_000_123)
    assert consumer.offsets_for_times({partition: 9_900_000_000_000}) == {partition: None}
    assert consumer.partitions_for(filled) == [0]
    assert consumer.list_topics()[filled] == [0]


def test_lag_counts_what_has_not_been_read(consumer, filled):
    partition = TopicPartition(filled, 0)
    consumer.assign([partition])
    assert consumer.lag(partition) is None
    take(consumer, 10)
    assert consumer.lag(partition) == 990
    name = next(key for key in consumer.metrics() if "MaxLag" in key)
    assert consumer.metrics()[name]["Value"] == 990


def test_a_paused_partition_is_not_read_until_it_is_resumed(broker_address, consumer, wide_topic):
    write_topic(broker_address, wide_topic, [{"value": b"v", "partition": index % 2} for index in range(40)])
    first, second = TopicPartition(wide_topic, 0), TopicPartition(wide_topic, 1)
    consumer.assign([first, second])
    consumer.pause([first])
    assert consumer.paused() == {first}
    assert {record.partition for record in take(consumer, 20)} == {1}
    assert consumer.poll(50) == []
    consumer.resume([first])
    assert {record.partition for record in take(consumer, 20)} == {0}


def test_pausing_in_a_loop_keeps_the_rest_for_later(broker_address, consumer, filled):
    partition = TopicPartition(filled, 0)
    consumer.assign([partition])
    assert [record.offset for record in take(consumer, 3)] == [0, 1, 2]
    consumer.pause([partition])
    assert consumer.poll(50) == []
    consumer.resume([partition])
    assert [record.offset for record in take(consumer, 3)] == [3, 4, 5]


def test_a_record_larger_than_the_fetch_size_makes_progress(broker_address, topic):
    values = [b"a" * 300_000, b"b", b"c" * 500_000, b"d"]
    write_topic(broker_address, topic, [{"value": value} for value in values], **{"batch.num.messages": 1})
    with ottla.Consumer(
        broker_address, auto_offset_reset="earliest", max_partition_fetch_bytes=1000, fetch_max_bytes=1000
    ) as client:
        client.assign([(topic, 0)])
        assert [record.value for record in take(client, 4)] == values


def test_a_batch_that_is_cut_short_on_disk_is_an_error_that_names_its_offset(tmp_path):
    with EmbeddedBroker(directory=tmp_path) as broker:
        topic = broker.create_topic("damaged")
        (log_file,) = tmp_path.glob("logs-0/damaged-0/*.log")
        with ottla.Producer(broker.address) as producer:
            assert producer.send(topic, b"whole").result(30).offset == 0
            position = log_file.stat().st_size
            assert producer.send(topic, b"torn").result(30).offset == 1
        with open(log_file, "r+b") as file:
            file.seek(position + 8)
            file.write((1 << 20).to_bytes(4, "big"))
        with ottla.Consumer(broker.address, auto_offset_reset="earliest") as client:
            client.assign([(topic, 0)])
            assert [record.value for record in take(client, 1)] == [b"whole"]
            with pytest.raises(CorruptMessageError, match="damaged-0 at offset 1"):
                take(client, 1)
            client.seek((topic, 0), 0)
            assert [record.value for record in take(client, 1)] == [b"whole"]


def test_new_records_arrive_while_somebody_waits(broker_address, consumer, topic):
    consumer.assign([(topic, 0)])
    consumer.seek_to_end()
    assert consumer.position((topic, 0)) == 0
    writer = threading.Timer(0.2, write_topic, [broker_address, topic, [{"value": b"late"}]])
    writer.start()
    assert [record.value for record in consumer.poll(20_000)] == [b"late"]
    writer.join()


def test_where_to_begin_without_an_offset_is_a_setting(broker_address, filled):
    with ottla.Consumer(broker_address) as client:
        client.assign([(filled, 0)])
        assert client.position((filled, 0)) == 1000
    with ottla.Consumer(broker_address, auto_offset_reset="none") as client:
        client.assign([(filled, 0)])
        with pytest.raises(NoOffsetForPartitionError):
            client.poll(5000)
        client.seek((filled, 0), 5)
        assert client.poll(5000)[0].offset == 5


def test_an_offset_out_of_range_is_reset_or_an_error(broker_address, admin, consumer, filled):
    partition = TopicPartition(filled, 0)
    admin.delete_records({partition: 600}).check()
    consumer.assign([partition])
    consumer.seek(partition, 100)
    assert consumer.poll(5000)[0].offset == 600
    with ottla.Consumer(broker_address, auto_offset_reset="none") as client:
        client.assign([partition])
        client.seek(partition, 100)
        with pytest.raises(NoOffsetForPartitionError):
            client.poll(5000)


def test_deserializers_are_applied_and_their_errors_name_the_record(broker_address, topic):
    write_topic(broker_address, topic, [{"value": b'{"a":1}', "key": b"k"}, {"value": b"oops"}, {"value": b"3"}])
    with ottla.Consumer(
        broker_address, auto_offset_reset="earliest", value_deserializer="json", key_deserializer="string"
    ) as client:
        client.assign([(topic, 0)])
        (record,) = client.poll(5000)
        assert (record.key, record.value) == ("k", {"a": 1})
        with pytest.raises(SerializationError, match="at offset 1: seek past it"):
            client.poll(5000)
        client.seek((topic, 0), 2)
        assert client.poll(5000)[0].value == 3


def test_several_partitions_are_read_to_their_ends(broker_address, consumer, wide_topic):
    write_topic(broker_address, wide_topic, [{"value": b"x" * 1000, "partition": index % 4} for index in range(4000)])
    consumer.assign([(wide_topic, index) for index in range(4)])
    seen = {index: [] for index in range(4)}
    for record in take(consumer, 4000):
        seen[record.partition].append(record.offset)
    assert all(offsets == list(range(1000)) for offsets in seen.values())


def test_assigning_again_keeps_the_positions_of_what_stays(consumer, filled, broker_address, admin, name):
    other = f"{name}-other"
    write_topic(broker_address, other, [{"value": b"v"}])
    consumer.assign([(filled, 0)])
    assert len(take(consumer, 5)) == 5
    consumer.assign([(filled, 0), (other, 0)])
    assert consumer.assignment() == {(filled, 0), (other, 0)}
    offsets = {(record.topic, record.offset) for record in take(consumer, 10)}
    assert (filled, 4) not in offsets
    consumer.assign([])
    assert consumer.poll(20) == []


def test_wakeup_ends_a_wait(consumer, topic):
    consumer.assign([(topic, 0)])
    timer = threading.Timer(0.1, consumer.wakeup)
    timer.start()
    with pytest.raises(WakeupError):
        consumer.poll(60_000)
    timer.join()
    assert consumer.poll(0) == []


def test_calls_that_make_no_sense_say_so(broker_address, consumer, topic):
    with pytest.raises(IllegalStateError, match="give the consumer a group_id"):
        consumer.subscribe([topic])
    with pytest.raises(IllegalStateError, match="not assigned"):
        consumer.seek((topic, 0), 1)
    consumer.assign([(topic, 0)])
    with pytest.raises(IllegalStateError, match="not negative"):
        consumer.seek((topic, 0), -1)
    with pytest.raises(IllegalStateError, match="group_id"):
        consumer.commit()
    consumer.close()
    with pytest.raises(ClientClosedError):
        consumer.poll()


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"group_id": ""}, "group.id is empty"),
        ({"group_id": "g", "heartbeat_interval_ms": 50_000}, "heartbeat.interval.ms"),
        ({"enable_auto_commit": True}, "enable.auto.commit"),
        ({"auto_offset_reset": "middle"}, "auto.offset.reset"),
        ({"group_idd": "g"}, "did you mean group_id"),
        ({"group_id": "g", "group_protocol": "consumer"}, "KIP-848"),
    ],
)
def test_settings_that_cannot_be_are_refused(config, text):
    with pytest.raises(ConfigError, match=text):
        ottla.Consumer("localhost:9092", **config)


def test_on_asyncio_records_are_awaited(broker_address, filled):
    async def read():
        from ottla import aio

        async with aio.Consumer(broker_address, auto_offset_reset="earliest") as client:
            await client.assign([(filled, 0)])
            seen = []
            async for record in client:
                seen.append(record.offset)
                if len(seen) == 700:
                    break
            rest = []
            while len(rest) < 300:
                rest += [record.offset for record in await client.poll(5000)]
            return seen + rest, await client.position((filled, 0))

    assert asyncio.run(read()) == (list(range(1000)), 1000)


@pytest.mark.usefixtures("only_kafka")
def test_only_committed_transactions_are_read_if_that_is_wanted(broker_address, topic):
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker_address, "transactional.id": topic, "log_level": 0})
    producer.init_transactions(30)
    for outcome in ("commit", "abort", "commit"):
        producer.begin_transaction()
        for number in range(3):
            producer.produce(topic, f"{outcome}-{number}")
        producer.flush(30)
        producer.commit_transaction(30) if outcome == "commit" else producer.abort_transaction(30)
    for level, expected in (("read_committed", 6), ("read_uncommitted", 9)):
        with ottla.Consumer(broker_address, auto_offset_reset="earliest", isolation_level=level) as client:
            client.assign([(topic, 0)])
            values = [record.value for record in take(client, expected)]
            assert client.poll(50) == []
            assert sum(value.startswith(b"abort") for value in values) == expected - 6
            assert client.position((topic, 0)) == client.end_offsets([(topic, 0)])[topic, 0] == 12
