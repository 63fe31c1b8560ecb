"""A route: everything about one version of one API that dispatch needs, looked up once.

response frame   0  4  SIZE             int32
                 4  4  CORRELATION_ID   int32, that of the request
                    1  TAGS             0, where the response header is flexible
                       BODY
"""

from collections.abc import Sequence
from struct import Struct
from typing import Any

from ottla.errors import ErrorCode
from ottla.handlers.context import EncodedResponse
from ottla.handlers.registry import HandlerEntry
from ottla.protocol.apis import api_info
from ottla.protocol.codec import encode_chunks
from ottla.protocol.message import Request, Response
from ottla.protocol.response_errors import compile_error_count
from ottla.server.request_metrics import RequestMeter, RequestMetrics
from ottla.transport.write_queue import Chunk

_PLAIN_HEADER = Struct(">ii")
_TAGGED_HEADER = Struct(">iib")
_SIZE_BYTES = 4


class Route:
    __slots__ = (
        "_count_errors",
        "_errors",
        "_follower_meter",
        "_is_from_follower",
        "_response_header_is_tagged",
        "api_key",
        "codes_when_encoded",
        "fast_path",
        "handle",
        "is_heartbeat",
        "is_known_excess",
        "may_be_pipelined",
        "meter",
        "name",
        "no_error",
        "on_error",
        "only_from_brokers",
        "request_class",
        "request_header_version",
        "version",
    )

    def __init__(self, entry: HandlerEntry, version: int, metrics: RequestMetrics) -> None:
        info, traits = api_info(entry.api_key), entry.traits
        self.api_key = int(entry.api_key)
        self.version = version
        self.name = info.name
        self.handle = entry.handle
        self.on_error = entry.on_error
        self.only_from_brokers = traits.only_from_brokers
        self.fast_path = traits.fast_path_of(version)
        assert self.fast_path is None or self.only_from_brokers is None, "a fast path is not authorized by its message"
        self.may_be_pipelined = traits.may_be_pipelined
        self.is_heartbeat = traits.is_heartbeat
        self.is_known_excess = traits.is_known_excess
        self.request_class: type[Request] = info.request_class()
        self.request_header_version = info.request_header_version(version)
        self._response_header_is_tagged = info.response_header_version(version) > 0
        self._errors = metrics.errors(info.name)
        self.no_error = self._errors[ErrorCode.NONE]
        self.codes_when_encoded = traits.codes_when_encoded(version)
        self._count_errors = compile_error_count(info.response_class(), version)
        self._is_from_follower = traits.is_from_follower
        if self._is_from_follower is None:
            self.meter = self._follower_meter = metrics.meter(info.name, version)
        else:
            self.meter = metrics.meter(info.name + "Consumer", version)
            self._follower_meter = metrics.meter(info.name + "Follower", version)

    def count_errors(self, response: Response | EncodedResponse) -> None:
        """Count the response by the error codes in it. What is kept encoded has none but NONE."""
        if type(response) is bytes:
            self.no_error.value += self.codes_when_encoded
        else:
            self._count_errors(response, self._errors)

    def meter_of(self, request: Any) -> RequestMeter:
        if self._is_from_follower is None or not self._is_from_follower(request):
            return self.meter
        return self._follower_meter

    def frame_header(self, correlation_id: int, body_size: int) -> bytes:
        """What stands before the body of a response."""
        if self._response_header_is_tagged:
            return _TAGGED_HEADER.pack(_TAGGED_HEADER.size - _SIZE_BYTES + body_size, correlation_id, 0)
        return _PLAIN_HEADER.pack(_PLAIN_HEADER.size - _SIZE_BYTES + body_size, correlation_id)


def encode_response(route: Route, correlation_id: int, response: Response | EncodedResponse) -> Sequence[Chunk]:
    """The frame of a response, as chunks for the connection."""
    if type(response) is bytes:
        return (route.frame_header(correlation_id, len(response)) + response,)
    assert isinstance(response, Response)
    chunks: list[Chunk] = encode_chunks(response, route.version)  # type: ignore[assignment]  # a list is invariant, Chunk is wider
    first = chunks[0]
    assert isinstance(first, bytes)
    body_size = len(first) if len(chunks) == 1 else sum(map(len, chunks))
    chunks[0] = route.frame_header(correlation_id, body_size) + first
    return chunks
