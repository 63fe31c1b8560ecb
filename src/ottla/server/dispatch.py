"""From a frame to an answer: header, body, handler, encoded response. And what errors become on the way.

    bytes that are no request, bytes behind it, an API or version not served     the connection is closed
    ... but for ApiVersions in a version not served                              answered as version 0 (KIP-511)
    KafkaError from a handler                                                    its `on_error` builds the answer
    CloseConnection, PeerError from a handler                                    the connection is closed
    any other exception: our bug                                                 logged, answered UNKNOWN_SERVER_ERROR

A request whose handler answers at once costs no task, no future and no timer. A handler that waits gives a Future,
which is its request's own: it is cancelled when the connection goes. A coroutine becomes a task that runs to its end;
where that is a Future again, the request waits for it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from struct import Struct
from typing import Any

from ottla.clock import Clock
from ottla.errors import DecodeError, ErrorCode, KafkaError, PeerError
from ottla.errors.kafka import ClusterAuthorizationFailedError, UnknownServerError
from ottla.handlers.api_versions import unsupported_version_response
from ottla.handlers.context import CloseConnection, EncodedResponse, RequestContext
from ottla.handlers.registry import AnyResponse, HandlerTable, LaterResponse
from ottla.observability.logs import RateLimitedLogger
from ottla.observability.metrics import Metrics
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.apis import API_INFOS
from ottla.protocol.codec import decode
from ottla.protocol.headers import decode_request_header
from ottla.protocol.message import Response
from ottla.replication.purgatory import PromptFuture
from ottla.server.channel import Channel, PendingAnswer
from ottla.server.request_metrics import RequestMeter, RequestMetrics, RequestTimes
from ottla.server.routes import Route, encode_answer, frame_header
from ottla.transport.write_queue import Chunk

logger = logging.getLogger(__name__)

DRAIN_SECONDS_MAX = 1.0
_KEY_AND_VERSION = Struct(">I")
_KEY_VERSION_CORRELATION = Struct(">hhi")
_SYNCHRONOUS = (EncodedResponse, Response)


class UnsupportedRequestError(PeerError):
    """An API or a version of it that is not served here. `asked` names it."""

    def __init__(self, asked: str) -> None:
        super().__init__(f"{asked} is not served here")
        self.asked = asked


class Dispatcher:
    def __init__(
        self,
        table: HandlerTable,
        loop: asyncio.AbstractEventLoop,
        clock: Clock,
        metrics: Metrics,
    ) -> None:
        self._table = table
        self._loop = loop
        self._now = clock.monotonic
        self._metrics = RequestMetrics(metrics)
        suppressed = metrics.counter("ottla_log_messages_suppressed_total")
        self._log = RateLimitedLogger(logger, clock, suppressed=suppressed)
        self._routes: dict[int, Route] = {}
        self._tasks: set[asyncio.Task[LaterResponse]] = set()

    def dispatch(self, channel: Channel, frame: memoryview) -> None:
        """Handle one request. PeerError when it is none."""
        active_at = channel.last_active_at
        received_at = channel.last_active_at = self._now()
        route = self._routes.get(_KEY_AND_VERSION.unpack_from(frame)[0])
        if route is None:
            route = self._find_route(channel, frame)
            if route is None:
                return
        if route.is_heartbeat:
            channel.note_pace(received_at - active_at)
        elif channel.beats:
            channel.note_pace(None)
        correlation_id, position = channel.read_header(frame, route.request_header_version)
        if route.fast_path is not None and self._take_fast_path(channel, route, frame, position, correlation_id):
            return
        request, end = decode(route.request_class, route.version, frame, position)
        if end != len(frame) and not route.is_known_excess(request, len(frame) - end):
            raise DecodeError(f"{len(frame) - end} bytes behind a {route.name} request of version {route.version}")
        context = RequestContext(
            route.api_key,
            route.version,
            correlation_id,
            channel.client.client_id,
            channel.client,
            received_at,
        )
        meter = route.meter_of(request)
        meter.requests.value += 1
        meter.times.size.record(len(frame))
        self._handle(channel, route, context, request, meter)

    def _take_fast_path(
        self, channel: Channel, route: Route, frame: memoryview, position: int, correlation_id: int
    ) -> bool:
        """Whether the request was of the most usual kind: then it has been answered."""
        assert route.fast_path is not None
        try:
            answer: AnyResponse = route.fast_path(channel.client, frame, position)
            if answer is None:
                return False
        except Exception as error:  # noqa: BLE001 - as in _handle
            request, _ = decode(route.request_class, route.version, frame, position)
            answer = self._error_answer(channel, route, request, error)
        received_at = channel.last_active_at
        meter = route.meter
        times = meter.times
        meter.requests.value += 1
        times.size.record(len(frame))
        if type(answer) is bytes:
            route.no_error.value += 1
            channel.send_times = times.send
            channel.answer_small(frame_header(route, correlation_id, len(answer)) + answer)
            times.record_at_once(received_at, self._now())
        elif answer is not None:
            self._answer_now(channel, route, times, correlation_id, received_at, answer)
        return True

    def _answer_now(
        self,
        channel: Channel,
        route: Route,
        times: RequestTimes,
        correlation_id: int,
        received_at: float,
        answer: EncodedResponse | Response,
    ) -> None:
        route.count_errors(answer)
        channel.send_times = times.send
        channel.answer(encode_answer(route, correlation_id, answer))
        times.record_at_once(received_at, self._now())

    def _handle(
        self, channel: Channel, route: Route, context: RequestContext, request: Any, meter: RequestMeter
    ) -> None:
        try:
            if route.only_from_brokers is not None and not channel.listener.serves_brokers:
                _check_is_for_clients(channel, route, request)
            answer = route.handle(context, request)
        except Exception as error:  # noqa: BLE001 - where errors of handlers become answers
            answer = self._error_answer(channel, route, request, error)
        if isinstance(answer, _SYNCHRONOUS):
            self._answer_now(channel, route, meter.times, context.correlation_id, context.received_at, answer)
        elif answer is not None:
            self._wait(channel, route, context, request, answer)
            return
        if context.throttle_time_ms:
            channel.mute(context.throttle_time_ms)

    def _find_route(self, channel: Channel, frame: memoryview) -> Route | None:
        """The route of an API and version that is asked for the first time. None when it was answered here."""
        if len(frame) < _KEY_VERSION_CORRELATION.size:
            raise DecodeError(f"a request of {len(frame)} bytes")
        api_key, version, correlation_id = _KEY_VERSION_CORRELATION.unpack_from(frame)
        entry = self._table.find(api_key, version)
        if entry is not None:
            route = self._routes[_KEY_AND_VERSION.unpack_from(frame)[0]] = Route(entry, version, self._metrics)
            return route
        if api_key == ApiKey.API_VERSIONS:
            fallback = self._table.entry(ApiKey.API_VERSIONS)
            if fallback is not None:
                route = Route(fallback, 0, self._metrics)
                self._metrics.errors(route.name)[ErrorCode.UNSUPPORTED_VERSION].value += 1
                channel.answer(encode_answer(route, correlation_id, unsupported_version_response(self._table)))
                return None
        with suppress(DecodeError):  # Who asks; a key that is no API has no header that can be read.
            channel.client.client_id = decode_request_header(frame)[0].client_id
        name = API_INFOS[api_key].name if api_key in API_INFOS else f"API key {api_key}"
        raise UnsupportedRequestError(f"{name} in version {version}")

    def _error_answer(self, channel: Channel, route: Route, request: Any, error: Exception) -> AnyResponse:
        """What a failed request is answered. NO_RESPONSE when the connection had to be closed instead."""
        if not isinstance(error, KafkaError | CloseConnection | PeerError):
            self._metrics.failures(route.name).value += 1
            self._log.exception(route.name, "%s version %d of %s failed", route.name, route.version, channel)
            error = UnknownServerError("The server experienced an unexpected error when processing the request.")
        try:
            if isinstance(error, KafkaError):
                return route.on_error(request, route.version, error)
            raise error
        except CloseConnection as reason:
            channel.close(str(reason))
        except PeerError as reason:
            channel.close(reason)
        return None

    # Requests that wait

    def _wait(
        self, channel: Channel, route: Route, context: RequestContext, request: Any, awaitable: Awaitable[LaterResponse]
    ) -> None:
        waiting = _WaitingRequest(self, channel, route, context, request, self._now())
        if context.held_bytes:
            waiting.let_go = channel.hold(route.api_key, context.held_bytes)
        channel.answer_later(waiting)
        self._wait_for(waiting, self._as_future(awaitable))

    @staticmethod
    def _wait_for(waiting: "_WaitingRequest", future: "asyncio.Future[Any]") -> None:
        if not isinstance(future, asyncio.Task):
            waiting.cancel = future.cancel
        if isinstance(future, PromptFuture) and not future.done():
            future.prompt = waiting.on_done
        else:
            future.add_done_callback(waiting.on_done)

    def _as_future(self, awaitable: Awaitable[LaterResponse]) -> "asyncio.Future[LaterResponse]":
        if isinstance(awaitable, asyncio.Future):
            return awaitable
        task: asyncio.Task[LaterResponse] = self._loop.create_task(_run(awaitable))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def finish(self, waiting: "_WaitingRequest", future: "asyncio.Future[LaterResponse]") -> None:
        """A request that waited has its result: answer it, or give back what it holds when nobody is there."""
        channel, route, context = waiting.channel, waiting.route, waiting.context
        if waiting.let_go is not None:
            waiting.let_go()
            waiting.let_go = None
        if future.cancelled():
            channel.close("a request was cancelled")
            return
        try:
            answer = future.result()
        except Exception as error:  # noqa: BLE001 - as in _handle
            answer = self._error_answer(channel, route, waiting.request, error)
        if isinstance(answer, asyncio.Future):
            if channel.connection.closed:
                answer.cancel()
            else:
                self._wait_for(waiting, answer)
            return
        waiting.ready_at = self._now()
        channel.answer_pending(waiting, self._encoded(channel, route, context.correlation_id, answer))
        if context.throttle_time_ms and not channel.connection.closed:
            channel.mute(context.throttle_time_ms)

    def _encoded(self, channel: Channel, route: Route, correlation_id: int, answer: AnyResponse) -> Sequence[Chunk]:
        if answer is None:
            return []
        try:
            route.count_errors(answer)
            return encode_answer(route, correlation_id, answer)
        except Exception as error:  # noqa: BLE001 - outside the connection's own loop: the same end for the same bug
            self._log.exception(route.name, "the answer to %s version %d cannot be encoded", route.name, route.version)
            channel.close(error)
            return []

    async def drain_tasks(self) -> None:
        """Wait a moment for the coroutines of handlers, whose clients are gone already; then cancel them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_SECONDS_MAX)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_SECONDS_MAX)


