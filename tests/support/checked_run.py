"""Clients that record what they do while a block runs; at its end all must be well, and the history hold."""

from collections.abc import Iterator
from contextlib import contextmanager

from checker.rules import Operation, check
from support.cluster import Cluster
from support.eventually import eventually
from support.java_producer import JavaRecordingProducer
from support.kafka_python_producer import KafkaPythonRecordingProducer
from support.recorded_clients import RecordingConsumer, RecordingProducer, read_final, read_replicas

TOPIC = "orders"
ACKNOWLEDGED_MIN = 100
AnyProducer = RecordingProducer | JavaRecordingProducer | KafkaPythonRecordingProducer


class RecordedClients:
    """Producers with acks=all, librdkafka's and maybe Java's, and a consumer, on threads of their own."""

    def __init__(self, cluster: Cluster, *, idempotent: bool, java: bool, kafka_python: bool, pause_s: float) -> None:
        self._cluster = cluster
        self._idempotent = idempotent
        self.producer = RecordingProducer(cluster, TOPIC, "p", idempotent=idempotent, pause_s=pause_s)
        self._producers: list[AnyProducer] = [self.producer]
        if java:
            self._producers.append(JavaRecordingProducer(cluster, TOPIC, idempotent=idempotent))
        if kafka_python:
            self._producers.append(KafkaPythonRecordingProducer(cluster, TOPIC, idempotent=idempotent))
        self.consumer = RecordingConsumer(cluster, TOPIC)

    def start(self) -> None:
        for client in (*self._producers, self.consumer):
            client.start()
        self.await_acknowledged(ACKNOWLEDGED_MIN)

    def await_acknowledged(self, count: int) -> None:
        """Until so many more records are acknowledged to each producer."""
        for producer in self._producers:
            enough = _acknowledged(producer.history) + count
            eventually(lambda: _acknowledged(producer.history) >= enough, 60)  # noqa: B023 - done before the next

    def stop(self) -> None:
        for client in (*self._producers, self.consumer):
            client.finish()

    def check(self) -> None:
        """When everything is well again: what the history breaks, which must be nothing."""
        history: list[Operation] = [op for producer in self._producers for op in producer.finish()]
        self._cluster.await_in_sync(TOPIC)
        final = read_final(self._cluster, TOPIC)
        eventually(lambda: self.consumer.history and self.consumer.history[-1].offset >= final[-1].offset)
        history = [*history, *self.consumer.finish(), *final, *read_replicas(self._cluster, TOPIC)]
        assert check(history, idempotent=self._idempotent) == []


def _acknowledged(history: list[Operation]) -> int:
    return sum(op.type == "ok" for op in history)


@contextmanager
def checked_run(
    cluster: Cluster, *, idempotent: bool, java: bool = False, kafka_python: bool = False, pause_s: float = 0.005
) -> Iterator[RecordedClients]:
    """Also waits, before the block, until records flow."""
    cluster.create_topic(TOPIC, min_insync_replicas="2")
    clients = RecordedClients(cluster, idempotent=idempotent, java=java, kafka_python=kafka_python, pause_s=pause_s)
    try:
        clients.start()
        yield clients
        clients.check()
    finally:
        clients.stop()
