"""Python clients on one broker, each called as its own documentation does.

All producers have the same settings where they have the setting: acks=all, a linger of 5 ms, batches of up to 1 MB.
Everything else is each client's default. A run ends when the last record is acknowledged, or read. What a client spends
is the CPU of its process, all threads included.
"""

import asyncio
import importlib
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from bench.drivers_confluent import address, check_count, values
from bench.processes import Meter

LINGER_MS = 5
BATCH_BYTES = 1_000_000
AT_ONCE = 10_000  # values per call where a call takes many
POLLED_AT_ONCE = 500  # max.poll.records, everybody's default
TIMEOUT_S = 60.0

Work = Callable[[], object]


def produce(port: int, pid: int, client: str, topic: str, value_bytes: int, count: int) -> dict[str, float]:
    """`count` records by one client and call (`PRODUCERS`), until the last is acknowledged."""
    if client == "aiokafka":
        costs = asyncio.run(_produce_aiokafka(port, pid, topic, values(count, value_bytes)))
    else:
        work, finish = PRODUCERS[client](port, topic, values(count, value_bytes))
        with Meter(pid) as meter:
            work()
        finish()
        costs = meter.costs()
    check_count(port, topic, 1, count, 0)
    return costs | {"records": count}


def consume(port: int, pid: int, client: str, topic: str, count: int) -> dict[str, float]:
    """The first `count` records of a topic by one client and call (`CONSUMERS`)."""
    if client == "aiokafka":
        costs = asyncio.run(_consume_aiokafka(port, pid, topic, count))
    else:
        work, finish = CONSUMERS[client](port, topic, count)
        with Meter(pid) as meter:
            work()
        finish()
        costs = meter.costs()
    return costs | {"records": count}


def _chunks(items: list[bytes]) -> Iterator[list[bytes]]:
    return (items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE))


# Producing


def _ottla_producer(port: int, topic: str) -> Any:
    import ottla

    producer = ottla.Producer(address(port), acks="all", linger_ms=LINGER_MS, batch_size=BATCH_BYTES)
    producer.partitions_for(topic)
    return producer


def _ottla_send(port: int, topic: str, items: list[bytes]) -> tuple[Work, Work]:
    producer = _ottla_producer(port, topic)

    def work() -> None:
        for value in items:
            producer.send(topic, value)
        producer.flush()

    return work, producer.close


def _ottla_send_many(port: int, topic: str, items: list[bytes]) -> tuple[Work, Work]:
    producer = _ottla_producer(port, topic)
    chunks = list(_chunks(items))

    def work() -> None:
        for chunk in chunks:
            producer.send_many(topic, chunk)
        producer.flush()

    return work, producer.close


def _ottla_send_arrow(port: int, topic: str, items: list[bytes]) -> tuple[Work, Work]:
    import pyarrow

    producer = _ottla_producer(port, topic)
    batches = [pyarrow.record_batch({"value": pyarrow.array(chunk, pyarrow.binary())}) for chunk in _chunks(items)]

    def work() -> None:
        for batch in batches:
            producer.send_arrow(topic, batch)
        producer.flush()

    return work, producer.close


def _confluent_producer(port: int, topic: str) -> Any:
    from confluent_kafka import Producer

    settings = {"acks": "all", "linger.ms": LINGER_MS, "batch.size": BATCH_BYTES, "log_level": 0}
    producer = Producer({"bootstrap.servers": address(port), **settings})
    producer.list_topics(topic)
    return producer


def _confluent_produce(port: int, topic: str, items: list[bytes]) -> tuple[Work, Work]:
    producer = _confluent_producer(port, topic)

    def work() -> None:
        for value in items:
            while True:
                try:
                    producer.produce(topic, value)
                    break
                except BufferError:  # its queue is full: 100,000 records
                    producer.poll(0.01)
        producer.flush(TIMEOUT_S)

    return work, lambda: None


def _confluent_produce_batch(port: int, topic: str, items: list[bytes]) -> tuple[Work, Work]:
    producer = _confluent_producer(port, topic)
    chunks = [[{"value": value} for value in chunk] for chunk in _chunks(items)]

    def work() -> None:
        for chunk in chunks:
            while len(producer) > 5 * AT_ONCE:
                producer.poll(0.001)
            producer.produce_batch(topic, chunk)
        producer.flush(TIMEOUT_S)

    return work, lambda: None