class _WaitingRequest(PendingAnswer):
    __slots__ = ("channel", "context", "dispatcher", "let_go", "ready_at", "request", "returned_at", "route")

    def __init__(
        self,
        dispatcher: Dispatcher,
        channel: Channel,
        route: Route,
        context: RequestContext,
        request: Any,
        returned_at: float,
    ) -> None:
        super().__init__(is_produce=route.api_key == ApiKey.PRODUCE)
        self.dispatcher = dispatcher
        self.channel = channel
        self.route = route
        self.context = context
        self.request = request
        self.returned_at = self.ready_at = returned_at
        self.let_go: Callable[[], None] | None = None

    def on_done(self, future: "asyncio.Future[LaterResponse]") -> None:
        self.dispatcher.finish(self, future)

    def on_turn(self) -> None:
        times = self.route.meter_of(self.request).times
        self.channel.send_times = times.send
        times.record(self.context.received_at, self.returned_at, self.ready_at, self.dispatcher._now())


def _check_is_for_clients(channel: Channel, route: Route, request: Any) -> None:
    """Raise where only a broker may ask this, and brokers have another listener.

    Kafka guards these requests by the permission CLUSTER_ACTION. Until there are permissions the listener tells who
    somebody is: who can reach that of the brokers is one.
    """
    assert route.only_from_brokers is not None
    if route.only_from_brokers(request):
        raise ClusterAuthorizationFailedError(f"{route.name} is not for clients, and {channel.listener.name} is")


async def _run(awaitable: Awaitable[LaterResponse]) -> LaterResponse:
    return await awaitable
