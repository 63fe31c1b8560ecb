"""The embedded server in a thread of the test, so that the test can reach into it and give it a disk of its own."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from ottla.coordination.embedded.server import EmbeddedZooKeeper
from ottla.coordination.embedded.server_config import ServerConfig

Value = TypeVar("Value")


class ServerThread:
    def __init__(self, directory: Path, *, options: dict[str, Any] | None = None, **settings: Any) -> None:
        self.config = ServerConfig(**({"data_dir": str(directory), "client_port": 0, "tick_time_ms": 100} | settings))
        self._options = options or {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> EmbeddedZooKeeper:
        self._thread.start()
        try:
            self.server = self.run(self._start())
        except BaseException:
            self._end_loop()
            raise
        return self.server

    def __exit__(self, *_: object) -> None:
        self.run(self.server.stop())
        self._end_loop()

    async def _start(self) -> EmbeddedZooKeeper:
        server = EmbeddedZooKeeper(self.config, **self._options)
        await server.start()
        return server

    def run(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(30)

    def call(self, function: Callable[[], Value]) -> Value:
        """The result of a function that runs on the server's loop."""
        result: Future[Value] = Future()
        self._loop.call_soon_threadsafe(lambda: result.set_result(function()))
        return result.result(30)

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()
