"""Load for `ottla perf` and Kafka's perf tools: sends and reads records as fast as possible, and measures it.

Latency is from `send` to the acknowledgement, in milliseconds, noted for every record in a histogram of three digits,
so that a run of any length stays small. MB are 1024 * 1024 bytes, as in Kafka's tools.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ottla.errors import OttlaError

if TYPE_CHECKING:
    from ottla import Consumer, Producer

MB = 1024 * 1024
_WINDOW_SECONDS = 5.0
_POLL_MS = 100
_POLL_RECORDS_MAX = 500
THROTTLE_SECONDS_MIN = 0.002


@dataclass(slots=True)
class Latencies:
    """How long acknowledgements took. `failed` records have none."""

    count: int = 0
    bytes: int = 0
    failed: int = 0
    first_error: OttlaError | None = None
    total_ms: float = 0.0
    max_ms: float = 0.0
    histogram: Counter[float] = field(default_factory=Counter)

    def note(self, latency_ms: float, size: int) -> None:
        self.count += 1
        self.bytes += size
        self.total_ms += latency_ms
        self.max_ms = max(self.max_ms, latency_ms)
        self.histogram[_step_below(latency_ms)] += 1

    @property
    def average_ms(self) -> float:
        return self.total_ms / self.count if self.count else 0.0

    def percentile(self, share: float) -> float:
        """The milliseconds, to three digits, that this share of the records did not exceed."""
        wanted = share * self.count
        seen = 0
        for latency, count in sorted(self.histogram.items()):
            seen += count
            if seen >= wanted:
                return latency
        return 0.0

    def whole_percentile(self, share: float) -> int:
        """In whole milliseconds, as Kafka's tools have it."""
        return int(self.percentile(share))


def _step_below(latency_ms: float) -> float:
    """The latency, cut to hundredths below 10 ms, tenths below 100 ms and whole milliseconds above."""
    steps = 100 if latency_ms < 10 else 10 if latency_ms < 100 else 1
    return int(latency_ms * steps) / steps


@dataclass(slots=True)
class ProduceLoad:
    """`run` sends; `on_window` gets the latencies of every window of some seconds and how long the window was."""

    producer: "Producer"
    topic: str
    payloads: Iterator[bytes]
    throughput: float = -1
    on_window: Callable[[Latencies, float], None] | None = None
    window_seconds: float = _WINDOW_SECONDS
    total: Latencies = field(default_factory=Latencies)
    window: Latencies = field(default_factory=Latencies)

    def run(self, count: int) -> float:
        """Sends `count` records; the seconds until the last was acknowledged."""
        started = window_started = time.monotonic()
        for number in range(count):
            payload = next(self.payloads)
            sent_at = time.monotonic()
            acknowledged = partial(self._acknowledged, sent_at, len(payload))
            self.producer.send(self.topic, payload, on_delivery=acknowledged)
            if self.throughput > 0:
                throttle(started, number + 1, self.throughput)
            if sent_at - window_started >= self.window_seconds:
                self._end_window(sent_at - window_started)
                window_started = sent_at
        self.producer.flush()
        return time.monotonic() - started

    def _acknowledged(self, sent_at: float, size: int, metadata: object, error: OttlaError | None) -> None:
        if error is not None:
            self.total.failed += 1
            self.total.first_error = self.total.first_error or error
            return
        latency_ms = (time.monotonic() - sent_at) * 1000
        self.total.note(latency_ms, size)
        self.window.note(latency_ms, size)

    def _end_window(self, seconds: float) -> None:
        window, self.window = self.window, Latencies()
        if self.on_window is not None:
            self.on_window(window, seconds)


def throttle(started: float, sent: int, throughput: float) -> None:
    ahead = sent / throughput - (time.monotonic() - started)
    if ahead > THROTTLE_SECONDS_MIN:
        time.sleep(ahead)


@dataclass(slots=True)
class ConsumeLoad:
    """`run` reads; `rebalance_seconds` is how long the group took to give out partitions.

    Kafka's tool counts all that the last poll brought; `is_exact` stops at the record that was asked for.
    """

    consumer: "Consumer"
    is_exact: bool = False
    messages: int = 0
    last_count: int = 0
    bytes: int = 0
    seconds: float = 0.0
    rebalance_seconds: float = 0.0

    def run(self, count: int, idle_seconds_max: float, on_poll: Callable[["ConsumeLoad"], None] | None = None) -> None:
        """Reads `count` records, or until none has come for so long."""
        started = last = time.monotonic()
        while self.messages < count:
            left = count - self.messages
            records = self.consumer.poll(_POLL_MS, min(left, _POLL_RECORDS_MAX) if self.is_exact else None)
            now = time.monotonic()
            if not self.rebalance_seconds and self.consumer.assignment():
                self.rebalance_seconds = now - started
            self.last_count = len(records)
            self.messages += self.last_count
            self.bytes += sum(len(record.key or b"") + len(record.value or b"") for record in records)
            if records:
                last = now
            elif now - last >= idle_seconds_max:
                break
            if on_poll is not None:
                on_poll(self)
        self.seconds = max(last - started, 1e-9)


def round_trips(producer: "Producer", consumer: "Consumer", topic: str, count: int, size: int) -> Iterator[float]:
    """One record at a time from a producer to a consumer that follows the topic: milliseconds of each."""
    for number in range(count):
        value = str(number).encode().rjust(size, b"x")
        started = time.monotonic()
        producer.send(topic, value)
        while not any(record.value == value for record in consumer.poll(_POLL_MS)):
            pass
        yield (time.monotonic() - started) * 1000
