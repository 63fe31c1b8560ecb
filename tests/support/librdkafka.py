"""Reading and writing topics with librdkafka: the other opinion about what our clients did."""

from typing import Any, NamedTuple

from confluent_kafka import Consumer, Producer, TopicPartition

QUIET = {"log_level": 0}


class ReadRecord(NamedTuple):
    partition: int
    offset: int
    timestamp: tuple[int, int]
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes]] | None


def read_topic(address: str, topic: str, partitions: int = 1, **config: Any) -> list[ReadRecord]:
    """All records of a topic, from its beginning to where it ends now."""
    consumer = Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "reader",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 20,
            **QUIET,
            **config,
        }
    )
    try:
        ends = {index: consumer.get_watermark_offsets(TopicPartition(topic, index), 20) for index in range(partitions)}
        consumer.assign([TopicPartition(topic, index, low) for index, (low, _) in ends.items()])
        records: list[ReadRecord] = []
        open_partitions = {index for index, (low, high) in ends.items() if high > low}
        while open_partitions:
            for message in consumer.consume(1000, 0.05):
                assert message.error() is None, message.error()
                records.append(
                    ReadRecord(
                        message.partition(),
                        message.offset(),
                        message.timestamp(),
                        message.key(),
                        message.value(),
                        message.headers(),
                    )
                )
            position = consumer.position([TopicPartition(topic, index) for index in open_partitions])
            open_partitions -= {at.partition for at in position if at.offset >= ends[at.partition][1]}
        return records
    finally:
        consumer.close()


def write_topic(address: str, topic: str, records: list[dict[str, Any]], **config: Any) -> None:
    """Write records, given as the arguments of `produce`."""
    producer = Producer({"bootstrap.servers": address, **QUIET, **config})
    failures: list[Any] = []

    def note(error: Any, _message: Any) -> None:
        if error is not None:
            failures.append(error)

    for record in records:
        producer.produce(topic, on_delivery=note, **record)
        producer.poll(0)
    assert producer.flush(30) == 0
    assert not failures, failures
