"""A stopwatch: how long something lasted in all, the stretch that goes on now included."""

from ottla.clock.clocks import Clock


class Stopwatch:
    __slots__ = ("_before_s", "_clock", "_since")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._before_s = 0.0
        self._since: float | None = None

    @property
    def elapsed_s(self) -> float:
        running = 0.0 if self._since is None else self._clock.monotonic() - self._since
        return self._before_s + running

    def start(self) -> None:
        """Let it run, if it does not already."""
        if self._since is None:
            self._since = self._clock.monotonic()

    def stop(self) -> None:
        self._before_s = self.elapsed_s
        self._since = None
