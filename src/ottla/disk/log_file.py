"""One file of a log: append, read, truncate, sync.

The size is kept here and never asked of the file system after opening, because a preallocated file is longer than what
it holds. Invariant: bytes [0, size) are what was appended; whatever lies beyond belongs to nobody. So an append that
fails half-way is undone by not moving `size`, and by cutting the file back so that nobody after us reads the torn part.

A file may have no descriptor at any time (`handle_cache`); every use gets one. `pin` keeps the descriptor, and with it
the bytes, even when the file is renamed or unlinked meanwhile: this is what lets readers go on while segments are
deleted.
"""

import os

from ottla.disk.directory import LogDirectory
from ottla.disk.system_disk import CREATE, READ_WRITE, Buffer

_CLOSED = -1

# A file gets room ahead when it has shown that it grows, and at most as much again as it holds (`reservation`).
RESERVE_FROM_BYTES = 1024 * 1024
RESERVE_BYTES_MAX = 16 * 1024 * 1024
_NEVER = 1 << 63


class LogFile:
    __slots__ = (
        "_closes_at_unpin",
        "_descriptor",
        "_pwrite",
        "_reserved_end",
        "directory",
        "path",
        "pins",
        "size",
        "used",
    )

    def __init__(self, path: str, directory: LogDirectory, size: int) -> None:
        self.path = path
        self.directory = directory
        self.size = size
        self.pins = 0
        self.used = False
        self._closes_at_unpin = False
        self._descriptor = _CLOSED
        self._pwrite = directory.disk.pwrite
        self._reserved_end = max(RESERVE_FROM_BYTES, size)

    @classmethod
    def create(cls, path: str, directory: LogDirectory, *, allocate_bytes: int = 0) -> "LogFile":
        """A new, empty file (what stood there is cut to nothing), with room reserved where that is asked for."""
        file = cls(path, directory, 0)
        try:
            descriptor = file._open(CREATE)
            if directory.disk.size(descriptor):  # ext4 writes out a file that was cut to nothing when it is closed.
                directory.disk.truncate(descriptor, 0)
            if allocate_bytes:
                directory.disk.allocate(descriptor, allocate_bytes)
        except OSError as error:
            file.delete()
            raise directory.storage_error(error) from error
        return file

    @classmethod
    def open(cls, path: str, directory: LogDirectory) -> "LogFile":
        """An existing file. Takes no descriptor until the first use, so that a log of many segments opens fast."""
        try:
            return cls(path, directory, directory.disk.stat(path).st_size)
        except OSError as error:
            raise directory.storage_error(error) from error

    @property
    def descriptor(self) -> int:
        """An open descriptor, opened now if need be. Valid until control returns to the loop, or while pinned."""
        self.used = True
        descriptor = self._descriptor
        return descriptor if descriptor >= 0 else self._reopen()

    def append(self, data: Buffer) -> int:
        """Write at the end; the position it went to. On any failure the file is as it was before."""
        position = self.size
        length = len(data)
        if position + length > self._reserved_end:
            self._reserve_ahead()
        self.used = True
        descriptor = self._descriptor  # `self.descriptor`, without the call
        if descriptor < 0:
            descriptor = self._reopen()
        try:
            written = self._pwrite(descriptor, data, position)
            if written != length:
                self._write_rest(memoryview(data), position, written)
        except OSError as error:
            self._cut_back()
            raise self.directory.storage_error(error, self.path) from error
        self.size = position + length
        return position

    def append_parts(self, head: Buffer, rest: Buffer) -> int:
        """`append` of two pieces in one call, for a batch whose header had to be copied to be stamped."""
        position = self.size
        length = len(head) + len(rest)
        try:
            written = self.directory.disk.pwritev(self.descriptor, (head, rest), position)
            if written != length:
                self._write_rest(memoryview(bytes(head) + bytes(rest)), position, written)
        except OSError as error:
            self._cut_back()
            raise self.directory.storage_error(error, self.path) from error
        self.size = position + length
        return position

    def write_at(self, position: int, data: Buffer) -> None:
        """Overwrite a range, as the index files do in their preallocated room. Moves `size` only upwards."""
        try:
            written = self._pwrite(self.descriptor, data, position)
            if written != len(data):
                self._write_rest(memoryview(data), position, written)
        except OSError as error:
            raise self.directory.storage_error(error, self.path) from error
        self.size = max(self.size, position + len(data))

    def read_at(self, position: int, count: int) -> bytes:
        """Up to `count` bytes; fewer only at the end of what was appended."""
        count = min(count, self.size - position)
        if count <= 0:
            return b""
        try:
            return self.directory.disk.pread(self.descriptor, count, position)
        except OSError as error:
            raise self.directory.storage_error(error, self.path) from error

    def truncate(self, size: int) -> None:
        """Cut to `size`, which also gives back room that was preallocated."""
        try:
            self.directory.disk.truncate(self.descriptor, size)
        except OSError as error:
            raise self.directory.storage_error(error, self.path) from error
        self.size = size
        self._reserved_end = max(RESERVE_FROM_BYTES, size)

    def give_back_room(self) -> None:
        """Cut off what was reserved or preallocated. That is no write: retention may go by the time of the file."""
        try:
            self.directory.disk.cut_to_size(self.descriptor, self.size)
        except OSError as error:
            raise self.directory.storage_error(error, self.path) from error
        self._reserved_end = max(RESERVE_FROM_BYTES, self.size)

    @property
    def modified_ms(self) -> int:
        """When something was last written."""
        try:
            return int(self.directory.disk.stat(self.path).st_mtime * 1000)
        except OSError as error:
            raise self.directory.storage_error(error, self.path) from error

    def extend_sparse(self, size: int) -> None:
        """Make the file look `size` long without writing; what it holds stays as it is."""
        try:
            self.directory.disk.truncate(self.descriptor, size)
        except OSError as error:
            raise self.directory.storage_error(error, self.path) from error

    def sync(self) -> None:
        """Make what was appended durable. May take long: pin the file and call `sync_descriptor` from a thread."""
        self.sync_descriptor(self.descriptor)

    def sync_descriptor(self, descriptor: int) -> None:
        try:
            self.directory.disk.sync(descriptor)
        except OSError as error:
            raise self.directory.sync_failure(error, self.path) from error

    def pin(self) -> int:
        """Keep the descriptor open until `unpin`; returns it."""
        descriptor = self.descriptor
        self.pins += 1
        return descriptor

    def unpin(self) -> None:
        self.pins -= 1
        if self.pins == 0 and self._closes_at_unpin:
            self._close_for_good()

    def rename(self, path: str, *, missing_ok: bool = False) -> None:
        """Give the file another name. Durable after a sync of its directory."""
        try:
            self.directory.disk.rename(self.path, path)
        except FileNotFoundError as error:
            if not missing_ok:
                raise self.directory.storage_error(error, self.path) from error
        except OSError as error:
            raise self.directory.storage_error(error, self.path) from error
        self.path = path

    def moved(self, partition_directory: str) -> None:
        """The directory around the file was renamed."""
        self.path = os.path.join(partition_directory, os.path.basename(self.path))

    def delete(self) -> None:
        """Unlink the file. Slices of it stay readable until they are closed."""
        self.directory.unlink(self.path)
        self.path = ""
        self.close()

    def close(self) -> None:
        """Give back the descriptor, while it is pinned with the last pin; a later use opens the file again."""
        if self.pins == 0:
            self._close_for_good()
        else:
            self._closes_at_unpin = True

    def close_descriptor(self) -> None:
        """For the handle cache alone, which has already forgotten the file."""
        descriptor, self._descriptor = self._descriptor, _CLOSED
        self.directory.disk.close(descriptor)

    def _open(self, flags: int) -> int:
        directory = self.directory
        self._closes_at_unpin = False
        self._descriptor = directory.with_descriptor(lambda: directory.disk.open(self.path, flags))
        directory.handles.add(self)
        return self._descriptor

    def _reopen(self) -> int:
        try:
            return self._open(READ_WRITE)
        except OSError as error:
            raise self.directory.storage_error(error, self.path) from error

    def _close_for_good(self) -> None:
        if self._descriptor != _CLOSED:
            self.directory.handles.remove(self)
            self.close_descriptor()

    def _reserve_ahead(self) -> None:
        """Ask for room for the appends to come. Without it they go on all the same, and this file asks no more."""
        position = self.size
        count = min(max(position, RESERVE_FROM_BYTES), RESERVE_BYTES_MAX)
        try:
            self.directory.disk.reserve(self.descriptor, position, count)
        except OSError:
            self._reserved_end = _NEVER
        else:
            self._reserved_end = position + count

    def _write_rest(self, data: memoryview, position: int, written: int) -> None:
        """A short write on a file means no room, nearly always: trying the rest brings out the true error."""
        while written < len(data):
            written += self._pwrite(self.descriptor, data[written:], position + written)

    def _cut_back(self) -> None:
        """Remove the torn end of a failed append. When even that fails, the directory is lost."""
        try:
            self.directory.disk.truncate(self.descriptor, self.size)
        except OSError as error:
            raise self.directory.sync_failure(error, self.path) from error
