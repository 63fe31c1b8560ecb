"""One connection to one broker: requests out, their answers in, in order.

On connecting the broker is asked what it speaks (ApiVersions); a request is then sent in the highest version that both
sides know. Kafka answers the requests of one connection in their order, so what is in flight is a queue, and an answer
with another correlation id than the oldest request's ends the connection. So does a request that is not answered in
its time: nothing behind it can be answered before it.

Invariants: every future is completed exactly once: with the answer, or with a NetworkError when the connection ends
first (the request may or may not have been carried out). At most `in_flight_max` requests wait for answers.
"""

import asyncio
import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from struct import Struct
from typing import Any, NamedTuple, Protocol

from ottla.clients.addresses import Address
from ottla.clients.api_versions import VersionRange, negotiate, read_versions, unsupported_version_answer
from ottla.clients.errors import ClientTimeoutError
from ottla.clients.runtime import Runtime
from ottla.clock import Timer
from ottla.errors import DecodeError
from ottla.errors.kafka import NetworkError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode, encode_chunks
from ottla.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from ottla.protocol.message import Request
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.transport import Connection
from ottla.transport.connection import CloseReason
from ottla.transport.write_queue import Chunk

_INT32 = Struct(">i")
CORRELATION_ID_MAX = 2**31 - 1
# Answers of clients: a fetch may bring one batch of any size whatever its bounds say.
FRAME_SIZE_MAX = 2**31 - 1
IN_FLIGHT_MAX_DEFAULT = 1000
API_VERSIONS_VERSION = 3
NAME, VERSION = "ottla", "0.1.0"


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
    """Who counts: told of every request and answer."""

    def request_sent(self, size: int) -> None: ...
    def response_received(self, size: int, latency_ms: float) -> None: ...
    def connection_closed(self) -> None: ...


class _InFlight(NamedTuple):
    correlation_id: int
    api_key: int
    version: int
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
        self.versions: Mapping[int, VersionRange] = {}
        self.features: Mapping[str, int] = {}
        self.last_used_at = runtime.clock.monotonic()
        self._runtime = runtime
        self._settings = settings
        self._observer = observer
        self._on_closed = on_closed
        self._connection: Connection | None = None
        self._in_flight: deque[_InFlight] = deque()
        self._next_correlation_id = 0
        self._idle_timer: Timer | None = None

    async def connect(self) -> None:
        """Open the socket and learn what the broker speaks. NetworkError or ClientTimeoutError when that fails."""
        try:
            async with asyncio.timeout(self._settings.connect_timeout_ms / 1000):
                await self._open()
                await self._ask_versions()
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

    async def _ask_versions(self) -> None:
        request = ApiVersionsRequest(client_software_name=NAME, client_software_version=VERSION)
        response = await self.send(request, version=API_VERSIONS_VERSION)
        if response.error_code:
            response = await self.send(request, version=min(API_VERSIONS_VERSION, read_versions(response)[18].last))
        self.versions = read_versions(response)
        self.features = {feature.name: feature.max_version_level for feature in response.finalized_features}

    @property
    def in_flight_count(self) -> int:
        return len(self._in_flight)

    @property
    def has_room(self) -> bool:
        return not self.closed and len(self._in_flight) < self._settings.in_flight_max

    def version_of(self, api_key: int, version_max: int | None = None) -> int:
        """The version in which an API is spoken here; UnsupportedVersionError when there is none."""
        return negotiate(self.versions, api_key, version_max)

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
        correlation_id = self._take_correlation_id()
        chunks = list(body)
        size = self._frame(api_key, version, correlation_id, chunks)
        if expect_response:
            self._expect(api_key, version, correlation_id, future, timeout_ms)
        else:
            future.set_result(None)
        self._connection.send(chunks)
        if self._observer is not None:
            self._observer.request_sent(size)
        return future

    def _frame(self, api_key: int, version: int, correlation_id: int, chunks: list[Chunk]) -> int:
        """Puts size and header in front of the body; answers the size of the whole frame."""
        header = encode_request_header(RequestHeader(api_key, version, correlation_id, self._settings.client_id))
        size = len(header) + sum(map(len, chunks))
        chunks.insert(0, _INT32.pack(size) + header)
        return size + _INT32.size

    def _take_correlation_id(self) -> int:
        correlation_id = self._next_correlation_id
        self._next_correlation_id = (correlation_id + 1) & CORRELATION_ID_MAX
        return correlation_id

    def _expect(
        self,
        api_key: int,
        version: int,
        correlation_id: int,
        future: "asyncio.Future[Any]",
        timeout_ms: float | None,
    ) -> None:
        wait_ms = self._settings.request_timeout_ms if timeout_ms is None else timeout_ms
        timer = self._runtime.wheel.schedule(wait_ms, lambda: self._handle_timeout(api_key, wait_ms))
        sent_at = self.last_used_at
        self._in_flight.append(_InFlight(correlation_id, api_key, version, future, timer, sent_at))

    def _handle_timeout(self, api_key: int, wait_ms: float) -> None:
        self.close(f"no answer to {ApiKey(api_key).name} within {wait_ms:.0f} ms")

    def _handle_frame(self, frame: memoryview) -> None:
        if not self._in_flight:
            raise DecodeError(f"{self.address}: an answer that nobody asked for")
        entry = self._in_flight[0]
        size = len(frame)
        message = self._decode(entry, frame)
        self._in_flight.popleft()
        entry.timer.cancel()
        if self._observer is not None:
            latency_ms = (self._runtime.clock.monotonic() - entry.sent_at) * 1000
            self._observer.response_received(size + _INT32.size, latency_ms)
        if not entry.future.done():
            entry.future.set_result(message)

    def _decode(self, entry: _InFlight, frame: memoryview) -> Any:
        (correlation_id,) = _INT32.unpack_from(frame)
        if correlation_id != entry.correlation_id:
            raise DecodeError(f"{self.address}: answer {correlation_id} where {entry.correlation_id} was expected")
        if frame.obj is self._runtime.receive_buffer.view.obj:
            # The next socket is read into the same buffer, and the records of a fetch are slices of the frame.
            frame = memoryview(bytes(frame))
        if entry.api_key == ApiKey.API_VERSIONS:
            fallback = unsupported_version_answer(frame)
            if fallback is not None:
                return fallback
        _, position = decode_response_header(entry.api_key, entry.version, frame)
        message, end = decode(api_info(entry.api_key).response_class(), entry.version, frame, position)
        if end != len(frame):
            name = ApiKey(entry.api_key).name
            raise DecodeError(f"{self.address}: {len(frame) - end} bytes left over behind the answer to {name}")
        return message

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
        in_flight, self._in_flight = self._in_flight, deque()
        for entry in in_flight:
            entry.timer.cancel()
            if not entry.future.done():
                entry.future.set_exception(NetworkError(f"{self.address}: {reason}"))
                # Whoever asked may have given up: a failure that nobody waits for is not worth a warning.
                entry.future.exception()
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
        if idle_ms >= self._settings.idle_max_ms and not self._in_flight:
            self.close("idle")
        else:
            self._schedule_idle_check(max(1.0, self._settings.idle_max_ms - idle_ms))
