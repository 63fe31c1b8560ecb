"""Clients that record what they do while a block runs; at its end all must be well, and the history hold."""

from collections.abc import Iterator
from contextlib import contextmanager

from checker.rules import Operation, check
from support.cluster import Cluster
from support.eventually import eventually
from support.recorded_clients import RecordingConsumer, RecordingProducer, read_final, read_replicas

TOPIC = "orders"
ACKNOWLEDGED_MIN = 100


class RecordedClients:
    """A producer with acks=all and a consumer, both on threads of their own."""

    def __init__(self, cluster: Cluster, *, idempotent: bool) -> None:
        self._cluster = cluster
        self._idempotent = idempotent
        self.producer = RecordingProducer(cluster, TOPIC, "p", idempotent=idempotent)
        self.consumer = RecordingConsumer(cluster, TOPIC)

    def start(self) -> None:
        self.producer.start()
        self.consumer.start()
        self.await_acknowledged(ACKNOWLEDGED_MIN)

    def await_acknowledged(self, count: int) -> None:
        """Until so many more records are acknowledged."""
        enough = self._acknowledged() + count
        eventually(lambda: self._acknowledged() >= enough)

    def _acknowledged(self) -> int:
        return sum(op.type == "ok" for op in self.producer.history)

    def stop(self) -> None:
        self.producer.finish()
        self.consumer.finish()

    def check(self) -> None:
        """When everything is well again: what the history breaks, which must be nothing."""
        history: list[Operation] = self.producer.finish()
        self._cluster.await_in_sync(TOPIC)
        final = read_final(self._cluster, TOPIC)
        eventually(lambda: self.consumer.history and self.consumer.history[-1].offset >= final[-1].offset)
        history = [*history, *self.consumer.finish(), *final, *read_replicas(self._cluster, TOPIC)]
        assert check(history, idempotent=self._idempotent) == []


@contextmanager
def checked_run(cluster: Cluster, *, idempotent: bool) -> Iterator[RecordedClients]:
    """Also waits, before the block, until records flow."""
    cluster.create_topic(TOPIC, min_insync_replicas="2")
    clients = RecordedClients(cluster, idempotent=idempotent)
    try:
        clients.start()
        yield clients
        clients.check()
    finally:
        clients.stop()
