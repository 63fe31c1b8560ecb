"""A range of a log file on its way to a socket: the fetch path's only copy is the kernel's.

A slice pins its file from birth to `close`, so that the bytes stay readable while segments are rolled, renamed and
unlinked around it. The range was inside the file when the slice was made; only a truncation of the log can take bytes
away from it, and then the send fails and with it the connection, because the length has been promised already.
Whoever reads a slice knows nothing of logs, so that a disk that fails under it is told to the log directory from here.

Sending is fast as long as the bytes are in the page cache. The end of a log always is. For older ranges `is_cached`
asks the kernel (preadv with RWF_NOWAIT, one byte in every readahead window), and `read_ahead` brings in what is not.
Both go from the front to the back: each probe counts as a read for the kernel's own readahead, which goes by order.
"""

import errno
import socket

from ottla.disk.log_file import LogFile
from ottla.disk.system_disk import RWF_NOWAIT

READ_AHEAD_WINDOW = 128 * 1024
# One byte to read into, for all probes: what is in it matters to nobody. A large fetch is probed at many places.
_PROBE = (bytearray(1),)
_DISK_ERRORS = frozenset({errno.EIO, errno.EUCLEAN, errno.EBADMSG})


class FileSlice:
    """`size` bytes of `file` from `position` on. Implements `Sendable`."""

    __slots__ = ("_descriptor", "_size", "file", "position")

    def __init__(self, file: LogFile, position: int, size: int) -> None:
        self._descriptor = file.pin()
        self.file = file
        self._size = size
        self.position = position

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"FileSlice({self.file.path or 'deleted'}, {self.position}, {self._size})"

    @property
    def end(self) -> int:
        return self.position + self._size

    def send_to(self, sock: socket.socket, start: int, count_max: int) -> int:
        count = min(count_max, self._size - start)
        try:
            sent = self.file.directory.disk.send_file(sock, self._descriptor, self.position + start, count)
        except OSError as error:
            if error.errno in _DISK_ERRORS:
                raise self.file.directory.read_failure(error, self.file.path) from error
            raise
        if sent == 0 and count > 0:
            raise ConnectionAbortedError(f"the log was truncated under {self!r}")
        return sent

    def read(self, start: int, count: int) -> bytes:
        """The bytes themselves. Blocks if they are not in the page cache."""
        count = min(count, self._size - start)
        try:
            return self.file.directory.disk.pread(self._descriptor, count, self.position + start)
        except OSError as error:
            raise self.file.directory.read_failure(error, self.file.path) from error

    def is_cached(self) -> bool:
        """Whether all of it can be sent without waiting for the disk, as far as samples tell.

        What cannot be sampled is not: whoever reads it ahead will see why.
        """
        preadv, descriptor = self.file.directory.disk.preadv, self._descriptor
        last = self.end - 1
        try:
            for position in range(self.position, last, READ_AHEAD_WINDOW):
                preadv(descriptor, _PROBE, position, RWF_NOWAIT)
            preadv(descriptor, _PROBE, last, RWF_NOWAIT)
        except OSError as error:
            return error.errno == errno.EOPNOTSUPP  # a file system without the flag, such as an old tmpfs
        return True

    def read_ahead(self) -> None:
        """Bring it into the page cache. Blocks: for a thread, which may use the descriptor since it is pinned."""
        position, end = self.position, self.end
        bring_in = self.file.directory.disk.bring_in
        try:
            while position < end and (count := bring_in(self._descriptor, position, end - position)):
                position += count
        except OSError as error:
            raise self.file.directory.read_failure(error, self.file.path) from error

    def close(self) -> None:
        self.file.unpin()
