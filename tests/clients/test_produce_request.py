"""Produce requests of batches, and their responses, with topics by name and by id."""

import uuid

import pytest

from ottla.clients.producer.produce_request import TOPIC_IDS_VERSION, partition_responses, produce_request
from ottla.clients.snapshot import EMPTY, TopicSnapshot
from ottla.model import ZERO_UUID
from ottla.protocol.codec import decode, encode
from ottla.protocol.messages.produce import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from ottla.records.attributes import Codec

IDS = {"a": uuid.UUID(int=1), "b": uuid.UUID(int=2)}


class Batch:
    def __init__(self, topic: str, partition: int) -> None:
        self.topic, self.partition = topic, partition

    def encoded(self, _codec: Codec, _level: int | None) -> bytearray:
        return bytearray(f"{self.topic}{self.partition}".encode())


@pytest.mark.parametrize("version", [9, 12, TOPIC_IDS_VERSION])
def test_batches_are_grouped_by_topic_in_every_version(version: int):
    topic_ids = IDS if version >= TOPIC_IDS_VERSION else None
    batches = [Batch("a", 0), Batch("b", 1), Batch("a", 2)]
    request = produce_request(batches, -1, 500, Codec.NONE, None, topic_ids)  # type: ignore[arg-type]
    read, _ = decode(ProduceRequest, version, encode(request, version))
    found = [
        (
            topic.topic_id if topic_ids else topic.name,
            [(part.index, bytes(part.records)) for part in topic.partition_data],
        )
        for topic in read.topic_data
    ]
    a, b = (IDS["a"], IDS["b"]) if topic_ids else ("a", "b")
    assert found == [(a, [(0, b"a0"), (2, b"a2")]), (b, [(1, b"b1")])]
    assert (read.acks, read.timeout_ms) == (-1, 500)


@pytest.mark.parametrize("version", [9, 12, TOPIC_IDS_VERSION])
def test_the_response_has_the_names_of_what_was_sent(version: int):
    topics = [
        TopicProduceResponse(
            name=name, topic_id=topic_id, partition_responses=[PartitionProduceResponse(index=3, base_offset=7)]
        )
        for name, topic_id in IDS.items()
    ]
    response, _ = decode(ProduceResponse, version, encode(ProduceResponse(responses=topics), version))
    topic_ids = IDS if version >= TOPIC_IDS_VERSION else None
    assert [(name, part.index) for name, part in partition_responses(response, topic_ids)] == [("a", 3), ("b", 3)]


def test_topics_have_ids_only_when_all_of_them_are_known():
    topics = {name: TopicSnapshot(name, topic_id, False, {}) for name, topic_id in IDS.items()}
    topics["old"] = TopicSnapshot("old", ZERO_UUID, False, {})
    snapshot = EMPTY._replace(topics=topics)
    assert snapshot.topic_ids_of(["a", "b", "a"]) == IDS
    assert snapshot.topic_ids_of(["a", "old"]) is None
    assert snapshot.topic_ids_of(["a", "unknown"]) is None
