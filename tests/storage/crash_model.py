"""Which files a power cut may leave: a model of a file system over the trace of a `RecordingDisk`.

What was written to a file since its last sync, and what was done to the names in a directory since that directory's
last sync, may be lost. Kept is a prefix of it, for each file and each directory on its own: journaling file systems
keep the order of changes to one directory, none keeps the order between files. The last write that is kept may be
torn, or may have left a hole of zeros where the size reached the disk before the data did.

`Crash.states` gives the choices worth trying at one point of the trace: everything lost, everything kept, each of data
and names lost alone, and random ones.
"""

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ottla.disk.system_disk import SystemDisk


class HastyDisk(SystemDisk):
    """Says that everything is durable: for states that only have to be opened and looked at, thousands of them."""

    def sync(self, descriptor: int, /) -> None:
        pass

    def sync_directory(self, path: str, /) -> None:
        pass


@dataclass(slots=True)
class FileNode:
    """Changes in order: (position, bytes) for a write, (size, None) for a truncation. `synced` of them are durable."""

    changes: list[tuple[int, bytes | None]] = field(default_factory=list)
    synced: int = 0

    def content(self, kept: int, damage: str) -> bytes:
        data = bytearray()
        for number, (position, written) in enumerate(self.changes[:kept]):
            if written is None:
                data = data[:position].ljust(position, b"\0")
                continue
            is_damaged = damage and number == kept - 1 and kept > self.synced
            if is_damaged:
                written = written[: len(written) // 2] if damage == "torn" else bytes(len(written))
            if len(data) < position:
                data += bytes(position - len(data))
            data[position : position + len(written)] = written
        return bytes(data)


@dataclass(slots=True)
class DirectoryNode:
    """Changes in order: (name, node), with None for a name that is gone. A rename is both, in one change."""

    changes: list[tuple[tuple[str, "Node | None"], ...]] = field(default_factory=list)
    synced: int = 0

    def entries(self, kept: int) -> dict[str, "Node"]:
        found: dict[str, Node] = {}
        for change in self.changes[:kept]:
            for name, node in change:
                if node is None:
                    found.pop(name, None)
                else:
                    found[name] = node
        return found


Node = FileNode | DirectoryNode


@dataclass(frozen=True, slots=True)
class Choice:
    """What a power cut spares: for files and for names, a number drawn per node; and what it does to a last write."""

    name: str
    keeps_data: float
    keeps_names: float
    damage: str = ""
    seed: int = 0


CHOICES = (
    Choice("all is lost", 0, 0),
    Choice("all is kept", 1, 1),
    Choice("names without data", 0, 1),
    Choice("data without names", 1, 0),
    Choice("the last write is torn", 1, 1, "torn"),
    Choice("the last write is zeros", 1, 1, "zeros"),
)


def random_choice(seed: int) -> Choice:
    return Choice(f"random {seed}", 0.5, 0.5, random.Random(seed).choice(["", "torn", "zeros"]), seed)


class CrashModel:
    """Replays a trace below `root`, up to any point."""

    def __init__(self, root: Path) -> None:
        self._prefix = str(root)
        self.root = DirectoryNode()

    def apply(self, call: tuple[Any, ...]) -> None:
        operation, path = call[0], os.path.relpath(call[1], self._prefix)
        getattr(self, f"_do_{operation}")(path, *call[2:])

    def materialize(self, target: Path, choice: Choice) -> None:
        """Write what the power cut leaves below `target`."""
        self._write(self.root, target, choice, random.Random(choice.seed))

    def _write(self, node: DirectoryNode, target: Path, choice: Choice, source: random.Random) -> None:
        target.mkdir(exist_ok=True)
        kept = _kept(len(node.changes), node.synced, choice.keeps_names, source)
        for name, child in sorted(node.entries(kept).items()):
            if isinstance(child, DirectoryNode):
                self._write(child, target / name, choice, source)
            else:
                kept_data = _kept(len(child.changes), child.synced, choice.keeps_data, source)
                (target / name).write_bytes(child.content(kept_data, choice.damage))

    # -- the calls of the trace ---------------------------------------------------------------------------------------

    def _node(self, path: str) -> Node:
        node: Node = self.root
        for name in path.split("/") if path != "." else ():
            assert isinstance(node, DirectoryNode)
            node = node.entries(len(node.changes))[name]
        return node

    def _parent(self, path: str) -> tuple[DirectoryNode, str]:
        directory, name = os.path.split(path)
        node = self._node(directory or ".")
        assert isinstance(node, DirectoryNode)
        return node, name

    def _file(self, path: str) -> FileNode:
        node = self._node(path)
        assert isinstance(node, FileNode)
        return node

    def _do_create(self, path: str) -> None:
        parent, name = self._parent(path)
        parent.changes.append(((name, FileNode()),))

    def _do_make_directory(self, path: str) -> None:
        parent, name = self._parent(path)
        parent.changes.append(((name, DirectoryNode()),))

    def _do_write(self, path: str, data: bytes, position: int) -> None:
        self._file(path).changes.append((position, data))

    def _do_truncate(self, path: str, size: int) -> None:
        self._file(path).changes.append((size, None))

    def _do_sync(self, path: str) -> None:
        file = self._file(path)
        file.synced = len(file.changes)

    def _do_rename(self, source: str, target: str) -> None:
        parent, name = self._parent(source)
        new_parent, new_name = self._parent(os.path.relpath(target, self._prefix))
        assert parent is new_parent
        parent.changes.append(((name, None), (new_name, self._node(source))))

    def _do_unlink(self, path: str) -> None:
        parent, name = self._parent(path)
        parent.changes.append(((name, None),))

    _do_remove_directory = _do_unlink

    def _do_sync_directory(self, path: str) -> None:
        node = self._node(path)
        assert isinstance(node, DirectoryNode)
        node.synced = len(node.changes)


def _kept(count: int, synced: int, share: float, source: random.Random) -> int:
    if share in (0, 1):
        return count if share else synced
    return source.randint(synced, count)


def crash_points(trace: list[tuple[Any, ...]], step: int) -> Iterator[int]:
    """Every `step`-th point of a trace, and every one just before and after something that replaces or removes."""
    for number in range(len(trace) + 1):
        near = {call[0] for call in trace[max(0, number - 1) : number + 1]}
        if number % step == 0 or (step < 5 and near & {"rename", "unlink"}):
            yield number
