"""One coarse timer wheel for all requests that wait, sessions and idle connections.

Time is cut into ticks. A timer goes into the bucket of the first tick that begins after its delay has passed, so it
fires up to one tick late and never early. Buckets are found by hashing their tick; a small heap knows which tick is
next. Scheduling and cancelling are O(1) for all but the first timer of a tick, and a cancelled timer leaves at once:
a hundred thousand timers of which nearly all are cancelled cost what those cost that are alive.

Invariants: a tick is in the heap exactly as long as it has a bucket, and timers of one bucket fire in the order in
which they were scheduled (the simulation needs the same order on every run).

The wheel does nothing by itself: its driver calls `advance()`. `attach(loop)` makes an event loop the driver,
with one loop timer that is armed only while there is something to wait for.
"""

import asyncio
import heapq
from collections.abc import Callable

from ottla.clock.clocks import Clock

DEFAULT_TICK_MS = 20


def _do_nothing() -> None:
    """What a timer does that is no longer wanted."""


class Timer:
    """A callback that is due once. Made by `TimerWheel.schedule`."""

    __slots__ = ("_bucket", "callback")

    def __init__(self, bucket: "dict[Timer, None]", callback: Callable[[], None]) -> None:
        self._bucket = bucket
        self.callback = callback

    def cancel(self) -> None:
        """Forget the timer. Does nothing when it has fired or was cancelled before.

        What the callback refers to is let go too: mostly that is the owner of the timer.
        """
        self._bucket.pop(self, None)
        self.callback = _do_nothing


class TimerWheel:
    __slots__ = ("_armed", "_armed_tick", "_buckets", "_clock", "_loop", "_tick_ms", "_ticks")

    def __init__(self, clock: Clock, tick_ms: int = DEFAULT_TICK_MS) -> None:
        self._clock = clock
        self._tick_ms = tick_ms
        self._buckets: dict[int, dict[Timer, None]] = {}
        self._ticks: list[int] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._armed: asyncio.TimerHandle | None = None
        self._armed_tick = 0

    def __len__(self) -> int:
        """How many timers wait. O(ticks): for tests and metrics."""
        return sum(map(len, self._buckets.values()))

    def schedule(self, delay_ms: float, callback: Callable[[], None]) -> Timer:
        tick = int((self._clock.monotonic() * 1000 + delay_ms) // self._tick_ms) + 1
        bucket = self._buckets.get(tick)
        if bucket is None:
            bucket = self._add_bucket(tick)
        timer = Timer(bucket, callback)
        bucket[timer] = None
        return timer

    def next_delay_ms(self) -> int | None:
        """Milliseconds until `advance` has something to do, 0 when it is late, None when no timer waits."""
        self._drop_empty_buckets()
        if not self._ticks:
            return None
        return max(0, int(self._ticks[0] * self._tick_ms - self._clock.monotonic() * 1000) + 1)

    def advance(self) -> None:
        """Fire what is due. When a callback raises, the timers after it stay due."""
        tick_now = int(self._clock.monotonic() * 1000 // self._tick_ms)
        while self._ticks and self._ticks[0] <= tick_now:
            bucket = self._buckets[self._ticks[0]]
            while bucket:
                timer = next(iter(bucket))
                del bucket[timer]
                timer.callback()
            self._drop_empty_buckets()

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Let an event loop call `advance` from now on."""
        self._loop = loop
        self._maybe_arm()

    def detach(self) -> None:
        """Take the wheel off its loop. The timers stay."""
        self._loop = None
        self._disarm()

    def _add_bucket(self, tick: int) -> dict[Timer, None]:
        bucket: dict[Timer, None] = {}
        self._buckets[tick] = bucket
        heapq.heappush(self._ticks, tick)
        if self._loop is not None:
            self._maybe_arm()
        return bucket

    def _drop_empty_buckets(self) -> None:
        while self._ticks and not self._buckets[self._ticks[0]]:
            del self._buckets[heapq.heappop(self._ticks)]

    def _maybe_arm(self) -> None:
        """Arm the loop timer for the next tick, unless it is armed for that tick or an earlier one."""
        if self._loop is None or not self._ticks:
            return
        tick = self._ticks[0]
        if self._armed is not None and self._armed_tick <= tick:
            return
        self._disarm()
        self._armed_tick = tick
        delay = tick * self._tick_ms / 1000 - self._clock.monotonic()
        self._armed = self._loop.call_later(max(0.0, delay), self._on_loop_timer)

    def _disarm(self) -> None:
        if self._armed is not None:
            self._armed.cancel()
            self._armed = None

    def _on_loop_timer(self) -> None:
        self._armed = None
        try:
            self.advance()
        finally:
            self._drop_empty_buckets()
            self._maybe_arm()
