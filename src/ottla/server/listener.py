"""One listening socket of a server.

Accepting stops, and goes on by itself, when
    the server has as many connections as it may      until one of them is closed (`resume`)
    the system cannot give one (no descriptors left)  for a moment, since somebody else may close one
In both cases clients wait in the kernel's backlog, and connections that are open go on.
"""

import asyncio
import contextlib
import dataclasses
import logging
import socket
from collections.abc import Callable

from ottla.clock import Clock, Stopwatch, Timer, TimerWheel
from ottla.errors import ConfigError
from ottla.observability.logs import RateLimitedLogger
from ottla.server.endpoints import ListenerSpec
from ottla.server.limits import ServerLimits

logger = logging.getLogger(__name__)

ACCEPTS_PER_TURN_MAX = 64
RETRY_MS = 100
# Linux has it everywhere and lets anybody use it.
CONGESTION_CONTROL_WITHOUT_PACING = b"reno"


class Listener:
    def __init__(
        self,
        spec: ListenerSpec,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        wheel: TimerWheel,
        limits: ServerLimits,
        log: RateLimitedLogger,
        *,
        must_wait: Callable[[], bool],
        on_connection: Callable[[ListenerSpec, socket.socket, tuple[str, int]], None],
    ) -> None:
        self.spec = spec
        self.pause_count = 0
        self._loop = loop
        self._wheel = wheel
        self._limits = limits
        self._log = log
        self._must_wait = must_wait
        self._on_connection = on_connection
        self._sock: socket.socket | None = None
        self._accepting = False
        self._stopwatch = Stopwatch(clock)
        self._retry: Timer | None = None

    @property
    def port(self) -> int:
        """The port that is bound, also where any was asked for."""
        assert self._sock is not None
        return int(self._sock.getsockname()[1])

    @property
    def is_accepting(self) -> bool:
        return self._accepting

    @property
    def paused_s(self) -> float:
        """Seconds in which clients had to wait to be accepted."""
        return self._stopwatch.elapsed_s

    def bind(self) -> None:
        """Take the port. Clients can connect and wait until `start`."""
        try:
            self._sock = _bound_socket(self.spec)
        except OSError as error:
            raise ConfigError(f"cannot listen on {self.spec}: {error.strerror or error}") from error
        _set_buffers(self._sock, self._limits)
        self._sock.listen(self._limits.socket_listen_backlog_size)
        self.spec = dataclasses.replace(self.spec, port=self.port)

    def start(self) -> None:
        assert self._sock is not None
        logger.info("listening on %s", self.spec)
        self._set_accepting(True)

    def resume(self) -> None:
        """A connection was closed: accept again if that was what we waited for."""
        if self._sock is not None and not self._accepting and self._retry is None and not self._must_wait():
            self._set_accepting(True)

    def stop_accepting(self) -> None:
        """Close the listening socket. Whoever waits in the backlog is reset."""
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._sock is not None:
            self._set_accepting(False)
            self._sock.close()
            self._sock = None

    def _on_readable(self) -> None:
        for _ in range(ACCEPTS_PER_TURN_MAX):
            if self._must_wait():
                self._pause("as many connections are open as there may be")
                return
            if not self._accept():
                return

    def _accept(self) -> bool:
        """Take one connection; whether there may be more."""
        assert self._sock is not None
        try:
            sock, address = self._sock.accept()
        except (BlockingIOError, InterruptedError):
            return False
        except ConnectionError:
            return True
        except OSError as error:
            self._pause(error.strerror or str(error))
            self._retry = self._wheel.schedule(RETRY_MS, self._on_retry)
            return False
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if sock.getsockname()[0] == address[0]:
            _send_without_pacing(sock)
        self._on_connection(self.spec, sock, (address[0], address[1]))
        return True

    def _pause(self, why: str) -> None:
        self._log.warning("accept", "%s accepts no connections for now: %s", self.spec, why)
        self.pause_count += 1
        self._set_accepting(False)
        self._stopwatch.start()

    def _on_retry(self) -> None:
        self._retry = None
        self.resume()

    def _set_accepting(self, accepting: bool) -> None:
        if accepting is self._accepting or self._sock is None:
            return
        self._accepting = accepting
        if accepting:
            self._stopwatch.stop()
            self._loop.add_reader(self._sock.fileno(), self._on_readable)
        else:
            self._loop.remove_reader(self._sock.fileno())


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
    """For a client on this host: there is no link to be congested, and timers between packets cost (decision 2)."""
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
