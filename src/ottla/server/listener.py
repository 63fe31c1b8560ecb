"""One listener of a server: its socket as the configuration wants it, and its connections as a server wants them."""

import asyncio
import contextlib
import dataclasses
import logging
import socket
from collections.abc import Callable

from ottla.clock import Clock
from ottla.errors import ConfigError
from ottla.observability.logs import RateLimitedLogger
from ottla.server.endpoints import ListenerSpec
from ottla.server.limits import ServerLimits
from ottla.transport.acceptor import Acceptor

logger = logging.getLogger(__name__)

# Linux has it everywhere and lets anybody use it.
CONGESTION_CONTROL_WITHOUT_PACING = b"reno"


class Listener:
    def __init__(
        self,
        spec: ListenerSpec,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        limits: ServerLimits,
        log: RateLimitedLogger,
        *,
        must_wait: Callable[[], bool],
        on_connection: Callable[[ListenerSpec, socket.socket, tuple[str, int]], None],
    ) -> None:
        self.spec = spec
        self._loop = loop
        self._clock = clock
        self._limits = limits
        self._log = log
        self._must_wait = must_wait
        self._on_connection = on_connection
        self._acceptor: Acceptor | None = None

    @property
    def port(self) -> int:
        """The port that is bound, also where any was asked for."""
        return self.spec.port

    @property
    def is_accepting(self) -> bool:
        return self._acceptor is not None and self._acceptor.is_accepting

    @property
    def pause_count(self) -> int:
        return 0 if self._acceptor is None else self._acceptor.pause_count

    @property
    def paused_s(self) -> float:
        """Seconds in which clients had to wait to be accepted."""
        return 0.0 if self._acceptor is None else self._acceptor.paused_s

    def bind(self) -> None:
        """Take the port. Clients can connect and wait until `start`."""
        try:
            sock = _bound_socket(self.spec)
        except OSError as error:
            raise ConfigError(f"cannot listen on {self.spec}: {error.strerror or error}") from error
        _set_buffers(sock, self._limits)
        sock.listen(self._limits.socket_listen_backlog_size)
        self.spec = dataclasses.replace(self.spec, port=int(sock.getsockname()[1]))
        self._acceptor = Acceptor(
            sock, self._loop, self._clock, self._log, str(self.spec), self._accepted, must_wait=self._must_wait
        )

    def start(self) -> None:
        assert self._acceptor is not None
        logger.info("listening on %s", self.spec)
        self._acceptor.start()

    def resume(self) -> None:
        """A connection was closed: accept again if that was what we waited for."""
        if self._acceptor is not None:
            self._acceptor.resume()

    def stop_accepting(self) -> None:
        """Close the listening socket. Whoever waits in the backlog is reset."""
        if self._acceptor is not None:
            self._acceptor.close()

    def _accepted(self, sock: socket.socket, address: tuple[str, int]) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if sock.getsockname()[0] == address[0]:
            _send_without_pacing(sock)
        self._on_connection(self.spec, sock, (address[0], address[1]))


def _bound_socket(spec: ListenerSpec) -> socket.socket:
    """A non-blocking socket on the spec's host and port; on an empty host one for IPv4 and IPv6 where there is both."""
    host = spec.host
    if not host and socket.has_dualstack_ipv6():
        sock = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        address: tuple[str, int] = ("::", spec.port)
    else:
        family, _, _, _, found = socket.getaddrinfo(host or "0.0.0.0", spec.port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, socket.SOCK_STREAM)
        address = (str(found[0]), spec.port)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setblocking(False)
        sock.bind(address)
    except OSError:
        sock.close()
        raise
    return sock


def _send_without_pacing(sock: socket.socket) -> None:
    """For a client on this host: there is no link to be congested, and timers between packets cost (decision 0002)."""
    if hasattr(socket, "TCP_CONGESTION"):
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, CONGESTION_CONTROL_WITHOUT_PACING)


def _set_buffers(sock: socket.socket, limits: ServerLimits) -> None:
    """Connections inherit these; the receive buffer must be known before a connection is made."""
    for option, size in (
        (socket.SO_SNDBUF, limits.socket_send_buffer_bytes),
        (socket.SO_RCVBUF, limits.socket_receive_buffer_bytes),
    ):
        if size is not None and size >= 0:
            sock.setsockopt(socket.SOL_SOCKET, option, size)
