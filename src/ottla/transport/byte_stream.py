"""What a connection reads from and writes to: a non-blocking stream of bytes over a socket, plain or encrypted.

Three things hold for a plain socket and not for every stream. A connection asks for each of them:
    has_pending      the stream can hold bytes that have left the socket already (the rest of a TLS record). epoll does
                     not know of them, so they are read in the next turn without waiting for it
    wants_write      the stream can have to write before it can read on (a TLS handshake). It is read again when the
                     socket takes bytes
    sendfile_socket  the kernel can copy a file to the socket. Where it cannot, because the bytes must be changed on
                     their way, a Sendable is read and its bytes are sent
"""

import socket
from collections.abc import Callable, Sequence
from typing import Any, Protocol

CloseReason = str | Exception


class ByteStream(Protocol):
    @property
    def has_pending(self) -> bool:
        """Whether `recv_into` would give bytes of which the selector does not know."""
        ...

    @property
    def wants_write(self) -> bool:
        """Asked after a BlockingIOError of `recv_into`: whether it waits until the socket takes bytes."""
        ...

    @property
    def sendfile_socket(self) -> socket.socket | None:
        """The socket to which a Sendable may send itself; None where bytes are changed on their way."""
        ...

    @property
    def recv_into(self) -> Callable[[memoryview], int]:
        """Receive what there is; 0 at the end of the stream. BlockingIOError when there is nothing now."""
        ...

    @property
    def send(self) -> Callable[..., int]:
        """Send bytes (`data`, `flags`); how many left. The flag MSG_MORE is a hint.

        BlockingIOError when nothing can be sent now: the same bytes are offered again, others possibly behind them.
        """
        ...

    def sendmsg(self, buffers: Sequence[Any], flags: int) -> int:
        """`send` of several pieces."""
        ...

    def fileno(self) -> int: ...

    def close(self) -> None: ...


class PlainStream:
    """A socket as it is. What is called for each request are the socket's own methods."""

    __slots__ = ("recv_into", "send", "sendfile_socket")

    has_pending = False
    wants_write = False

    def __init__(self, sock: socket.socket) -> None:
        self.sendfile_socket = sock
        self.recv_into: Callable[[memoryview], int] = sock.recv_into
        self.send: Callable[..., int] = sock.send

    def sendmsg(self, buffers: Sequence[Any], flags: int) -> int:
        return self.sendfile_socket.sendmsg(buffers, (), flags)

    def fileno(self) -> int:
        return self.sendfile_socket.fileno()

    def close(self) -> None:
        self.sendfile_socket.close()


class StreamDriver(Protocol):
    """What the reader and the writer of a connection ask of who owns the event loop: the connection."""

    def watch_readable(self, on: bool) -> None: ...

    def watch_writable(self, on: bool) -> None: ...

    def schedule_turn(self) -> None:
        """Go on in the next turn of the loop."""
        ...

    def drained(self) -> None:
        """A backlog has been sent."""
        ...

    def close(self, reason: CloseReason) -> None: ...


class NoDriver:
    """The driver of what is closed: the halves of a connection do not refer to it any more, which breaks a circle."""

    def watch_readable(self, on: bool) -> None: ...
    def watch_writable(self, on: bool) -> None: ...
    def schedule_turn(self) -> None: ...
    def drained(self) -> None: ...
    def close(self, reason: CloseReason) -> None: ...


NO_DRIVER = NoDriver()
