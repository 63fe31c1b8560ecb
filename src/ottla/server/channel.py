"""One client's connection as the server sees it: one request at a time, responses in the order of the requests.

Kafka handles the next request of a connection when it has responded to the last one, and so do we, with one exception:
requests that may be pipelined. While Produce requests wait for their replicas, up to five in all are appended, since
that is how many an idempotent producer has under way. Any other request behind them, and anything behind a request
that waits, stays unread.

`_in_flight` holds, oldest first, the requests that are handled and have no response yet; a response that is ready
before its turn waits in it. It is empty while every request has its response at once, which is the usual case.
"""

import asyncio
import socket
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from struct import Struct
from typing import Protocol

from ottla.clock import Clock, TimerWheel
from ottla.handlers.context import ClientContext
from ottla.observability.instruments import Counter, Histogram
from ottla.protocol.headers import decode_request_header
from ottla.server.admission import Admission, RequestBudget
from ottla.server.deadlines import Deadlines
from ottla.server.endpoints import ListenerSpec
from ottla.server.limits import ServerLimits
from ottla.transport import Connection, ReceiveBuffer, UnhurriedReaders
from ottla.transport.connection import FRAME_ROOM_BYTES, CloseReason
from ottla.transport.write_queue import Chunk, drop_chunks

PIPELINED_MAX = 5
# What is larger is not copied behind the response before it.
SMALL_RESPONSE_BYTES_MAX = 1024
# So many heartbeats with nothing between them, each so long after what came before it, and the next may wait a little.
HEARTBEATS_UNTIL_COALESCED = 3
HEARTBEAT_GAP_S = 1.0

# The header is API key, version, correlation id, client id, and from version 2 on tags: see `protocol.headers`.
_CORRELATION_ID = Struct(">i")
_CORRELATION_ID_POSITION = 4
_CORRELATION_ID_END = 8
_CLIENT_ID_LENGTH = Struct(">h")
_NO_TAGS = b"\0"
_NO_HEADER_ENDS = (b"", b"", b"")


class FrameDispatcher(Protocol):
    def dispatch(self, channel: "Channel", frame: memoryview) -> None: ...


@dataclass(slots=True, kw_only=True)
class ChannelServices:
    """What all channels of a server share. `limits` may be replaced: channels that are made later have the new ones."""

    loop: asyncio.AbstractEventLoop
    clock: Clock
    wheel: TimerWheel
    receive_buffer: ReceiveBuffer
    coalesced_reads: UnhurriedReaders
    limits: ServerLimits
    admission: Admission
    dispatcher: FrameDispatcher
    may_be_pipelined: Callable[[int], bool]
    pipelined: Counter
    notify_if_few: Callable[[], None]
    on_closed: Callable[["Channel", CloseReason], None]


class PendingResponse:
    """A request between its handler's return and its response. `chunks` is None until the response is known."""

    __slots__ = ("cancel", "chunks", "is_pipelined")

    def __init__(self, *, is_pipelined: bool = False) -> None:
        self.is_pipelined = is_pipelined
        self.chunks: Iterable[Chunk] | None = None
        # Called when the connection is gone.
        self.cancel: Callable[[], object] | None = None

    def on_turn(self) -> None:
        """Called when the response is sent."""


