"""The Produce request of some batches, and its answer taken apart."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ottla.clients.producer.batch import ProducerBatch
from ottla.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from ottla.records.attributes import Codec

# Up to 12 topics are named; 12 itself promises a way of transactions that is not used here.
PRODUCE_VERSION_MAX = 11


class PartitionAnswer(NamedTuple):
    topic: str
    answer: PartitionProduceResponse


def produce_request(
    batches: Iterable[ProducerBatch], acks: int, timeout_ms: int, codec: Codec, level: int | None
) -> ProduceRequest:
    topics: dict[str, TopicProduceData] = {}
    for batch in batches:
        data = topics.get(batch.topic)
        if data is None:
            data = topics[batch.topic] = TopicProduceData(name=batch.topic)
        records = memoryview(batch.encoded(codec, level))
        data.partition_data.append(PartitionProduceData(index=batch.partition, records=records))
    return ProduceRequest(acks=acks, timeout_ms=timeout_ms, topic_data=list(topics.values()))


def partition_answers(response: ProduceResponse) -> Iterator[PartitionAnswer]:
    for topic in response.responses:
        for answer in topic.partition_responses:
            yield PartitionAnswer(topic.name, answer)
