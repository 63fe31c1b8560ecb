"""The consumer's half of a fetch session (KIP-227): what the broker knows already is not sent again.

    (id 0, epoch 0)     every partition is named; the answer may carry the id of a session
    (id, epoch n)       only partitions that are new, changed or given up are named; the answer has only those with news
    (id, epoch 0)       the session is given up for a new one: after an error, and after an answer that was lost

A broker that has no room for a session answers with id 0: then every request names everything. Pure: no I/O here.
"""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.clients.by_topic import values_by_topic
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic

NO_SESSION = 0
INITIAL_EPOCH = 0
EPOCH_MAX = 2**31 - 1
# The broker has forgotten the session, or counts differently: a new one is begun at once.
SESSION_ERRORS = frozenset(
    {
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    }
)


class Wanted(NamedTuple):
    """What is asked of a partition; sent again when it differs from what the session has."""

    fetch_offset: int
    leader_epoch: int
    max_bytes: int


class FetchSession:
    def __init__(self) -> None:
        self._id = NO_SESSION
        self._epoch = INITIAL_EPOCH
        self._known: dict[TopicPartition, Wanted] = {}

    @property
    def is_incremental(self) -> bool:
        return self._epoch != INITIAL_EPOCH

    def fill(self, request: FetchRequest, wanted: Mapping[TopicPartition, Wanted]) -> None:
        """Put the session and the partitions that must be named into a request."""
        changed: Mapping[TopicPartition, Wanted] = wanted
        if self.is_incremental:
            changed = {partition: want for partition, want in wanted.items() if self._known.get(partition) != want}
            forgotten = dict.fromkeys(partition for partition in self._known if partition not in wanted)
            request.forgotten_topics_data = [
                ForgottenTopic(topic=topic, partitions=[index for index, _ in partitions])
                for topic, partitions in values_by_topic(forgotten).items()
            ]
        request.session_id, request.session_epoch = self._id, self._epoch
        request.topics = [
            FetchTopic(topic=topic, partitions=[_fetch_partition(index, want) for index, want in partitions])
            for topic, partitions in values_by_topic(changed).items()
        ]
        self._known = dict(wanted)

    def take_answer(self, session_id: int) -> None:
        """A request was answered without an error of the session."""
        if not self.is_incremental:
            self._id = session_id
        if self._id == NO_SESSION:
            self.give_up()
        else:
            self._epoch = 1 if self._epoch == EPOCH_MAX else self._epoch + 1

    def give_up(self, code: int = ErrorCode.NONE) -> None:
        """The next request names everything; it also ends the session that there was, unless the broker has none."""
        if code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND:
            self._id = NO_SESSION
        self._epoch = INITIAL_EPOCH
        self._known = {}


def _fetch_partition(index: int, want: Wanted) -> FetchPartition:
    return FetchPartition(
        partition=index,
        current_leader_epoch=want.leader_epoch,
        fetch_offset=want.fetch_offset,
        partition_max_bytes=want.max_bytes,
    )
