"""The client's side of Kafka's protocol on one connection, without a socket: bytes in and out, messages in and out.

    handshake    ApiVersions comes first (KIP-35, KIP-511); steps that authenticate follow it (`HandshakeStep`)
    ready        requests are sent in the highest version that both sides know

The session gives each request its header and its correlation id, and remembers what is in flight. Kafka responds to the
requests of one connection in their order: a response with another correlation id than the oldest request's is a
DecodeError, after which the connection is of no more use. Who drives the session owns the socket, the time limits and
the callers that wait: `clients.connection` on an event loop (brokers use it for their peers, too), `spark.broker_link`
with a blocking socket.

Invariants: what is in flight is in the order of sending; a request that expects no response is never in flight.
"""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from struct import Struct
from typing import Any, NamedTuple, Protocol

from ottla.clients.api_versions import VersionRange, negotiate, read_versions, unsupported_version_response
from ottla.errors import DecodeError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode
from ottla.protocol.headers import RequestHeader, decode_response_header, encode_request_header
from ottla.protocol.message import Request
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from ottla.transport.write_queue import Chunk

_INT32 = Struct(">i")
FRAME_HEADER_BYTES = _INT32.size
CORRELATION_ID_MAX = 2**31 - 1
API_VERSIONS_VERSION = 3
SOFTWARE_NAME, SOFTWARE_VERSION = "ottla", "0.1.0"


class HandshakeRequest(NamedTuple):
    """A request of the handshake. It names its version: nothing is negotiated before ApiVersions."""

    request: Request
    version: int


class HandshakeStep(Protocol):
    """A part of the handshake: data in, data out."""

    def begin(self, session: "ProtocolSession") -> HandshakeRequest | None:
        """The first request of the step; None when the step has nothing to do."""
        ...

    def advance(self, session: "ProtocolSession", response: Any) -> HandshakeRequest | None:
        """The next request after this response; None when the step is done. An error ends the connection."""
        ...


class NegotiateVersions:
    """Asks with ApiVersions what the broker speaks; again in an older version where the broker knows only that."""

    _is_second_attempt = False

    def begin(self, session: "ProtocolSession") -> HandshakeRequest:
        return self._request(API_VERSIONS_VERSION)

    def advance(self, session: "ProtocolSession", response: Any) -> HandshakeRequest | None:
        versions = read_versions(response)
        if response.error_code and not self._is_second_attempt:
            self._is_second_attempt = True
            return self._request(min(API_VERSIONS_VERSION, versions[ApiKey.API_VERSIONS].last))
        features = {feature.name: feature.max_version_level for feature in response.finalized_features}
        session.note_versions(versions, features)
        return None

    def _request(self, version: int) -> HandshakeRequest:
        request = ApiVersionsRequest(client_software_name=SOFTWARE_NAME, client_software_version=SOFTWARE_VERSION)
        return HandshakeRequest(request, version)


class InFlightRequest(NamedTuple):
    correlation_id: int
    api_key: int
    version: int
    context: Any
    """The driver's own: who waits for the response."""


