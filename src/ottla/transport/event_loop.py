"""The event loop that a broker runs on: our selector, and two readings of the clock per turn.

The loop's turn is: wait in `select`, then run what is ready. BusyTimeSelector looks at the clock when `select` begins
and when it ends, however many requests the turn served; the time between an end and the next beginning is one step, in
which the loop looked at no socket. `observability.event_loop` makes metrics of it.
"""

import asyncio
import selectors
from collections.abc import Callable
from time import monotonic

from ottla.transport.selector import LoopSelector


class BusyTimeSelector(LoopSelector):
    """A selector that also adds up the loop's steps. Times in seconds."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._now = now
        self.turns = 0
        self.busy = 0.0
        self.longest_step = 0.0
        self._woke_at: float | None = None

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self._woke_at is not None:
            step = self._now() - self._woke_at
            self.busy += step
            if step > self.longest_step:
                self.longest_step = step
        self.turns += 1
        ready = super().select(timeout)
        self._woke_at = self._now()
        return ready

    def take_longest_step(self) -> float:
        """The longest step since this was last asked."""
        longest, self.longest_step = self.longest_step, 0.0
        return longest


class MeasuredEventLoop(asyncio.SelectorEventLoop):
    """The event loop that a broker runs on."""

    def __init__(self) -> None:
        self.measured = BusyTimeSelector()
        super().__init__(self.measured)
