"""A process within the virtual loop. It is an event loop to the code that runs in it.

Everything that a process does is a callback that was scheduled on it. A paused process keeps them for later, as a
stopped one's timers and packets wait for it (SIGSTOP); a dead one drops them, wherever it was (kill -9). After each
callback `observe` is called: that is where the invariants are looked at.
"""

import asyncio
import contextvars
import weakref
from collections.abc import Callable, Coroutine
from typing import Any

from simulation.virtual_loop import VirtualLoop


class ProcessHandle(asyncio.TimerHandle):
    """Something that the process will do."""


class Process(asyncio.AbstractEventLoop):
    def __init__(self, name: str, loop: VirtualLoop, observe: Callable[[], None]) -> None:
        self.name = name
        self.is_paused = False
        self.is_dead = False
        self._loop = loop
        self._observe = observe
        self._held: list[ProcessHandle] = []
        self._tasks: weakref.WeakSet[asyncio.Task[Any]] = weakref.WeakSet()

    # Faults

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False
        held, self._held = self._held, []
        for handle in held:
            self._loop.call_soon(self._run, handle)

    def kill(self) -> None:
        self.is_dead = True
        self._held.clear()
        for task in self._tasks:
            task._log_destroy_pending = False  # type: ignore[attr-defined]

    # The event loop's part

    def _run(self, handle: ProcessHandle) -> None:
        if self.is_dead or handle.cancelled():
            return
        if self.is_paused:
            self._held.append(handle)
            return
        asyncio._set_running_loop(self)
        try:
            handle._run()
        finally:
            asyncio._set_running_loop(self._loop)
        self._observe()

    def time(self) -> float:
        return self._loop.time()

    def call_soon(self, callback: Any, *args: Any, context: contextvars.Context | None = None) -> ProcessHandle:
        handle = ProcessHandle(self.time(), callback, args, self, context)
        if not self.is_dead:
            self._loop.call_soon(self._run, handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(self, delay: float, callback: Any, *args: Any, context: Any = None) -> ProcessHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(self, when: float, callback: Any, *args: Any, context: Any = None) -> ProcessHandle:
        handle = ProcessHandle(when, callback, args, self, context)
        if not self.is_dead:
            self._loop.call_at(when, self._run, handle)
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        pass

    def create_future(self) -> "asyncio.Future[Any]":
        return asyncio.Future(loop=self)

    def create_task(self, coro: Coroutine[Any, Any, Any], *, name: Any = None, context: Any = None) -> Any:
        task = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks.add(task)
        return task

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - as a thread's would come back
            future.set_exception(error)
        return future

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return self.is_dead

    def get_debug(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        if not self.is_dead:
            self._loop.call_exception_handler({**context, "process": self.name})
