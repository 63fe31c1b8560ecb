"""What the transport can send besides bytes.

A Sendable stands in a write queue like a piece of bytes does, but the data never enters the process: `send_to` lets the
kernel copy it. Whoever takes a Sendable out of circulation, because it was sent or because the connection died, calls
`close` exactly once.
"""

import socket
from typing import Protocol, runtime_checkable


@runtime_checkable
class Sendable(Protocol):
    def __len__(self) -> int:
        """How many bytes it stands for. Never changes."""
        ...

    def send_to(self, sock: socket.socket, start: int, count_max: int) -> int:
        """Send up to `count_max` bytes from `start` on; how many went. BlockingIOError when the socket is full."""
        ...

    def read(self, start: int, count: int) -> bytes:
        """The bytes themselves, for connections that must see them (TLS)."""
        ...

    def close(self) -> None:
        """Give back what it holds. Exactly once."""
        ...
