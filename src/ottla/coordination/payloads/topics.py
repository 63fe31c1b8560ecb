"""`/brokers/topics/T`, which replicas a topic has, and `.../partitions/P/state`, who leads one partition now.

Versions of the topic: 1 partitions; 2 adding and removing replicas (KIP-455); 3 the topic's id (KIP-516).
The ZooKeeper version of the state's znode is Kafka's *partition epoch*: every decision about a partition is a write
conditioned on it.
"""

import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple

from ottla.coordination.payloads.document import Document, decode_json, encode_json
from ottla.model import ZERO_UUID, decode_uuid, encode_uuid

Replicas = tuple[int, ...]


class TopicAssignment(NamedTuple):
    partitions: Mapping[int, Replicas]
    topic_id: uuid.UUID = ZERO_UUID
    adding_replicas: Mapping[int, Replicas] = {}
    removing_replicas: Mapping[int, Replicas] = {}

    def encode(self) -> bytes:
        fields: dict[str, Any] = {"partitions": _by_number(self.partitions)}
        if self.topic_id != ZERO_UUID:
            fields["topic_id"] = encode_uuid(self.topic_id)
        fields["adding_replicas"] = _by_number(self.adding_replicas)
        fields["removing_replicas"] = _by_number(self.removing_replicas)
        fields["version"] = 3
        return encode_json(fields)

    @classmethod
    def decode(cls, path: str, data: bytes) -> "TopicAssignment":
        document = decode_json(path, data)
        return cls(
            partitions=document.replicas("partitions"),
            topic_id=_topic_id(document),
            adding_replicas=document.replicas("adding_replicas"),
            removing_replicas=document.replicas("removing_replicas"),
        )


class LeaderAndIsr(NamedTuple):
    leader: int
    leader_epoch: int
    isr: Replicas
    controller_epoch: int
    recovering: bool = False  # elected uncleanly and not yet recovered (KIP-704)

    def encode(self) -> bytes:
        fields: dict[str, Any] = {
            "controller_epoch": self.controller_epoch,
            "leader": self.leader,
            "version": 1,
            "leader_epoch": self.leader_epoch,
            "isr": list(self.isr),
        }
        if self.recovering:
            fields["leader_recovery_state"] = 1
        return encode_json(fields)

    @classmethod
    def decode(cls, path: str, data: bytes) -> "LeaderAndIsr":
        document = decode_json(path, data)
        return cls(
            leader=document.integer("leader"),
            leader_epoch=document.integer("leader_epoch"),
            isr=document.integers("isr"),
            controller_epoch=document.integer("controller_epoch"),
            recovering=document.integer("leader_recovery_state", 0) == 1,
        )


def _by_number(replicas: Mapping[int, Replicas]) -> dict[str, list[int]]:
    return {str(partition): list(replicas[partition]) for partition in sorted(replicas)}


def _topic_id(document: Document) -> uuid.UUID:
    text = document.optional_text("topic_id")
    if text is None:
        return ZERO_UUID
    try:
        return decode_uuid(text)
    except ValueError:
        raise document.problem(f"not a topic id: {text!r}") from None
