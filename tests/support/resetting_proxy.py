"""A TCP proxy in a thread of its own that cuts connections while they are busy.

`reset_after_bytes`: a connection is reset as soon as so many bytes went to the server. The last of them arrive there,
and the answer never comes back: the client cannot know whether its request was carried out.
"""

import asyncio
import threading
from contextlib import suppress


class ResettingProxy:
    """Usable as a context manager. `target` may be set later, `resets` counts what was cut."""

    def __init__(self, reset_after_bytes: int | None = None) -> None:
        self.reset_after_bytes = reset_after_bytes
        self.target = ("127.0.0.1", 0)
        self.resets = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._accept, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self._tasks: set[asyncio.Task[None]] = set()

    def _run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(20)

    def __enter__(self) -> "ResettingProxy":
        return self

    def __exit__(self, *_: object) -> None:
        async def stop() -> None:
            self._server.close()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

        self._run(stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            server_reader, server_writer = await asyncio.open_connection(*self.target)
        except OSError:
            writer.transport.abort()
            return
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._to_server(reader, server_writer, writer))
                group.create_task(self._to_client(server_reader, writer))
        finally:
            writer.transport.abort()
            server_writer.close()

    async def _to_server(
        self, reader: asyncio.StreamReader, server: asyncio.StreamWriter, client: asyncio.StreamWriter
    ) -> None:
        passed = 0
        with suppress(OSError):
            while data := await reader.read(65536):
                passed += len(data)
                must_reset = self.reset_after_bytes is not None and passed >= self.reset_after_bytes
                if must_reset:
                    self.resets += 1
                    client.transport.abort()
                server.write(data)
                await server.drain()
                if must_reset:
                    break
        server.write_eof() if server.can_write_eof() else None

    async def _to_client(self, reader: asyncio.StreamReader, client: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                client.write(data)
                await client.drain()
        client.transport.abort()
