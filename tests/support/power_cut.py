"""What a disk may hold after a power cut, made from the trace of a `RecordingDisk`.

The model is the one that file systems promise and no more: what was synced is there. A write that was not may be there
in full, in part (the file cut short), or not at all; a name that was created, renamed or removed since the last sync of
its directory may be the old one or the new one. `choose(n)` picks among n possibilities.
"""

import os
from collections.abc import Callable
from typing import Any

Choose = Callable[[int], int]


class _File:
    def __init__(self) -> None:
        self.content = bytearray()
        self.synced = b""

    def after_the_cut(self, choose: Choose) -> bytes:
        kind = choose(3)
        if kind == 0:
            return self.synced
        if kind == 1:
            return bytes(self.content)
        return bytes(self.content[: min(len(self.synced), len(self.content)) + choose(64)])


class PowerCut:
    def __init__(self) -> None:
        self._names: dict[str, _File] = {}
        self._synced_names: dict[str, _File] = {}

    def replay(self, trace: list[tuple[Any, ...]]) -> None:
        for call, path, *arguments in trace:
            getattr(self, f"_{call}")(path, *arguments)

    def files(self, choose: Choose) -> dict[str, bytes]:
        """One possible outcome: the files by path."""
        outcome: dict[str, bytes] = {}
        for path in sorted(self._names.keys() | self._synced_names.keys()):
            before, now = self._synced_names.get(path), self._names.get(path)
            file = now if before is now or choose(2) else before
            if file is not None:
                outcome[path] = file.after_the_cut(choose)
        return outcome

    def _create(self, path: str) -> None:
        self._names[path] = _File()

    def _write(self, path: str, data: bytes, position: int) -> None:
        content = self._names[path].content
        content.extend(bytes(max(0, position - len(content))))
        content[position : position + len(data)] = data

    def _truncate(self, path: str, size: int) -> None:
        del self._names[path].content[size:]

    def _sync(self, path: str) -> None:
        file = self._names.get(path)
        if file is not None:  # an open file may be synced after it was unlinked
            file.synced = bytes(file.content)

    def _rename(self, source: str, target: str) -> None:
        self._names[target] = self._names.pop(source)

    def _unlink(self, path: str) -> None:
        del self._names[path]

    def _make_directory(self, path: str) -> None:
        """Directories are taken to be there: servers make theirs before they hold anything."""

    def _sync_directory(self, directory: str) -> None:
        for path in list(self._synced_names):
            if os.path.dirname(path) == directory and path not in self._names:
                del self._synced_names[path]
        self._synced_names.update(
            (path, file) for path, file in self._names.items() if os.path.dirname(path) == directory
        )
