"""Offsets by time: the earliest, the latest, the first at or after a timestamp (ListOffsets), asked of each leader.

Each partition has a result of its own: those whose leader has moved are asked for again after a metadata refresh, the
others keep their result.
"""

import asyncio
from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from ottla.clients.by_topic import values_by_topic
from ottla.clients.cluster import Cluster
from ottla.clients.errors import broker_error
from ottla.clients.retry import retried
from ottla.errors import KafkaError, RetriableError
from ottla.errors.kafka import LeaderNotAvailableError, UnknownTopicOrPartitionError
from ottla.model import TopicPartition
from ottla.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)

CONSUMER_REPLICA_ID = -1
OffsetResults = dict[TopicPartition, "OffsetAndTimestamp | KafkaError"]


class OffsetSpec(IntEnum):
    """The timestamps that are not times. Any other number is milliseconds since 1970."""

    LATEST = -1
    EARLIEST = -2
    MAX_TIMESTAMP = -3
    EARLIEST_LOCAL = -4
    LATEST_TIERED = -5


class OffsetAndTimestamp(NamedTuple):
    """An offset of -1: there is no such record."""

    offset: int
    timestamp: int
    leader_epoch: int = -1


async def list_offsets(
    cluster: Cluster,
    times: Mapping[TopicPartition, int],
    *,
    timeout_ms: float,
    read_committed: bool = False,
) -> OffsetResults:
    """The offset, or the error, of every partition. ClientTimeoutError when some leader cannot be found in time."""
    results: OffsetResults = {}
    cluster.watch_topics({partition.topic for partition in times})

    async def attempt() -> None:
        missing = {partition: time for partition, time in times.items() if partition not in results}
        by_leader = await _group_by_leader(cluster, missing, results)
        await asyncio.gather(
            *(_ask(cluster, node, asked, results, read_committed) for node, asked in by_leader.items())
        )
        unresolved = [partition for partition in times if partition not in results]
        if unresolved:
            await cluster.refresh()
            raise LeaderNotAvailableError(f"no answer yet for {', '.join(map(str, unresolved))}")

    await retried(attempt, backoff=cluster.retry_backoff, timeout_ms=timeout_ms, what="looking up offsets")
    return results


async def _group_by_leader(
    cluster: Cluster, times: Mapping[TopicPartition, int], results: OffsetResults
) -> dict[int, dict[TopicPartition, int]]:
    if any(cluster.leader_of(*partition) is None for partition in times):
        await cluster.refresh()
    grouped: dict[int, dict[TopicPartition, int]] = {}
    for partition, time in times.items():
        leader = cluster.leader_of(*partition)
        topic = cluster.snapshot.topics.get(partition.topic)
        if leader is not None:
            grouped.setdefault(leader.leader_id, {})[partition] = time
        elif topic is not None and topic.partitions and partition.partition not in topic.partitions:
            results[partition] = UnknownTopicOrPartitionError(f"{partition} does not exist")
    return grouped


async def _ask(
    cluster: Cluster, node_id: int, times: Mapping[TopicPartition, int], results: OffsetResults, read_committed: bool
) -> None:
    topics = [
        ListOffsetsTopic(
            name=name,
            partitions=[
                ListOffsetsPartition(
                    partition_index=index, timestamp=time, current_leader_epoch=_epoch(cluster, name, index)
                )
                for index, time in partitions
            ],
        )
        for name, partitions in values_by_topic(times).items()
    ]
    request = ListOffsetsRequest(
        replica_id=CONSUMER_REPLICA_ID,
        isolation_level=int(read_committed),
        topics=topics,
        timeout_ms=cluster.settings.request_timeout_ms,
    )
    try:
        response: ListOffsetsResponse = await cluster.send(node_id, request)
    except RetriableError:
        return
    except KafkaError as error:
        results.update(dict.fromkeys(times, error))
        return
    _take(response, results)


def _epoch(cluster: Cluster, topic: str, partition: int) -> int:
    leader = cluster.leader_of(topic, partition)
    return leader.leader_epoch if leader is not None else -1


def _take(response: ListOffsetsResponse, results: OffsetResults) -> None:
    for topic in response.topics:
        for result in topic.partitions:
            partition = TopicPartition(topic.name, result.partition_index)
            if not result.error_code:
                results[partition] = OffsetAndTimestamp(result.offset, result.timestamp, result.leader_epoch)
                continue
            error = broker_error(result.error_code, f"offset of {partition}")
            if not error.retriable:
                results[partition] = error
