"""The Produce request of some batches, and its response taken apart.

Topics are named by id from version 13 on (KIP-516), where the ids of all of them are known; by name otherwise.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from uuid import UUID

from ottla.clients.producer.batch import ProducerBatch
from ottla.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from ottla.records.attributes import Codec

# The first version that names topics by their ids, and the last that names them by name.
TOPIC_IDS_VERSION = 13
TOPIC_NAMES_VERSION_MAX = 12


class PartitionResponse(NamedTuple):
    topic: str
    response: PartitionProduceResponse


def produce_request(
    batches: Iterable[ProducerBatch],
    acks: int,
    timeout_ms: int,
    codec: Codec,
    level: int | None,
    topic_ids: Mapping[str, UUID] | None,
) -> ProduceRequest:
    topics: dict[str, TopicProduceData] = {}
    for batch in batches:
        data = topics.get(batch.topic)
        if data is None:
            data = topics[batch.topic] = (
                TopicProduceData(name=batch.topic)
                if topic_ids is None
                else TopicProduceData(topic_id=topic_ids[batch.topic])
            )
        records = memoryview(batch.encoded(codec, level))
        data.partition_data.append(PartitionProduceData(index=batch.partition, records=records))
    return ProduceRequest(acks=acks, timeout_ms=timeout_ms, topic_data=list(topics.values()))


def partition_responses(response: ProduceResponse, topic_ids: Mapping[str, UUID] | None) -> Iterator[PartitionResponse]:
    names = {topic_id: name for name, topic_id in (topic_ids or {}).items()}
    for topic in response.responses:
        name = topic.name or names.get(topic.topic_id, "")
        for partition in topic.partition_responses:
            yield PartitionResponse(name, partition)
