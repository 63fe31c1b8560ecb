"""One log directory: its path, the Disk and descriptors below it, and what an OSError from it means.

Two kinds of failure, and they are not mixed:

- **No room** (no space, quota, too many descriptors): this write failed, nothing is lost, and the next may succeed.
  It is answered as KAFKA_STORAGE_ERROR and the broker goes on; its log says so, once in a while for each directory.
- **Everything else** (EIO, a read-only remount, a file that vanished): what the directory holds can no longer be
  trusted. `LogDirError` takes it offline. A failed sync is of this kind whatever its number says: the kernel may have
  dropped the pages already, so that a second sync would succeed and prove nothing.
"""

import errno
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from ottla.disk.handle_cache import HandleCache
from ottla.disk.system_disk import SYSTEM_DISK, Disk
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError, OttlaError
from ottla.observability.logs import RateLimitedLogger

Result = TypeVar("Result")

NO_DESCRIPTOR: Final = frozenset({errno.EMFILE, errno.ENFILE})
_NO_ROOM_LOG: Final = RateLimitedLogger(logging.getLogger(__name__), interval_s=30.0)
_NO_ROOM: Final = NO_DESCRIPTOR | {errno.ENOSPC, errno.EDQUOT, errno.ENOMEM}

_ROOM_WANTED: Final = "there is room: delete topics, shorten their retention, or give the volume more space"
_DESCRIPTORS_WANTED: Final = "file descriptors are free: raise the limit of open files (ulimit -n)"


class LogDirectory:
    """What every file of one log directory shares. Partition directories lie one level below `path`.

    `on_failed` is told when a slice cannot be read, in whichever thread that is.
    """

    __slots__ = ("_on_failed", "disk", "handles", "path")

    def __init__(
        self,
        path: str,
        disk: Disk = SYSTEM_DISK,
        handles: HandleCache | None = None,
        on_failed: Callable[[LogDirError], None] = lambda error: None,
    ) -> None:
        self.path = path
        self.disk = disk
        self.handles = handles if handles is not None else HandleCache()
        self._on_failed = on_failed

    def hand_over(self, handles: HandleCache, on_failed: Callable[[LogDirError], None]) -> None:
        """From the thread that opened its files, and closed them again, to the owner of these descriptors."""
        self.handles = handles
        self._on_failed = on_failed

    def storage_error(self, error: OSError, path: str = "") -> OttlaError:
        """The error to raise for an OSError of this directory, as the module says. `path`: the file's."""
        if error.errno in _NO_ROOM:
            remedy = _DESCRIPTORS_WANTED if error.errno in NO_DESCRIPTOR else _ROOM_WANTED
            _NO_ROOM_LOG.error(self.path, "log directory %s: %s: refused until %s", self.path, error.strerror, remedy)
            return KafkaStorageError(f"log directory {self.path}: {error.strerror}")
        return LogDirError(self.path, _with_name(error, path))

    def read_failure(self, error: OSError, path: str) -> OttlaError:
        """`storage_error` where nobody above could take the directory offline: in a connection, in a thread."""
        failure = self.storage_error(error, path)
        if isinstance(failure, LogDirError):
            self._on_failed(failure)
        return failure

    @contextmanager
    def no_way_back(self) -> Iterator[None]:
        """Around a change that can be neither finished nor undone where there is no room: that ends the directory."""
        try:
            yield
        except KafkaStorageError as error:
            raise LogDirError(self.path, str(error)) from error

    def sync_failure(self, error: OSError, path: str = "") -> LogDirError:
        return LogDirError(self.path, f"sync failed, what it covered may be lost: {_with_name(error, path)}")

    def capacity(self) -> tuple[int, int]:
        """Bytes of the volume in all, and those that we may still use; -1 where the system does not say."""
        try:
            volume = os.statvfs(self.path)
        except OSError:
            return -1, -1
        return volume.f_blocks * volume.f_frsize, volume.f_bavail * volume.f_frsize

    def rename(self, source: str, target: str) -> None:
        """Rename within the same parent and make the new name durable."""
        try:
            self.disk.rename(source, target)
        except OSError as error:
            raise self.storage_error(error) from error
        with self.no_way_back():
            self.sync_directory(os.path.dirname(target))

    def sync_directory(self, path: str) -> None:
        """Make the names in `path` durable: files that were created, renamed or removed there."""
        try:
            self.with_descriptor(lambda: self.disk.sync_directory(path))
        except OSError as error:
            if error.errno in NO_DESCRIPTOR:  # It was not begun: a sync itself needs none.
                raise self.storage_error(error) from error
            raise self.sync_failure(error) from error

    def with_descriptor(self, call: Callable[[], Result]) -> Result:
        """Call what takes a descriptor; where none is left once more, with that of a file which nobody uses."""
        try:
            return call()
        except OSError as error:
            if error.errno not in NO_DESCRIPTOR or not self.handles.close_one():
                raise
        return call()

    def make_directory(self, path: str) -> None:
        try:
            self.disk.make_directory(path)
        except OSError as error:
            raise self.storage_error(error) from error
        self.sync_directory(os.path.dirname(path))

    def list_directory(self, path: str) -> list[str]:
        try:
            return sorted(self.with_descriptor(lambda: self.disk.list_directory(path)))
        except OSError as error:
            raise self.storage_error(error) from error

    def unlink(self, path: str) -> None:
        """Remove a file; one that is gone already is as good as removed."""
        try:
            self.disk.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise self.storage_error(error) from error

    def remove_tree(self, path: str) -> None:
        """Remove a partition directory (files only, one level) that has already been renamed out of the way."""
        for name in self.list_directory(path):
            self.unlink(os.path.join(path, name))
        try:
            self.disk.remove_directory(path)
        except OSError as error:
            raise self.storage_error(error) from error


def _with_name(error: OSError, path: str) -> str:
    """What a descriptor's error says, and of which file: it does not know that itself."""
    return f"{error}: {path!r}" if path and error.filename is None else str(error)
