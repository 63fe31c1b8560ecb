"""Committing offsets, and taking them away: OffsetCommit, OffsetDelete. What reads them is in `offset_fetch`.

Version-dependent meaning of OffsetCommit:
    0      the offset goes to ZooKeeper (`/consumers/G/offsets/T/P`), for the consumers of the manual
    1      a commit timestamp for each partition
    2-4    a retention of its own
    10+    topics by id
"""

import asyncio
from collections.abc import Awaitable, Iterator

from ottla.clock import Clock
from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.offsets.requests import CommitRequest, CommitResult, DeleteOffsetsResult, OffsetToCommit
from ottla.coordinators.offsets.zookeeper_offsets import ZooKeeperOffsets
from ottla.coordinators.runtime.waiter import converted
from ottla.errors import ErrorCode, KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.model import NO_TIMESTAMP, TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)
from ottla.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)

_VERSION_OF_ZOOKEEPER = 0
_FIRST_VERSION_WITH_TOPIC_IDS = 10
_NO_RETENTION = -1
_FOR_EVER = (1 << 63) - 1

Names = dict[int, str | None]
"""The topic names of a request by the position of the topic in it; None for an id that no topic has."""


class OffsetHandlers:
    """`zookeeper_offsets` is asked by version 0 alone."""

    def __init__(
        self,
        coordinator: GroupCoordinator,
        metadata: MetadataCache,
        zookeeper_offsets: ZooKeeperOffsets,
        clock: Clock,
        metadata_length_max: int,
    ) -> None:
        self._coordinator = coordinator
        self._metadata = metadata
        self._zookeeper_offsets = zookeeper_offsets
        self._clock = clock
        self._metadata_length_max = metadata_length_max

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.OFFSET_COMMIT, self.handle_offset_commit, 0, 10, offset_commit_error)
        table.add(ApiKey.OFFSET_DELETE, self.handle_offset_delete, 0, 0, offset_delete_error)

    # Committing

    def handle_offset_commit(
        self, context: RequestContext, request: OffsetCommitRequest
    ) -> OffsetCommitResponse | Awaitable[OffsetCommitResponse]:
        names = self._topic_names(request, context.api_version)
        if context.api_version == _VERSION_OF_ZOOKEEPER:
            return self._commit_to_zookeeper(request, names)
        offsets = {
            partition: self._offset_to_commit(request, wanted)
            for partition, wanted in _named_partitions(request, names)
            if self._exists(partition)
        }
        if not offsets:
            return self._response(request, names, {})
        commit = CommitRequest(
            request.group_id,
            request.generation_id_or_member_epoch,
            request.member_id,
            request.group_instance_id,
            offsets,
        )
        try:
            outcome = self._coordinator.commit(commit)
        except KafkaError as error:
            outcome = dict.fromkeys(offsets, error.code)
        return converted(outcome, lambda errors: self._response(request, names, errors))

    def _topic_names(self, request: OffsetCommitRequest, version: int) -> Names:
        if version < _FIRST_VERSION_WITH_TOPIC_IDS:
            return {number: topic.name for number, topic in enumerate(request.topics)}
        by_id = self._metadata.image.topics_by_id
        return {
            number: by_id[topic.topic_id].name if topic.topic_id in by_id else None
            for number, topic in enumerate(request.topics)
        }

    def _exists(self, partition: TopicPartition) -> bool:
        return self._metadata.image.partition(partition.topic, partition.partition) is not None

    def _offset_to_commit(self, request: OffsetCommitRequest, wanted: OffsetCommitRequestPartition) -> OffsetToCommit:
        now_ms = self._clock.wall_ms()
        has_timestamp = wanted.commit_timestamp != NO_TIMESTAMP
        has_retention = request.retention_time_ms != _NO_RETENTION
        return OffsetToCommit(
            wanted.committed_offset,
            wanted.committed_leader_epoch,
            wanted.committed_metadata or "",
            wanted.commit_timestamp if has_timestamp else now_ms,
            min(now_ms + request.retention_time_ms, _FOR_EVER) if has_retention else NO_TIMESTAMP,
        )

    async def _commit_to_zookeeper(self, request: OffsetCommitRequest, names: Names) -> OffsetCommitResponse:
        errors: dict[TopicPartition, ErrorCode] = {}
        for partition, wanted in _named_partitions(request, names):
            if not self._exists(partition):
                continue
            if len(wanted.committed_metadata or "") > self._metadata_length_max:
                errors[partition] = ErrorCode.OFFSET_METADATA_TOO_LARGE
            else:
                errors[partition] = await self._zookeeper_offsets.commit(
                    request.group_id, partition, wanted.committed_offset
                )
        return self._response(request, names, errors)

    def _response(self, request: OffsetCommitRequest, names: Names, errors: CommitResult) -> OffsetCommitResponse:
        return OffsetCommitResponse(
            topics=[_commit_answer(topic, names[number], errors) for number, topic in enumerate(request.topics)]
        )

    # Deleting

    def handle_offset_delete(
        self, context: RequestContext, request: OffsetDeleteRequest
    ) -> OffsetDeleteResponse | asyncio.Future[OffsetDeleteResponse]:
        partitions = [
            TopicPartition(topic.name, partition.partition_index)
            for topic in request.topics
            for partition in topic.partitions
        ]
        known = [partition for partition in partitions if self._exists(partition)]
        outcome = self._coordinator.delete_offsets(request.group_id, known)
        return converted(outcome, lambda result: _delete_answer(request, result))


def _named_partitions(
    request: OffsetCommitRequest, names: Names
) -> Iterator[tuple[TopicPartition, OffsetCommitRequestPartition]]:
    for number, topic in enumerate(request.topics):
        name = names[number]
        if name is not None:
            for partition in topic.partitions:
                yield TopicPartition(name, partition.partition_index), partition


def _commit_answer(
    topic: OffsetCommitRequestTopic, name: str | None, errors: CommitResult
) -> OffsetCommitResponseTopic:
    """Partitions that have no result were not asked for: they do not exist."""
    missing = ErrorCode.UNKNOWN_TOPIC_ID if name is None else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return OffsetCommitResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        partitions=[
            OffsetCommitResponsePartition(
                partition_index=partition.partition_index,
                error_code=errors.get(TopicPartition(name or "", partition.partition_index), missing),
            )
            for partition in topic.partitions
        ],
    )


def _delete_answer(request: OffsetDeleteRequest, result: DeleteOffsetsResult) -> OffsetDeleteResponse:
    """An error of the group is told once, and no partition then."""
    if result.error is not ErrorCode.NONE:
        return OffsetDeleteResponse(error_code=result.error)
    topics = [
        OffsetDeleteResponseTopic(
            name=topic.name,
            partitions=[
                OffsetDeleteResponsePartition(
                    partition_index=partition.partition_index,
                    error_code=result.partitions.get(
                        TopicPartition(topic.name, partition.partition_index), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
                    ),
                )
                for partition in topic.partitions
            ],
        )
        for topic in request.topics
    ]
    return OffsetDeleteResponse(topics=topics)


# What answers an error of the coordinator


def offset_commit_error(request: OffsetCommitRequest, version: int, error: KafkaError) -> OffsetCommitResponse:
    return OffsetCommitResponse(
        topics=[
            OffsetCommitResponseTopic(
                name=topic.name,
                topic_id=topic.topic_id,
                partitions=[
                    OffsetCommitResponsePartition(partition_index=partition.partition_index, error_code=error.code)
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )


def offset_delete_error(request: OffsetDeleteRequest, version: int, error: KafkaError) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(error_code=error.code)
