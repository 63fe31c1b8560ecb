"""Somebody who sends frames to a broker, takes what comes back, and does not mind to be cut off."""

import socket
import struct

from hostile.requests import HostileFrame

PATIENCE_S = 0.2  # Some of what is asked is rightly answered much later.


class Stranger:
    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._address = (host, int(port))
        self._sock: socket.socket | None = None

    def __enter__(self) -> "Stranger":
        return self

    def __exit__(self, *_: object) -> None:
        self._hang_up()

    def send(self, frame: HostileFrame) -> None:
        """Send it; the answer is waited for for a moment. The next frame may go over a new connection."""
        try:
            sock = self._connected()
            sock.sendall(frame.data)
            if frame.is_answered:
                (size,) = struct.unpack(">i", _exactly(sock, 4))
                _exactly(sock, size)
            elif len(frame.data) != 4 + int.from_bytes(frame.data[:4]):
                self._hang_up()  # What would come next would be taken for the rest of it.
        except (TimeoutError, ConnectionError):
            self._hang_up()

    def _connected(self) -> socket.socket:
        if self._sock is None:
            self._sock = socket.create_connection(self._address, timeout=10)
            self._sock.settimeout(PATIENCE_S)
            self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._sock

    def _hang_up(self) -> None:
        if self._sock is not None:
            self._sock.close()
            self._sock = None


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        more = sock.recv(min(count - len(data), 1 << 20))
        if not more:
            raise ConnectionError("closed by the broker")
        data += more
    return bytes(data)
