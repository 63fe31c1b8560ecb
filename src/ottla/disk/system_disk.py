"""The system calls on log files, as one object that is passed in.

`SystemDisk` is the machine. A test or the simulation passes its own `Disk`: one that runs full, fails with EIO, tears a
write in two, or records every call so that a crash can be replayed at each of them. What changes files is only:

    open(O_CREAT)  pwrite  pwritev  truncate  allocate  rename  unlink  make_directory  remove_directory

and what makes changes durable is only `sync` (a file's data and size) and `sync_directory` (names in a directory).
`reserve` takes room and changes nothing that can be seen; `bring_in` reads into the page cache and gives nothing. All
of them raise OSError and nothing else; `directory.storage_error` says what that means for the log.
"""

import os
import socket
from collections.abc import Sequence
from typing import Protocol

Buffer = bytes | bytearray | memoryview

READ_WRITE = os.O_RDWR | os.O_CLOEXEC
CREATE = os.O_RDWR | os.O_CLOEXEC | os.O_CREAT
RWF_NOWAIT: int = getattr(os, "RWF_NOWAIT", 0)


class Disk(Protocol):
    def open(self, path: str, flags: int, /) -> int: ...
    def close(self, descriptor: int, /) -> None: ...
    def pread(self, descriptor: int, count: int, position: int, /) -> bytes: ...
    def preadv(
        self, descriptor: int, buffers: Sequence[bytearray | memoryview], position: int, flags: int, /
    ) -> int: ...
    def pwrite(self, descriptor: int, data: Buffer, position: int, /) -> int: ...
    def pwritev(self, descriptor: int, parts: Sequence[Buffer], position: int, /) -> int: ...
    def send_file(self, sock: socket.socket, descriptor: int, position: int, count: int, /) -> int: ...
    def bring_in(self, descriptor: int, position: int, count: int, /) -> int: ...
    def size(self, descriptor: int, /) -> int: ...
    def truncate(self, descriptor: int, size: int, /) -> None: ...
    def cut_to_size(self, descriptor: int, size: int, /) -> None: ...
    def allocate(self, descriptor: int, size: int, /) -> None: ...
    def reserve(self, descriptor: int, position: int, count: int, /) -> None: ...
    def sync(self, descriptor: int, /) -> None: ...
    def stat(self, path: str, /) -> os.stat_result: ...
    def rename(self, source: str, target: str, /) -> None: ...
    def unlink(self, path: str, /) -> None: ...
    def list_directory(self, path: str, /) -> list[str]: ...
    def make_directory(self, path: str, /) -> None: ...
    def remove_directory(self, path: str, /) -> None: ...
    def sync_directory(self, path: str, /) -> None: ...


class SystemDisk:
    """The real thing. The calls of the data path are the functions of `os` themselves, with nothing in between."""

    __slots__ = ()

    close = staticmethod(os.close)
    pread = staticmethod(os.pread)
    preadv = staticmethod(os.preadv)
    pwrite = staticmethod(os.pwrite)
    pwritev = staticmethod(os.pwritev)
    truncate = staticmethod(os.ftruncate)
    sync = staticmethod(os.fdatasync)
    stat = staticmethod(os.stat)
    rename = staticmethod(os.replace)
    unlink = staticmethod(os.unlink)
    list_directory = staticmethod(os.listdir)
    remove_directory = staticmethod(os.rmdir)

    def open(self, path: str, flags: int, /) -> int:
        return os.open(path, flags, 0o644)

    def send_file(self, sock: socket.socket, descriptor: int, position: int, count: int, /) -> int:
        return os.sendfile(sock.fileno(), descriptor, position, count)

    def bring_in(self, descriptor: int, position: int, count: int, /) -> int:
        from ottla.disk.page_cache import bring_in  # most brokers have what they are asked for in memory

        return bring_in(descriptor, position, count)

    def cut_to_size(self, descriptor: int, size: int, /) -> None:
        times = os.fstat(descriptor)
        self.truncate(descriptor, size)
        os.utime(descriptor, ns=(times.st_atime_ns, times.st_mtime_ns))

    def size(self, descriptor: int, /) -> int:
        return os.fstat(descriptor).st_size

    def allocate(self, descriptor: int, size: int, /) -> None:
        os.posix_fallocate(descriptor, 0, size)

    def reserve(self, descriptor: int, position: int, count: int, /) -> None:
        from ottla.disk.reservation import reserve  # ctypes is not needed before a log has grown

        reserve(descriptor, position, count)

    def make_directory(self, path: str, /) -> None:
        os.mkdir(path, 0o755)

    def sync_directory(self, path: str, /) -> None:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


SYSTEM_DISK = SystemDisk()
