"""What tools and brokers ask of the controller by writing a znode: reassignment, preferred election, notifications."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ottla.coordination.payloads.document import Document, decode_json, encode_json
from ottla.model import TopicPartition


def encode_reassignment(targets: Mapping[TopicPartition, tuple[int, ...]]) -> bytes:
    partitions = [
        {"topic": topic, "partition": partition, "replicas": list(replicas)}
        for (topic, partition), replicas in targets.items()
    ]
    return encode_json({"version": 1, "partitions": partitions})


def decode_reassignment(path: str, data: bytes) -> dict[TopicPartition, tuple[int, ...]]:
    document = decode_json(path, data)
    return {_topic_partition(item): item.integers("replicas") for item in document.documents("partitions")}


def encode_partitions(partitions: Iterable[TopicPartition]) -> bytes:
    """`/admin/preferred_replica_election` and the children of `/isr_change_notification`."""
    listed = [{"topic": topic, "partition": partition} for topic, partition in partitions]
    return encode_json({"version": 1, "partitions": listed})


def decode_partitions(path: str, data: bytes) -> list[TopicPartition]:
    document = decode_json(path, data)
    return [_topic_partition(item) for item in document.documents("partitions")]


class LogDirEvent(NamedTuple):
    """A child of `/log_dir_event_notification`. The only event so far is 1: a directory of this broker failed."""

    broker_id: int
    event: int = 1

    def encode(self) -> bytes:
        return encode_json({"version": 1, "broker": self.broker_id, "event": self.event})

    @classmethod
    def decode(cls, path: str, data: bytes) -> "LogDirEvent":
        document = decode_json(path, data)
        return cls(document.integer("broker"), document.integer("event", 1))


def _topic_partition(document: Document) -> TopicPartition:
    return TopicPartition(document.text("topic"), document.integer("partition"))
