"""Real sockets: one end is a Connection on the test's loop, the other a plain socket driven through the same loop."""

import asyncio
import os
import select
import socket
import struct
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from ottla.clock import SystemClock
from ottla.transport import Connection, ReceiveBuffer

RECEIVE_TIMEOUT = 20.0


def framed(message: bytes) -> bytes:
    return struct.pack(">i", len(message)) + message


def is_readable(sock: socket.socket, timeout_s: float = 0) -> bool:
    """`select.select` would take no descriptor beyond 1023."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


class Peer:
    """The other end of the connection."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self._loop = asyncio.get_running_loop()

    async def send(self, data: bytes) -> None:
        await asyncio.wait_for(self._loop.sock_sendall(self.sock, data), RECEIVE_TIMEOUT)

    async def receive(self, count: int) -> bytes:
        received = bytearray()
        while len(received) < count:
            part = await asyncio.wait_for(self._loop.sock_recv(self.sock, count - len(received)), RECEIVE_TIMEOUT)
            if not part:
                break
            received += part
        return bytes(received)

    async def receive_frame(self) -> bytes:
        size = struct.unpack(">i", await self.receive(4))[0]
        return await self.receive(size)

    async def at_end(self) -> bool:
        """Waits until the other side closes; whether it sent nothing more before."""
        try:
            return not await asyncio.wait_for(self._loop.sock_recv(self.sock, 1), RECEIVE_TIMEOUT)
        except ConnectionError:
            return True


class Received:
    """Frames and the end of a connection, as its user sees them."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.closed: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self.close_count = 0
        self._changed = asyncio.Event()

    def on_frame(self, frame: memoryview) -> None:
        self.frames.append(bytes(frame))
        self._changed.set()

    def on_closed(self, reason: object) -> None:
        self.close_count += 1
        self.closed.set_result(reason)

    async def wait_for_frames(self, count: int) -> list[bytes]:
        while len(self.frames) < count:
            self._changed.clear()
            await asyncio.wait_for(self._changed.wait(), RECEIVE_TIMEOUT)
        return self.frames


@asynccontextmanager
async def connected(
    received: Received | None = None,
    on_frame: Callable[[memoryview], bool | None] | None = None,
    **options: object,
) -> AsyncIterator[tuple[Connection, Peer, Received]]:
    """A started Connection over loopback TCP, its peer, and what it received."""
    received = received or Received()
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        outside = socket.create_connection(listener.getsockname())
        inside, _ = listener.accept()
    inside.setblocking(False)
    outside.setblocking(False)
    options.setdefault("receive_buffer", ReceiveBuffer())
    options.setdefault("clock", SystemClock())
    connection = Connection(inside, loop, on_frame or received.on_frame, received.on_closed, **options)
    connection.start()
    try:
        yield connection, Peer(outside), received
    finally:
        connection.close("end of test")
        outside.close()


class SendableFile:
    """The smallest Sendable: a whole file by os.sendfile."""

    def __init__(self, path: Path, size: int) -> None:
        self._file = path.open("rb")
        self._size = size
        self.close_count = 0

    def __len__(self) -> int:
        return self._size

    def send_to(self, sock: socket.socket, start: int, count_max: int) -> int:
        return os.sendfile(sock.fileno(), self._file.fileno(), start, count_max)

    def read(self, start: int, count: int) -> bytes:
        return os.pread(self._file.fileno(), count, start)

    def close(self) -> None:
        self.close_count += 1

    def release(self) -> None:
        self._file.close()


@contextmanager
def sendable_files(directory: Path) -> Iterator[Callable[..., SendableFile]]:
    """Makes Sendables with given contents; their files are closed at the end."""
    made: list[SendableFile] = []

    def make(data: bytes, *, announced_bytes: int | None = None) -> SendableFile:
        path = directory / f"{len(made)}.log"
        path.write_bytes(data)
        made.append(SendableFile(path, len(data) if announced_bytes is None else announced_bytes))
        return made[-1]

    yield make
    for sendable in made:
        sendable.release()
