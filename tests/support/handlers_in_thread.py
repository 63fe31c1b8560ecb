"""Our own Server in a thread of the test, with handlers that the test wrote."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Self

from ottla.protocol.api_keys import ApiKey
from support.servers import handler_table, running_server


class HandlersInThread:
    """Usable as a context manager; `address` is where clients bootstrap from. A subclass says what is served."""

    def __init__(self) -> None:
        self._port = 0
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)

    def handlers(self) -> dict[ApiKey, Callable[..., Any]]:
        raise NotImplementedError

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        async with running_server(handler_table(self.handlers())) as server:
            self._port = server.ports["PLAINTEXT"]
            self._ready.set()
            await self._stop.wait()
