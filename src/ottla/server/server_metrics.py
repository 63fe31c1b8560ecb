"""What a server counts besides requests: connections, their bytes, what is in flight and what was refused.

Bytes are counted by each connection for itself and summed when somebody asks; counting them per listener as well would
cost every request a little.
"""

from collections import Counter as Counts
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ottla.clock import Clock
from ottla.errors import PeerError
from ottla.observability.instruments import Counter
from ottla.observability.metrics import Metrics
from ottla.observability.windowed_ratio import RecentShare
from ottla.server.admission import Admission

if TYPE_CHECKING:
    from ottla.server.channel import Channel
    from ottla.server.listener import Listener

_SOCKETS = "kafka_server_socketservermetrics_"
SOFTWARES_MAX = 100
OTHER_SOFTWARE = ("other", "other")
# One event loop does what Kafka's network processors do.
_PROCESSOR = "0"


class ServerMetrics:
    def __init__(self, metrics: Metrics, listeners: Iterable[str], channels: Callable[[], Iterable["Channel"]]) -> None:
        names = tuple(listeners)
        self._metrics = metrics
        self._channels = channels
        self._opened = {name: _socket_counter(metrics, "connection_creation_total", name) for name in names}
        self._closed = {name: _socket_counter(metrics, "connection_close_total", name) for name in names}
        self._received_before = dict.fromkeys(names, 0)
        self._sent_before = dict.fromkeys(names, 0)
        self.pipelined = metrics.counter("ottla_requests_pipelined_total")
        metrics.collect(_SOCKETS + "connection_count", self._connection_counts)
        metrics.collect(_SOCKETS + "incoming_byte_total", self._bytes_received)
        metrics.collect(_SOCKETS + "outgoing_byte_total", self._bytes_sent)
        metrics.collect(_SOCKETS + "connections", self._connections_by_software)
        metrics.gauge("kafka_network_requestchannel_responsequeuesize", function=self._unsent_responses)

    def watch(self, admission: Admission) -> None:
        budget = admission.clients
        gauge = self._metrics.gauge
        gauge("kafka_network_socketserver_memorypoolused", function=lambda: budget.queued_bytes)
        gauge(
            "kafka_network_socketserver_memorypoolavailable",
            function=lambda: max(0, budget.bytes_max - budget.queued_bytes),
        )
        gauge("kafka_network_requestchannel_requestqueuesize", function=lambda: budget.queued_requests)
        self._metrics.collect(
            "ottla_admission_paused_seconds_total",
            lambda: ((("clients",), admission.clients.paused_s), (("control",), admission.control.paused_s)),
        )

    def watch_accepting(self, listeners: "Iterable[Listener]", clock: Clock) -> None:
        for listener in listeners:
            blocked = RecentShare(clock, partial(getattr, listener, "paused_s"))
            labels = {"listener": listener.spec.name}
            self._metrics.gauge("kafka_network_acceptor_acceptorblocked_percent", labels, blocked.read)

    def opened(self, channel: "Channel") -> None:
        self._opened[channel.listener.name].value += 1

    def closed(self, channel: "Channel") -> None:
        name = channel.listener.name
        self._closed[name].value += 1
        self._received_before[name] += channel.connection.bytes_received
        self._sent_before[name] += channel.connection.bytes_sent

    def refused(self, reason: str) -> None:
        self._metrics.counter("ottla_connections_refused_total", {"reason": reason}).value += 1

    def bad_frame(self, error: PeerError) -> None:
        self._metrics.counter("ottla_bad_frames_total", {"reason": type(error).__name__}).value += 1

    def _connection_counts(self) -> Iterator[tuple[tuple[str, str], float]]:
        for name, opened in self._opened.items():
            yield (name, _PROCESSOR), opened.value - self._closed[name].value

    def _bytes_received(self) -> Iterator[tuple[tuple[str, str], float]]:
        totals = dict(self._received_before)
        for channel in self._channels():
            totals[channel.listener.name] += channel.connection.bytes_received
        yield from (((name, _PROCESSOR), total) for name, total in totals.items())

    def _bytes_sent(self) -> Iterator[tuple[tuple[str, str], float]]:
        totals = dict(self._sent_before)
        for channel in self._channels():
            totals[channel.listener.name] += channel.connection.bytes_sent
        yield from (((name, _PROCESSOR), total) for name, total in totals.items())

    def _connections_by_software(self) -> Iterator[tuple[tuple[str, str, str, str], float]]:
        """Clients name themselves, so only the names that most connections have become labels; the rest is one."""
        named = Counts(channel.client.software for channel in self._channels())
        shown = {software for software, _ in named.most_common(SOFTWARES_MAX)}
        counts = Counts(
            (*(channel.client.software if channel.client.software in shown else OTHER_SOFTWARE), channel.listener.name)
            for channel in self._channels()
        )
        yield from (((*key, _PROCESSOR), count) for key, count in counts.items())

    def _unsent_responses(self) -> int:
        return sum(channel.connection.send_progress_at is not None for channel in self._channels())


def _socket_counter(metrics: Metrics, name: str, listener: str) -> Counter:
    return metrics.counter(_SOCKETS + name, {"listener": listener, "networkProcessor": _PROCESSOR})
