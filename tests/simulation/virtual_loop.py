"""An event loop without time of its own: when nothing is ready the clock jumps to the next timer."""

import asyncio
from typing import Any

# A turn of the loop takes time, as everywhere: a timer that is a rounding error early would else be early for ever.
_TURN_SECONDS = 1e-6


class VirtualClock:
    """Implements `ottla.clock.Clock`."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def wall_ms(self) -> int:
        return 1_700_000_000_000 + int(self.now * 1000)


class StuckError(Exception):
    """Nothing is ready, no timer runs: nothing will ever happen again."""


class _NoSelector:
    """Takes the place of epoll: waiting is moving the clock."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise StuckError
        self._clock.now += max(_TURN_SECONDS, timeout)
        return []

    def close(self) -> None:
        pass


class VirtualLoop(asyncio.BaseEventLoop):
    _ready: Any
    _scheduled: Any

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._virtual_clock = clock
        self._selector = _NoSelector(clock)
        self._clock_resolution = 1e-9
        self.failures: list[dict[str, Any]] = []

    def time(self) -> float:
        return self._virtual_clock.now

    def _process_events(self, event_list: list[Any]) -> None:
        pass

    def _write_to_self(self) -> None:
        pass

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.failures.append(context)

    def run_for(self, seconds: float) -> None:
        """Let this much virtual time pass."""
        self.call_later(seconds, self.stop)
        self.run_forever()

    def drop_everything(self) -> None:
        """After a run: what is left would only be warned about."""
        self._ready.clear()
        self._scheduled.clear()
