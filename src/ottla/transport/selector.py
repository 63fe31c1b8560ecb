"""The selector of our event loops: epoll, with as little as possible between it and the loop.

What `selectors.EpollSelector` does for files of every kind, and for selectors of every kind, takes longer than the
system's call itself, and a broker asks at least once for each request. Systems without epoll have Python's own.

Files are what asyncio registers: descriptors, or objects that are still open when they are taken off.
"""

import contextlib
import select
import selectors
from collections.abc import Mapping
from math import ceil
from selectors import EVENT_READ, EVENT_WRITE, SelectorKey
from typing import TYPE_CHECKING, Any

_READY_MAX = 1024  # More than that in one turn, and the others have theirs in the next.

if TYPE_CHECKING or hasattr(select, "epoll"):
    _IN = select.EPOLLIN
    _OUT = select.EPOLLOUT
    _MASKS = {EVENT_READ: _IN, EVENT_WRITE: _OUT, EVENT_READ | EVENT_WRITE: _IN | _OUT}

    class LoopSelector(selectors.BaseSelector):
        def __init__(self) -> None:
            self._epoll = select.epoll()
            self._keys: dict[Any, SelectorKey] = {}

        def register(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
            fd = _descriptor(fileobj)
            if fd in self._keys:
                raise KeyError(f"{fileobj!r} is already registered")
            self._epoll.register(fd, _MASKS[events])
            key = self._keys[fd] = SelectorKey(fileobj, fd, events, data)
            return key

        def unregister(self, fileobj: Any) -> SelectorKey:
            key = self._keys.pop(_descriptor(fileobj))
            with contextlib.suppress(OSError):  # closed before, and so taken off by the system
                self._epoll.unregister(key.fd)
            return key

        def modify(self, fileobj: Any, events: int, data: Any = None) -> SelectorKey:
            fd = _descriptor(fileobj)
            known = self._keys[fd]
            if known.events != events:
                try:
                    self._epoll.modify(fd, _MASKS[events])
                except OSError:
                    del self._keys[fd]
                    raise
            key = self._keys[fd] = SelectorKey(known.fileobj, fd, events, data)
            return key

        def get_key(self, fileobj: Any) -> SelectorKey:
            return self._keys[_descriptor(fileobj)]

        def get_map(self) -> Mapping[Any, SelectorKey]:
            """By descriptor, which is how asyncio asks."""
            return self._keys

        def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
            if timeout is None:
                timeout = -1
            elif timeout > 0:
                timeout = ceil(timeout * 1e3) * 1e-3  # epoll counts milliseconds. Never wake before the time.
            else:
                timeout = 0
            ready = []
            keys = self._keys
            for fd, mask in self._epoll.poll(timeout, _READY_MAX):
                key = keys.get(fd)
                if key is not None:
                    # What is neither, an error or the other side's end, is for whoever waits to find.
                    events = (EVENT_WRITE if mask & ~_IN else 0) | (EVENT_READ if mask & ~_OUT else 0)
                    ready.append((key, events & key.events))
            return ready

        def close(self) -> None:
            self._epoll.close()
            self._keys.clear()

else:
    LoopSelector = selectors.DefaultSelector


def _descriptor(fileobj: Any) -> int:
    return fileobj if type(fileobj) is int else fileobj.fileno()
