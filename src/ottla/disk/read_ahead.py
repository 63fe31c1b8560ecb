"""Cold reads off the event loop: one thread per log directory that brings ranges into the page cache, in order.

One thread, because one disk: a second reader would only make it seek. The thread blocks in sendfile, which gives up the
GIL, and runs next to no Python. It starts with the first cold read and ends with `close`.
"""

import queue
import threading
from collections.abc import Callable

from ottla.disk.file_slice import FileSlice
from ottla.errors.tree import OttlaError

Done = Callable[[OttlaError | None], None]


class ReadAhead:
    """`done` is called in the thread: hand it a function that goes back to the loop."""

    __slots__ = ("_closing", "_queue", "_thread", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._queue: queue.SimpleQueue[tuple[FileSlice, Done] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closing = False

    def request(self, cold: FileSlice, done: Done) -> None:
        """Read ahead, then call `done`. The slice must stay open until then."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"read-ahead {self.name}", daemon=True)
            self._thread.start()
        self._queue.put((cold, done))

    def close(self) -> None:
        """End the thread. What it has not begun is called done without having been read."""
        self._closing = True
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            cold, done = item
            try:
                if not self._closing:
                    cold.read_ahead()
            except OttlaError as error:
                done(error)
            else:
                done(None)
