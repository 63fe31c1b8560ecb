"""librdkafka through confluent-kafka."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

from support.drivers.records import CONSUME_SECONDS_MAX, ClientRecord, Driver, DriverError

# Silent about lost connections; gives up in the time of a test.
COMMON = {"log_level": 0, "socket.timeout.ms": 20_000, "broker.address.family": "v4"}
FLUSH_SECONDS = 30


class ConfluentDriver(Driver):
    name = "confluent-kafka"

    def produce(
        self,
        address: str,
        topic: str,
        records: Sequence[ClientRecord],
        *,
        codec: str = "none",
        acks: str = "all",
        config: Mapping[str, str] | None = None,
    ) -> list[int]:
        settings = {"compression.type": codec, "acks": acks, "linger.ms": 5, "message.timeout.ms": 20_000}
        producer = Producer({**COMMON, "bootstrap.servers": address, **settings, **(config or {})})
        offsets = [-1] * len(records)
        errors: list[KafkaError] = []
        for index, record in enumerate(records):
            self._send(producer, topic, record, _note(offsets, index, errors))
        left = producer.flush(FLUSH_SECONDS)
        if errors:
            raise DriverError(f"{errors[0].name()}: {errors[0].str()}")
        if left:
            raise DriverError(f"{left} records were not acknowledged")
        return offsets

    @staticmethod
    def _send(producer: Producer, topic: str, record: ClientRecord, on_delivery: Any) -> None:
        options: dict[str, Any] = {} if record.partition is None else {"partition": record.partition}
        if record.timestamp is not None:
            options["timestamp"] = record.timestamp
        if record.headers:
            options["headers"] = list(record.headers)
        try:
            producer.produce(topic, record.value, record.key, on_delivery=on_delivery, **options)
        except KafkaException as error:
            raise DriverError(str(error.args[0])) from error

    def consume(
        self,
        address: str,
        topic: str,
        starts: Mapping[int, int],
        count: int,
        *,
        timeout: float = CONSUME_SECONDS_MAX,
        config: Mapping[str, str] | None = None,
    ) -> list[ClientRecord]:
        consumer = self._consumer(address, config)
        try:
            consumer.assign([TopicPartition(topic, partition, offset) for partition, offset in starts.items()])
            records: list[ClientRecord] = []
            deadline = time.monotonic() + timeout
            while len(records) < count and (left := deadline - time.monotonic()) > 0:
                records += map(_record, consumer.consume(count - len(records), min(left, 0.1)))
            return records
        finally:
            consumer.close()

    def offset_at(self, address: str, topic: str, partition: int, at: str | int) -> int:
        consumer = self._consumer(address)
        try:
            if isinstance(at, int):
                (found,) = consumer.offsets_for_times([TopicPartition(topic, partition, at)], timeout=20)
                return int(found.offset)
            low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=20)
            return int(low if at == "earliest" else high)
        except KafkaException as error:
            raise DriverError(str(error.args[0])) from error
        finally:
            consumer.close()

    @staticmethod
    def _consumer(address: str, config: Mapping[str, str] | None = None) -> Consumer:
        settings = {"group.id": "unused", "enable.auto.commit": False, "auto.offset.reset": "error"}
        return Consumer({**COMMON, "bootstrap.servers": address, **settings, **(config or {})})


def _note(offsets: list[int], index: int, errors: list[KafkaError]) -> Any:
    def on_delivery(error: KafkaError | None, message: Any) -> None:
        if error is not None:
            errors.append(error)
        else:
            offsets[index] = message.offset()

    return on_delivery


def _record(message: Any) -> ClientRecord:
    if message.error() is not None:
        raise DriverError(f"{message.error().name()}: {message.error().str()}")
    headers = tuple((name, value) for name, value in message.headers() or ())
    return ClientRecord(
        message.key(), message.value(), headers, message.timestamp()[1], message.partition(), message.offset()
    )
