"""Opens a socket, or a connection, to another process."""

import asyncio
import socket
from collections.abc import Callable

from ottla.clock import Clock
from ottla.transport.byte_stream import CloseReason
from ottla.transport.connection import Connection
from ottla.transport.frames import MESSAGE_SIZE_MAX_DEFAULT
from ottla.transport.receive_buffer import ReceiveBuffer


async def open_socket(host: str, port: int) -> socket.socket:
    """A connected non-blocking socket. Tries every address of the host in turn; OSError when none answers."""
    loop = asyncio.get_running_loop()
    failure: OSError = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            await loop.sock_connect(sock, address)
        except OSError as error:
            failure = error
            sock.close()
        except BaseException:  # cancelled by the caller's timeout: the socket must not outlive the attempt
            sock.close()
            raise
        else:
            return sock
    raise failure


async def open_connection(
    host: str,
    port: int,
    on_frame: Callable[[memoryview], bool | None],
    on_closed: Callable[[CloseReason], None],
    *,
    receive_buffer: ReceiveBuffer,
    clock: Clock,
    frame_size_max: int = MESSAGE_SIZE_MAX_DEFAULT,
) -> Connection:
    """Connect to a broker and start to read its responses."""
    sock = await open_socket(host, port)
    connection = Connection(
        sock,
        asyncio.get_running_loop(),
        on_frame,
        on_closed,
        receive_buffer=receive_buffer,
        clock=clock,
        frame_size_max=frame_size_max,
    )
    connection.start()
    return connection
