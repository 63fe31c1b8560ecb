"""Work that may block on the disk (syncs, checkpoints, removal of large files), away from the event loop.

One thread per log directory, because one disk. The work itself runs next to no Python: it was prepared on the loop and
its outcome is told to the loop. `InlineBackground` does it on the spot, for tools and for tests.
"""

import logging
import queue
import threading
from collections.abc import Callable
from typing import Protocol

logger = logging.getLogger(__name__)

Work = Callable[[], None]
Done = Callable[[Exception | None], None]


class Background(Protocol):
    def submit(self, work: Work, done: Done) -> None:
        """Run `work` in its turn, then `done`, on the loop, with the exception that it raised, if any."""
        ...

    def close(self) -> None:
        """Finish what was submitted. Every `done` that is still due has been called or handed to the loop.

        What is submitted later is not run, and nobody is told. A clean stop runs in a thread beside the loop and writes
        the same files: work that a late `done` submits on the loop must not run then.
        """
        ...


class InlineBackground:
    """Everything at once, on the caller's stack."""

    __slots__ = ()

    def submit(self, work: Work, done: Done) -> None:
        done(_run(work))

    def close(self) -> None:
        pass


class ThreadBackground:
    """`call_soon` brings a function to the loop: `loop.call_soon_threadsafe`. The thread starts with the first work."""

    __slots__ = ("_call_soon", "_is_closed", "_name", "_queue", "_thread")

    def __init__(self, name: str, call_soon: Callable[[Callable[[], None]], object]) -> None:
        self._name = name
        self._call_soon = call_soon
        self._queue: queue.SimpleQueue[tuple[Work, Done] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def submit(self, work: Work, done: Done) -> None:
        if self._is_closed:
            return
        if self._thread is None:
            self._thread = threading.Thread(target=self._loop, name=f"log-dir {self._name}", daemon=True)
            self._thread.start()
        self._queue.put((work, done))

    def close(self) -> None:
        self._is_closed = True
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _loop(self) -> None:
        while (item := self._queue.get()) is not None:
            work, done = item
            error = _run(work)
            self._call_soon(lambda done=done, error=error: done(error))  # type: ignore[misc]


def _run(work: Work) -> Exception | None:
    try:
        work()
    except Exception as error:  # noqa: BLE001  the background runner is one of the three places that catch all
        return error
    return None
