"""How busy and how late the event loop is, made into metrics.

A loop that is measured (`transport.event_loop`) knows its steps: the times in which it looked at no socket. From them
come the longest step, the busy time, and the idle share that Kafka calls RequestHandlerAvgIdlePercent and
NetworkProcessorAvgIdlePercent.

The lag is how late a timer fires: one timer a second, which also turns the windows of the histograms.
"""

import asyncio
from collections import deque
from typing import Protocol

from ottla.observability.metrics import WINDOW_SECONDS, Metrics

TICK_SECONDS = 1.0
IDLE_TICKS = 60


class LoopSteps(Protocol):
    """What a measured loop knows of itself, in seconds since it began."""

    turns: int
    busy: float
    longest_step: float

    def take_longest_step(self) -> float:
        """The longest step since this was last asked."""
        ...


class EventLoopMonitor:
    """Turns a loop's measurements into metrics. On a loop that is not measured only the lag is known."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        steps: LoopSteps | None,
        metrics: Metrics,
        tick_seconds: float = TICK_SECONDS,
    ) -> None:
        self._loop = loop
        self._metrics = metrics
        self._tick_seconds = tick_seconds
        self._steps = steps
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._busy_before: deque[tuple[float, float]] = deque(maxlen=IDLE_TICKS + 1)
        self._longest: deque[float] = deque(maxlen=int(2 * WINDOW_SECONDS / tick_seconds))
        self._lag = metrics.histogram("ottla_event_loop_lag_seconds")
        if self._steps is not None:
            self._register(self._steps)

    def _register(self, steps: LoopSteps) -> None:
        metrics = self._metrics
        metrics.gauge("ottla_event_loop_longest_step_seconds", function=self.longest_step)
        metrics.gauge("kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent", function=self.idle_share)
        metrics.gauge("kafka_network_socketserver_networkprocessoravgidle_percent", function=self.idle_share)
        metrics.gauge("kafka_network_processor_idle_percent", {"networkProcessor": "0"}, self.idle_share)
        self._busy = metrics.counter("ottla_event_loop_busy_seconds_total")
        self._turns = metrics.counter("ottla_event_loop_turns_total")
        self._busy_before.append((self._loop.time(), steps.busy))

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
        if self._steps is not None:
            self._longest.append(self._steps.take_longest_step())
            self._busy_before.append((now, self._steps.busy))
            self._busy.value = self._steps.busy
            self._turns.value = self._steps.turns
        self._metrics.rotate()
        self._due = now + self._tick_seconds
        self._timer = self._loop.call_at(self._due, self._tick)

    def longest_step(self) -> float:
        """Seconds of the longest step in the last two windows."""
        assert self._steps is not None
        return max(self._steps.longest_step, max(self._longest, default=0.0))

    def idle_share(self) -> float:
        """The share of the last minute that the loop spent waiting, 0 to 1."""
        assert self._steps is not None
        since, busy_before = self._busy_before[0]
        elapsed = self._loop.time() - since
        if elapsed <= 0:
            return 1.0
        return min(1.0, max(0.0, 1.0 - (self._steps.busy - busy_before) / elapsed))
