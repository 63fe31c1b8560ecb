"""confluent-kafka (librdkafka), the same client for both brokers, set so that the broker is measured and not it.

The settings are those under which librdkafka itself is quick: large batches, and no sleep when its queue is full. What
was produced is counted on the broker afterwards, since no delivery report is asked for.
"""

import itertools
import random
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

from bench.driver import say_ready
from bench.processes import Meter, summed

PRODUCER = {"batch.size": 1_000_000, "batch.num.messages": 100_000, "linger.ms": 5, "log_level": 0}
PRODUCER_QUEUE = {"queue.buffering.max.messages": 1_000_000, "queue.buffering.max.kbytes": 1 << 20}
CONSUMER = {
    "queued.min.messages": 5_000_000,
    "fetch.queue.backoff.ms": 5,
    "group.id": "bench",
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "log_level": 0,
}
QUEUED_BYTES_MAX = 100 << 20
# Well below the queue's own bound, past which a batch would be dropped.
QUEUED_MAX = 500_000
# Of single records: always some to send, and soon sent when the time is over.
QUEUED_ONE_BY_ONE_MAX = 10_000
# Records that are alive at once cost the client page faults, so a call takes few large ones.
CONSUMED_BYTES_AT_ONCE = 1 << 20
CONSUMED_AT_ONCE_MAX = 10_000
TIMEOUT_S = 60.0


