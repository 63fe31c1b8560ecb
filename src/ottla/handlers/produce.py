"""Produce (0-13): append each partition's records, then answer, or wait for replicas and disk.

Version-dependent meaning:
    0-2    message sets of magic 0 and 1, converted up before they are stored
    3+     exactly one batch of magic 2 per partition
    7+     zstd is allowed
    8+     record errors and a message
    10+    the current leader, when we are not it
    13+    topics by id
"""

import asyncio
import uuid

from ottla.clock import Clock
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import InvalidRequiredAcksError, InvalidTopicError
from ottla.handlers.context import NO_RESPONSE, CloseConnection, RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.model import INTERNAL_TOPICS
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from ottla.replication.delayed_produce import DelayedProduce, Unacknowledged, unacknowledged
from ottla.replication.partition import ACKS_ALL
from ottla.replication.replica_manager import ReplicaManager
from ottla.storage.batch_validation import BadRecordsError

VERSIONS = (0, 13)
_TOPIC_ID_VERSION = 13
EMPTY = memoryview(b"")


class ProduceHandlers:
    def __init__(self, replicas: ReplicaManager, clock: Clock) -> None:
        self._replicas = replicas
        self._clock = clock

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.PRODUCE, self.handle_produce, *VERSIONS, produce_error)

    def handle_produce(
        self, context: RequestContext, request: ProduceRequest
    ) -> ProduceResponse | asyncio.Future[ProduceResponse] | None:
        acks = request.acks
        if acks not in (ACKS_ALL, 0, 1):
            raise InvalidRequiredAcksError(f"acks is {acks}: it must be -1, 0 or 1")
        waiting: list[Unacknowledged] = []
        response = ProduceResponse(
            responses=[self._append_topic(context, topic, acks, waiting) for topic in request.topic_data]
        )
        if acks == 0:
            return self._without_response(response)
        if not waiting:
            return response
        delayed = DelayedProduce(waiting, lambda: response)
        return delayed.start(self._replicas.purgatory, max(0, request.timeout_ms))

    def _append_topic(
        self, context: RequestContext, topic: TopicProduceData, acks: int, waiting: list[Unacknowledged]
    ) -> TopicProduceResponse:
        name = topic.name
        if context.api_version >= _TOPIC_ID_VERSION:
            name = self._replicas.topic_name(topic.topic_id) or ""
        return TopicProduceResponse(
            name=name,
            topic_id=topic.topic_id,
            partition_responses=[
                self._append_partition(context, name, topic.topic_id, part, acks, waiting)
                for part in topic.partition_data
            ],
        )

    def _append_partition(
        self,
        context: RequestContext,
        topic: str,
        topic_id: uuid.UUID,
        data: PartitionProduceData,
        acks: int,
        waiting: list[Unacknowledged],
    ) -> PartitionProduceResponse:
        try:
            if topic in INTERNAL_TOPICS:
                raise InvalidTopicError(f"{topic} is written by brokers only")
            partition = self._replicas.partition_for_fetch(topic, topic_id, data.index)
            info = self._replicas.append(partition, records_of(data), acks, context.api_version, self._clock.wall_ms())
        except KafkaError as error:
            return self._refusal(topic, data.index, error)
        answer = PartitionProduceResponse(
            index=data.index,
            base_offset=info.first_offset,
            log_append_time_ms=info.log_append_time_ms,
            log_start_offset=info.log_start_offset,
        )
        pending = unacknowledged(partition, info, acks, answer)
        if pending is not None:
            waiting.append(pending)
        return answer

    def _refusal(self, topic: str, index: int, error: KafkaError) -> PartitionProduceResponse:
        answer = PartitionProduceResponse(
            index=index, error_code=error.code, base_offset=-1, error_message=str(error) or None
        )
        if isinstance(error, BadRecordsError):
            answer.record_errors = [
                BatchIndexAndErrorMessage(batch_index=index, batch_index_error_message=message)
                for index, message in error.record_errors
            ]
        if error.code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
            leader_id, leader_epoch = self._replicas.current_leader(topic, index)
            answer.current_leader = LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=leader_epoch)
        return answer

    @staticmethod
    def _without_response(response: ProduceResponse) -> None:
        """acks=0 has no answer to carry an error, so an error closes the connection: the client refreshes metadata."""
        for topic in response.responses:
            for answer in topic.partition_responses:
                if answer.error_code:
                    name = ErrorCode(answer.error_code).name
                    raise CloseConnection(f"produce with acks=0 to {topic.name}-{answer.index} failed: {name}")
        return NO_RESPONSE


def records_of(data: PartitionProduceData) -> memoryview:
    """The records as they stand in the frame. None is as wrong as empty, and refused as such by the log."""
    records = data.records
    return records if isinstance(records, memoryview) else EMPTY


def produce_error(request: ProduceRequest, version: int, error: KafkaError) -> ProduceResponse:
    if request.acks == 0:
        raise CloseConnection(f"produce with acks=0 failed: {error}")
    return ProduceResponse(
        responses=[
            TopicProduceResponse(
                name=topic.name,
                topic_id=topic.topic_id,
                partition_responses=[
                    PartitionProduceResponse(index=part.index, error_code=error.code, base_offset=-1)
                    for part in topic.partition_data
                ],
            )
            for topic in request.topic_data
        ]
    )
