"""Connections that take too long: idle ones, half-sent frames, responses that nobody reads.

    idle      nothing asked and no response due for `connections.max.idle.ms`
    unsent    a response of which the peer took no byte for `connections.max.idle.ms`
    receive   a frame that was begun and is not complete after `ottla.frame.receive.timeout.ms`; a large one must grow
              in every such window by what LEAST_BYTES_PER_S brings in it. This is what ends a slow loris, and how
              long a frame takes is bounded by its size. A client that needs longer has given up by itself: the request
              timeout of Kafka's clients is shorter. The window is HURRIED_MS while others wait for the room that the
              frame was given; while it waits for room itself, there is none.

Timers are lazy: a request costs no timer operation, only a note of when it came. When a timer fires it looks at what
happened since, and is set again for what is left.
"""

from typing import Protocol

from ottla.clock import Clock, Timer, TimerWheel
from ottla.errors import PeerError
from ottla.transport import Connection

LEAST_BYTES_PER_S = 256 * 1024
HURRIED_MS = 10_000


class SlowPeerError(PeerError):
    """A frame that was begun and did not come."""


class DeadlineOwner(Protocol):
    connection: Connection
    last_active_at: float

    def has_requests(self) -> bool:
        """Whether requests of this connection wait for their response."""
        ...

    def keeps_others_waiting(self) -> bool:
        """Whether the frame being received has room for which others wait."""
        ...


class Deadlines:
    """The deadlines of one connection."""

    __slots__ = (
        "_clock",
        "_frame_receive_timeout_ms",
        "_idle_ms",
        "_idle_timer",
        "_owner",
        "_receive_timer",
        "_wheel",
        "_window_bytes",
        "_window_frame",
        "_window_started_at",
    )

    def __init__(
        self, owner: DeadlineOwner, wheel: TimerWheel, clock: Clock, *, idle_ms: int, frame_receive_timeout_ms: int
    ) -> None:
        self._owner = owner
        self._wheel = wheel
        self._clock = clock
        self._idle_ms = idle_ms
        self._frame_receive_timeout_ms = frame_receive_timeout_ms
        self._receive_timer: Timer | None = None
        self._window_frame = self._window_started_at = 0.0
        self._window_bytes = 0
        self._idle_timer: Timer | None = wheel.schedule(idle_ms, self._check_idle) if idle_ms >= 0 else None

    def frame_incomplete(self) -> None:
        if self._receive_timer is None:
            self._schedule_check(self._frame_receive_timeout_ms)

    def _schedule_check(self, left_ms: float) -> None:
        self._receive_timer = self._wheel.schedule(min(left_ms, HURRIED_MS), self._check_receive)

    def stop(self) -> None:
        """For ever: the connection is closed."""
        for timer in (self._idle_timer, self._receive_timer):
            if timer is not None:
                timer.cancel()
        self._idle_timer = self._receive_timer = None
        del self._owner  # It has this: a circle that only the collector would find.

    def _check_idle(self) -> None:
        now = self._clock.monotonic()
        idle_ms = (now - self._idle_since(now)) * 1000
        if idle_ms < self._idle_ms:
            self._idle_timer = self._wheel.schedule(self._idle_ms - idle_ms, self._check_idle)
            return
        self._idle_timer = None
        unsent = self._owner.connection.unsent_bytes
        what = f"{unsent} bytes of an answer were not taken" if unsent else "idle"
        self._owner.connection.close(f"{what} for {self._idle_ms} ms")

    def _idle_since(self, now: float) -> float:
        connection = self._owner.connection
        if connection.send_progress_at is not None:
            return connection.send_progress_at
        if connection.frame_started_at is not None or connection.reading_paused or self._owner.has_requests():
            return now
        return self._owner.last_active_at

    def _check_receive(self) -> None:
        self._receive_timer = None
        connection = self._owner.connection
        if connection.frame_started_at is None:
            return
        if connection.frame_started_at != self._window_frame:
            self._window_frame = self._window_started_at = connection.frame_started_at
            self._window_bytes = 0
        now = self._clock.monotonic()
        window_s = now - self._window_started_at
        window_ms = self._frame_receive_timeout_ms
        if self._owner.keeps_others_waiting():
            window_ms = min(window_ms, HURRIED_MS)
        left_ms = window_ms - window_s * 1000
        if left_ms <= 0:
            if connection.frame_filled_bytes - self._window_bytes < LEAST_BYTES_PER_S * window_s:
                connection.close(SlowPeerError(f"a frame was not received in {window_ms} ms"))
                return
            self._window_started_at = now
            self._window_bytes = connection.frame_filled_bytes
            left_ms = self._frame_receive_timeout_ms
        self._schedule_check(left_ms)
