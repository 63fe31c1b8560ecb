"""The controller's events, one at a time, in the order in which they came.

Two kinds: *triggers* (a watch fired: look at something again), of which the same one waits only once, so that the queue
cannot grow with what happens outside; and *requests* of clients, which have an answer and are bounded in number.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, TypeVar

from ottla.errors.kafka import RequestTimedOutError

log = logging.getLogger(__name__)

REQUESTS_WAITING_MAX = 1000
STOP_SECONDS_MAX = 1.0

T = TypeVar("T")
Work = Callable[[], Awaitable[T]]


class EventQueue:
    def __init__(self) -> None:
        self._events: deque[tuple[Hashable, Work[Any], asyncio.Future[Any] | None]] = deque()
        self._triggered: set[Hashable] = set()
        self._requests = 0
        self._runner: asyncio.Task[None] | None = None
        self._stopped = False

    def __len__(self) -> int:
        return len(self._events)

    def put_trigger(self, key: Hashable, work: Work[None]) -> None:
        """`work` is done later; not twice when the same key already waits."""
        if key not in self._triggered and not self._stopped:
            self._triggered.add(key)
            self._append(key, work, None)

    def put_request(self, work: Work[T]) -> "asyncio.Future[T]":
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        if self._requests >= REQUESTS_WAITING_MAX or self._stopped:
            answer.set_exception(RequestTimedOutError("The controller has too many requests waiting."))
        else:
            self._requests += 1
            self._append(None, work, answer)
        return answer

    def _append(self, key: Hashable, work: Work[Any], answer: "asyncio.Future[Any] | None") -> None:
        self._events.append((key, work, answer))
        if self._runner is None or self._runner.done():
            self._runner = asyncio.get_running_loop().create_task(self._run(), name="controller")

    async def _run(self) -> None:
        while self._events and not self._stopped:
            key, work, answer = self._events.popleft()
            if answer is None:
                self._triggered.discard(key)
                await self._do_news(key, work)
            else:
                self._requests -= 1
                await self._do_request(work, answer)

    async def _do_news(self, key: Hashable, work: Work[None]) -> None:
        try:
            await work()
        except Exception:
            log.exception("the controller failed at %s", key)

    async def _do_request(self, work: Work[Any], answer: "asyncio.Future[Any]") -> None:
        if answer.done():
            return
        try:
            result = await work()
        except asyncio.CancelledError:
            _refuse(answer)
            raise
        except Exception as error:  # noqa: BLE001 - whoever asked gets it
            if not answer.done():
                answer.set_exception(error)
        else:
            if not answer.done():
                answer.set_result(result)

    @property
    def is_busy(self) -> bool:
        """Whether events wait or one is being done."""
        return self._runner is not None and not self._runner.done()

    async def stop(self) -> None:
        """What waits is not done any more; what is being done is cancelled."""
        self._stopped = True
        for _, _, answer in self._events:
            _refuse(answer)
        self._events.clear()
        if self._runner is not None and not self._runner.done():
            self._runner.cancel()
            await asyncio.wait([self._runner], timeout=STOP_SECONDS_MAX)


def _refuse(answer: "asyncio.Future[Any] | None") -> None:
    if answer is not None and not answer.done():
        answer.set_exception(RequestTimedOutError("The broker is shutting down."))
