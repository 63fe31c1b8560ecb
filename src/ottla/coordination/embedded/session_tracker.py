"""Which session must be heard from by when. Pure but for the clock it is given.

A session that nobody touched for its timeout is over. When the sweep itself comes late, because the process was stopped
or its loop was stuck, the clients' heartbeats may be waiting unread: every session then gets the lost time back, and
none is over before the loop has had a turn to read.
"""

from ottla.clock import Clock

LATE_SECONDS = 0.5


class SessionTracker:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._timeouts: dict[int, float] = {}
        self._deadlines: dict[int, float] = {}

    def __contains__(self, session_id: int) -> bool:
        return session_id in self._deadlines

    def __len__(self) -> int:
        return len(self._deadlines)

    def track(self, session_id: int, timeout_ms: int) -> None:
        """Begin, or begin again with another timeout."""
        self._timeouts[session_id] = timeout_ms / 1000
        self.touch(session_id)

    def touch(self, session_id: int) -> None:
        timeout = self._timeouts.get(session_id)
        if timeout is not None:
            self._deadlines[session_id] = self._clock.monotonic() + timeout

    def forget(self, session_id: int) -> None:
        self._timeouts.pop(session_id, None)
        self._deadlines.pop(session_id, None)

    def next_deadline(self) -> float | None:
        """On the monotonic clock; None when there is no session."""
        return min(self._deadlines.values(), default=None)

    def expired(self, expected_at: float) -> list[int]:
        """The sessions whose time is up, in a sweep that should have run at `expected_at`."""
        now = self._clock.monotonic()
        late = now - expected_at
        if late > LATE_SECONDS:
            for session_id in self._deadlines:
                self._deadlines[session_id] += late
            return []
        return [session_id for session_id, deadline in self._deadlines.items() if deadline <= now]
