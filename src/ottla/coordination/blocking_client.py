"""A session for programs without an event loop: tools and the shell. One request at a time, each waits for its answer.

The session lives on a loop of its own in a thread, so that it is kept while a person thinks.
"""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

from ottla.clock import SystemClock
from ottla.coordination.acl import AclList
from ottla.coordination.connect_string import ConnectString
from ottla.coordination.kazoo_session import KazooSession
from ottla.coordination.session import ANY_VERSION
from ottla.coordination.session_life import SessionOptions
from ottla.coordination.stat import Stat

Result = TypeVar("Result")


class BlockingClient:
    """`with BlockingClient(servers, timeout_ms) as client:`. ConnectionLossError when nobody answers."""

    def __init__(self, connect: ConnectString, timeout_ms: int) -> None:
        self._session = KazooSession(SessionOptions(connect, timeout_ms, timeout_ms), SystemClock())
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="zookeeper-client", daemon=True)

    def __enter__(self) -> "BlockingClient":
        self._thread.start()
        try:
            self._run(self._session.start())
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._run(self._session.close())
        finally:
            self._end()

    def get(self, path: str) -> tuple[bytes, Stat]:
        async def request() -> tuple[bytes, Stat]:
            return await self._session.get(path)

        return self._run(request())

    def exists(self, path: str) -> Stat | None:
        async def request() -> Stat | None:
            return await self._session.exists(path)

        return self._run(request())

    def children(self, path: str) -> list[str]:
        async def request() -> list[str]:
            return await self._session.children(path)

        return self._run(request())

    def get_acl(self, path: str) -> AclList:
        async def request() -> AclList:
            return (await self._session.get_acl(path))[0]

        return self._run(request())

    def create(self, path: str, data: bytes, *, ephemeral: bool = False, sequence: bool = False) -> str:
        created, _stat = self._run(self._session.create(path, data, ephemeral=ephemeral, sequence=sequence))
        return created

    def set(self, path: str, data: bytes, version: int = ANY_VERSION) -> None:
        async def request() -> Stat:
            return await self._session.set(path, data, version)

        self._run(request())

    def delete(self, path: str, version: int = ANY_VERSION) -> None:
        async def request() -> None:
            await self._session.delete(path, version)

        self._run(request())

    def delete_all(self, path: str) -> None:
        """The node and everything below it, the lowest first."""
        for child in self.children(path):
            self.delete_all(f"{path.rstrip('/')}/{child}")
        self.delete(path)

    def _run(self, request: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(request, self._loop).result()

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
