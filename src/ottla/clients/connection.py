"""One connection to one broker on an event loop: requests out, their responses in, in order.

A `ProtocolSession` says what the bytes are; here are the socket, the futures of the callers and the time limits. A
request that gets no response in its time ends the connection: nothing behind it can get one before it.

Invariants: every future is completed exactly once: with the response, or with a NetworkError when the connection ends
first (the request may or may not have been carried out). At most `in_flight_max` requests wait for responses.
"""

import asyncio
import os
import socket
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from ottla.clients.addresses import Address
from ottla.clients.api_versions import VersionRange
from ottla.clients.errors import ClientTimeoutError
from ottla.clients.protocol_session import FRAME_HEADER_BYTES, ProtocolSession
from ottla.clients.runtime import Runtime
from ottla.clock import Timer
from ottla.errors.kafka import NetworkError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import encode_chunks
from ottla.protocol.message import Request
from ottla.transport import Connection
from ottla.transport.connection import CloseReason
from ottla.transport.write_queue import Chunk

# Responses: a fetch may bring one batch of any size whatever its bounds say.
FRAME_SIZE_MAX = 2**31 - 1
IN_FLIGHT_MAX_DEFAULT = 1000


class ConnectionSettings(NamedTuple):
    client_id: str = "ottla"
    request_timeout_ms: int = 30_000
    connect_timeout_ms: int = 10_000
    idle_max_ms: int = 540_000
    in_flight_max: int = IN_FLIGHT_MAX_DEFAULT
    reconnect_backoff_ms: int = 50
    reconnect_backoff_max_ms: int = 1000
    retry_backoff_ms: int = 100
    retry_backoff_max_ms: int = 1000
    metadata_max_age_ms: int = 300_000


class ConnectionObserver(Protocol):
    """Who counts: told of every request and response."""

    def request_sent(self, size: int) -> None: ...
    def response_received(self, size: int, latency_ms: float) -> None: ...
    def connection_closed(self) -> None: ...


class _Waiter(NamedTuple):
    future: "asyncio.Future[Any]"
    timer: Timer
    sent_at: float


def _reason(error: OSError) -> str:
    """In the system's own words: asyncio puts the address into them once more."""
    if error.errno is None or error.errno <= 0 or isinstance(error, socket.gaierror):
        return error.strerror or str(error)
    return os.strerror(error.errno)


