"""The life of a request, from its frame to its response, in stages:

    decode         the route of its API and version, the header, the body
    authenticate   who asks: the client of the connection, anonymous until there is a way to be somebody
    authorize      whether this client may ask this; about single topics and groups its handler decides
    handle         the API's fast path or its handler: a response, an error, or something to wait for
    quota          a client that the handler throttles is not read for a while (KIP-219)
    encode         the response to the chunks of a frame
    account        requests, sizes, errors and times are counted

What an API needs beyond that is a trait in its `HandlerEntry`. What errors become on the way:

    bytes that are no request, bytes behind it, an API or version not served     the connection is closed
    ... but where the API has a response to unsupported versions                 that is sent (KIP-511)
    KafkaError from a handler                                                    its `on_error` makes the response
    CloseConnection, PeerError from a handler                                    the connection is closed
    any other exception: our bug                                                 logged, UNKNOWN_SERVER_ERROR is sent

A request whose handler responds at once costs no task, no future and no timer. A handler that waits gives a Future,
which is its request's own: it is cancelled when the connection goes. A coroutine becomes a task that runs to its end;
where that is a Future again, the request waits for it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from struct import Struct
from typing import Any, Protocol

from ottla.clock import Clock
from ottla.errors import DecodeError, ErrorCode, KafkaError, PeerError
from ottla.errors.kafka import ClusterAuthorizationFailedError, UnknownServerError
from ottla.handlers.context import ClientContext, CloseConnection, EncodedResponse, RequestContext
from ottla.handlers.registry import AnyResponse, HandlerTable, LaterResponse
from ottla.observability.logs import RateLimitedLogger
from ottla.observability.metrics import Metrics
from ottla.protocol.apis import API_INFOS
from ottla.protocol.codec import decode
from ottla.protocol.headers import decode_request_header
from ottla.protocol.message import Response
from ottla.server.channel import Channel, PendingResponse
from ottla.server.request_metrics import RequestMeter, RequestMetrics
from ottla.server.routes import Route, encode_response
from ottla.transport.write_queue import Chunk

logger = logging.getLogger(__name__)

DRAIN_SECONDS_MAX = 1.0
_KEY_AND_VERSION = Struct(">I")
_KEY_VERSION_CORRELATION = Struct(">hhi")
_SYNCHRONOUS = (EncodedResponse, Response)


class PromptResult(Protocol):
    """A future that may have this: it tells of its result as it gets it, where a callback comes a turn later."""

    def on_result_now(self, callback: "Callable[[asyncio.Future[Any]], None]") -> None: ...


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
        """Take one request through its stages. PeerError when it is none."""
        active_at = channel.last_active_at
        received_at = channel.last_active_at = self._now()
        route = self._routes.get(_KEY_AND_VERSION.unpack_from(frame)[0])
        if route is None:
            route = self._find_route(channel, frame)
            if route is None:
                return
        if route.is_heartbeat:
            channel.note_heartbeat_interval(received_at - active_at)
        elif channel.heartbeats_in_row:
            channel.note_heartbeat_interval(None)
        correlation_id, position = channel.read_header(frame, route.request_header_version)
        if route.fast_path is not None and self._take_fast_path(channel, route, frame, position, correlation_id):
            return
        request = self._decode_body(route, frame, position)
        context = RequestContext(
            route.api_key, route.version, correlation_id, channel.client.client_id, channel.client, received_at
        )
        meter = route.meter_of(request)
        meter.requests.value += 1
        meter.times.size.record(len(frame))
        response = self._handle(channel, route, context, request)
        if isinstance(response, _SYNCHRONOUS):
            self._respond_now(channel, route, meter, correlation_id, received_at, response)
        elif response is not None:
            self._wait(channel, route, context, request, response)
            return
        if context.throttle_time_ms:
            channel.mute(context.throttle_time_ms)

    def _take_fast_path(
        self, channel: Channel, route: Route, frame: memoryview, position: int, correlation_id: int
    ) -> bool:
        """The stages of a request of the most usual kind, which has no message. False: it is of another kind.

        There is nothing to authorize: a route whose requests are for brokers only has no fast path.
        """
        assert route.fast_path is not None
        client = channel.client
        try:
            response: AnyResponse = route.fast_path(client, frame, position)
            if response is None:
                return False
        except Exception as error:  # noqa: BLE001 - as in _handle
            request, _ = decode(route.request_class, route.version, frame, position)
            response = self._error_response(channel, route, request, error)
        meter = route.meter
        meter.requests.value += 1
        meter.times.size.record(len(frame))
        if response is not None:
            self._respond_now(channel, route, meter, correlation_id, channel.last_active_at, response)
        if client.throttle_time_ms:
            channel.mute(client.throttle_time_ms)
            client.throttle_time_ms = 0
        return True

    # Decode

    def _find_route(self, channel: Channel, frame: memoryview) -> Route | None:
        """The route of an API and version that is asked for the first time. None when it was responded to here."""
        if len(frame) < _KEY_VERSION_CORRELATION.size:
            raise DecodeError(f"a request of {len(frame)} bytes")
        api_key, version, correlation_id = _KEY_VERSION_CORRELATION.unpack_from(frame)
        entry = self._table.find(api_key, version)
        if entry is not None:
            route = self._routes[_KEY_AND_VERSION.unpack_from(frame)[0]] = Route(entry, version, self._metrics)
            return route
        entry = self._table.entry(api_key)
        if entry is not None and entry.traits.on_unsupported_version is not None:
            route = Route(entry, 0, self._metrics)
            self._metrics.errors(route.name)[ErrorCode.UNSUPPORTED_VERSION].value += 1
            channel.respond(encode_response(route, correlation_id, entry.traits.on_unsupported_version()))
            return None
        with suppress(DecodeError):  # Who asks; a key that is no API has no header that can be read.
            channel.client.client_id = decode_request_header(frame)[0].client_id
        name = API_INFOS[api_key].name if api_key in API_INFOS else f"API key {api_key}"
        raise UnsupportedRequestError(f"{name} in version {version}")

    @staticmethod
    def _decode_body(route: Route, frame: memoryview, position: int) -> Any:
        request, end = decode(route.request_class, route.version, frame, position)
        excess = len(frame) - end
        if excess and not route.is_known_excess(request, route.version, excess):
            raise DecodeError(f"{excess} bytes behind a {route.name} request of version {route.version}")
        return request

    # Authorize, handle

    def _handle(
        self, channel: Channel, route: Route, context: RequestContext, request: Any
    ) -> AnyResponse | Awaitable[LaterResponse]:
        try:
            if route.only_from_brokers is not None and not channel.client.listener_serves_brokers:
                _authorize(channel.client, route, request)
            return route.handle(context, request)
        except Exception as error:  # noqa: BLE001 - where errors of handlers become responses
            return self._error_response(channel, route, request, error)

    def _error_response(self, channel: Channel, route: Route, request: Any, error: Exception) -> AnyResponse:
        """The response to a failed request. NO_RESPONSE when the connection had to be closed instead."""
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

    # Encode, account

    def _respond_now(
        self,
        channel: Channel,
        route: Route,
        meter: RequestMeter,
        correlation_id: int,
        received_at: float,
        response: EncodedResponse | Response,
    ) -> None:
        times = meter.times
        channel.send_times = times.send
        if type(response) is bytes:
            route.no_error.value += route.codes_when_encoded
            channel.respond_encoded(route.frame_header(correlation_id, len(response)) + response)
        else:
            route.count_errors(response)
            channel.respond(encode_response(route, correlation_id, response))
        times.record_at_once(received_at, self._now())

    def _encoded(self, channel: Channel, route: Route, correlation_id: int, response: AnyResponse) -> Sequence[Chunk]:
        if response is None:
            return []
        try:
            route.count_errors(response)
            return encode_response(route, correlation_id, response)
        except Exception as error:  # noqa: BLE001 - outside the connection's own loop: the same end for the same bug
            self._log.exception(route.name, "the answer to %s version %d cannot be encoded", route.name, route.version)
            channel.close(error)
            return []

    # Requests that wait

    def _wait(
        self, channel: Channel, route: Route, context: RequestContext, request: Any, awaitable: Awaitable[LaterResponse]
    ) -> None:
        waiting = _WaitingRequest(self, channel, route, context, request, self._now())
        if context.held_bytes:
            waiting.let_go = channel.hold(route.api_key, context.held_bytes)
        channel.respond_later(waiting)
        self._wait_for(waiting, self._as_future(awaitable))

    @staticmethod
    def _wait_for(waiting: "_WaitingRequest", future: "asyncio.Future[Any]") -> None:
        if not isinstance(future, asyncio.Task):
            waiting.cancel = future.cancel
        on_result_now = getattr(future, "on_result_now", None)  # As a PromptResult has it.
        if on_result_now is None or future.done():
            future.add_done_callback(waiting.on_done)
        else:
            on_result_now(waiting.on_done)

    def _as_future(self, awaitable: Awaitable[LaterResponse]) -> "asyncio.Future[LaterResponse]":
        if isinstance(awaitable, asyncio.Future):
            return awaitable
        task: asyncio.Task[LaterResponse] = self._loop.create_task(_run(awaitable))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def finish(self, waiting: "_WaitingRequest", future: "asyncio.Future[LaterResponse]") -> None:
        """A request that waited has its result: respond, or give back what it holds when nobody is there."""
        channel, route, context = waiting.channel, waiting.route, waiting.context
        if waiting.let_go is not None:
            waiting.let_go()
            waiting.let_go = None
        if future.cancelled():
            channel.close("a request was cancelled")
            return
        try:
            response = future.result()
        except Exception as error:  # noqa: BLE001 - as in _handle
            response = self._error_response(channel, route, waiting.request, error)
        if isinstance(response, asyncio.Future):
            if channel.connection.closed:
                response.cancel()
            else:
                self._wait_for(waiting, response)
            return
        waiting.ready_at = self._now()
        channel.respond_pending(waiting, self._encoded(channel, route, context.correlation_id, response))
        if context.throttle_time_ms and not channel.connection.closed:
            channel.mute(context.throttle_time_ms)

    async def drain_tasks(self) -> None:
        """Wait a moment for the coroutines of handlers, whose clients are gone already; then cancel them."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_SECONDS_MAX)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=DRAIN_SECONDS_MAX)


class _WaitingRequest(PendingResponse):
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
        super().__init__(is_pipelined=route.may_be_pipelined)
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


def _authorize(client: ClientContext, route: Route, request: Any) -> None:
    """Raise where only a broker may ask this, and brokers have another listener.

    Kafka guards these requests by the permission CLUSTER_ACTION. Until there are permissions the listener tells who
    somebody is: who can reach that of the brokers is one.
    """
    assert route.only_from_brokers is not None
    if route.only_from_brokers(request):
        raise ClusterAuthorizationFailedError(f"{route.name} is not for clients, and {client.listener_name} is")


async def _run(awaitable: Awaitable[LaterResponse]) -> LaterResponse:
    return await awaitable
