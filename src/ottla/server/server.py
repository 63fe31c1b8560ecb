"""The server of one broker: its listeners, its connections and the dispatch of their requests.

server = Server(specs, table, loop=loop, clock=clock, wheel=wheel, metrics=metrics)
ports = server.bind()          # the ports are ours, clients may connect and wait
server.start()                 # requests are handled from now on
server.stop_accepting(); await server.stop()
"""

import asyncio
import logging
import resource
import socket
from collections.abc import Callable, Iterable

from ottla.clock import Clock, TimerWheel
from ottla.errors import PeerError
from ottla.handlers.registry import HandlerTable
from ottla.observability.logs import RateLimitedLogger
from ottla.observability.metrics import Metrics
from ottla.observability.per_client_log import PerClientLog
from ottla.server.admission import Admission
from ottla.server.channel import Channel, ChannelServices
from ottla.server.connection_limits import ConnectionLimits
from ottla.server.dispatch import Dispatcher, UnsupportedRequestError
from ottla.server.endpoints import ListenerSpec
from ottla.server.limits import ServerLimits
from ottla.server.listener import Listener
from ottla.server.server_metrics import ServerMetrics
from ottla.transport import ReceiveBuffer, UnhurriedReaders
from ottla.transport.connection import CloseReason

logger = logging.getLogger(__name__)


class Server:
    def __init__(
        self,
        specs: Iterable[ListenerSpec],
        table: HandlerTable,
        *,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        wheel: TimerWheel,
        metrics: Metrics,
        limits: ServerLimits | None = None,
        notify_if_few: Callable[[], None] = lambda: None,
    ) -> None:
        """`notify_if_few` is called between the requests of one read and their responses: see `Purgatory`."""
        limits = limits or ServerLimits()
        specs = tuple(specs)
        has_control_listener = any(spec.is_control for spec in specs)
        self.admission = Admission(
            clock,
            limits.queued_max_requests,
            limits.queued_max_request_bytes,
            is_control_api=None if has_control_listener else table.is_control,
        )
        self.connection_limits = ConnectionLimits(limits, resource.getrlimit(resource.RLIMIT_NOFILE)[0])
        self.dispatcher = Dispatcher(table, loop, clock, metrics)
        self._channels: set[Channel] = set()
        self._metrics = ServerMetrics(metrics, (spec.name for spec in specs), lambda: self.channels)
        self._metrics.watch(self.admission)
        suppressed = metrics.counter("ottla_log_messages_suppressed_total")
        self._peer_log = RateLimitedLogger(logger, clock, suppressed=suppressed)
        self._client_log = PerClientLog(logger, clock, suppressed)
        self._services = ChannelServices(
            loop=loop,
            clock=clock,
            wheel=wheel,
            receive_buffer=ReceiveBuffer(),
            coalesced_reads=UnhurriedReaders(loop),
            limits=limits,
            admission=self.admission,
            dispatcher=self.dispatcher,
            may_be_pipelined=table.may_be_pipelined,
            pipelined=self._metrics.pipelined,
            notify_if_few=notify_if_few,
            on_closed=self._on_channel_closed,
        )
        self.listeners = tuple(self._listener(spec) for spec in specs)
        self._metrics.watch_accepting(self.listeners, clock)

    def _listener(self, spec: ListenerSpec) -> Listener:
        return Listener(
            spec,
            self._services.loop,
            self._services.clock,
            self._services.limits,
            self._peer_log,
            must_wait=_never if spec.is_control else self.connection_limits.is_full,
            on_connection=self._on_connection,
        )

    def apply_limits(self, limits: ServerLimits) -> None:
        """Take limits that were changed at run time: those on connections, and the deadlines of new ones."""
        self._services.limits = limits
        self.connection_limits.apply(limits)
        for listener in self.listeners:
            listener.resume()

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The connections that are open now."""
        return tuple(self._channels)

    @property
    def connection_count(self) -> int:
        return len(self._channels)

    def bind(self) -> dict[str, int]:
        """Take all ports; by listener name which. ConfigError when one is not to be had, and then none is kept."""
        try:
            for listener in self.listeners:
                listener.bind()
        except BaseException:
            self.stop_accepting()
            raise
        return {listener.spec.name: listener.port for listener in self.listeners}

    def start(self) -> None:
        for listener in self.listeners:
            listener.start()

    def stop_accepting(self) -> None:
        for listener in self.listeners:
            listener.stop_accepting()

    async def stop(self) -> None:
        """Close every connection and wait for the handlers that are coroutines."""
        self.stop_accepting()
        for channel in self.channels:
            channel.close("the server stops")
        self._services.coalesced_reads.close()
        await self.dispatcher.drain_tasks()

    def _on_connection(self, spec: ListenerSpec, sock: socket.socket, address: tuple[str, int]) -> None:
        host = address[0].removeprefix("::ffff:")
        if not self.connection_limits.try_add(host, is_control=spec.is_control):
            sock.close()
            self._metrics.refused("per ip")
            self._peer_log.warning("per ip", "%s has too many connections, one on %s was refused", host, spec.name)
            return
        channel = Channel(sock, (host, address[1]), spec, self._services)
        self._channels.add(channel)
        self._metrics.opened(channel)
        channel.start()

    def _on_channel_closed(self, channel: Channel, reason: CloseReason) -> None:
        self._channels.discard(channel)
        self.connection_limits.remove(channel.client.host, is_control=channel.listener.is_control)
        self._metrics.closed(channel)
        if isinstance(reason, PeerError):
            self._metrics.bad_frame(reason)
        if isinstance(reason, UnsupportedRequestError):
            self._client_log.warning(channel.client.client_id, str(channel), reason.asked, "it is not served here")
        elif isinstance(reason, PeerError):
            self._peer_log.warning(type(reason).__name__, "connection of %s closed: %s", channel, reason)
        else:
            logger.debug("connection of %s closed: %s", channel, reason)
        for listener in self.listeners:
            listener.resume()


def _never() -> bool:
    return False
