"""The clients of this process that are open: one that nobody closes ends when it is collected, or with the program.

A script that sends and simply ends must not lose what it sent, and a client that nobody holds any more must not keep
its thread. A loop holds the core of its client, never its face (`ottla.Producer`), so that the face can be collected.
That may happen in any thread and in the middle of anything, so nothing waits there: the loop is told to end the core.

The end of the program does wait: atexit, when the program's own threads have ended and daemons, as loops are, still
run; in a child of multiprocessing, which knows no atexit, when that ends. All clients together have EXIT_SECONDS_MAX.
"""

import asyncio
import atexit
import os
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any

EXIT_SECONDS_MAX = 10.0


def _nothing() -> None:
    pass


class OpenClient:
    """Ends a client by `end` when its face is collected. None of the arguments but `face` may hold the face.

    `end` runs on the loop, `tell_lost` says what was not finished then (in any thread, when the loop is gone), and
    `on_ended` is for what is still there after both.
    """

    def __init__(
        self,
        face: object,
        loop: asyncio.AbstractEventLoop,
        end: Callable[[], Coroutine[Any, Any, None]],
        *,
        tell_lost: Callable[[], object] = _nothing,
        on_ended: Callable[[], object] = _nothing,
    ) -> None:
        self._loop = loop
        self._ends = [end]
        self._tell_lost = tell_lost
        self._on_ended = on_ended
        self._ended = threading.Event()
        self._task: asyncio.Task[None] | None = None
        self._process_id = os.getpid()
        self._collected = weakref.finalize(face, self.end_soon)
        self._collected.atexit = False  # `_end_all` ends all at once
        _open.add(self)
        _watch_end_of_child()

    def add(self, end: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """A part that ends together with the client."""
        self._ends.append(end)

    def note_closed(self) -> None:
        """The program closes the client itself."""
        self._collected.detach()
        _open.discard(self)

    def end_soon(self) -> None:
        """Returns at once; takes no lock that the interrupted code may hold."""
        self._collected.detach()
        if self._process_id != os.getpid():
            return  # a fork's copy: the loop is in the other process
        try:
            self._loop.call_soon_threadsafe(self._start)
        except RuntimeError:  # the loop is closed
            self._finish()

    def _start(self) -> None:
        if self._task is None:
            self._task = self._loop.create_task(self._end())
            self._task.add_done_callback(self._finish)

    async def _end(self) -> None:
        await asyncio.gather(*(end() for end in self._ends), return_exceptions=True)

    def _finish(self, _task: object = None) -> None:
        _open.discard(self)
        self._tell_lost()
        self._on_ended()
        self._ended.set()

    def wait_ended(self, seconds: float) -> None:
        """Say what is lost when it does not end in that time."""
        if not (self._loop.is_running() and self._ended.wait(seconds)) and not self._ended.is_set():
            self._tell_lost()


_open: set[OpenClient] = set()
_child_watched_in: int | None = None


def _end_all() -> None:
    clients = list(_open)
    for client in clients:
        client.end_soon()
    deadline = monotonic() + EXIT_SECONDS_MAX
    for client in clients:
        try:
            client.wait_ended(max(0.0, deadline - monotonic()))
        except KeyboardInterrupt:
            deadline = 0.0
            client.wait_ended(0.0)


def _watch_end_of_child() -> None:
    global _child_watched_in
    process, util = sys.modules.get("multiprocessing.process"), sys.modules.get("multiprocessing.util")
    is_child = process is not None and util is not None and process.parent_process() is not None
    if is_child and _child_watched_in != os.getpid():
        _child_watched_in = os.getpid()
        util.Finalize(None, _end_all, exitpriority=0)  # type: ignore[union-attr]


atexit.register(_end_all)
os.register_at_fork(after_in_child=_open.clear)
