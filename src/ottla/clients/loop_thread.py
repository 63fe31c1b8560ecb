"""The synchronous face of the clients: a thread with an event loop, and calls into it.

One thread per client, a daemon, so that a program that forgets `close` still ends (`open_clients`). `run` waits for a
coroutine from any other thread; called on the loop's own thread (from a callback) it would wait for itself, so that is
refused.

`blocking` makes a method of a synchronous class out of one of its asynchronous twin, types and docstring included, so
that nothing is written twice. The class has the twin in `_core` and its LoopThread in `_thread`.
"""

import asyncio
import concurrent.futures
import contextlib
import functools
import os
import selectors
import socket
import threading
import weakref
from collections.abc import Callable, Coroutine
from time import perf_counter_ns
from typing import Any, Concatenate, ParamSpec, TypeVar

from ottla.clients.errors import ClientClosedError, IllegalStateError
from ottla.transport.selector import LoopSelector

_CANCEL_SECONDS_MAX = 5.0
T = TypeVar("T")
P = ParamSpec("P")


class IoWaitSelector(LoopSelector):
    """Knows how often and for how long its loop has waited for I/O: Kafka's clients have metrics for it."""

    def __init__(self) -> None:
        super().__init__()
        self.started_ns = perf_counter_ns()
        self.selects_count = 0
        self.waited_ns = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began = perf_counter_ns()
        events = super().select(timeout)
        self.waited_ns += perf_counter_ns() - began
        self.selects_count += 1
        return events

    def metrics(self) -> dict[str, Callable[[], float]]:
        """Rates and shares of the time since the start."""
        return {
            "select-rate": lambda: self.selects_count * 1e9 / self._elapsed_ns(),
            "io-wait-time-ns-avg": lambda: self.waited_ns / max(1, self.selects_count),
            "io-wait-ratio": lambda: self.waited_ns / self._elapsed_ns(),
            "io-time-ns-avg": lambda: (self._elapsed_ns() - self.waited_ns) / max(1, self.selects_count),
            "io-ratio": lambda: 1 - self.waited_ns / self._elapsed_ns(),
        }

    def _elapsed_ns(self) -> int:
        return max(1, perf_counter_ns() - self.started_ns)


class ClientLoop(asyncio.SelectorEventLoop):
    """Looks up names in threads of its own.

    The threads of asyncio's executor would hold the end of the program until the name server answers, and do no work
    any more once that end has begun, when what was sent must still get out.
    """

    async def getaddrinfo(
        self,
        host: Any,
        port: Any,
        *,
        family: int = 0,
        type: int = 0,  # noqa: A002 (asyncio's name for it)
        proto: int = 0,
        flags: int = 0,
    ) -> list[Any]:
        look_up = functools.partial(socket.getaddrinfo, host, port, family, type, proto)
        try:
            return look_up(flags | socket.AI_NUMERICHOST)
        except OSError:  # a name
            future: asyncio.Future[list[Any]] = self.create_future()
            threading.Thread(target=self._look_up, args=(look_up, flags, future), daemon=True).start()
            return await future

    def _look_up(self, look_up: Callable[[int], list[Any]], flags: int, future: "asyncio.Future[list[Any]]") -> None:
        outcome: list[Any] | OSError
        try:
            outcome = look_up(flags)
        except OSError as error:
            outcome = error
        except UnicodeError as error:
            outcome = OSError(f"no name of a host: {error}")
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            self.call_soon_threadsafe(_complete, future, outcome)


def _complete(future: "asyncio.Future[list[Any]]", outcome: list[Any] | OSError) -> None:
    if future.done():
        return
    if isinstance(outcome, OSError):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


class LoopThread:
    """Starts at once. `stop` may be called twice.

    A fork copies no threads: in the child every loop is gone, `run` says so, and `on_fork` is called, for what would
    otherwise wait for the loop.
    """

    def __init__(self, name: str) -> None:
        self.on_fork: Callable[[], object] | None = None
        self._forked = False
        _living.add(self)
        self.selector = IoWaitSelector()
        self.loop = ClientLoop(self.selector)
        self._closed = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
            self.loop.run_until_complete(_cancel_others())
        finally:
            self.loop.close()

    @property
    def stopped(self) -> bool:
        return self._closed

    @property
    def is_current(self) -> bool:
        return threading.current_thread() is self._thread

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """The outcome of a coroutine that runs on the loop."""
        if self._closed or self.is_current:
            coroutine.close()
            if self._forked:
                raise ClientClosedError("this client belongs to another process: make a new one after a fork")
            if self._closed:
                raise ClientClosedError("the client is closed")
            raise IllegalStateError("a callback may not make a blocking call of its own client")
        try:
            future = asyncio.run_coroutine_threadsafe(coroutine, self.loop)
        except RuntimeError as error:  # the loop was closed just now
            coroutine.close()
            raise ClientClosedError("the client is closed") from error
        try:
            return future.result()
        except concurrent.futures.CancelledError as error:
            if self._closed:
                raise ClientClosedError("the client was closed meanwhile") from error
            raise
        except BaseException:
            future.cancel()  # a KeyboardInterrupt here must not leave the call running there
            raise

    def post(self, callback: Callable[..., object], *arguments: Any) -> None:
        """Call back on the loop, soon."""
        if not self._closed:
            self.loop.call_soon_threadsafe(callback, *arguments)

    def abandon(self) -> None:
        """In the child of a fork."""
        self._forked = self._closed = True
        if self.on_fork is not None:
            self.on_fork()

    def stop(self) -> None:
        if self._closed:
            return
        self._closed = True
        self.loop.call_soon_threadsafe(self.loop.stop)
        if not self.is_current:
            self._thread.join()


async def _cancel_others() -> None:
    """Whoever waits in another thread for something on the loop must not wait for ever."""
    await asyncio.sleep(0)  # what was handed over last becomes a task
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    if others:
        await asyncio.wait(others, timeout=_CANCEL_SECONDS_MAX)


_living: "weakref.WeakSet[LoopThread]" = weakref.WeakSet()


def _abandon_all() -> None:
    for thread in list(_living):
        thread.abandon()


os.register_at_fork(after_in_child=_abandon_all)


def blocking(method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> Callable[Concatenate[Any, P], T]:
    """The synchronous form of a method of the asynchronous core."""

    def call(self: Any, /, *arguments: P.args, **keywords: P.kwargs) -> T:
        result: T = self._thread.run(method(self._core, *arguments, **keywords))
        return result

    return functools.update_wrapper(call, method)