class BrokerConnection:
    """Made by `connect`; `send` works until `closed`."""

    def __init__(
        self,
        address: Address,
        runtime: Runtime,
        settings: ConnectionSettings,
        observer: ConnectionObserver | None = None,
        on_closed: Callable[["BrokerConnection"], None] | None = None,
    ) -> None:
        self.address = address
        self.closed = False
        self.close_reason: CloseReason = ""
        self.last_used_at = runtime.clock.monotonic()
        self._runtime = runtime
        self._settings = settings
        self._observer = observer
        self._on_closed = on_closed
        self._connection: Connection | None = None
        self._session = ProtocolSession(settings.client_id)
        self._idle_timer: Timer | None = None

    async def connect(self) -> None:
        """Open the socket and learn what the broker speaks. NetworkError or ClientTimeoutError when that fails."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout_ms / 1000):
                await self._open()
                await self._shake_hands()
        except TimeoutError as error:
            self.close("not connected in time")
            timeout_ms = self._settings.connect_timeout_ms
            raise ClientTimeoutError(f"{self.address} did not answer within {timeout_ms} ms") from error
        except OSError as error:
            self.close(error)
            raise NetworkError(f"{self.address}: {_reason(error)}") from error
        except BaseException:
            self.close("connecting failed")
            raise
        self._schedule_idle_check()

    async def _open(self) -> None:
        runtime = self._runtime
        self._connection = await runtime.connect(
            self.address.host,
            self.address.port,
            self._handle_frame,
            self._handle_closed,
            receive_buffer=runtime.receive_buffer,
            clock=runtime.clock,
            frame_size_max=FRAME_SIZE_MAX,
        )

    async def _shake_hands(self) -> None:
        exchange = self._session.begin_handshake()
        while exchange is not None:
            response = await self.send(exchange.request, version=exchange.version)
            exchange = self._session.advance_handshake(response)

    @property
    def versions(self) -> Mapping[int, VersionRange]:
        """What the broker speaks."""
        return self._session.versions

    @property
    def features(self) -> Mapping[str, int]:
        return self._session.features

    @property
    def in_flight_count(self) -> int:
        return len(self._session.in_flight)

    @property
    def has_room(self) -> bool:
        return not self.closed and len(self._session.in_flight) < self._settings.in_flight_max

    def version_of(self, api_key: int, version_max: int | None = None) -> int:
        """The version in which an API is spoken here; UnsupportedVersionError when there is none."""
        return self._session.version_of(api_key, version_max)

    def send(
        self,
        request: Request,
        *,
        version: int | None = None,
        version_max: int | None = None,
        timeout_ms: float | None = None,
    ) -> "asyncio.Future[Any]":
        """Send a request; the future is its response message."""
        if version is None:
            version = self.version_of(request.API_KEY, version_max)
        return self.send_chunks(request.API_KEY, version, encode_chunks(request, version), timeout_ms=timeout_ms)

    def send_chunks(
        self,
        api_key: int,
        version: int,
        body: Iterable[Chunk],
        *,
        timeout_ms: float | None = None,
        expect_response: bool = True,
    ) -> "asyncio.Future[Any]":
        """Send a request whose body is encoded already. Without a response the future is done at once, with None."""
        future: asyncio.Future[Any] = self._runtime.loop.create_future()
        if not self.has_room or self._connection is None:
            problem = "closed" if self.closed or self._connection is None else "too many requests in flight"
            future.set_exception(NetworkError(f"{self.address}: {problem}"))
            return future
        self.last_used_at = self._runtime.clock.monotonic()
        waiter = self._wait(api_key, future, timeout_ms) if expect_response else None
        chunks, size = self._session.send(api_key, version, body, waiter, expect_response=expect_response)
        if not expect_response:
            future.set_result(None)
        self._connection.send(chunks)
        if self._observer is not None:
            self._observer.request_sent(size)
        return future

    def _wait(self, api_key: int, future: "asyncio.Future[Any]", timeout_ms: float | None) -> _Waiter:
        wait_ms = self._settings.request_timeout_ms if timeout_ms is None else timeout_ms
        timer = self._runtime.wheel.schedule(wait_ms, lambda: self._handle_timeout(api_key, wait_ms))
        return _Waiter(future, timer, self.last_used_at)

    def _handle_timeout(self, api_key: int, wait_ms: float) -> None:
        self.close(f"no answer to {ApiKey(api_key).name} within {wait_ms:.0f} ms")

    def _handle_frame(self, frame: memoryview) -> None:
        size = len(frame)
        if frame.obj is self._runtime.receive_buffer.view.obj:
            # The next socket is read into the same buffer, and the records of a fetch are slices of the frame.
            frame = memoryview(bytes(frame))
        request, message = self._session.receive(frame)
        waiter: _Waiter = request.context
        waiter.timer.cancel()
        if self._observer is not None:
            latency_ms = (self._runtime.clock.monotonic() - waiter.sent_at) * 1000
            self._observer.response_received(size + FRAME_HEADER_BYTES, latency_ms)
        if not waiter.future.done():
            waiter.future.set_result(message)

    def close(self, reason: CloseReason = "closed by the client") -> None:
        """Close now. What is in flight fails with a NetworkError."""
        if self._connection is not None:
            self._connection.close(reason)
        self._handle_closed(reason)

    def _handle_closed(self, reason: CloseReason) -> None:
        if self.closed:
            return
        self.closed = True
        self.close_reason = reason
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        for request in self._session.end():
            waiter: _Waiter = request.context
            waiter.timer.cancel()
            if not waiter.future.done():
                waiter.future.set_exception(NetworkError(f"{self.address}: {reason}"))
                # Whoever asked may have given up: a failure that nobody waits for is not worth a warning.
                waiter.future.exception()
        if self._observer is not None:
            self._observer.connection_closed()
        if self._on_closed is not None:
            self._on_closed(self)

    def _schedule_idle_check(self, delay_ms: float | None = None) -> None:
        idle_max_ms = self._settings.idle_max_ms
        if idle_max_ms > 0 and not self.closed:
            self._idle_timer = self._runtime.wheel.schedule(delay_ms or idle_max_ms, self._check_idle)

    def _check_idle(self) -> None:
        idle_ms = (self._runtime.clock.monotonic() - self.last_used_at) * 1000
        if idle_ms >= self._settings.idle_max_ms and not self._session.in_flight:
            self.close("idle")
        else:
            self._schedule_idle_check(max(1.0, self._settings.idle_max_ms - idle_ms))