def values(count: int, size: int) -> list[bytes]:
    """Text-like values of one size: words drawn at random, which zstd makes about three times smaller."""
    chance = random.Random(7)
    words = [bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz0123456789", k=7)) + b" " for _ in range(2_000)]
    text = b"".join(chance.choices(words, k=count * size // 8 + size))
    return [text[index * size : (index + 1) * size] for index in range(count)]


def produce(
    port: int, pid: int, topic: str, value_bytes: int, count: int, partitions: int, acks: str, codec: str
) -> dict[str, float]:
    """`count` records, spread over the partitions in turn, until the last is acknowledged."""
    producer = Producer(
        PRODUCER | PRODUCER_QUEUE | {"bootstrap.servers": address(port), "acks": acks, "compression.type": codec}
    )
    at_once = max(10, min(1_000, (1 << 20) // value_bytes))
    batch = [{"value": value} for value in values(at_once, value_bytes)]
    queued_max = min(QUEUED_MAX, max(at_once, QUEUED_BYTES_MAX // value_bytes))
    producer.list_topics(topic)
    with Meter(pid) as meter:
        for number in range(count // at_once):
            while len(producer) > queued_max:
                producer.poll(0.001)
            producer.produce_batch(topic, batch, partition=number % partitions)
        unsent = producer.flush(TIMEOUT_S)
    sent = count // at_once * at_once
    check_count(port, topic, partitions, sent, unsent)
    return meter.costs() | {"records": sent, "bytes": sent * value_bytes}


def produce_one_by_one(port: int, pid: int, topic: str, value_bytes: int, seconds: float) -> dict[str, float]:
    """Every record a request of its own: linger 0, one record per batch, as many on the way as the client likes."""
    settings = {"bootstrap.servers": address(port), "acks": 1, "linger.ms": 0, "batch.num.messages": 1, "log_level": 0}
    producer = Producer(PRODUCER_QUEUE | settings)
    batch = [{"value": value} for value in values(1_000, value_bytes)]
    producer.list_topics(topic)
    sent = 0
    with Meter(pid) as meter:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            while len(producer) > QUEUED_ONE_BY_ONE_MAX:
                producer.poll(0.001)
            producer.produce_batch(topic, batch, partition=0)
            sent += len(batch)
        unsent = producer.flush(TIMEOUT_S)
    check_count(port, topic, 1, sent, unsent)
    return meter.costs() | {"requests": sent}


def address(port: int) -> str:
    return f"127.0.0.1:{port}"


def new_consumer(port: int) -> Consumer:
    return Consumer(CONSUMER | {"bootstrap.servers": address(port)})


def check_count(port: int, topic: str, partitions: int, expected: int, unsent: int) -> None:
    """What the log holds must be what was sent."""
    consumer = new_consumer(port)
    marks = (consumer.get_watermark_offsets(TopicPartition(topic, index), TIMEOUT_S) for index in range(partitions))
    stored = sum(high for _low, high in marks)
    consumer.close()
    if unsent or stored != expected:
        raise RuntimeError(f"{expected} records were sent, {stored} are stored, {unsent} not acknowledged")


def consume(
    port: int, pid: int, topic: str, value_bytes: int, count: int, partitions: int, consumers: int, seconds: float
) -> dict[str, float]:
    """The whole topic, by each of the consumers, once or until `seconds` are over. Librdkafka's threads do the work.

    Each pass has new consumers: one that has nothing to do yet, or is at the end of a log, takes its time to begin.
    """
    shape = (topic, value_bytes, count, partitions)
    passes = [consume_once(port, pid, consumers, *shape)]
    while sum(costs["elapsed_s"] for costs in passes) < seconds:
        passes.append(consume_once(port, pid, consumers, *shape))
    records = count * consumers * len(passes)
    return summed(passes) | {"records": records, "bytes": records * value_bytes}


def consume_once(port: int, pid: int, consumers: int, *shape: Any) -> dict[str, float]:
    """The threads outlive the measured stretch: the meter sees no time of those that have ended."""
    readers = [new_consumer(port) for _ in range(consumers)]
    with ThreadPoolExecutor(consumers) as pool, Meter(pid) as meter:
        waited = list(pool.map(lambda reader: read_all(reader, *shape), readers))
    for reader in readers:
        reader.close()
    return meter.costs() | {"waited_s": sum(waited) / consumers}


def read_all(consumer: Consumer, topic: str, value_bytes: int, count: int, partitions: int) -> float:
    """For how many seconds of it there was no record to take: the rest is the client's own time, at work or not."""
    at_once = min(CONSUMED_AT_ONCE_MAX, CONSUMED_BYTES_AT_ONCE // value_bytes)
    consumer.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    left = count
    waited_s = 0.0
    while left > 0:
        messages = consumer.consume(min(left, at_once), 0)
        if not messages:
            began = time.perf_counter()
            messages = consumer.consume(1, TIMEOUT_S)
            waited_s += time.perf_counter() - began
        if not messages:
            raise TimeoutError(f"{left} records are missing")
        left -= len(messages)
    return waited_s


def produce_at_rate(port: int, topic: str, rate: int, seconds: float) -> dict[str, float]:
    """Records of 100 bytes at an even pace, linger 0, each with the time of its birth in front."""
    producer = Producer({"bootstrap.servers": address(port), "acks": 1, "linger.ms": 0, "log_level": 0})
    producer.list_topics(topic)
    filler = bytes(92)
    start = time.monotonic_ns()
    for number in range(int(rate * seconds)):
        wait_ns = start + number * 1_000_000_000 // rate - time.monotonic_ns()
        if wait_ns > 0:
            time.sleep(wait_ns / 1e9)
        producer.produce(topic, time.monotonic_ns().to_bytes(8, "big") + filler, partition=0)
    producer.flush(TIMEOUT_S)
    return {}


def latencies(port: int, pid: int, topic: str, count: int, skip: int) -> dict[str, float]:
    """From the producer's call to the consumer's poll, over `count` records after the first `skip`."""
    consumer = Consumer(CONSUMER | {"bootstrap.servers": address(port)})
    consumer.assign([TopicPartition(topic, 0, 0)])
    consumer.poll(0.5)
    say_ready()
    for _ in range(skip):
        _poll_age_ns(consumer)
    with Meter(pid) as meter:
        ages = sorted(itertools.islice(iter(lambda: _poll_age_ns(consumer), None), count))
    consumer.close()
    return meter.costs() | {"p50_ms": ages[count // 2] / 1e6, "p99_ms": ages[count * 99 // 100] / 1e6}


def _poll_age_ns(consumer: Consumer) -> int:
    message = consumer.poll(TIMEOUT_S)
    if message is None or message.error():
        raise TimeoutError(f"no record came: {message and message.error()}")
    return time.monotonic_ns() - int.from_bytes((message.value() or b"")[:8], "big")
