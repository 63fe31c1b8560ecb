"""Sockets whose requests may wait for a moment, so that many of them cost one wake-up.

To wake for a single small request costs several times what handling it does: caches are cold and the processor comes
out of its sleep. Thousands of group members that send a heartbeat every three seconds are such requests, each alone.

The sockets are in a selector of their own, which stands in the loop's as one file descriptor. The first that becomes
readable takes that one out of the loop and starts a timer; when it ends, all that are readable by then are served.
"""

import asyncio
import selectors
from collections.abc import Callable

PAUSE_S = 0.05


class UnhurriedReaders:
    """The `add_reader` and `remove_reader` of a loop, for sockets that can wait for `PAUSE_S`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._selector: selectors.DefaultSelector | None = None
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return 0 if self._selector is None else len(self._selector.get_map())

    def add_reader(self, fd: int, callback: Callable[[], object]) -> None:
        if self._selector is None:
            self._selector = selectors.DefaultSelector()
            # A selector is never writable. With a writer there a reader comes and goes by a change of what is there;
            # to take the descriptor out and in again makes Linux walk through all that it stands for.
            self._loop.add_writer(self._selector.fileno(), _never)
            self._listen()
        self._selector.register(fd, selectors.EVENT_READ, callback)

    def remove_reader(self, fd: int) -> None:
        assert self._selector is not None, "there is one since the first reader was added"
        self._selector.unregister(fd)

    def close(self) -> None:
        """When no reader is left."""
        if self._timer is not None:
            self._timer.cancel()
        if self._selector is not None:
            self._loop.remove_reader(self._selector.fileno())
            self._loop.remove_writer(self._selector.fileno())
            self._selector.close()
            self._selector = None

    def _listen(self) -> None:
        assert self._selector is not None
        self._loop.add_reader(self._selector.fileno(), self._on_first)

    def _on_first(self) -> None:
        assert self._selector is not None
        self._loop.remove_reader(self._selector.fileno())
        self._timer = self._loop.call_later(PAUSE_S, self._serve)

    def _serve(self) -> None:
        assert self._selector is not None
        self._timer = None
        self._listen()
        readers = self._selector.get_map()
        for key, _ in self._selector.select(0):
            if readers.get(key.fd) is key:  # not removed by one that was served before it
                key.data()


def _never() -> None:
    raise AssertionError("a selector became writable")
