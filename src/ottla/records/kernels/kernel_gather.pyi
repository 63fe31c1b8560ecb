from collections.abc import Callable
from typing import Any

NOW: int
RECORD_OVERHEAD: int

class Gathered:
    values: list[bytes | None]
    timestamps: list[int]
    keys: list[bytes | None] | None
    headers: list[bytes | None] | None
    callbacks: list[Callable[..., object]] | None
    callback_places: list[int] | None
    owner: Any
    size: int
    limit: int
    is_open: bool
    def __init__(self, ticket_class: type[tuple[Any, int]], limit: int) -> None: ...
    def add(
        self,
        value: bytes | None,
        key: bytes | None,
        headers: bytes | None,
        timestamp: int,
        callback: Callable[..., object] | None = None,
    ) -> Any: ...
    def close(self) -> int: ...
