"""A Server on the test's own loop, with handlers that the test gives, and clients on real sockets."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from ottla.clock import ManualClock, SystemClock, TimerWheel
from ottla.errors import KafkaError
from ottla.handlers.api_versions import ApiVersionsHandlers
from ottla.handlers.fetch.handler import TRAITS as FETCH_TRAITS
from ottla.handlers.groups import HEARTBEAT_TRAITS
from ottla.handlers.metadata import TRAITS as METADATA_TRAITS
from ottla.handlers.produce import TRAITS as PRODUCE_TRAITS
from ottla.handlers.registry import USUAL, Handle, HandlerTable
from ottla.observability.metrics import Metrics
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode, encode
from ottla.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from ottla.protocol.message import Request, Response
from ottla.protocol.messages.fetch import FetchResponse
from ottla.protocol.messages.heartbeat import HeartbeatResponse
from ottla.protocol.messages.metadata import MetadataResponse
from ottla.protocol.messages.produce import ProduceResponse
from ottla.server import ListenerSpec, Server, ServerLimits
from support.connections import RECEIVE_TIMEOUT, Peer, framed

LOOPBACK = ListenerSpec(name="PLAINTEXT", host="127.0.0.1", port=0)

_RESPONSES: dict[ApiKey, type[Any]] = {
    ApiKey.PRODUCE: ProduceResponse,
    ApiKey.FETCH: FetchResponse,
    ApiKey.METADATA: MetadataResponse,
    ApiKey.HEARTBEAT: HeartbeatResponse,
}

_TRAITS = {
    ApiKey.PRODUCE: PRODUCE_TRAITS,
    ApiKey.FETCH: FETCH_TRAITS,
    ApiKey.METADATA: METADATA_TRAITS,
    ApiKey.HEARTBEAT: HEARTBEAT_TRAITS,
}


def error_response(api_key: ApiKey):
    """An `on_error` for tests: the code, where the response has a place for one at its top."""

    def on_error(_request: Any, _version: int, error: KafkaError) -> Response:
        response = _RESPONSES[api_key]()
        if hasattr(response, "error_code"):
            response.error_code = error.code
        return response

    return on_error


def handler_table(handlers: dict[ApiKey, Handle] | None = None) -> HandlerTable:
    """ApiVersions, and what the test wants to serve in all versions."""
    table = HandlerTable()
    ApiVersionsHandlers(table).register(table)
    for api_key, handle in (handlers or {}).items():
        traits = _TRAITS.get(api_key, USUAL)
        table.add(api_key, handle, *api_info(api_key).versions, error_response(api_key), traits)
    return table


class KafkaPeer(Peer):
    """A client that sends requests and reads responses, by hand."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self._asked: dict[int, tuple[int, int]] = {}
        self._next_correlation_id = 0

    def request(self, message: Request, version: int, client_id: str | None = "test") -> bytes:
        """The frame of a request, whose response `response` will know."""
        correlation_id = self._next_correlation_id
        self._next_correlation_id += 1
        self._asked[correlation_id] = (message.API_KEY, version)
        header = RequestHeader(message.API_KEY, version, correlation_id, client_id)
        return framed(encode_request_header(header) + encode(message, version))

    async def response(self) -> tuple[int, Any]:
        """The correlation id and the message of the next response."""
        frame = await self.receive_frame()
        (correlation_id,) = struct.unpack_from(">i", frame)
        api_key, version = self._asked.pop(correlation_id)
        _, position = decode_response_header(api_key, version, frame)
        message, end = decode(api_info(api_key).response_class(), version, frame, position)
        assert end == len(frame)
        return correlation_id, message

    async def ask(self, message: Request, version: int, client_id: str | None = "test") -> Any:
        await self.send(self.request(message, version, client_id))
        return (await self.response())[1]


class RunningServer:
    """The server under test."""

    def __init__(self, server: Server, metrics: Metrics, wheel: TimerWheel) -> None:
        self.server = server
        self.metrics = metrics
        self.wheel = wheel
        self.ports = server.bind()
        self._peers: list[Peer] = []

    def connect(
        self, listener: str = "PLAINTEXT", source: str = "127.0.0.1", receive_buffer_bytes: int = 0
    ) -> KafkaPeer:
        sock = socket.socket()
        peer = KafkaPeer(sock)
        self._peers.append(peer)
        sock.bind((source, 0))
        if receive_buffer_bytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
        sock.connect(("127.0.0.1", self.ports[listener]))
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return peer

    def bad_frames(self) -> int:
        """How many connections were closed because of what they sent."""
        lines = b"".join(self.metrics.render()).decode().splitlines()
        return sum(int(float(line.split()[-1])) for line in lines if line.startswith("ottla_bad_frames_total{"))

    async def until(self, condition) -> None:
        """Let the loop run until something holds."""
        async with asyncio.timeout(RECEIVE_TIMEOUT):
            while not condition():  # noqa: ASYNC110 - what is waited for has no event to set
                await asyncio.sleep(0.001)

    def close_peers(self) -> None:
        for peer in self._peers:
            peer.sock.close()


@asynccontextmanager
async def running_server(
    table: HandlerTable | None = None,
    limits: ServerLimits | None = None,
    specs: tuple[ListenerSpec, ...] = (LOOPBACK,),
    clock: ManualClock | None = None,
) -> AsyncIterator[RunningServer]:
    """With a ManualClock time stands still, and timers fire when the test calls `running.wheel.advance()`."""
    loop = asyncio.get_running_loop()
    wheel = TimerWheel(clock or SystemClock(), tick_ms=5)
    if clock is None:
        wheel.attach(loop)
    metrics = Metrics()
    server = Server(
        specs,
        table or handler_table(),
        loop=loop,
        clock=clock or SystemClock(),
        wheel=wheel,
        metrics=metrics,
        limits=limits,
    )
    running = RunningServer(server, metrics, wheel)
    server.start()
    try:
        yield running
    finally:
        await server.stop()
        wheel.detach()
        running.close_peers()
