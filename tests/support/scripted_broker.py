"""A broker of one partition whose answers to Produce a test writes down beforehand, for our own producer.

It runs our own Server in a thread, with handlers for the four APIs that a producer uses. Every Produce request is noted
(`seen`: producer id, epoch, base sequence and values of its batch) and answered with the next entry of `script`: an
error code, or None for success. When the script is over a batch succeeds whose sequence follows the last one, as on a
real broker; `log` holds what was written.
"""

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from ottla.errors import ErrorCode
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.create_topics import CreatableTopicResult, CreateTopicsResponse
from ottla.protocol.messages.init_producer_id import InitProducerIdResponse
from ottla.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from ottla.protocol.messages.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from ottla.records.batch import decode_header
from ottla.records.record import decode_batch
from support.handlers_in_thread import HandlersInThread

TOPIC = "scripted"


class SeenBatch(NamedTuple):
    producer_id: int
    epoch: int
    sequence: int
    values: tuple[bytes, ...]


class ScriptedBroker(HandlersInThread):
    """Usable as a context manager; `address` is where producers bootstrap from."""

    def __init__(self) -> None:
        super().__init__()
        self.script: deque[ErrorCode | None] = deque()
        self.seen: list[SeenBatch] = []
        self.log: list[bytes] = []
        self.metadata_requests = 0
        self.controllers: deque[int] = deque()  # what the next answers to Metadata name; then broker 1
        self.next_producer_id = 1000
        self.first_epoch = 0
        self._last_epoch = -1
        self._next_sequence = 0

    def handlers(self) -> dict[ApiKey, Callable[..., Any]]:
        return {
            ApiKey.METADATA: self._metadata,
            ApiKey.PRODUCE: self._produce,
            ApiKey.INIT_PRODUCER_ID: self._init_producer_id,
            ApiKey.CREATE_TOPICS: self._create_topics,
        }

    def _metadata(self, _context, request) -> MetadataResponse:
        self.metadata_requests += 1
        partition = MetadataResponsePartition(partition_index=0, leader_id=1, leader_epoch=0, replica_nodes=[1])
        topics = [MetadataResponseTopic(name=topic.name, partitions=[partition]) for topic in request.topics or ()]
        brokers = [MetadataResponseBroker(node_id=1, host="127.0.0.1", port=self._port)]
        controller_id = self.controllers.popleft() if self.controllers else 1
        return MetadataResponse(brokers=brokers, controller_id=controller_id, cluster_id="scripted", topics=topics)

    def _create_topics(self, _context, request) -> CreateTopicsResponse:
        return CreateTopicsResponse(topics=[CreatableTopicResult(name=topic.name) for topic in request.topics])

    def _init_producer_id(self, _context, _request) -> InitProducerIdResponse:
        producer_id, self.next_producer_id = self.next_producer_id, self.next_producer_id + 1
        epoch, self.first_epoch = self.first_epoch, 0
        return InitProducerIdResponse(producer_id=producer_id, producer_epoch=epoch)

    def _produce(self, _context, request) -> ProduceResponse:
        (topic,) = request.topic_data
        (data,) = topic.partition_data
        batch = bytes(data.records)
        header = decode_header(batch)
        values = tuple(record.value for record in decode_batch(batch))
        batch_seen = SeenBatch(header.producer_id, header.producer_epoch, header.base_sequence, values)
        self.seen.append(batch_seen)
        code = self.script.popleft() if self.script else self._check_sequence(batch_seen)
        base_offset = -1
        if code in (None, ErrorCode.DUPLICATE_SEQUENCE_NUMBER):
            base_offset = len(self.log)
            self.log.extend(values)
            self._last_epoch, self._next_sequence = header.producer_epoch, header.base_sequence + len(values)
        answer = PartitionProduceResponse(index=0, error_code=code or 0, base_offset=base_offset)
        return ProduceResponse(responses=[TopicProduceResponse(name=topic.name, partition_responses=[answer])])

    def _check_sequence(self, batch: SeenBatch) -> ErrorCode | None:
        expected = self._next_sequence if batch.epoch == self._last_epoch else 0
        follows = batch.sequence == expected or batch.producer_id < 0
        return None if follows else ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
