"""The server's part of a connection: requests handled one at a time by the real handlers, answers in order."""

import asyncio
from collections import deque
from struct import Struct
from typing import Any

from ottla.errors import KafkaError
from ottla.handlers.context import CloseConnection, EncodedResponse, RequestContext
from ottla.handlers.registry import HandlerEntry, HandlerTable
from ottla.protocol.apis import api_info
from ottla.protocol.codec import decode, encode_chunks
from ottla.protocol.headers import decode_request_header, encode_response_header
from simulation.network import Connection
from simulation.process import Process

_SIZE = Struct(">i")


class ServedConnection:
    def __init__(self, connection: Connection, table: HandlerTable, process: Process) -> None:
        self._connection = connection
        self._table = table
        self._process = process
        self._waiting: deque[memoryview] = deque()
        self._future: asyncio.Future[Any] | None = None
        connection.on_frame = self._on_frame
        connection.on_closed = self._on_closed

    def _on_frame(self, frame: memoryview) -> None:
        self._waiting.append(frame)
        if self._future is None:
            self._next()

    def _on_closed(self, reason: object) -> None:
        if self._future is not None and not isinstance(self._future, asyncio.Task):
            self._future.cancel()

    def _next(self) -> None:
        while self._waiting and self._future is None and not self._connection.closed:
            self._handle(self._waiting.popleft())

    def _handle(self, frame: memoryview) -> None:
        header, position = decode_request_header(frame)
        entry = self._table.find(header.api_key, header.api_version)
        assert entry is not None, header
        request, _ = decode(api_info(header.api_key).request_class(), header.api_version, frame, position)
        context = RequestContext(header.api_key, header.api_version, header.correlation_id, header.client_id)
        try:
            answer = entry.handle(context, request)
        except KafkaError as error:
            answer = entry.on_error(request, header.api_version, error)
        except CloseConnection as error:
            self._connection.close(str(error))
            return
        if answer is None or isinstance(answer, EncodedResponse) or not hasattr(answer, "__await__"):
            self._answer(context, answer)
        else:
            self._wait(entry, context, request, answer)

    def _wait(self, entry: HandlerEntry, context: RequestContext, request: Any, answer: Any) -> None:
        future = answer if isinstance(answer, asyncio.Future) else self._process.create_task(answer)
        self._future = future

        def done(future: "asyncio.Future[Any]") -> None:
            self._future = None
            if future.cancelled():
                return
            error = future.exception()
            if isinstance(error, KafkaError):
                self._answer(context, entry.on_error(request, context.api_version, error))
            elif error is not None:
                raise error
            else:
                self._answer(context, future.result())
            self._next()

        future.add_done_callback(done)

    def _answer(self, context: RequestContext, answer: Any) -> None:
        if answer is None:
            return
        header = encode_response_header(context.api_key, context.api_version, context.correlation_id)
        if isinstance(answer, EncodedResponse):
            body: list[Any] = [answer]
        else:
            body = list(encode_chunks(answer, context.api_version))
        self._connection.send([_SIZE.pack(len(header) + sum(map(len, body))), header, *body])
