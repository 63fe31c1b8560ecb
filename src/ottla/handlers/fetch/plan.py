"""What a Fetch request asks for: its session, its limits and its partitions, whatever version it has."""

from itertools import count

from ottla.model import ZERO_UUID
from ottla.protocol.messages.fetch import FetchRequest
from ottla.replication.fetch_reader import FetchEntry, FetchParams
from ottla.replication.fetch_session import FINAL_EPOCH, INITIAL_EPOCH, INVALID_SESSION_ID, EntryKey, FetchSession
from ottla.replication.fetch_session_cache import FetchSessionCache
from ottla.replication.replica_manager import ReplicaManager

# What is converted is held in memory until the client has taken it, unlike records that the kernel sends from the file.
# The first batch is given however large it is.
CONVERTED_BYTES_MAX = 2 * 1024 * 1024
_FIRST_UNCONVERTED = 4
_TOPIC_ID_VERSION = 13
_REPLICA_STATE_VERSION = 15
_RACK_VERSION = 11
# Makes a NamedTuple without the Python code of its constructor.
_new_tuple = tuple.__new__


class FetchPlanner:
    def __init__(self, replicas: ReplicaManager, sessions: FetchSessionCache, response_bytes_max: int) -> None:
        self._replicas = replicas
        self._sessions = sessions
        self._response_bytes_max = response_bytes_max
        self._turns = count()

    def params(self, version: int, request: FetchRequest) -> FetchParams:
        by_state = version >= _REPLICA_STATE_VERSION
        max_bytes = min(request.max_bytes, self._response_bytes_max)
        if version < _FIRST_UNCONVERTED:
            max_bytes = min(max_bytes, CONVERTED_BYTES_MAX)
        fields = (
            request.replica_state.replica_id if by_state else request.replica_id,
            request.max_wait_ms,
            min(request.min_bytes, max_bytes),  # More than it takes would be waited for in vain.
            max_bytes,
            request.isolation_level,
            request.replica_state.replica_epoch if by_state else -1,
            request.rack_id if version >= _RACK_VERSION else None,
        )
        return _new_tuple(FetchParams, fields)

    def session(self, version: int, request: FetchRequest, params: FetchParams) -> tuple[FetchSession, bool]:
        """The session that the request belongs to, brought up to date, and whether its response names everything."""
        by_id = version >= _TOPIC_ID_VERSION
        if request.session_epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            self._sessions.remove(request.session_id)
            session = self._new_session(request, by_id, params.from_follower)
            self._put_entries(session, request, by_id)
            if version < _FIRST_UNCONVERTED:
                self._rotate(session)
            return session, True
        session = self._sessions.resume(request.session_id, request.session_epoch, uses_topic_ids=by_id)
        for forgotten in request.forgotten_topics_data:
            name = forgotten.topic_id if by_id else forgotten.topic
            session.forget(EntryKey(name, index) for index in forgotten.partitions)
        self._put_entries(session, request, by_id)
        return session, False

    def _new_session(self, request: FetchRequest, by_id: bool, privileged: bool) -> FetchSession:
        if request.session_epoch == FINAL_EPOCH or not request.topics:
            return FetchSession(INVALID_SESSION_ID, uses_topic_ids=by_id)
        return self._sessions.create(privileged=privileged, uses_topic_ids=by_id)

    def _rotate(self, session: FetchSession) -> None:
        """Begin with another partition each time: the oldest clients name them in one order, and few fit a response.

        The partitions of a topic stay together.
        """
        entries = list(session.entries.items())
        if len(entries) > 1:
            start = next(self._turns) % len(entries)
            first_topic = entries[start][0].topic
            entries = entries[start:] + entries[:start]
            session.entries = dict(sorted(entries, key=lambda item: item[0].topic != first_topic))

    def _put_entries(self, session: FetchSession, request: FetchRequest, by_id: bool) -> None:
        for topic in request.topics:
            name = (self._replicas.topic_name(topic.topic_id) or "") if by_id else topic.topic
            for part in topic.partitions:
                entry = FetchEntry(name, topic.topic_id if by_id else ZERO_UUID, part.partition)
                entry.fetch_offset = part.fetch_offset
                entry.max_bytes = part.partition_max_bytes
                entry.current_leader_epoch = part.current_leader_epoch
                entry.last_fetched_epoch = part.last_fetched_epoch
                entry.log_start_offset = part.log_start_offset
                session.put(_new_tuple(EntryKey, (topic.topic_id if by_id else name, part.partition)), entry)


def is_from_follower(request: FetchRequest) -> bool:
    """By its replica id, which stands in a structure of its own from version 15 on."""
    return request.replica_id >= 0 or request.replica_state.replica_id >= 0