class ProtocolSession:
    def __init__(
        self, client_id: str, *, authentication: Sequence[HandshakeStep] = (), first_correlation_id: int = 0
    ) -> None:
        self.versions: Mapping[int, VersionRange] = {}
        self.features: Mapping[str, int] = {}
        self.in_flight: deque[InFlightRequest] = deque()
        self._client_id = client_id
        self._next_correlation_id = first_correlation_id
        self._steps: deque[HandshakeStep] = deque((NegotiateVersions(), *authentication))

    # The handshake

    @property
    def is_ready(self) -> bool:
        """Whether the handshake is over."""
        return not self._steps

    def begin_handshake(self) -> HandshakeRequest | None:
        """The first request of the handshake."""
        return self._begin_step()

    def advance_handshake(self, response: Any) -> HandshakeRequest | None:
        """The request that follows this response; None when the session is ready."""
        following = self._steps[0].advance(self, response)
        if following is not None:
            return following
        self._steps.popleft()
        return self._begin_step()

    def _begin_step(self) -> HandshakeRequest | None:
        while self._steps:
            request = self._steps[0].begin(self)
            if request is not None:
                return request
            self._steps.popleft()
        return None

    def note_versions(self, versions: Mapping[int, VersionRange], features: Mapping[str, int]) -> None:
        self.versions, self.features = versions, features

    # Requests and responses

    def version_of(self, api_key: int, version_max: int | None = None) -> int:
        """The version in which an API is spoken here; UnsupportedVersionError when there is none."""
        return negotiate(self.versions, api_key, version_max)

    def send(
        self, api_key: int, version: int, body: Iterable[Chunk], context: Any = None, *, expect_response: bool = True
    ) -> tuple[list[Chunk], int]:
        """The frame of a request whose body is encoded already, and its size. From now on the request is in flight."""
        correlation_id = self._next_correlation_id
        self._next_correlation_id = (correlation_id + 1) & CORRELATION_ID_MAX
        header = encode_request_header(RequestHeader(api_key, version, correlation_id, self._client_id))
        chunks = [b"", *body]
        size = len(header) + sum(map(len, chunks))
        chunks[0] = _INT32.pack(size) + header
        if expect_response:
            self.in_flight.append(InFlightRequest(correlation_id, api_key, version, context))
        return chunks, FRAME_HEADER_BYTES + size

    def receive(self, frame: memoryview) -> tuple[InFlightRequest, Any]:
        """The request that a frame responds to, and the response. Its records are slices of the frame.

        After a DecodeError the request is still in flight.
        """
        if not self.in_flight:
            raise DecodeError("an answer that nobody asked for")
        request = self.in_flight[0]
        message = _decode_response(request, frame)
        self.in_flight.popleft()
        return request, message

    def end(self) -> deque[InFlightRequest]:
        """The connection is gone: what was in flight gets no response."""
        in_flight, self.in_flight = self.in_flight, deque()
        return in_flight


def _decode_response(request: InFlightRequest, frame: memoryview) -> Any:
    api_key, version = request.api_key, request.version
    if len(frame) < _INT32.size:
        raise DecodeError(f"an answer of {len(frame)} bytes")
    (correlation_id,) = _INT32.unpack_from(frame)
    if correlation_id != request.correlation_id:
        raise DecodeError(f"answer {correlation_id} where {request.correlation_id} was expected")
    if api_key == ApiKey.API_VERSIONS:
        fallback = unsupported_version_response(frame)
        if fallback is not None:
            return fallback
    _, position = decode_response_header(api_key, version, frame)
    message, end = decode(api_info(api_key).response_class(), version, frame, position)
    if end != len(frame):
        raise DecodeError(f"{len(frame) - end} bytes left over behind the answer to {ApiKey(api_key).name}")
    return message


class FrameReceiver:
    """Frames out of a stream of bytes, for who has no `transport.Connection`. One buffer is used again and again.

    `room` is where the next bytes belong, never more than what the present frame still needs; `received` says how many
    came. A frame is valid until the next call of `room`.
    """

    BUFFER_BYTES_MIN = 64 * 1024

    def __init__(self) -> None:
        self._buffer = memoryview(bytearray(self.BUFFER_BYTES_MIN))
        self._filled = 0
        self._size = FRAME_HEADER_BYTES
        self._in_header = True

    def room(self) -> memoryview:
        return self._buffer[self._filled : self._size]

    def received(self, count: int) -> memoryview | None:
        """The frame, when it is complete now."""
        self._filled += count
        if self._filled < self._size:
            return None
        if self._in_header:
            self._begin_frame(_INT32.unpack_from(self._buffer)[0])
            if self._size:
                return None
        frame = self._buffer[: self._size]
        self._filled, self._size, self._in_header = 0, FRAME_HEADER_BYTES, True
        return frame

    def _begin_frame(self, size: int) -> None:
        if size < 0:
            raise DecodeError(f"an answer of {size} bytes")
        if len(self._buffer) < size:
            self._buffer = memoryview(bytearray(max(size, 2 * len(self._buffer))))
        self._filled, self._size, self._in_header = 0, size, False
