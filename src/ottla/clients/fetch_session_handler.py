"""The fetching half of a fetch session (KIP-227), for consumers and followers: what the broker knows is not repeated.

    (id 0, epoch 0)     every partition is named; the response may carry the id of a session
    (id, epoch n)       only partitions that are new, changed or given up are named; the response has those with news
    (id, epoch 0)       the session is given up for a new one: after an error, and after a response that was lost

A broker that has no room for a session responds with id 0: then every request names everything. From Fetch 13 on topics
are named by their ids (KIP-516). A session names all of its topics in one way: to change the way begins a new session.
Pure: no I/O here.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from ottla.errors import ErrorCode
from ottla.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic

NO_SESSION = 0
INITIAL_EPOCH = 0
EPOCH_MAX = 2**31 - 1
# The first version that names topics by their ids, and the last that names them by name.
TOPIC_IDS_VERSION = 13
TOPIC_NAMES_VERSION_MAX = 12
# The broker has forgotten the session, or counts differently: a new one is begun at once.
SESSION_ERRORS = frozenset(
    {
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    }
)


class FetchKey(NamedTuple):
    """A partition as its session names it."""

    topic: str | UUID
    partition_index: int


class FetchPosition(NamedTuple):
    """What is asked of a partition; sent again when it differs from what the session has. Followers give all of it."""

    fetch_offset: int
    leader_epoch: int
    last_fetched_epoch: int = -1
    log_start_offset: int = -1


class FetchSessionHandler:
    def __init__(self, partition_max_bytes: int, *, epoch_max: int = EPOCH_MAX) -> None:
        self.session_id = NO_SESSION
        self.epoch = INITIAL_EPOCH
        self.sent: dict[FetchKey, FetchPosition] = {}
        """What the broker takes our positions to be."""
        self._partition_max_bytes = partition_max_bytes
        self._epoch_max = epoch_max
        self._uses_topic_ids = False

    @property
    def is_full(self) -> bool:
        """Whether the next request must name everything."""
        return self.epoch == INITIAL_EPOCH

    def fill(self, request: FetchRequest, wanted: Mapping[FetchKey, FetchPosition], *, uses_topic_ids: bool) -> None:
        """Put the session into a request, and of all that is wanted what the broker does not know."""
        if uses_topic_ids is not self._uses_topic_ids:
            self._uses_topic_ids = uses_topic_ids
            self.handle_error()
        request.forgotten_topics_data = self.forgotten([key for key in self.sent if key not in wanted])
        request.topics = self.topics(wanted)
        request.session_id, request.session_epoch = self.session_id, self.epoch

    def topics(self, positions: Mapping[FetchKey, FetchPosition]) -> list[FetchTopic]:
        """The partitions to name: those whose position the broker does not know."""
        by_topic: dict[str | UUID, list[FetchPartition]] = {}
        for key, position in positions.items():
            if self.sent.get(key) != position:
                self.sent[key] = position
                by_topic.setdefault(key.topic, []).append(self._fetch_partition(key.partition_index, position))
        return [
            FetchTopic(topic=topic, partitions=named)
            if isinstance(topic, str)
            else FetchTopic(topic_id=topic, partitions=named)
            for topic, named in by_topic.items()
        ]

    def forgotten(self, keys: Iterable[FetchKey]) -> list[ForgottenTopic]:
        """The partitions to give up: those of these that the broker knows."""
        by_topic: dict[str | UUID, list[int]] = {}
        for key in keys:
            if self.sent.pop(key, None) is not None:
                by_topic.setdefault(key.topic, []).append(key.partition_index)
        return [
            ForgottenTopic(topic=topic, partitions=indexes)
            if isinstance(topic, str)
            else ForgottenTopic(topic_id=topic, partitions=indexes)
            for topic, indexes in by_topic.items()
        ]

    def _fetch_partition(self, index: int, position: FetchPosition) -> FetchPartition:
        return FetchPartition(
            partition=index,
            current_leader_epoch=position.leader_epoch,
            fetch_offset=position.fetch_offset,
            last_fetched_epoch=position.last_fetched_epoch,
            log_start_offset=position.log_start_offset,
            partition_max_bytes=self._partition_max_bytes,
        )

    def handle_response(self, session_id: int) -> None:
        """A response without an error of the session came."""
        if self.is_full:
            self.session_id = session_id
        if self.session_id == NO_SESSION:
            self.handle_error()
        else:
            self.epoch = 1 if self.epoch == self._epoch_max else self.epoch + 1

    def handle_error(self, code: int = ErrorCode.NONE) -> None:
        """The next request names everything; it also ends the session that there was, unless the broker has none."""
        if code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
            self.session_id = NO_SESSION
        self.epoch = INITIAL_EPOCH
        self.sent.clear()
