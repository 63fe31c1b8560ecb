"""How busy and how late the event loop is, measured where it costs least.

The loop's turn is: wait in `select`, then run what is ready. MeasuredSelector looks at the clock when `select` begins
and when it ends (two readings per turn, however many requests the turn served); the time between an end and the next
beginning is one step, in which the loop looked at no socket. From that come the longest step, the busy time, and the
idle share that Kafka calls RequestHandlerAvgIdlePercent and NetworkProcessorAvgIdlePercent.

The lag is how late a timer fires: one timer a second, which also turns the windows of the histograms.

    with asyncio.Runner(loop_factory=MeasuredEventLoop) as runner:
        monitor = EventLoopMonitor(runner.get_loop(), metrics)
        monitor.start() ... monitor.stop()
"""

import asyncio
import selectors
from collections import deque
from collections.abc import Callable
from time import monotonic

from ottla.observability.metrics import WINDOW_SECONDS, Metrics
from ottla.observability.selector import LoopSelector

TICK_SECONDS = 1.0
IDLE_TICKS = 60


class MeasuredSelector(LoopSelector):
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
        self.measured = MeasuredSelector()
        super().__init__(self.measured)


class EventLoopMonitor:
    """Turns a loop's measurements into metrics. On a loop that is not measured only the lag is known."""

    def __init__(self, loop: asyncio.AbstractEventLoop, metrics: Metrics, tick_seconds: float = TICK_SECONDS) -> None:
        self._loop = loop
        self._metrics = metrics
        self._tick_seconds = tick_seconds
        self._selector = loop.measured if isinstance(loop, MeasuredEventLoop) else None
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._busy_before: deque[tuple[float, float]] = deque(maxlen=IDLE_TICKS + 1)
        self._longest: deque[float] = deque(maxlen=int(2 * WINDOW_SECONDS / tick_seconds))
        self._lag = metrics.histogram("ottla_event_loop_lag_seconds")
        if self._selector is not None:
            self._register(self._selector)

    def _register(self, selector: MeasuredSelector) -> None:
        metrics = self._metrics
        metrics.gauge("ottla_event_loop_longest_step_seconds", function=self.longest_step)
        metrics.gauge("kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent", function=self.idle_share)
        metrics.gauge("kafka_network_socketserver_networkprocessoravgidle_percent", function=self.idle_share)
        metrics.gauge("kafka_network_processor_idle_percent", {"networkProcessor": "0"}, self.idle_share)
        self._busy = metrics.counter("ottla_event_loop_busy_seconds_total")
        self._turns = metrics.counter("ottla_event_loop_turns_total")
        self._busy_before.append((self._loop.time(), selector.busy))

    def start(self) -> None:
        self._due = self._loop.time() + self._tick_seconds
        self._timer = self._loop.call_at(self._due, self._tick)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _tick(self) -> None:
        now = self._loop.time()
        self._lag.record(max(0.0, now - self._due))
        if self._selector is not None:
            self._longest.append(self._selector.take_longest_step())
            self._busy_before.append((now, self._selector.busy))
            self._busy.value = self._selector.busy
            self._turns.value = self._selector.turns
        self._metrics.rotate()
        self._due = now + self._tick_seconds
        self._timer = self._loop.call_at(self._due, self._tick)

    def longest_step(self) -> float:
        """Seconds of the longest step in the last two windows."""
        assert self._selector is not None
        return max(self._selector.longest_step, max(self._longest, default=0.0))

    def idle_share(self) -> float:
        """The share of the last minute that the loop spent waiting, 0 to 1."""
        assert self._selector is not None
        since, busy_before = self._busy_before[0]
        elapsed = self._loop.time() - since
        if elapsed <= 0:
            return 1.0
        return min(1.0, max(0.0, 1.0 - (self._selector.busy - busy_before) / elapsed))
