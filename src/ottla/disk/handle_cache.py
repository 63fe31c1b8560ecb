"""A bound on open descriptors: files that nobody uses are closed and reopened when somebody does.

An LRU in the form of a clock ("second chance"): a file that is used sets its `used` flag, a plain store on the append
path; only when a descriptor is needed does the hand go round, clear flags, and close the first file whose flag was
clear and that nobody has pinned. A pinned file (a slice of it is being sent, a thread syncs it) is never closed.

Invariant: every open file is in the ring exactly once. Used from the event loop alone; a thread works on descriptors
that were pinned for it before.
"""

from collections import OrderedDict
from typing import Protocol

HANDLES_MAX = 8_000


def affordable_handles(handles_max: int, descriptors_max: int) -> int:
    """As many, but at most two in five of what the process may open: clients may take half of it."""
    return min(handles_max, max(1, descriptors_max * 2 // 5))


class Cached(Protocol):
    """What the cache closes: a LogFile, seen from here."""

    used: bool
    pins: int

    def close_descriptor(self) -> None: ...


class HandleCache:
    __slots__ = ("_ring", "handles_max")

    def __init__(self, handles_max: int = HANDLES_MAX) -> None:
        self.handles_max = handles_max
        self._ring: OrderedDict[Cached, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._ring)

    def add(self, file: Cached) -> None:
        """Take in a file that has just been opened, closing another if there are too many."""
        if len(self._ring) >= self.handles_max:
            self.close_one()
        self._ring[file] = None

    def remove(self, file: Cached) -> None:
        """Forget a file that was closed for good."""
        del self._ring[file]

    def close_all(self) -> None:
        """Give back every descriptor, pinned or not: the process stops, or plays that it was killed."""
        for file in list(self._ring):
            file.close_descriptor()
        self._ring.clear()

    def close_one(self) -> bool:
        """Two rounds at most: the first may only clear flags. False with every file pinned: the bound gives way."""
        for _ in range(2 * len(self._ring)):
            file = next(iter(self._ring))
            if file.used or file.pins:
                file.used = False
                self._ring.move_to_end(file)
            else:
                del self._ring[file]
                file.close_descriptor()
                return True
        return False
