"""How long this broker may still act as the owner of its ZooKeeper session, by its own clock.

ZooKeeper expires a session when it heard nothing from it for one timeout. It heard each request no earlier than we sent
it, so an *answered* request that was sent at `t` proves that the session lives until `t + timeout`, at least. What a
client library believes in between proves nothing: after a pause of the process it still says "connected".

    sent t0 ─────────► server hears, session lives until heard + timeout ≥ t0 + timeout
    answered t1 ◄─────┘
    lease: [t0, t0 + timeout)
"""

from ottla.clock import Clock


class Lease:
    __slots__ = ("_clock", "_timeout_s", "expires_at")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._timeout_s = 0.0
        self.expires_at = 0.0

    def begin(self, sent_at: float, timeout_ms: int) -> None:
        """A session was granted in answer to a request sent at `sent_at`."""
        self._timeout_s = timeout_ms / 1000
        self.expires_at = sent_at + self._timeout_s

    def renew(self, sent_at: float) -> None:
        """A request sent at `sent_at` was answered. Answers may be seen in any order; the lease never shrinks."""
        expires_at = sent_at + self._timeout_s
        if expires_at > self.expires_at:
            self.expires_at = expires_at

    def end(self) -> None:
        self.expires_at = 0.0

    def valid(self) -> bool:
        return self._clock.monotonic() < self.expires_at

    def remaining_s(self) -> float:
        return max(0.0, self.expires_at - self._clock.monotonic())
