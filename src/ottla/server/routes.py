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
from ottla.handlers.fetch.plan import is_from_follower
from ottla.handlers.registry import HandlerEntry
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import api_info
from ottla.protocol.codec import encode_chunks
from ottla.protocol.message import Request, Response
from ottla.protocol.response_errors import compile_error_count
from ottla.server.request_metrics import RequestMeter, RequestMetrics, request_name
from ottla.transport.write_queue import Chunk

_PLAIN_HEADER = Struct(">ii")
_TAGGED_HEADER = Struct(">iib")
_SIZE_BYTES = 4

_METADATA_FIRST_FLEXIBLE = 9
_LIBRDKAFKA_EXCESS = 3
_FETCH_FIRST_WITH_ERROR = 7


class Route:
    __slots__ = (
        "_codes_when_encoded",
        "_count_errors",
        "_errors",
        "_follower",
        "_is_fetch",
        "api_key",
        "fast_path",
        "handle",
        "is_api_versions",
        "is_heartbeat",
        "meter",
        "name",
        "no_error",
        "on_error",
        "only_from_brokers",
        "request_class",
        "request_header_version",
        "response_header_is_tagged",
        "version",
    )

    def __init__(self, entry: HandlerEntry, version: int, metrics: RequestMetrics) -> None:
        info = api_info(entry.api_key)
        self.api_key = int(entry.api_key)
        self.version = version
        self.name = info.name
        self.handle = entry.handle
        self.on_error = entry.on_error
        self.only_from_brokers = entry.only_from_brokers
        self.fast_path = entry.fast_path_of(version)
        self.request_class: type[Request] = info.request_class()
        self.request_header_version = info.request_header_version(version)
        self.response_header_is_tagged = info.response_header_version(version) > 0
        self.is_heartbeat = entry.api_key == ApiKey.HEARTBEAT
        self.is_api_versions = entry.api_key == ApiKey.API_VERSIONS
        self._errors = metrics.errors(info.name)
        self.no_error = self._errors[ErrorCode.NONE]
        self._count_errors = compile_error_count(info.response_class(), version)
        self._is_fetch = entry.api_key == ApiKey.FETCH
        # Encoded answers tell of one thing; that of a Fetch has a code of its own beside its partition's.
        self._codes_when_encoded = 2 if self._is_fetch and version >= _FETCH_FIRST_WITH_ERROR else 1
        self.meter = metrics.meter(request_name(entry.api_key), version)
        self._follower = metrics.meter(request_name(entry.api_key, from_follower=True), version)

    def is_known_excess(self, request: Any, excess: int) -> bool:
        """Whether bytes behind a request are those of a client that is known for them, so that it must be served.

        librdkafka (issue 5049) asks for all topics by a null array of four bytes where Metadata from version 9 on has
        one. The three zeros too many are read as the fields behind, which do not matter for all topics.
        """
        return (
            self.api_key == ApiKey.METADATA
            and self.version >= _METADATA_FIRST_FLEXIBLE
            and request.topics is None
            and excess == _LIBRDKAFKA_EXCESS
        )

    def count_errors(self, answer: Response | EncodedResponse) -> None:
        """Count the answer by the error codes in it. Answers that are kept encoded have none."""
        if type(answer) is bytes:
            self.no_error.value += self._codes_when_encoded
        else:
            self._count_errors(answer, self._errors)

    def meter_of(self, request: Any) -> RequestMeter:
        return self._follower if self._is_fetch and is_from_follower(request) else self.meter


def encode_answer(route: Route, correlation_id: int, answer: Response | EncodedResponse) -> Sequence[Chunk]:
    """The frame of an answer, as chunks for the connection."""
    if type(answer) is bytes:
        return (frame_header(route, correlation_id, len(answer)) + answer,)
    assert isinstance(answer, Response)
    chunks: list[Chunk] = encode_chunks(answer, route.version)  # type: ignore[assignment]  # a list is invariant, Chunk is wider
    first = chunks[0]
    assert isinstance(first, bytes)
    body_size = len(first) if len(chunks) == 1 else sum(map(len, chunks))
    chunks[0] = frame_header(route, correlation_id, body_size) + first
    return chunks


def frame_header(route: Route, correlation_id: int, body_size: int) -> bytes:
    """What stands before the body of an answer."""
    if route.response_header_is_tagged:
        return _TAGGED_HEADER.pack(_TAGGED_HEADER.size - _SIZE_BYTES + body_size, correlation_id, 0)
    return _PLAIN_HEADER.pack(_PLAIN_HEADER.size - _SIZE_BYTES + body_size, correlation_id)
