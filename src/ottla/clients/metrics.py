"""Metrics of clients: rates, averages and largest values over a sliding window, by Kafka's names.

A Sensor keeps `metrics.num.samples` samples of `metrics.sample.window.ms`; the oldest is overwritten when its time is
over. It is fed per request or batch, never per record. `metrics()` of a client reads them all and gives

    {"kafka.producer:type=producer-metrics,client-id=producer-1": {"record-send-rate": 812.4, ...}, ...}

the names being those of the MBeans in Kafka's documentation.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ottla.clock import Clock

Metrics = dict[str, dict[str, float]]


class MetricsSettings(NamedTuple):
    samples_count: int = 2
    window_s: float = 30.0


class Sample:
    __slots__ = ("count", "largest", "started_at", "total")

    def __init__(self, started_at: float) -> None:
        self.reset(started_at)

    def reset(self, started_at: float) -> None:
        self.started_at = started_at
        self.total = 0.0
        self.count = 0
        self.largest = 0.0


class Sensor:
    """Values as they come; their rate, average and maximum when somebody asks."""

    __slots__ = ("_clock", "_current", "_samples", "_settings")

    def __init__(self, clock: Clock, settings: MetricsSettings) -> None:
        self._clock = clock
        self._settings = settings
        self._current = Sample(clock.monotonic())
        self._samples = [self._current]

    def record(self, value: float = 1.0) -> None:
        now = self._clock.monotonic()
        sample = self._current
        if now - sample.started_at >= self._settings.window_s:
            sample = self._advance(now)
        sample.total += value
        sample.count += 1
        if value > sample.largest:
            sample.largest = value

    def _advance(self, now: float) -> Sample:
        if len(self._samples) < self._settings.samples_count:
            self._samples.append(Sample(now))
        else:
            self._samples.append(self._samples.pop(0))
            self._samples[-1].reset(now)
        self._current = self._samples[-1]
        return self._current

    def _live(self) -> list[Sample]:
        oldest = self._clock.monotonic() - self._settings.window_s * self._settings.samples_count
        return [sample for sample in self._samples if sample.started_at > oldest]

    def rate(self) -> float:
        """The sum of the values per second. A window that has only begun counts as if it were whole but for one."""
        live = self._live()
        if not live:
            return 0.0
        elapsed = self._clock.monotonic() - live[0].started_at
        shortest = (self._settings.samples_count - 1) * self._settings.window_s
        return sum(sample.total for sample in live) / max(elapsed, min(shortest, 1.0), 0.001)

    def occurrence_rate(self) -> float:
        """How many values came per second."""
        live = self._live()
        if not live:
            return 0.0
        elapsed = self._clock.monotonic() - live[0].started_at
        return sum(sample.count for sample in live) / max(elapsed, 0.001)

    def average(self) -> float:
        live = self._live()
        count = sum(sample.count for sample in live)
        return sum(sample.total for sample in live) / count if count else 0.0

    def maximum(self) -> float:
        return max((sample.largest for sample in self._live()), default=0.0)


class SensorGroup:
    """The sensors behind one MBean, made on first use, and how its attributes are computed from them."""

    def __init__(self, name: str, make_sensor: Callable[[], Sensor]) -> None:
        self.name = name
        self._make_sensor = make_sensor
        self._sensors: dict[str, Sensor] = {}
        self._attributes: dict[str, Callable[[], float]] = {}

    def sensor(self, name: str) -> Sensor:
        sensor = self._sensors.get(name)
        if sensor is None:
            sensor = self._sensors[name] = self._make_sensor()
        return sensor

    def attribute(self, name: str, compute: Callable[[], float]) -> None:
        self._attributes[name] = compute

    def read(self) -> dict[str, float]:
        return {name: compute() for name, compute in sorted(self._attributes.items())}


class ClientMetrics:
    """The groups of one client, and what all clients measure about their connections."""

    def __init__(self, kind: str, client_id: str, clock: Clock, settings: MetricsSettings) -> None:
        self.kind = kind
        self.client_id = client_id
        self.clock = clock
        self._settings = settings
        self._groups: dict[str, SensorGroup] = {}
        self.main = self.group(f"{kind}-metrics")
        self._connection_attributes(self.main)
        created, closed = self.main.sensor("connections-created"), self.main.sensor("connections-closed")
        self.main.attribute("connection-creation-rate", created.rate)
        self.main.attribute("connection-close-rate", closed.rate)
        self.main.attribute("connection-count", lambda: self.connection_count)
        self.connection_count = 0

    def make_sensor(self) -> Sensor:
        return Sensor(self.clock, self._settings)

    def group(self, type_: str, **tags: str) -> SensorGroup:
        labels = "".join(f",{name.replace('_', '-')}={value}" for name, value in tags.items())
        return self.named_group(f"kafka.{self.kind}:type={type_},client-id={self.client_id}{labels}")

    def named_group(self, name: str) -> SensorGroup:
        found = self._groups.get(name)
        if found is None:
            found = self._groups[name] = SensorGroup(name, self.make_sensor)
        return found

    def add_all(self, attributes: Mapping[str, Callable[[], float]]) -> None:
        """More attributes of the client as a whole."""
        for name, compute in attributes.items():
            self.main.attribute(name, compute)

    def read(self) -> Metrics:
        return {name: group.read() for name, group in sorted(self._groups.items())}

    def observer_of(self, node_id: int) -> "NodeObserver":
        """Counts what goes over a connection to a broker. Bootstrap addresses have no broker id yet."""
        self.main.sensor("connections-created").record()
        self.connection_count += 1
        node = None if node_id < 0 else self.group(f"{self.kind}-node-metrics", node_id=str(node_id))
        if node is not None:
            self._connection_attributes(node)
        return NodeObserver(self, [self.main] if node is None else [self.main, node])

    def _connection_attributes(self, group: SensorGroup) -> None:
        sent, received, latency = group.sensor("sent"), group.sensor("received"), group.sensor("latency")
        group.attribute("outgoing-byte-rate", sent.rate)
        group.attribute("request-rate", sent.occurrence_rate)
        group.attribute("request-size-avg", sent.average)
        group.attribute("request-size-max", sent.maximum)
        group.attribute("incoming-byte-rate", received.rate)
        group.attribute("response-rate", received.occurrence_rate)
        group.attribute("network-io-rate", lambda: sent.occurrence_rate() + received.occurrence_rate())
        group.attribute("request-latency-avg", latency.average)
        group.attribute("request-latency-max", latency.maximum)


class NodeObserver:
    """The ConnectionObserver of one connection."""

    __slots__ = ("_latency", "_metrics", "_received", "_sent")

    def __init__(self, metrics: ClientMetrics, groups: list[SensorGroup]) -> None:
        self._metrics = metrics
        self._sent = [group.sensor("sent") for group in groups]
        self._received = [group.sensor("received") for group in groups]
        self._latency = [group.sensor("latency") for group in groups]

    def request_sent(self, size: int) -> None:
        for sensor in self._sent:
            sensor.record(size)

    def response_received(self, size: int, latency_ms: float) -> None:
        for sensor in self._received:
            sensor.record(size)
        for sensor in self._latency:
            sensor.record(latency_ms)

    def connection_closed(self) -> None:
        self._metrics.connection_count -= 1
        self._metrics.main.sensor("connections-closed").record()
