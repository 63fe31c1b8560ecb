"""What the request processor knows of a connected client; `connection` is the real one, tests have a list."""

from typing import Protocol

from ottla.coordination.acl import Id


class Client(Protocol):
    """One connection. `identities` are those that it has proven, its address first."""

    def __hash__(self) -> int: ...

    session_id: int
    identities: tuple[Id, ...]
    is_authenticated: bool

    def send(self, payload: bytes, zxid: int) -> None:
        """Queue one frame, to leave in order once the transaction `zxid` is durable."""
        ...

    def close_after_sending(self) -> None:
        """Close once everything queued has left."""
        ...

    def close(self, reason: str) -> None: ...
