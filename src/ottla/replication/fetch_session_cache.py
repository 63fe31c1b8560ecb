"""The fetch sessions of this broker: at most `max.incremental.fetch.session.cache.slots` of them.

A full cache gives a slot to a new session by taking it from one that was not used for two minutes, or, when the new
one is a follower's, from the least recently used consumer's. Otherwise the fetcher is told to go on without (id 0).
"""

import random

from ottla.clock import Clock
from ottla.errors.kafka import FetchSessionIdNotFoundError, FetchSessionTopicIdError, InvalidFetchSessionEpochError
from ottla.observability.instruments import Counter
from ottla.replication.fetch_session import INVALID_SESSION_ID, FetchSession, next_epoch

_EVICTABLE_AFTER_S = 120.0
_SESSION_ID_MAX = 2**31 - 1


class FetchSessionCache:
    def __init__(self, clock: Clock, slots_max: int, evictions: Counter | None = None) -> None:
        self._clock = clock
        self._slots_max = slots_max
        self._sessions: dict[int, FetchSession] = {}  # Least recently used first.
        self._evictions = evictions or Counter()

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def partition_count(self) -> int:
        return sum(len(session.entries) for session in self._sessions.values())

    def create(self, *, privileged: bool, uses_topic_ids: bool) -> FetchSession:
        """A new session, remembered where there is a slot for it (else its id is 0)."""
        session_id = self._free_id() if self._make_room(privileged) else INVALID_SESSION_ID
        session = FetchSession(session_id, privileged=privileged, uses_topic_ids=uses_topic_ids)
        if session_id != INVALID_SESSION_ID:
            self._touch(session)
        return session

    def resume(self, session_id: int, epoch: int, *, uses_topic_ids: bool) -> FetchSession:
        """The session of an incremental request; the errors tell the fetcher to start over."""
        session = self._sessions.get(session_id)
        if session is None:
            raise FetchSessionIdNotFoundError("The fetch session ID was not found.")
        if session.uses_topic_ids != uses_topic_ids:
            raise FetchSessionTopicIdError("The session was begun with another way of naming topics.")
        if session.epoch != epoch:
            raise InvalidFetchSessionEpochError("The fetch session epoch is invalid.")
        session.epoch = next_epoch(session.epoch)
        self._touch(session)
        return session

    def remove(self, session_id: int) -> None:
        session = self._sessions.pop(session_id, None)
        if session is not None:
            session.close()

    def release_stopped(self) -> None:
        """Sessions outlive their clients, but not the logs of deleted topics: what they were read from is let go."""
        for session in self._sessions.values():
            session.release_stopped()

    def _touch(self, session: FetchSession) -> None:
        session.last_used = self._clock.monotonic()
        self._sessions.pop(session.session_id, None)
        self._sessions[session.session_id] = session

    def _make_room(self, privileged: bool) -> bool:
        if len(self._sessions) < self._slots_max:
            return True
        evicted = self._evictable(privileged)
        if evicted is None:
            return False
        self.remove(evicted.session_id)
        self._evictions.value += 1
        return True

    def _evictable(self, privileged: bool) -> FetchSession | None:
        """Asked by every fetch of a consumer that got no session, so all are looked through only for a follower."""
        oldest = next(iter(self._sessions.values()), None)
        if oldest is not None and oldest.last_used < self._clock.monotonic() - _EVICTABLE_AFTER_S:
            return oldest
        if not privileged:
            return None
        return next((session for session in self._sessions.values() if not session.privileged), None)

    def _free_id(self) -> int:
        while True:
            session_id = random.randint(1, _SESSION_ID_MAX)
            if session_id not in self._sessions:
                return session_id
