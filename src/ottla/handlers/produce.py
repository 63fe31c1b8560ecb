"""Produce (0-13): append each partition's records, then respond, or wait for replicas and disk.

Version-dependent meaning:
    0-2    message sets of magic 0 and 1, converted up before they are stored
    3+     exactly one batch of magic 2 per partition; those of a transaction need its id
    7+     zstd is allowed
    8+     record errors and a message
    10+    the current leader and where it listens, when we are not it
    13+    topics by id
"""

import asyncio
import uuid
from collections.abc import Awaitable
from dataclasses import replace
from typing import NamedTuple

from ottla.clock import Clock
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import InvalidRequiredAcksError, InvalidTopicError, TransactionalIdAuthorizationFailedError
from ottla.handlers.context import NO_RESPONSE, CloseConnection, RequestContext
from ottla.handlers.leader_endpoints import leader_endpoints
from ottla.handlers.registry import FastPath, HandlerTable, Traits
from ottla.handlers.single_batch_produce import SingleBatchProduce
from ottla.model import INTERNAL_TOPICS, TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.produce import (
    BatchIndexAndErrorMessage,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from ottla.protocol.single_batch import single_batch_finder
from ottla.records.batch import says_transactional
from ottla.replication.deferred_append import DeferredAppends
from ottla.replication.delayed_produce import DelayedProduce, Unacknowledged, unacknowledged
from ottla.replication.failed_request_metrics import count_refused_produce
from ottla.replication.partition import ACKS_ALL, Partition
from ottla.replication.replica_manager import ReplicaManager
from ottla.storage.log.batch_validation import RefusedRecords
from ottla.storage.log.log_results import AppendInfo

VERSIONS = (0, 13)
_TOPIC_ID_VERSION = 13
_CURRENT_LEADER_VERSION = 10
EMPTY = memoryview(b"")
TRAITS = Traits(may_be_pipelined=True)


class DeferredPart(NamedTuple):
    """One partition whose append waits for a thread."""

    partition: Partition
    size_bytes: int
    response: PartitionProduceResponse
    done: asyncio.Task[AppendInfo]


class Outcome:
    """What one request has led to so far: appends that are still prepared, and those that wait to be acknowledged."""

    __slots__ = ("acks", "deferred", "listener_name", "now_ms", "timeout_ms", "version", "waiting")

    def __init__(self, context: RequestContext, acks: int, timeout_ms: int, now_ms: int) -> None:
        self.version = context.api_version
        self.listener_name = context.listener_name
        self.acks = acks
        self.now_ms = now_ms
        self.timeout_ms = timeout_ms
        self.deferred: list[DeferredPart] = []
        self.waiting: list[tuple[Unacknowledged, PartitionProduceResponse]] = []


class ProduceHandlers:
    def __init__(self, replicas: ReplicaManager, clock: Clock) -> None:
        self._replicas = replicas
        self._clock = clock
        self._deferred = DeferredAppends(replicas, clock)
        self.append = replicas.append
        self.topic_name = replicas.topic_name
        self.must_defer = self._deferred.must_defer

    def register(self, table: HandlerTable) -> None:
        traits = replace(TRAITS, fast_path_of=self.fast_path_of)
        table.add(ApiKey.PRODUCE, self.handle_produce, *VERSIONS, produce_error, traits)

    def fast_path_of(self, version: int) -> FastPath | None:
        find = single_batch_finder(version)
        return None if find is None else SingleBatchProduce(version, find, self, self._clock).handle

    def handle_produce(
        self, context: RequestContext, request: ProduceRequest
    ) -> ProduceResponse | Awaitable[ProduceResponse | asyncio.Future[ProduceResponse] | None] | None:
        acks = request.acks
        if acks not in (ACKS_ALL, 0, 1):
            raise InvalidRequiredAcksError(f"acks is {acks}: it must be -1, 0 or 1")
        if request.transactional_id is None and has_transactional_records(request):
            raise TransactionalIdAuthorizationFailedError("records of a transaction came without a transactional id")
        outcome = Outcome(context, acks, request.timeout_ms, self._clock.wall_ms())
        response = ProduceResponse(responses=[self._append_topic(topic, outcome) for topic in request.topic_data])
        forget_records(request)
        if outcome.deferred:
            context.held_bytes = sum(part.size_bytes for part in outcome.deferred)
            return self._finish_deferred(response, outcome)
        return self._respond(response, outcome)

    def _respond(
        self, response: ProduceResponse, outcome: Outcome
    ) -> ProduceResponse | asyncio.Future[ProduceResponse] | None:
        if outcome.acks == 0:
            return self._without_response(response)
        if not outcome.waiting:
            return self.with_leaders(response, outcome.version, outcome.listener_name)

        def acknowledged(codes: list[ErrorCode]) -> ProduceResponse:
            for (_, part), code in zip(outcome.waiting, codes, strict=True):
                if code != ErrorCode.NONE:
                    part.error_code = code
                    part.base_offset = part.log_append_time_ms = -1
            return self.with_leaders(response, outcome.version, outcome.listener_name)

        delayed = DelayedProduce([pending for pending, _ in outcome.waiting], acknowledged)
        return delayed.start(self._replicas.purgatory, max(0, outcome.timeout_ms))

    async def _finish_deferred(
        self, response: ProduceResponse, outcome: Outcome
    ) -> ProduceResponse | asyncio.Future[ProduceResponse] | None:
        for append in outcome.deferred:
            try:
                self._acknowledge(append.partition, await append.done, append.response, outcome)
            except KafkaError as error:
                self.refuse(append.response, append.partition.topic_partition.topic, append.size_bytes, error)
        return self._respond(response, outcome)

    def _append_topic(self, topic: TopicProduceData, outcome: Outcome) -> TopicProduceResponse:
        name = topic.name
        if outcome.version >= _TOPIC_ID_VERSION:
            name = self._replicas.topic_name(topic.topic_id) or ""
        return TopicProduceResponse(
            name=name,
            topic_id=topic.topic_id,
            partition_responses=[
                self._append_partition(name, topic.topic_id, part, outcome) for part in topic.partition_data
            ],
        )

    def _append_partition(
        self, topic: str, topic_id: uuid.UUID, data: PartitionProduceData, outcome: Outcome
    ) -> PartitionProduceResponse:
        response = PartitionProduceResponse(index=data.index)
        records = data.records if type(data.records) is memoryview else EMPTY  # None is as wrong as empty
        try:
            partition = self.find_partition(topic, topic_id, data.index, records)
            if self.must_defer(partition, records):
                done = self._deferred.start(partition, records, outcome.acks, outcome.version)
                outcome.deferred.append(DeferredPart(partition, len(records), response, done))
                return response
            info = self.append(partition, records, outcome.acks, outcome.version, outcome.now_ms)
        except KafkaError as error:
            self.refuse(response, topic, len(records), error)
        else:
            self._acknowledge(partition, info, response, outcome)
        return response

    def find_partition(self, topic: str, topic_id: uuid.UUID, index: int, records: memoryview) -> Partition:
        """The partition that a client writes to; raises what it is told where it may not."""
        if topic in INTERNAL_TOPICS:
            raise InvalidTopicError(f"{topic} is written by brokers only")
        try:
            return self._replicas.partition_by_name_or_id(topic, topic_id, index)
        except KafkaError:
            self._replicas.note_refused(TopicPartition(topic, index), records)
            raise

    @staticmethod
    def _acknowledge(
        partition: Partition, info: AppendInfo, response: PartitionProduceResponse, outcome: Outcome
    ) -> None:
        response.base_offset = info.first_offset
        response.log_append_time_ms = info.log_append_time_ms
        response.log_start_offset = info.log_start_offset
        pending = unacknowledged(partition, info, outcome.acks)
        if pending is not None:
            outcome.waiting.append((pending, response))

    def refuse(self, response: PartitionProduceResponse, topic: str, size_bytes: int, error: KafkaError) -> None:
        """Count the error of one partition and report it."""
        series = self._replicas.topic_series(topic)
        if series is not None:
            count_refused_produce(series, error, size_bytes)
        response.error_code = error.code
        response.base_offset = -1
        response.error_message = str(error) or None
        if isinstance(error, RefusedRecords):
            response.record_errors = [
                BatchIndexAndErrorMessage(batch_index=index, batch_index_error_message=message)
                for index, message in error.record_errors
            ]

    def with_leaders(self, response: ProduceResponse, version: int, listener_name: str) -> ProduceResponse:
        """Names the leader of each partition that was refused because another broker leads it."""
        if version < _CURRENT_LEADER_VERSION:
            return response
        named = []
        for topic in response.responses:
            for part in topic.partition_responses:
                if part.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER:
                    leader_id, leader_epoch = self._replicas.current_leader(topic.name, part.index)
                    part.current_leader = LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=leader_epoch)
                    named.append(leader_id)
        if named:
            response.node_endpoints = leader_endpoints(self._replicas.image, listener_name, named, NodeEndpoint)
        return response

    @staticmethod
    def _without_response(response: ProduceResponse) -> None:
        """With acks=0 no response carries an error, so it closes the connection: the client refreshes its metadata."""
        for topic in response.responses:
            for part in topic.partition_responses:
                if part.error_code:
                    name = ErrorCode(part.error_code).name
                    raise CloseConnection(f"produce with acks=0 to {topic.name}-{part.index} failed: {name}")
        return NO_RESPONSE


def has_transactional_records(request: ProduceRequest) -> bool:
    return any(
        type(part.records) is memoryview and says_transactional(part.records)
        for topic in request.topic_data
        for part in topic.partition_data
    )


def forget_records(request: ProduceRequest) -> None:
    """They are in the log, or copied. A request that waits is kept, and would keep its whole frame, which nobody counts
    any more."""
    for topic in request.topic_data:
        for part in topic.partition_data:
            part.records = None


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
