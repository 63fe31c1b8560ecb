"""The fetcher's side of a fetch session (KIP-227): what the leader knows already is not said again.

first request    session 0, epoch 0, every partition     the answer names the session
then             the session, epoch 1, 2, ...            partitions that changed, partitions to forget
any error        back to the first request               the leader has forgotten, or we missed an answer
"""

import uuid
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ottla.protocol.messages.fetch import FetchPartition, FetchTopic, ForgottenTopic
from ottla.replication.fetch_session import INITIAL_EPOCH, INVALID_SESSION_ID, next_epoch


class FetchKey(NamedTuple):
    topic_id: uuid.UUID
    partition_index: int


class FetchPosition(NamedTuple):
    """Where a follower stands with one partition."""

    fetch_offset: int
    leader_epoch: int
    last_fetched_epoch: int
    log_start_offset: int


class FetcherSession:
    def __init__(self, partition_bytes_max: int) -> None:
        self._partition_bytes_max = partition_bytes_max
        self.session_id = INVALID_SESSION_ID
        self.epoch = INITIAL_EPOCH
        self.sent: dict[FetchKey, FetchPosition] = {}
        """What the leader takes our positions to be."""

    @property
    def is_full(self) -> bool:
        """Whether the next request must name everything."""
        return self.epoch == INITIAL_EPOCH

    def reset(self) -> None:
        self.session_id = INVALID_SESSION_ID
        self.epoch = INITIAL_EPOCH
        self.sent.clear()

    def topics(self, positions: Mapping[FetchKey, FetchPosition]) -> list[FetchTopic]:
        """The partitions to name: those whose position the leader does not know."""
        by_topic: dict[uuid.UUID, list[FetchPartition]] = {}
        for key, position in positions.items():
            if self.sent.get(key) != position:
                self.sent[key] = position
                by_topic.setdefault(key.topic_id, []).append(self._partition(key.partition_index, position))
        return [FetchTopic(topic_id=topic_id, partitions=parts) for topic_id, parts in by_topic.items()]

    def forgotten(self, keys: Iterable[FetchKey]) -> list[ForgottenTopic]:
        by_topic: dict[uuid.UUID, list[int]] = {}
        for key in keys:
            if self.sent.pop(key, None) is not None:
                by_topic.setdefault(key.topic_id, []).append(key.partition_index)
        return [ForgottenTopic(topic_id=topic_id, partitions=parts) for topic_id, parts in by_topic.items()]

    def _partition(self, index: int, position: FetchPosition) -> FetchPartition:
        return FetchPartition(
            partition=index,
            current_leader_epoch=position.leader_epoch,
            fetch_offset=position.fetch_offset,
            last_fetched_epoch=position.last_fetched_epoch,
            log_start_offset=position.log_start_offset,
            partition_max_bytes=self._partition_bytes_max,
        )

    def answered(self, session_id: int) -> None:
        """An answer without an error came. A leader without a slot for us gives no session: everything again."""
        if session_id == INVALID_SESSION_ID:
            self.reset()
        else:
            self.session_id = session_id
            self.epoch = next_epoch(self.epoch)
