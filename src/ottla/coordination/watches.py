"""Who waits for which change: ZooKeeper's watches, pure.

Two tables, since a watch is left on a node's data (by exists and getData) or on its children (by getChildren):

    change              reported to watches on
    NODE_CREATED        the path's data, and recursive ones at or above it
    NODE_DATA_CHANGED   the same
    NODE_DELETED        the path's data and its children (once to each watcher), and recursive ones at or above it
    CHILDREN_CHANGED    the parent's children; never recursive ones, which hear of the child itself

A standard watch is used up by the first change it reports, a persistent one stays, a recursive one stays and covers
all that is below its path. A watcher is any hashable object: for the server a connection, since watches end with it.
"""

from collections.abc import Hashable, Iterable, Iterator
from enum import IntEnum, IntFlag
from typing import Generic, TypeVar

from ottla.coordination.operations import Change, EventType
from ottla.coordination.znode_path import parent_path

Watcher = TypeVar("Watcher", bound=Hashable)


class WatchMode(IntFlag):
    STANDARD = 1
    PERSISTENT = 2
    RECURSIVE = 4


ALL_MODES = WatchMode.STANDARD | WatchMode.PERSISTENT | WatchMode.RECURSIVE


class WatcherType(IntEnum):
    """Which watches checkWatches and removeWatches mean."""

    CHILDREN = 1
    DATA = 2
    ANY = 3
    PERSISTENT = 4
    PERSISTENT_RECURSIVE = 5


class WatchTable(Generic[Watcher]):
    """The watches on one side, data or children, of all nodes."""

    def __init__(self) -> None:
        self._modes: dict[str, dict[Watcher, WatchMode]] = {}
        self._paths: dict[Watcher, dict[str, None]] = {}
        self._recursive_count = 0

    def __len__(self) -> int:
        return sum(len(paths) for paths in self._paths.values())

    def add(self, path: str, watcher: Watcher, mode: WatchMode = WatchMode.STANDARD) -> None:
        modes = self._modes.setdefault(path, {})
        before = modes.get(watcher, WatchMode(0))
        if mode & WatchMode.RECURSIVE and not before & WatchMode.RECURSIVE:
            self._recursive_count += 1
        modes[watcher] = before | mode
        self._paths.setdefault(watcher, {})[path] = None

    def has(self, path: str, watcher: Watcher, mode: WatchMode = ALL_MODES) -> bool:
        return bool(self._modes.get(path, {}).get(watcher, WatchMode(0)) & mode)

    def remove(self, path: str, watcher: Watcher, mode: WatchMode = ALL_MODES) -> bool:
        """Take these modes off the watcher's watch here; whether there was any of them."""
        before = self._modes.get(path, {}).get(watcher, WatchMode(0))
        if not before & mode:
            return False
        if before & mode & WatchMode.RECURSIVE:
            self._recursive_count -= 1
        left = before & ~mode
        if left:
            self._modes[path][watcher] = left
        else:
            self._forget(path, watcher)
        return True

    def remove_watcher(self, watcher: Watcher) -> None:
        for path in list(self._paths.get(watcher, ())):
            self.remove(path, watcher)

    def paths_of(self, watcher: Watcher) -> Iterable[str]:
        return self._paths.get(watcher, {}).keys()

    def trigger(self, path: str) -> dict[Watcher, None]:
        """Who is told of a change at this path. Their standard watches on it are used up."""
        told = dict.fromkeys(self._modes.get(path, ()))
        for watcher in told:
            self.remove(path, watcher, WatchMode.STANDARD)
        if self._recursive_count:
            for above in _ancestors(path):
                modes = self._modes.get(above, {})
                told.update(dict.fromkeys(watcher for watcher, mode in modes.items() if mode & WatchMode.RECURSIVE))
        return told

    def _forget(self, path: str, watcher: Watcher) -> None:
        modes, paths = self._modes[path], self._paths[watcher]
        del modes[watcher], paths[path]
        if not modes:
            del self._modes[path]
        if not paths:
            del self._paths[watcher]


class Watches(Generic[Watcher]):
    """All watches of a tree."""

    def __init__(self) -> None:
        self.data: WatchTable[Watcher] = WatchTable()
        self.children: WatchTable[Watcher] = WatchTable()

    def __len__(self) -> int:
        return len(self.data) + len(self.children)

    def add_persistent(self, path: str, watcher: Watcher) -> None:
        self.data.add(path, watcher, WatchMode.PERSISTENT)
        self.children.add(path, watcher, WatchMode.PERSISTENT)

    def add_recursive(self, path: str, watcher: Watcher) -> None:
        self.data.add(path, watcher, WatchMode.RECURSIVE)

    def trigger(self, change: Change) -> dict[Watcher, None]:
        """Whom to tell of this change, each once."""
        if change.type == EventType.NODE_CHILDREN_CHANGED:
            return self.children.trigger(change.path)
        told = self.data.trigger(change.path)
        if change.type == EventType.NODE_DELETED:
            told.update(self.children.trigger(change.path))
        return told

    def remove_watcher(self, watcher: Watcher) -> None:
        self.data.remove_watcher(watcher)
        self.children.remove_watcher(watcher)

    def has(self, path: str, kind: WatcherType, watcher: Watcher) -> bool:
        return any(table.has(path, watcher, mode) for table, mode in self._tables(kind))

    def remove(self, path: str, kind: WatcherType, watcher: Watcher) -> bool:
        removed = [table.remove(path, watcher, mode) for table, mode in self._tables(kind)]
        return any(removed)

    def _tables(self, kind: WatcherType) -> list[tuple[WatchTable[Watcher], WatchMode]]:
        match kind:
            case WatcherType.CHILDREN:
                return [(self.children, WatchMode.STANDARD)]
            case WatcherType.DATA:
                return [(self.data, WatchMode.STANDARD)]
            case WatcherType.PERSISTENT:
                return [(self.data, WatchMode.PERSISTENT), (self.children, WatchMode.PERSISTENT)]
            case WatcherType.PERSISTENT_RECURSIVE:
                return [(self.data, WatchMode.RECURSIVE)]
            case WatcherType.ANY:
                return [(self.data, ALL_MODES), (self.children, ALL_MODES)]


def _ancestors(path: str) -> Iterator[str]:
    while path != "/":
        path = parent_path(path)
        yield path
