"""Clients while connections are cut and the broker is away: nothing acknowledged is lost or written twice."""

import itertools
from collections.abc import Iterator

import pytest

import ottla
from support.kafka import KafkaBroker, kafka_broker
from support.librdkafka import read_topic
from support.resetting_proxy import ResettingProxy


@pytest.fixture(scope="module")
def proxied_broker() -> Iterator[tuple[KafkaBroker, ResettingProxy]]:
    """A broker that clients reach only through a proxy."""
    with ResettingProxy() as proxy, kafka_broker("4.3.0", advertised_port=proxy.port) as broker:
        proxy.target = ("127.0.0.1", broker.port)
        yield broker, proxy


@pytest.mark.parametrize("codec", ["none", pytest.param("lz4", marks=pytest.mark.long)])
def test_resets_in_the_middle_of_requests_make_no_duplicate_and_no_gap(proxied_broker, codec):
    _, proxy = proxied_broker
    topic = f"resets-{codec}"
    values = [b"%06d" % number + b"x" * 200 for number in range(8000)]
    with ottla.Admin(proxy.address) as admin:
        admin.create_topic(topic, partitions=2)
    with ottla.Producer(
        proxy.address, compression_type=codec, retry_backoff_ms=10, reconnect_backoff_ms=10, batch_size=4000
    ) as producer:
        producer.send(topic, b"first", partition=0).result(30)
        resets_before = proxy.resets
        proxy.reset_after_bytes = 60_000 if codec == "none" else 4_000
        futures = [producer.send(topic, value, partition=number % 2) for number, value in enumerate(values)]
        producer.flush()
        proxy.reset_after_bytes = None
        offsets = [future.result(60).offset for future in futures]
    assert proxy.resets - resets_before >= 5
    records = read_topic(proxy.address, topic, 2)
    for partition in (0, 1):
        found = [record for record in records if record.partition == partition and record.value != b"first"]
        assert [record.value for record in found] == values[partition::2]
        assert [record.offset for record in found] == offsets[partition::2]


@pytest.mark.long
def test_producer_and_consumer_survive_a_broker_that_goes_and_comes_back(proxied_broker):
    broker, proxy = proxied_broker
    values = [b"%06d" % number for number in range(3000)]
    with ottla.Admin(proxy.address) as admin:
        admin.create_topic("killed", partitions=1)
    config = {"group_id": "survivor", "auto_offset_reset": "earliest", "heartbeat_interval_ms": 50}
    with (
        ottla.Producer(proxy.address, linger_ms=1, batch_size=500, retry_backoff_ms=20) as producer,
        ottla.Consumer(proxy.address, **config) as consumer,
    ):
        consumer.subscribe(["killed"])
        futures = [producer.send("killed", value) for value in values[:1000]]
        seen = [record.value for record in itertools.islice(consumer, 500)]
        broker.stop()
        futures += [producer.send("killed", value) for value in values[1000:]]
        broker.start()
        seen += [record.value for record in itertools.islice(consumer, 2500)]
        producer.flush()
        consumer.commit()
    assert [future.result(60).offset for future in futures] == list(range(3000))
    assert seen == values
    assert [record.value for record in read_topic(proxy.address, "killed")] == values


@pytest.mark.long
def test_records_that_cannot_be_delivered_in_time_fail_and_later_ones_succeed(proxied_broker):
    broker, proxy = proxied_broker
    with ottla.Producer(
        proxy.address, delivery_timeout_ms=700, request_timeout_ms=500, retry_backoff_ms=20, reconnect_backoff_ms=10
    ) as producer:
        producer.send("late", b"first").result(30)
        broker.stop()
        futures = [producer.send("late", b"lost") for _ in range(10)]
        assert all(future.exception(30) is not None for future in futures)
        broker.start()
        while (future := producer.send("late", b"second")).exception(30) is not None:
            pass
        assert future.result().offset >= 1
