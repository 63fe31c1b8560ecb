"""librdkafka's producers and consumers that write down all they did, for the checker."""

import threading
import time
from pathlib import Path
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, Producer, TopicPartition

from checker.rules import UNKNOWN_OFFSET, Operation
from ottla.records.batch import iterate_batches
from support.cluster import Cluster

# Errors that prove that nothing was written when they answer the only attempt.
_FAILED = frozenset({KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.INVALID_MSG})


class RecordingProducer(threading.Thread):
    """Sends "name:0", "name:1", ... with acks=all until it is told to stop."""

    def __init__(self, cluster: Cluster, topic: str, name: str, *, idempotent: bool, pause_s: float = 0.005) -> None:
        super().__init__(name=name, daemon=True)
        self.history: list[Operation] = []
        self._topic = topic
        self._pause_s = pause_s
        self._stopping = threading.Event()
        self._producer = Producer(
            {
                "bootstrap.servers": cluster.bootstrap,
                "acks": "all",
                "enable.idempotence": idempotent,
                "message.timeout.ms": 60_000,
                "linger.ms": 1,
                "topic.metadata.refresh.interval.ms": 2000,
                "reconnect.backoff.max.ms": 500,
                "log_level": 0,
            }
        )

    def run(self) -> None:
        number = 0
        while not self._stopping.wait(self._pause_s):
            self._send(f"{self.name}:{number}")
            self._producer.poll(0)
            number += 1
        self._producer.flush(90)

    def _send(self, value: str) -> None:
        invoked = time.monotonic_ns()

        def delivered(error: KafkaError | None, message: Any) -> None:
            kind = "ok" if error is None else "fail" if error.code() in _FAILED else "info"
            offset = acknowledged_offset(message) if error is None else -1
            key = f"{self._topic}-{message.partition()}"
            self.history.append(Operation("send", key, value, offset, self.name, kind, invoked, time.monotonic_ns()))

        while True:
            try:
                self._producer.produce(self._topic, value.encode(), partition=0, on_delivery=delivered)
                return
            except BufferError:
                self._producer.poll(0.1)

    def finish(self) -> list[Operation]:
        self._stopping.set()
        self.join(120)
        assert not self.is_alive()
        return self.history


class RecordingConsumer(threading.Thread):
    """Reads a partition from its beginning until it is told to stop."""

    def __init__(self, cluster: Cluster, topic: str, name: str = "consumer") -> None:
        super().__init__(name=name, daemon=True)
        self.history: list[Operation] = []
        self._topic = topic
        self._stopping = threading.Event()
        self._consumer = Consumer(
            {
                "bootstrap.servers": cluster.bootstrap,
                "group.id": name,
                "enable.auto.commit": False,
                "auto.offset.reset": "error",
                "log_level": 0,
            }
        )
        self._consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])

    def run(self) -> None:
        while not self._stopping.is_set():
            for message in self._consumer.consume(500, 0.2):
                if message.error() is None:
                    key = f"{self._topic}-{message.partition()}"
                    value = message.value().decode()
                    self.history.append(Operation("poll", key, value, message.offset(), self.name))
        self._consumer.close()

    def finish(self) -> list[Operation]:
        self._stopping.set()
        self.join(60)
        return self.history


def read_final(cluster: Cluster, topic: str) -> list[Operation]:
    """The whole partition as it is now."""
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "final", "log_level": 0})
    try:
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=30)
        consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
        found: list[Operation] = []
        while not found or found[-1].offset < end - 1:
            for message in consumer.consume(5000, 10):
                if message.error() is not None:
                    raise KafkaException(message.error())
                found.append(Operation("final", f"{topic}-0", message.value().decode(), message.offset()))
        return found
    finally:
        consumer.close()


def read_replicas(cluster: Cluster, topic: str) -> list[Operation]:
    """Every batch in the files of every broker."""
    return [
        Operation(
            "replica", f"{topic}-0", f"{header.partition_leader_epoch} {header.crc}", header.base_offset, str(name)
        )
        for name, broker in cluster.brokers.items()
        for path in sorted(Path(broker.log_dir, f"{topic}-0").glob("*.log"))
        for _, header in iterate_batches(path.read_bytes(), partial_tail=True)
    ]


def acknowledged_offset(message: Any) -> int:
    offset: int | None = message.offset()
    return UNKNOWN_OFFSET if offset is None else offset
