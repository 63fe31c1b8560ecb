"""Disks that misbehave on purpose, in the place of `SystemDisk`.

`FaultyDisk` fails the calls that a test names; `RoomForLogsDisk` is full but for log files; `RecordingDisk` keeps the
trace of everything that changes files or makes changes durable, for crash tests that replay each prefix of it.
"""

import errno
import os
from collections.abc import Callable, Sequence
from typing import Any

from ottla.disk.system_disk import Buffer, SystemDisk

CHANGES = frozenset(
    {"open", "pwrite", "pwritev", "truncate", "allocate", "rename", "unlink", "make_directory", "remove_directory"}
)
SYNCS = frozenset({"sync", "sync_directory"})


def os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


class FaultyDisk(SystemDisk):
    """`disk.faults["pwrite"] = os_error(errno.EIO)` makes every pwrite fail until the entry is removed.

    `room` is how many more bytes may be written before the disk is full; a write that crosses it is torn, as on a
    real one.
    """

    __slots__ = ("calls", "faults", "room")

    def __init__(self) -> None:
        self.faults: dict[str, OSError] = {}
        self.calls: list[str] = []
        self.room: int | None = None

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name in CHANGES or name in SYNCS or name in {"pread", "preadv", "send_file", "bring_in", "close", "stat"}:
            return self._guarded(name, value)
        return value

    def _guarded(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def guarded(*arguments: Any) -> Any:
            self.calls.append(name)
            if name in self.faults:
                raise self.faults[name]
            return call(*arguments)

        return guarded

    def pwrite(self, descriptor: int, data: Buffer, position: int, /) -> int:
        return os.pwrite(descriptor, data[: self._take_room(len(data))], position)

    def pwritev(self, descriptor: int, parts: Sequence[Buffer], position: int, /) -> int:
        data = b"".join(parts)
        return os.pwrite(descriptor, data[: self._take_room(len(data))], position)

    def _take_room(self, wanted: int) -> int:
        if self.room is None:
            return wanted
        if self.room == 0 and wanted:
            raise os_error(errno.ENOSPC)
        taken = min(wanted, self.room)
        self.room -= taken
        return taken


class RoomForLogsDisk(SystemDisk):
    """While `is_full`, nothing but log files can be written: they have room reserved ahead."""

    __slots__ = ("is_full",)

    def __init__(self) -> None:
        self.is_full = False

    def pwrite(self, descriptor: int, data: Buffer, position: int, /) -> int:
        if self.is_full and not os.readlink(f"/proc/self/fd/{descriptor}").endswith(".log"):
            raise os_error(errno.ENOSPC)
        return os.pwrite(descriptor, data, position)


class RecordingDisk(SystemDisk):
    """`trace` holds (call, path, arguments...) in order; descriptors are given as the path they were opened with."""

    __slots__ = ("_paths", "trace")

    def __init__(self) -> None:
        self.trace: list[tuple[Any, ...]] = []
        self._paths: dict[int, str] = {}

    def open(self, path: str, flags: int, /) -> int:
        is_new = bool(flags & os.O_CREAT) and not os.path.exists(path)
        descriptor = super().open(path, flags)
        self._paths[descriptor] = path
        if is_new:
            self.trace.append(("create", path))
        return descriptor

    def pwrite(self, descriptor: int, data: Buffer, position: int, /) -> int:
        self.trace.append(("write", self._paths[descriptor], bytes(data), position))
        return os.pwrite(descriptor, data, position)

    def pwritev(self, descriptor: int, parts: Sequence[Buffer], position: int, /) -> int:
        return self.pwrite(descriptor, b"".join(parts), position)

    def truncate(self, descriptor: int, size: int, /) -> None:
        self.trace.append(("truncate", self._paths[descriptor], size))
        os.ftruncate(descriptor, size)

    def allocate(self, descriptor: int, size: int, /) -> None:
        self.trace.append(("truncate", self._paths[descriptor], size))
        os.ftruncate(descriptor, size)

    def sync(self, descriptor: int, /) -> None:
        self.trace.append(("sync", self._paths[descriptor]))

    def rename(self, source: str, target: str, /) -> None:
        self.trace.append(("rename", source, target))
        os.replace(source, target)
        for descriptor, path in self._paths.items():
            if path == source or path.startswith(source + "/"):
                self._paths[descriptor] = target + path[len(source) :]

    def unlink(self, path: str, /) -> None:
        os.unlink(path)
        self.trace.append(("unlink", path))

    def make_directory(self, path: str, /) -> None:
        os.mkdir(path)
        self.trace.append(("make_directory", path))

    def remove_directory(self, path: str, /) -> None:
        os.rmdir(path)
        self.trace.append(("remove_directory", path))

    def sync_directory(self, path: str, /) -> None:
        self.trace.append(("sync_directory", path))
