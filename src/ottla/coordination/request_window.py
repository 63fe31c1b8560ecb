"""The requests of a session that have no answer yet: a bounded number on their way, the rest in line.

The bound is for kazoo's sake. It is woken for each request by a byte through a socket pair, which takes about 270 of
them while nobody reads (the connection is away); one more would block the event loop.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

IN_FLIGHT_MAX = 128
TIMES_SENT_MAX = 8


class Request:
    __slots__ = ("convert", "future", "path", "read", "send", "sent_at", "times_sent")

    def __init__(
        self,
        send: Callable[..., None],
        path: str,
        convert: Callable[[Any], Any],
        read: bool,
        future: "asyncio.Future[Any]",
    ) -> None:
        self.send = send
        self.path = path
        self.convert = convert
        self.read = read  # may be sent again when the connection was lost
        self.future = future
        self.sent_at = 0.0
        self.times_sent = 0

    @property
    def may_be_sent_again(self) -> bool:
        """A read that no connection survives is given up in the end."""
        return self.read and self.times_sent < TIMES_SENT_MAX

    def settle(self, value: Any, error: Exception | None) -> None:
        if self.future.done():  # its caller gave up
            return
        if error is not None:
            self.future.set_exception(error)
            return
        try:
            self.future.set_result(self.convert(value))
        except Exception as refused:  # noqa: BLE001  a multi tells its failure in its results; the future is always done
            self.future.set_exception(refused)

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


class RequestWindow:
    """Invariant: requests wait in line only while IN_FLIGHT_MAX are on their way."""

    def __init__(self) -> None:
        self._in_flight: set[Request] = set()
        self._waiting: deque[Request] = deque()

    def admit(self, request: Request) -> bool:
        """True when the request is to be sent now."""
        if len(self._in_flight) >= IN_FLIGHT_MAX:
            self._waiting.append(request)
            return False
        self._in_flight.add(request)
        return True

    def holds(self, request: Request) -> bool:
        return request in self._in_flight

    def release(self, request: Request) -> Request | None:
        """The request is answered; returns the one to be sent in its place."""
        self._in_flight.discard(request)
        if not self._waiting:
            return None
        following = self._waiting.popleft()
        self._in_flight.add(following)
        return following

    def fail_all(self, error: Exception) -> None:
        requests = [*self._in_flight, *self._waiting]
        self._in_flight.clear()
        self._waiting.clear()
        for request in requests:
            request.fail(error)
