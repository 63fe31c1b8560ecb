"""Topics as tests of Spark write and read them: options of our format, and what our own consumer finds."""

from typing import Any

import ottla
from ottla.testing import EmbeddedBroker


def sink(writer: Any, broker: EmbeddedBroker, topic: str | None = None, **producer: str) -> Any:
    """A DataFrameWriter or DataStreamWriter to a topic, or to those that the rows name."""
    writer = writer.format("ottla").option("kafka.bootstrap.servers", broker.bootstrap_servers)
    for key, value in producer.items():
        writer = writer.option(f"kafka.{key.replace('_', '.')}", value)
    return writer if topic is None else writer.option("topic", topic)


def values_of(broker: EmbeddedBroker, topic: str, count_min: int) -> list[bytes | None]:
    """All values of a topic: at least `count_min` are waited for, and then whatever else is there already."""
    with ottla.Consumer(broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
        consumer.assign([(topic, partition) for partition in partitions_of(broker, topic)])
        ends = consumer.end_offsets(sorted(consumer.assignment()))
        values: list[bytes | None] = []
        while len(values) < max(count_min, sum(ends.values())):
            found = consumer.poll(timeout_ms=20_000)
            assert found, f"{topic}: {len(values)} values, and no more came"
            values.extend(record.value for record in found)
        return values


def partitions_of(broker: EmbeddedBroker, topic: str) -> list[int]:
    with ottla.Producer(broker.bootstrap_servers) as producer:
        return producer.partitions_for(topic)


def end_of(broker: EmbeddedBroker, topic: str) -> int:
    """How many records the topic has got so far."""
    with ottla.Consumer(broker.bootstrap_servers) as consumer:
        return sum(consumer.end_offsets([(topic, partition) for partition in partitions_of(broker, topic)]).values())