def _kafka_python_send(port: int, topic: str, items: list[bytes]) -> tuple[Work, Work]:
    from kafka import KafkaProducer

    producer = KafkaProducer(bootstrap_servers=address(port), acks="all", linger_ms=LINGER_MS, batch_size=BATCH_BYTES)
    producer.partitions_for(topic)

    def work() -> None:
        for value in items:
            producer.send(topic, value)
        producer.flush(TIMEOUT_S)

    return work, producer.close


async def _produce_aiokafka(port: int, pid: int, topic: str, items: list[bytes]) -> dict[str, float]:
    from aiokafka import AIOKafkaProducer

    producer = AIOKafkaProducer(
        bootstrap_servers=address(port), acks="all", linger_ms=LINGER_MS, max_batch_size=BATCH_BYTES
    )
    await producer.start()
    await producer.partitions_for(topic)
    with Meter(pid) as meter:
        for value in items:
            await producer.send(topic, value)
        await producer.flush()
    await producer.stop()
    return meter.costs()


PRODUCERS: dict[str, Callable[[int, str, list[bytes]], tuple[Work, Work]]] = {
    "ottla-send": _ottla_send,
    "ottla-send_many": _ottla_send_many,
    "ottla-send_arrow": _ottla_send_arrow,
    "confluent-produce": _confluent_produce,
    "confluent-produce_batch": _confluent_produce_batch,
    "kafka-python": _kafka_python_send,
}


# Consuming


def _take(records: Iterable[object], count: int) -> None:
    for _ in islice(records, count):
        pass


def _ottla_consumer(port: int, topic: str) -> Any:
    import ottla

    consumer = ottla.Consumer(address(port), auto_offset_reset="earliest")
    consumer.assign([(topic, 0)])
    return consumer


def _ottla_iterate(port: int, topic: str, count: int) -> tuple[Work, Work]:
    consumer = _ottla_consumer(port, topic)
    return lambda: _take(consumer, count), consumer.close


def _ottla_poll_arrow(port: int, topic: str, count: int) -> tuple[Work, Work]:
    importlib.import_module("ottla.clients.consumer.arrow_batches")  # and pyarrow, before the clock starts
    consumer = _ottla_consumer(port, topic)

    def work() -> None:
        left = count
        while left > 0:
            left -= consumer.poll_arrow(timeout_ms=TIMEOUT_S * 1000).num_rows

    return work, consumer.close


def _confluent_consumer(port: int, topic: str) -> Any:
    from confluent_kafka import Consumer, TopicPartition

    settings = {"group.id": "bench", "enable.auto.commit": False, "log_level": 0}
    consumer = Consumer({"bootstrap.servers": address(port), **settings})
    consumer.assign([TopicPartition(topic, 0, 0)])
    return consumer


def _confluent_poll(port: int, topic: str, count: int) -> tuple[Work, Work]:
    consumer = _confluent_consumer(port, topic)

    def work() -> None:
        for _ in range(count):
            message = consumer.poll(TIMEOUT_S)
            assert message is not None
            assert message.error() is None

    return work, consumer.close


def _confluent_consume(port: int, topic: str, count: int) -> tuple[Work, Work]:
    consumer = _confluent_consumer(port, topic)

    def work() -> None:
        left = count
        while left > 0:
            left -= len(consumer.consume(min(left, AT_ONCE), TIMEOUT_S))

    return work, consumer.close


def _kafka_python_iterate(port: int, topic: str, count: int) -> tuple[Work, Work]:
    from kafka import KafkaConsumer, TopicPartition

    consumer = KafkaConsumer(
        bootstrap_servers=address(port), auto_offset_reset="earliest", max_poll_records=POLLED_AT_ONCE
    )
    consumer.assign([TopicPartition(topic, 0)])
    return lambda: _take(consumer, count), consumer.close


async def _consume_aiokafka(port: int, pid: int, topic: str, count: int) -> dict[str, float]:
    from aiokafka import AIOKafkaConsumer, TopicPartition

    consumer = AIOKafkaConsumer(bootstrap_servers=address(port), auto_offset_reset="earliest")
    await consumer.start()
    consumer.assign([TopicPartition(topic, 0)])
    with Meter(pid) as meter:
        left = count
        async for _ in consumer:
            left -= 1
            if not left:
                break
    await consumer.stop()
    return meter.costs()


CONSUMERS: dict[str, Callable[[int, str, int], tuple[Work, Work]]] = {
    "ottla-iterate": _ottla_iterate,
    "ottla-poll_arrow": _ottla_poll_arrow,
    "confluent-poll": _confluent_poll,
    "confluent-consume": _confluent_consume,
    "kafka-python": _kafka_python_iterate,
}
