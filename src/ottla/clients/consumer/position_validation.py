"""Whether what was read is still in the log (KIP-320).

A new leader may lack records that an old one had served (an unclean election). So when a partition has a new leader
epoch, fetching waits until the leader has said where the epoch of the last record read ends in its log
(OffsetForLeaderEpoch). It ends behind the position: all is well. It ends before it: the log was truncated, and
reading on would skip what was written in place of the lost records.

What to do is decided while the user polls (`resolve`), when the user's own position is exact: what was only fetched
ahead is fetched again; where the user has lost records itself, the position goes back to where the logs part, or, with
`auto.offset.reset=none`, the user hears of it.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping

from ottla.clients.by_topic import values_by_topic
from ottla.clients.cluster import Cluster
from ottla.clients.consumer.fetch_state import Divergence, FetchState
from ottla.clients.errors import LogTruncationError, broker_error
from ottla.clients.offset_lookup import CONSUMER_REPLICA_ID, OffsetSpec
from ottla.errors import ErrorCode, KafkaError
from ottla.model import TopicPartition
from ottla.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

logger = logging.getLogger(__name__)

UNDEFINED_OFFSET = -1


class PositionValidator:
    """Asks leaders about positions, one round at a time; a partition is not fetched meanwhile."""

    def __init__(self, cluster: Cluster, on_done: Callable[[], object]) -> None:
        self._cluster = cluster
        self._on_done = on_done
        self._task: asyncio.Task[None] | None = None

    def validate(self, states: list[FetchState]) -> None:
        """Begin to ask, unless a round is under way: `on_done` then comes back with what is left."""
        if states and self._task is None:
            self._task = self._cluster.runtime.loop.create_task(self._run(states))

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, states: list[FetchState]) -> None:
        by_leader: dict[int, dict[TopicPartition, FetchState]] = {}
        for state in states:
            leader = self._cluster.leader_of(*state.partition)
            if leader is not None:
                by_leader.setdefault(leader.leader_id, {})[state.partition] = state
        try:
            await asyncio.gather(*(self._ask(node_id, asked) for node_id, asked in by_leader.items()))
        finally:
            self._task = None
        self._on_done()

    async def _ask(self, node_id: int, asked: Mapping[TopicPartition, FetchState]) -> None:
        epochs = {partition: self._leader_epoch(partition) for partition in asked}
        generations = {partition: state.generation for partition, state in asked.items()}
        try:
            response: OffsetForLeaderEpochResponse = await self._cluster.send(node_id, _request(asked, epochs))
        except KafkaError as error:
            for state in asked.values():
                self._take_error(state, error)
            return
        for topic in response.topics:
            for result in topic.partitions:
                partition = TopicPartition(topic.topic, result.partition)
                if partition in asked and asked[partition].generation == generations[partition]:
                    self._take(asked[partition], epochs[partition], result)

    def _leader_epoch(self, partition: TopicPartition) -> int:
        leader = self._cluster.leader_of(*partition)
        return -1 if leader is None else leader.leader_epoch

    def _take(self, state: FetchState, leader_epoch: int, result: EpochEndOffset) -> None:
        if result.error_code:
            self._take_error(state, broker_error(result.error_code, f"the position in {state.partition}"))
        elif state.fetch_offset is None:
            return
        elif result.end_offset == UNDEFINED_OFFSET or result.end_offset < state.fetch_offset:
            state.divergence = Divergence(result.end_offset, result.leader_epoch)
        else:
            state.validated_epoch = leader_epoch

    def _take_error(self, state: FetchState, error: KafkaError) -> None:
        if error.retriable or error.code == ErrorCode.UNKNOWN_LEADER_EPOCH:
            self._cluster.request_refresh()
            delay_s = self._cluster.retry_backoff.delay_ms(1) / 1000
            state.retry_at = self._cluster.runtime.clock.monotonic() + delay_s
        else:
            state.error = error


def _request(
    asked: Mapping[TopicPartition, FetchState], epochs: Mapping[TopicPartition, int]
) -> OffsetForLeaderEpochRequest:
    topics = [
        OffsetForLeaderTopic(
            topic=topic,
            partitions=[
                OffsetForLeaderPartition(
                    partition=index,
                    current_leader_epoch=epochs[state.partition],
                    leader_epoch=state.fetch_epoch,
                )
                for index, state in partitions
            ],
        )
        for topic, partitions in values_by_topic(asked).items()
    ]
    return OffsetForLeaderEpochRequest(replica_id=CONSUMER_REPLICA_ID, topics=topics)


def resolve(state: FetchState, reset_to: OffsetSpec | None) -> None:
    """Act on a divergence that was found. The user's position must be exact now."""
    divergence, position = state.divergence, state.position
    if divergence is None or position is None:
        return
    if divergence.end_offset >= position:
        state.seek(position, state.leader_epoch)  # the user has seen nothing of what is lost
    elif reset_to is None:
        state.error = LogTruncationError(state.partition, position, divergence.end_offset)
    elif divergence.end_offset == UNDEFINED_OFFSET:
        logger.warning("%s was truncated, and where is not known: by auto.offset.reset", state.partition)
        state.request_reset(reset_to)
    else:
        logger.warning(
            "%s was truncated: offset %d was read, the log ends at %d for it", state.partition, position, divergence[0]
        )
        state.seek(divergence.end_offset, divergence.leader_epoch)
