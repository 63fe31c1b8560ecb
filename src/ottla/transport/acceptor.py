"""One listening socket: connections are taken from it as long as there is room for them.

Accepting stops, and goes on by itself, when
    there may be no more connections                  until one of them is closed (`resume`)
    the system cannot give one (no descriptors left)  for a moment, since somebody else may close one
In both cases clients wait in the kernel's backlog, connections that are open go on, and one line is logged. (The loop
of asyncio's own servers logs an error with its traceback for every entry of the backlog, and again every second.)
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Any

from ottla.clock import Clock, Stopwatch
from ottla.observability.logs import RateLimitedLogger

ACCEPTS_PER_TURN_MAX = 64
RETRY_S = 0.1


def _never() -> bool:
    return False


class Acceptor:
    """Takes the connections of a socket that listens and does not block; `name` is for the log."""

    def __init__(
        self,
        sock: socket.socket,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        log: RateLimitedLogger,
        name: str,
        on_connection: Callable[[socket.socket, Any], None],
        *,
        must_wait: Callable[[], bool] = _never,
    ) -> None:
        self.pause_count = 0
        self._sock: socket.socket | None = sock
        self._loop = loop
        self._log = log
        self._name = name
        self._on_connection = on_connection
        self._must_wait = must_wait
        self._accepting = False
        self._stopwatch = Stopwatch(clock)
        self._retry: asyncio.TimerHandle | None = None

    @property
    def is_accepting(self) -> bool:
        return self._accepting

    @property
    def paused_s(self) -> float:
        """Seconds in which clients had to wait to be accepted."""
        return self._stopwatch.elapsed_s

    def start(self) -> None:
        self._set_accepting(True)

    def resume(self) -> None:
        """A connection was closed: accept again if that was what we waited for."""
        if self._sock is not None and not self._accepting and self._retry is None and not self._must_wait():
            self._set_accepting(True)

    def close(self) -> None:
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
        if self._sock is None:  # closed by whoever was given the last connection
            return False
        try:
            sock, address = self._sock.accept()
        except (BlockingIOError, InterruptedError):
            return False
        except ConnectionError:
            return True
        except OSError as error:
            self._pause(error.strerror or str(error))
            self._retry = self._loop.call_later(RETRY_S, self._on_retry)
            return False
        sock.setblocking(False)
        self._on_connection(sock, address)
        return True

    def _pause(self, why: str) -> None:
        self._log.warning("accept", "%s accepts no connections for now: %s", self._name, why)
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
