"""A blocking connection to one broker, for the tasks of Spark: requests go out, answers are waited for in order.

A task reads one partition and has nothing else to do meanwhile, so it needs no event loop: one socket, and one request
sent ahead of the answer that is being worked on. Answers are received into one buffer that is used again and again;
what `receive` returns points into it and is valid until the next call.

On connecting the broker is asked what it speaks, as `clients.connection` does.
"""

import socket
from collections import deque
from struct import Struct
from typing import Any, NamedTuple

from ottla.clients.addresses import Address
from ottla.clients.api_versions import VersionRange, negotiate, read_versions, unsupported_version_answer
from ottla.clients.connection import API_VERSIONS_VERSION, NAME, VERSION, ConnectionSettings
from ottla.errors import DecodeError
from ottla.errors.kafka import NetworkError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode, encode
from ottla.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from ottla.protocol.message import Request
from ottla.protocol.messages.api_versions import ApiVersionsRequest

_SIZE = Struct(">i")
_CORRELATION_ID_MAX = 2**31 - 1
BUFFER_BYTES_MIN = 64 * 1024


class _InFlight(NamedTuple):
    correlation_id: int
    api_key: int
    version: int


class BrokerLink:
    """Connected when made. Every failure is a NetworkError and ends the link."""

    def __init__(self, address: Address, settings: ConnectionSettings) -> None:
        self.address = address
        self._settings = settings
        self._versions: dict[int, VersionRange] = {}
        self._in_flight: deque[_InFlight] = deque()
        self._next_correlation_id = 0
        self._buffer = memoryview(bytearray(BUFFER_BYTES_MIN))
        self._socket = self._connect()
        try:
            self._ask_versions()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> socket.socket:
        try:
            connected = socket.create_connection(self.address, self._settings.connect_timeout_ms / 1000)
            connected.settimeout(self._settings.request_timeout_ms / 1000)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            raise NetworkError(f"{self.address}: {error}") from error
        return connected

    def _ask_versions(self) -> None:
        request = ApiVersionsRequest(client_software_name=NAME, client_software_version=VERSION)
        response = self.ask(request, version=API_VERSIONS_VERSION)
        if response.error_code:
            response = self.ask(request, version=min(API_VERSIONS_VERSION, read_versions(response)[18].last))
        self._versions = read_versions(response)

    def ask(self, request: Request, *, version: int | None = None, version_max: int | None = None) -> Any:
        """The answer to a request. Nothing else may be in flight."""
        assert not self._in_flight, "an answer is still to be received"
        self.send(request, version=version, version_max=version_max)
        return self.receive()

    def send(self, request: Request, *, version: int | None = None, version_max: int | None = None) -> None:
        if version is None:
            version = negotiate(self._versions, request.API_KEY, version_max)
        correlation_id = self._next_correlation_id
        self._next_correlation_id = (correlation_id + 1) & _CORRELATION_ID_MAX
        header = encode_request_header(
            RequestHeader(request.API_KEY, version, correlation_id, self._settings.client_id)
        )
        body = encode(request, version)
        try:
            self._socket.sendall(_SIZE.pack(len(header) + len(body)) + header + body)
        except OSError as error:
            raise NetworkError(f"{self.address}: {error}") from error
        self._in_flight.append(_InFlight(correlation_id, request.API_KEY, version))

    def receive(self) -> Any:
        """The answer to the oldest request. Its records are valid until the next call."""
        asked = self._in_flight.popleft()
        try:
            return self._decode(asked, self._receive_frame())
        except (OSError, DecodeError) as error:
            raise NetworkError(f"{self.address}: {error}") from error

    def _receive_frame(self) -> memoryview:
        (size,) = _SIZE.unpack(self._receive_exactly(_SIZE.size))
        if size < 0:
            raise DecodeError(f"an answer of {size} bytes")
        return self._receive_exactly(size)

    def _receive_exactly(self, size: int) -> memoryview:
        if len(self._buffer) < size:
            self._buffer = memoryview(bytearray(max(size, 2 * len(self._buffer))))
        target = self._buffer[:size]
        received = 0
        while received < size:
            count = self._socket.recv_into(target[received:])
            if not count:
                raise ConnectionResetError("the broker closed the connection")
            received += count
        return target

    def _decode(self, asked: _InFlight, frame: memoryview) -> Any:
        if asked.api_key == ApiKey.API_VERSIONS:
            refused = unsupported_version_answer(frame)
            if refused is not None:
                return refused
        correlation_id, position = decode_response_header(asked.api_key, asked.version, frame)
        if correlation_id != asked.correlation_id:
            raise DecodeError(f"an answer to request {correlation_id} instead of {asked.correlation_id}")
        return decode(api_info(asked.api_key).response_class(), asked.version, frame, position)[0]

    def close(self) -> None:
        self._socket.close()
