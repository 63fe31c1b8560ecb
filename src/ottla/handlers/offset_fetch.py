"""OffsetFetch: how far groups have read.

Version-dependent meaning:
    0      from ZooKeeper; nothing committed is UNKNOWN_TOPIC_OR_PARTITION
    1      an error of the group is told for each partition
    2+     null topics: all that are committed; an error of the group is told once
    7+     offsets that are not stable yet may be asked to be an error
    8+     several groups
    10+    topics by id
"""

import uuid
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.offsets.requests import FetchedOffset
from ottla.coordinators.offsets.zookeeper_offsets import ZooKeeperOffsets
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import InvalidRequestError
from ottla.handlers.context import RequestContext
from ottla.handlers.in_parts import in_parts
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.model import ZERO_UUID, TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

_VERSION_OF_ZOOKEEPER = 0
_FIRST_VERSION_WITH_GROUP_ERROR = 2
_FIRST_VERSION_OF_SEVERAL = 8
_FIRST_VERSION_WITH_TOPIC_IDS = 10

Offsets = Mapping[TopicPartition, FetchedOffset]


class WantedTopic(NamedTuple):
    """A topic of a request in any version; without a name when no topic has the id."""

    name: str | None
    partitions: list[int]


class OffsetFetchHandlers:
    """`zookeeper_offsets` is asked by version 0 alone."""

    def __init__(
        self, coordinator: GroupCoordinator, metadata: MetadataCache, zookeeper_offsets: ZooKeeperOffsets
    ) -> None:
        self._coordinator = coordinator
        self._metadata = metadata
        self._zookeeper_offsets = zookeeper_offsets
        self._fetch_in_parts = in_parts(self._fetch_groups, "groups", "groups")

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.OFFSET_FETCH, self.handle_offset_fetch, 0, 10, offset_fetch_error)

    def handle_offset_fetch(
        self, context: RequestContext, request: OffsetFetchRequest
    ) -> OffsetFetchResponse | Awaitable[OffsetFetchResponse]:
        version = context.api_version
        if version == _VERSION_OF_ZOOKEEPER:
            return self._fetch_from_zookeeper(request)
        if version >= _FIRST_VERSION_OF_SEVERAL:
            _check_named_once(request.groups)
            return self._fetch_in_parts(context, request)
        wanted = _wanted_topics(request)
        partitions = None if wanted is None else _partitions(wanted)
        offsets = self._coordinator.fetch(request.group_id, partitions, require_stable=request.require_stable)
        return _single_response(offsets)

    # Several groups

    def _fetch_groups(self, context: RequestContext, request: OffsetFetchRequest) -> OffsetFetchResponse:
        groups = [self._fetch_group(group, context.api_version, request.require_stable) for group in request.groups]
        return OffsetFetchResponse(groups=groups)

    def _fetch_group(
        self, group: OffsetFetchRequestGroup, version: int, require_stable: bool
    ) -> OffsetFetchResponseGroup:
        by_id = version >= _FIRST_VERSION_WITH_TOPIC_IDS
        try:
            if group.topics is None:
                offsets = self._coordinator.fetch(group.group_id, None, require_stable=require_stable)
                return OffsetFetchResponseGroup(group_id=group.group_id, topics=self._all_topics(offsets, by_id))
            names = [self._topic_name(topic, by_id) for topic in group.topics]
            wanted = [
                WantedTopic(name, topic.partition_indexes) for name, topic in zip(names, group.topics, strict=True)
            ]
            offsets = self._coordinator.fetch(group.group_id, _partitions(wanted), require_stable=require_stable)
        except KafkaError as error:
            return OffsetFetchResponseGroup(group_id=group.group_id, error_code=error.code)
        told: set[tuple[str | None, uuid.UUID, int]] = set()
        topics = [_answered_topic(topic, name, offsets, told) for topic, name in zip(group.topics, names, strict=True)]
        return OffsetFetchResponseGroup(group_id=group.group_id, topics=topics)

    def _topic_name(self, topic: OffsetFetchRequestTopics, by_id: bool) -> str | None:
        if not by_id:
            return topic.name
        found = self._metadata.image.topics_by_id.get(topic.topic_id)
        return None if found is None else found.name

    def _all_topics(self, offsets: Offsets, by_id: bool) -> list[OffsetFetchResponseTopics]:
        """By id only those that have one: offsets of a topic that is gone cannot be named."""
        topics = []
        for name, partitions in _by_topic(offsets).items():
            image = self._metadata.image.topics.get(name)
            if by_id and image is None:
                continue
            topic_id = ZERO_UUID if image is None else image.topic_id
            answers = [_partition_of_group(number, offset) for number, offset in partitions.items()]
            topics.append(OffsetFetchResponseTopics(name=name, topic_id=topic_id, partitions=answers))
        return topics

    # ZooKeeper

    async def _fetch_from_zookeeper(self, request: OffsetFetchRequest) -> OffsetFetchResponse:
        offsets: dict[TopicPartition, FetchedOffset] = {}
        for partition in _partitions(_wanted_topics(request) or []):
            if self._metadata.image.partition(partition.topic, partition.partition) is None:
                offsets[partition] = FetchedOffset(error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
            else:
                offsets[partition] = await self._zookeeper_offsets.fetch(request.group_id, partition)
        return _single_response(offsets)


def _wanted_topics(request: OffsetFetchRequest) -> list[WantedTopic] | None:
    if request.topics is None:
        return None
    return [WantedTopic(topic.name, topic.partition_indexes) for topic in request.topics]


def _partitions(wanted: Iterable[WantedTopic]) -> list[TopicPartition]:
    return [TopicPartition(name, number) for name, numbers in wanted if name is not None for number in numbers]


def _by_topic(offsets: Offsets) -> dict[str, dict[int, FetchedOffset]]:
    topics: dict[str, dict[int, FetchedOffset]] = {}
    for partition, offset in offsets.items():
        topics.setdefault(partition.topic, {})[partition.partition] = offset
    return topics


def _single_response(offsets: Offsets) -> OffsetFetchResponse:
    topics = [
        OffsetFetchResponseTopic(
            name=name,
            partitions=[
                OffsetFetchResponsePartition(
                    partition_index=number,
                    committed_offset=offset.offset,
                    committed_leader_epoch=offset.leader_epoch,
                    metadata=offset.metadata,
                    error_code=offset.error,
                )
                for number, offset in partitions.items()
            ],
        )
        for name, partitions in _by_topic(offsets).items()
    ]
    return OffsetFetchResponse(topics=topics)


def _check_named_once(groups: Sequence[OffsetFetchRequestGroup]) -> None:
    """A few bytes name a group, and all that it committed may be megabytes."""
    if len({group.group_id for group in groups}) < len(groups):
        raise InvalidRequestError("a group is named more than once")


def _answered_topic(
    topic: OffsetFetchRequestTopics,
    name: str | None,
    offsets: Offsets,
    told: set[tuple[str | None, uuid.UUID, int]],
) -> OffsetFetchResponseTopics:
    """A partition that is named again is `told` already: its metadata are longer than its number."""
    unknown = FetchedOffset(error=ErrorCode.UNKNOWN_TOPIC_ID)
    answers = []
    for number in topic.partition_indexes:
        key = (name, topic.topic_id, number)
        if key not in told:
            told.add(key)
            offset = unknown if name is None else offsets[TopicPartition(name, number)]
            answers.append(_partition_of_group(number, offset))
    return OffsetFetchResponseTopics(name=topic.name, topic_id=topic.topic_id, partitions=answers)


def _partition_of_group(number: int, offset: FetchedOffset) -> OffsetFetchResponsePartitions:
    return OffsetFetchResponsePartitions(
        partition_index=number,
        committed_offset=offset.offset,
        committed_leader_epoch=offset.leader_epoch,
        metadata=offset.metadata,
        error_code=offset.error,
    )


def offset_fetch_error(request: OffsetFetchRequest, version: int, error: KafkaError) -> OffsetFetchResponse:
    if version >= _FIRST_VERSION_OF_SEVERAL:
        groups = [OffsetFetchResponseGroup(group_id=group.group_id, error_code=error.code) for group in request.groups]
        return OffsetFetchResponse(groups=groups)
    if version >= _FIRST_VERSION_WITH_GROUP_ERROR:
        return OffsetFetchResponse(error_code=error.code)
    failed = FetchedOffset(error=error.code)
    return _single_response(dict.fromkeys(_partitions(_wanted_topics(request) or []), failed))
