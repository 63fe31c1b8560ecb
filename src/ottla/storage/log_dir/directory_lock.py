"""`.lock`: one broker at a time in a log directory.

Two locks on the same file. The POSIX lock is the one that Kafka takes, so that neither starts on what the other
serves; but a process never conflicts with itself there, so flock stands beside it for two brokers in one process. The
kernel drops both when the process ends, however it ends. The file holds our process id for the error message; Kafka
leaves it empty.
"""

import contextlib
import fcntl
import os

from ottla.errors import OperatorError

FILE_NAME = ".lock"


class DirectoryLock:
    """Held from construction to `release`."""

    __slots__ = ("_descriptor", "path")

    def __init__(self, directory: str) -> None:
        self.path = os.path.join(directory, FILE_NAME)
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = self._holder()
            os.close(self._descriptor)
            raise OperatorError(
                f"log directory {directory} is in use by {holder}: stop that broker, or give this one other log.dirs"
            ) from None
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    def _holder(self) -> str:
        noted = os.pread(self._descriptor, 20, 0).strip()
        return f"process {noted.decode()}" if noted.isdigit() else "another broker (an Apache Kafka?)"

    def release(self) -> None:
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = -1
