"""What groups have committed: read and written at their coordinator (OffsetFetch, OffsetCommit)."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ottla.clients.by_topic import partitions_by_topic, values_by_topic
from ottla.clients.cluster import Cluster
from ottla.clients.errors import broker_error
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import NetworkError
from ottla.model import TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from ottla.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)

COORDINATOR_CHANNEL = "coordinator"
# The last versions that name topics: from 10 on they are given by id, and a group may know topics that are gone.
OFFSET_FETCH_VERSION_MAX = 9
OFFSET_COMMIT_VERSION_MAX = 9
_BATCHED_VERSION = 8
_COORDINATOR_MOVED = frozenset({ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE})


class OffsetAndMetadata(NamedTuple):
    """A committed offset: the next record to be read, with a note of the committer."""

    offset: int
    metadata: str = ""
    leader_epoch: int = -1


class GroupIdentity(NamedTuple):
    """Who commits. The default is nobody: allowed while a group has no members."""

    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None


def note_coordinator_error(cluster: Cluster, group_id: str, error: KafkaError) -> None:
    """Look for the coordinator again when an error says that it has moved or is gone."""
    if error.code in _COORDINATOR_MOVED or isinstance(error, NetworkError):
        cluster.coordinators.forget(group_id)


async def fetch_committed(
    cluster: Cluster, group_id: str, partitions: Collection[TopicPartition] | None, *, require_stable: bool = False
) -> dict[TopicPartition, OffsetAndMetadata]:
    """One attempt to read what a group has committed, for some partitions or all. Partitions without are left out."""
    try:
        node_id = await cluster.coordinators.find(group_id)
        connection = await cluster.connection(node_id, COORDINATOR_CHANNEL)
        version = connection.version_of(ApiKey.OFFSET_FETCH, OFFSET_FETCH_VERSION_MAX)
        request = _fetch_request(group_id, partitions, require_stable, version)
        response: OffsetFetchResponse = await connection.send(request, version=version)
        return _take_committed(response, group_id)
    except KafkaError as error:
        note_coordinator_error(cluster, group_id, error)
        raise


def _fetch_request(
    group_id: str, partitions: Collection[TopicPartition] | None, require_stable: bool, version: int
) -> OffsetFetchRequest:
    grouped = None if partitions is None else partitions_by_topic(partitions)
    if version < _BATCHED_VERSION:
        old = grouped and [OffsetFetchRequestTopic(name=name, partition_indexes=ids) for name, ids in grouped.items()]
        return OffsetFetchRequest(group_id=group_id, topics=old, require_stable=require_stable and version >= 7)
    topics = grouped and [OffsetFetchRequestTopics(name=name, partition_indexes=ids) for name, ids in grouped.items()]
    group = OffsetFetchRequestGroup(group_id=group_id, topics=topics)
    return OffsetFetchRequest(groups=[group], require_stable=require_stable)


def _take_committed(response: OffsetFetchResponse, group_id: str) -> dict[TopicPartition, OffsetAndMetadata]:
    result = response.groups[0] if response.groups else response
    if result.error_code:
        raise broker_error(result.error_code, f"committed offsets of {group_id}")
    committed: dict[TopicPartition, OffsetAndMetadata] = {}
    for topic in result.topics:
        for found in topic.partitions:
            partition = TopicPartition(topic.name, found.partition_index)
            if found.error_code:
                raise broker_error(found.error_code, f"committed offset of {group_id} for {partition}")
            if found.committed_offset >= 0:
                committed[partition] = OffsetAndMetadata(
                    found.committed_offset, found.metadata or "", found.committed_leader_epoch
                )
    return committed


async def commit_offsets(
    cluster: Cluster,
    group_id: str,
    offsets: Mapping[TopicPartition, OffsetAndMetadata],
    identity: GroupIdentity = GroupIdentity(),  # noqa: B008 - an immutable value
) -> dict[TopicPartition, int]:
    """One attempt to commit. The error code of each partition; what concerns the coordinator itself is raised."""
    request = OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=identity.generation_id,
        member_id=identity.member_id,
        group_instance_id=identity.group_instance_id,
        topics=[_commit_topic(name, values) for name, values in values_by_topic(offsets).items()],
    )
    try:
        node_id = await cluster.coordinators.find(group_id)
        response: OffsetCommitResponse = await cluster.send(
            node_id, request, channel=COORDINATOR_CHANNEL, version_max=OFFSET_COMMIT_VERSION_MAX
        )
        codes = {
            TopicPartition(topic.name, result.partition_index): result.error_code
            for topic in response.topics
            for result in topic.partitions
        }
        for code in codes.values():
            if code in _COORDINATOR_MOVED or code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS:
                raise broker_error(code, f"committing offsets of {group_id}")
    except KafkaError as error:
        note_coordinator_error(cluster, group_id, error)
        raise
    return codes


def _commit_topic(name: str, values: list[tuple[int, OffsetAndMetadata]]) -> OffsetCommitRequestTopic:
    return OffsetCommitRequestTopic(
        name=name,
        partitions=[
            OffsetCommitRequestPartition(
                partition_index=index,
                committed_offset=value.offset,
                committed_leader_epoch=value.leader_epoch,
                committed_metadata=value.metadata,
            )
            for index, value in values
        ],
    )
