"""The share of the last one to two windows that was busy, from a number of seconds that only grows.

A window is turned when it is read, so a share costs nothing between two scrapes.
"""

from collections.abc import Callable

from ottla.clock import Clock

WINDOW_SECONDS = 60.0


class RecentShare:
    __slots__ = ("_clock", "_earlier", "_latest", "_seconds")

    def __init__(self, clock: Clock, seconds: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._earlier = self._latest = (clock.monotonic(), seconds())

    def read(self) -> float:
        """0 to 1."""
        now, seconds = self._clock.monotonic(), self._seconds()
        if now - self._latest[0] >= WINDOW_SECONDS:
            self._earlier, self._latest = self._latest, (now, seconds)
        elapsed = now - self._earlier[0]
        return min(1.0, (seconds - self._earlier[1]) / elapsed) if elapsed > 0 else 0.0