class Channel:
    __slots__ = (
        "_budget",
        "_budget_bytes",
        "_deadlines",
        "_grown_bytes",
        "_header_ends",
        "_in_flight",
        "_services",
        "client",
        "connection",
        "heartbeats_in_row",
        "last_active_at",
        "listener",
        "send_times",
    )

    def __init__(
        self, sock: socket.socket, address: tuple[str, int], listener: ListenerSpec, services: ChannelServices
    ) -> None:
        self._services = services
        self.listener = listener
        self.client = ClientContext(listener.name, *address, listener_serves_brokers=listener.serves_brokers)
        # By the header's version, what the last client id makes of the bytes behind the correlation id.
        self._header_ends = _NO_HEADER_ENDS
        self.last_active_at = services.clock.monotonic()
        self.heartbeats_in_row = 0
        self._in_flight: deque[PendingResponse] = deque()
        # The budget that the frame being received is counted in or waits for; the room that it began with, and what it
        # has or wants beyond that.
        self._budget: RequestBudget | None = None
        self._budget_bytes = 0
        self._grown_bytes = 0
        # Where the time goes that the socket takes for the last response.
        self.send_times: Histogram | None = None
        self.connection = Connection(
            sock,
            services.loop,
            self._on_frame,
            self._on_closed,
            receive_buffer=services.receive_buffer,
            clock=services.clock,
            frame_size_max=services.limits.socket_request_max_bytes,
            gate=self,
            read_while_sending=False,
        )
        self._deadlines = Deadlines(
            self,
            services.wheel,
            services.clock,
            idle_ms=services.limits.connections_max_idle_ms,
            frame_receive_timeout_ms=services.limits.frame_receive_timeout_ms,
        )

    def __str__(self) -> str:
        return f"{self.client.host}:{self.client.port} on listener {self.listener.name}"

    def start(self) -> None:
        self.connection.start()

    def close(self, reason: CloseReason) -> None:
        self.connection.close(reason)

    def has_requests(self) -> bool:
        return bool(self._in_flight)

    def read_header(self, frame: memoryview, header_version: int) -> tuple[int, int]:
        """The correlation id of a request and where its body begins; its client id is in `client` then.

        A client has the same id in every request: what stands behind the correlation id is compared, rarely decoded.
        """
        expected = self._header_ends[header_version]
        body = _CORRELATION_ID_END + len(expected)
        if expected and frame[_CORRELATION_ID_END:body] == expected:
            return _CORRELATION_ID.unpack_from(frame, _CORRELATION_ID_POSITION)[0], body
        return self._decode_header(frame)

    def _decode_header(self, frame: memoryview) -> tuple[int, int]:
        header, position = decode_request_header(frame)
        self.client.client_id = header.client_id
        if header.client_id is not None:
            encoded = header.client_id.encode()
            plain = _CLIENT_ID_LENGTH.pack(len(encoded)) + encoded
            self._header_ends = (b"", plain, plain + _NO_TAGS)
        else:
            self._header_ends = _NO_HEADER_ENDS
        return header.correlation_id, position

    def note_heartbeat_interval(self, gap_s: float | None) -> None:
        """A heartbeat so long after the last request, or (None) something else after heartbeats.

        Members of groups have a connection to their coordinator that carries little else. Nobody waits for those
        responses.
        """
        if gap_s is None or gap_s < HEARTBEAT_GAP_S:
            self.heartbeats_in_row = 0
            self.connection.read_unhurried(None)
        else:
            self.heartbeats_in_row += 1
            if self.heartbeats_in_row == HEARTBEATS_UNTIL_COALESCED:
                self.connection.read_unhurried(self._services.coalesced_reads)

    # Responses

    def respond(self, chunks: Iterable[Chunk]) -> None:
        """Respond to the request that was just handled."""
        if self._in_flight:
            pending = PendingResponse(is_pipelined=True)
            pending.chunks = chunks
            self._in_flight.append(pending)
        else:
            self.connection.send(chunks)

    def respond_encoded(self, data: bytes) -> None:
        """`respond` with one piece. Small ones leave together."""
        if self._in_flight or len(data) > SMALL_RESPONSE_BYTES_MAX:
            self.respond((data,))
        else:
            self.connection.send_small(data)

    def respond_later(self, pending: PendingResponse) -> None:
        """The request that was just handled waits; `respond_pending` will follow."""
        self._in_flight.append(pending)

    def respond_pending(self, pending: PendingResponse, chunks: Iterable[Chunk]) -> None:
        """The response to a request that waited. It is sent when all before it are."""
        if self.connection.closed:
            drop_chunks(chunks)
            return
        pending.chunks = chunks
        self._send_ready()

    def mute(self, milliseconds: int) -> None:
        """Take no further request for this long; responses are sent."""
        pause = PendingResponse()
        timer = self._services.wheel.schedule(milliseconds, lambda: self.respond_pending(pause, ()))
        pause.cancel = timer.cancel
        self._in_flight.append(pause)

    def _send_ready(self) -> None:
        in_flight = self._in_flight
        while in_flight and (chunks := in_flight[0].chunks) is not None:
            pending = in_flight.popleft()
            pending.on_turn()
            self.connection.send(chunks)
        self.last_active_at = self._services.clock.monotonic()
        if self.connection.reading_paused and self._budget is None:
            self.connection.resume_reading()

    def keeps_others_waiting(self) -> bool:
        return self._budget is not None and self._budget.waiting_count > 0

    def hold(self, api_key: int, size: int) -> Callable[[], None]:
        """Count so many bytes of a request that is still worked on, until what is returned is called."""
        budget = self._services.admission.budget_for(api_key, control_listener=self.listener.is_control)
        budget.hold(size)
        return lambda: budget.give_back(size)

    # What the connection asks and tells (FrameGate)

    def _on_frame(self, frame: memoryview) -> bool:
        if self._in_flight:
            if not self._may_run_early(frame[0] << 8 | frame[1]):
                return False
            self._services.pipelined.value += 1
        self._services.dispatcher.dispatch(self, frame)
        return True

    def _may_run_early(self, api_key: int) -> bool:
        return (
            len(self._in_flight) < PIPELINED_MAX
            and all(pending.is_pipelined for pending in self._in_flight)
            and self._services.may_be_pipelined(api_key)
        )

    def frame_started(self, size: int, api_key: int) -> bool:
        if self._in_flight and not self._may_run_early(api_key):
            return False
        self._budget = self._services.admission.budget_for(api_key, control_listener=self.listener.is_control)
        self._budget_bytes = min(size, FRAME_ROOM_BYTES)
        self._grown_bytes = 0
        return self._budget.try_take(self.connection, self._budget_bytes)

    def frame_grows(self, size: int) -> bool:
        assert self._budget is not None
        self._grown_bytes = size - self._budget_bytes
        return self._budget.try_grow(self.connection, self._grown_bytes)

    def frame_finished(self) -> None:
        budget, self._budget = self._budget, None
        assert budget is not None
        if self._grown_bytes and budget.forget(self.connection):
            self._grown_bytes = 0  # It was waiting for them.
        budget.give_back(self._budget_bytes, self._grown_bytes)

    def frame_incomplete(self) -> None:
        self._deadlines.frame_incomplete()

    def frames_handled(self) -> None:
        self._services.notify_if_few()

    def drained(self) -> None:
        now = self.last_active_at = self._services.clock.monotonic()
        if self.send_times is not None:
            self.send_times.record((now - self.connection.backlog_since) * 1000)

    def _on_closed(self, reason: CloseReason) -> None:
        self._deadlines.stop()
        if self._budget is not None and not self._budget.forget(self.connection):
            self._budget.give_back(self._budget_bytes)
        for pending in self._in_flight:
            if pending.chunks is not None:
                drop_chunks(pending.chunks)
            elif pending.cancel is not None:
                pending.cancel()
        self._in_flight.clear()
        self._services.on_closed(self, reason)
