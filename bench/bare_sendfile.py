"""What the kernel alone needs to send a file: os.sendfile on a blocking socket, in the same conversation as a fetch.

A request is 16 bytes, where and how much; the answer is a size of 4 bytes and that range of the file. No broker can be
cheaper, so the CPU per GB of this process is what a large fetch is held against.
"""

import os
import socket
import struct

from bench.driver import say_ready

REQUEST = struct.Struct(">qq")
_SIZE = struct.Struct(">i")


def serve(path: str, port: int) -> dict[str, float]:
    """Serve one connection until the client closes it."""
    with socket.create_server(("127.0.0.1", port)) as listener, open(path, "rb") as file:
        say_ready()
        sock, _ = listener.accept()
        with sock:
            while request := sock.recv(REQUEST.size, socket.MSG_WAITALL):
                position, count = REQUEST.unpack(request)
                _send(sock, file.fileno(), position, count)
    return {}


def _send(sock: socket.socket, file_descriptor: int, position: int, count: int) -> None:
    sock.send(_SIZE.pack(count), socket.MSG_MORE)
    end = position + count
    while position < end:
        position += os.sendfile(sock.fileno(), file_descriptor, position, end - position)
