"""A byte stream that does what the test says, and a driver that remembers what it was asked for."""

from collections.abc import Callable
from typing import Any

from ottla.transport.byte_stream import CloseReason


class ScriptedStream:
    """Like TLS: it gives its bytes a record at a time, keeps the rest of a record back, and takes no files."""

    sendfile_socket = None

    def __init__(self, *, record_bytes: int = 1 << 20, room: int = 1 << 30) -> None:
        self.incoming = bytearray()
        self.ended = False
        self.wants_write = False
        self.room = room
        self.sent = bytearray()
        self.send_sizes: list[int] = []
        self.closed = False
        self._record_bytes = record_bytes
        self._opened = bytearray()
        self.recv_into: Callable[[memoryview], int] = self._recv_into
        self.send: Callable[..., int] = self._send

    @property
    def has_pending(self) -> bool:
        return bool(self._opened)

    def _recv_into(self, view: memoryview) -> int:
        if self.wants_write:
            raise BlockingIOError
        if not self._opened:
            if not self.incoming:
                if self.ended:
                    return 0
                raise BlockingIOError
            self._opened = self.incoming[: self._record_bytes]
            del self.incoming[: self._record_bytes]
        count = min(len(self._opened), len(view))
        view[:count] = self._opened[:count]
        del self._opened[:count]
        return count

    def _send(self, data: Any, flags: int = 0) -> int:
        count = min(len(data), self.room)
        if not count:
            raise BlockingIOError
        self.room -= count
        self.sent += data[:count]
        self.send_sizes.append(count)
        return count

    def sendmsg(self, buffers: Any, flags: int) -> int:
        return self._send(b"".join(buffers), flags)

    def fileno(self) -> int:
        return 1000

    def close(self) -> None:
        self.closed = True


class RecordingDriver:
    """A `StreamDriver`: what is watched, whether a turn is due, why it was closed."""

    def __init__(self) -> None:
        self.readable = self.writable = self.turn_due = False
        self.drained_count = 0
        self.close_reason: CloseReason | None = None

    def watch_readable(self, on: bool) -> None:
        self.readable = on

    def watch_writable(self, on: bool) -> None:
        self.writable = on

    def schedule_turn(self) -> None:
        self.turn_due = True

    def drained(self) -> None:
        self.drained_count += 1

    def close(self, reason: CloseReason) -> None:
        self.close_reason = reason


class ManualLoop:
    """What a Connection uses of an event loop; the test says what is ready."""

    def __init__(self) -> None:
        self.reader: Callable[[], object] | None = None
        self.writer: Callable[[], object] | None = None
        self.soon: list[Callable[[], object]] = []

    def add_reader(self, fd: int, callback: Callable[[], object]) -> None:
        self.reader = callback

    def remove_reader(self, fd: int) -> None:
        self.reader = None

    def add_writer(self, fd: int, callback: Callable[[], object]) -> None:
        self.writer = callback

    def remove_writer(self, fd: int) -> None:
        self.writer = None

    def call_soon(self, callback: Callable[[], object]) -> None:
        self.soon.append(callback)

    def run_turns(self) -> int:
        """Run what is due until nothing is; how many turns that took."""
        turns = 0
        while self.soon:
            due, self.soon = self.soon, []
            for callback in due:
                callback()
            turns += 1
        return turns
