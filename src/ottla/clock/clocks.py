"""The clocks that are passed as parameters.

`wall_ms` is what goes into records, znodes and file times; it may jump. `monotonic` is what timeouts and leases are
measured by; it never goes back. Tests and the simulation pass a clock that they move by hand.
"""

import time
from typing import Protocol


class Clock(Protocol):
    def wall_ms(self) -> int:
        """Milliseconds since 1970, as Kafka's timestamps are."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start, never going back."""
        ...


def monotonic_ms(clock: Clock) -> int:
    """What delays are counted by: the wall clock may jump."""
    return int(clock.monotonic() * 1000)


class SystemClock:
    """The machine's own clocks. `monotonic` is asked several times per request, so nothing stands in between."""

    __slots__ = ()

    monotonic = staticmethod(time.monotonic)

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that stands still until it is moved."""

    __slots__ = ("_monotonic", "_wall_ms")

    def __init__(self, wall_ms: int = 1_700_000_000_000) -> None:
        self._wall_ms = wall_ms
        self._monotonic = 1000.0

    def wall_ms(self) -> int:
        return self._wall_ms

    def monotonic(self) -> float:
        return self._monotonic

    def advance_ms(self, milliseconds: int) -> None:
        self._wall_ms += milliseconds
        self._monotonic += milliseconds / 1000

    def jump_wall_ms(self, milliseconds: int) -> None:
        """Move the wall clock alone, as an operator or NTP does."""
        self._wall_ms += milliseconds
