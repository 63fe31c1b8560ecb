"""A route: everything about one version of one API that dispatch needs, looked up once.

response frame   0  4  SIZE             int32
                 4  4  CORRELATION_ID   int32, that of the request
                    1  TAGS             0, where the response header is flexible
                       BODY
"""

from struct import Struct
from typing import Any

from ottla.handlers.context import EncodedResponse
from ottla.handlers.registry import HandlerEntry
from ottla.observability.instruments import Counter
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import encode_chunks
from ottla.protocol.message import Request, Response
from ottla.server.request_metrics import RequestMetrics, RequestTimes, request_name
from ottla.transport.write_queue import Chunk

_PLAIN_HEADER = Struct(">ii")
_TAGGED_HEADER = Struct(">iib")
_SIZE_BYTES = 4


class Route:
    __slots__ = (
        "_follower_requests",
        "_follower_times",
        "_is_fetch",
        "_requests",
        "_times",
        "api_key",
        "handle",
        "has_tagged_header",
        "name",
        "on_error",
        "request_class",
        "version",
    )

    def __init__(self, entry: HandlerEntry, version: int, metrics: RequestMetrics) -> None:
        info = api_info(entry.api_key)
        self.api_key = int(entry.api_key)
        self.version = version
        self.name = info.name
        self.handle = entry.handle
        self.on_error = entry.on_error
        self.request_class: type[Request] = info.request_class()
        self.has_tagged_header = info.response_header_version(version) > 0
        self._is_fetch = entry.api_key == ApiKey.FETCH
        self._requests = metrics.requests(request_name(entry.api_key), version)
        self._times = metrics.times(request_name(entry.api_key))
        follower = request_name(entry.api_key, from_follower=True)
        self._follower_requests = metrics.requests(follower, version)
        self._follower_times = metrics.times(follower)

    def requests_of(self, request: Any) -> Counter:
        return self._follower_requests if self._is_fetch and _is_from_follower(request) else self._requests

    def times_of(self, request: Any) -> RequestTimes:
        return self._follower_times if self._is_fetch and _is_from_follower(request) else self._times


def _is_from_follower(fetch_request: Any) -> bool:
    """By its replica id, which stands in a structure of its own from version 15 on."""
    return bool(fetch_request.replica_id >= 0 or fetch_request.replica_state.replica_id >= 0)


def encode_answer(route: Route, correlation_id: int, answer: Response | EncodedResponse) -> list[Chunk]:
    """The frame of an answer, as chunks for the connection."""
    chunks: list[Chunk]
    if type(answer) is EncodedResponse:
        chunks = [answer.body]
    else:
        assert isinstance(answer, Response)
        chunks = [*encode_chunks(answer, route.version)]
    size = sum(map(len, chunks))
    header = _header(route, correlation_id, size)
    first = chunks[0]
    if isinstance(first, bytes):
        chunks[0] = header + first
    else:
        chunks.insert(0, header)
    return chunks


def _header(route: Route, correlation_id: int, body_size: int) -> bytes:
    if route.has_tagged_header:
        return _TAGGED_HEADER.pack(_TAGGED_HEADER.size - _SIZE_BYTES + body_size, correlation_id, 0)
    return _PLAIN_HEADER.pack(_PLAIN_HEADER.size - _SIZE_BYTES + body_size, correlation_id)
