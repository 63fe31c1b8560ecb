"""A TCP proxy on the test's own event loop that can be cut (connections are refused) or frozen (bytes go nowhere)."""

import asyncio
from contextlib import suppress


class CuttableProxy:
    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = host, int(port)
        self._writers: set[asyncio.StreamWriter] = set()
        self._pumps: set[asyncio.Task[None]] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._cut = False
        self._accepted = 0
        self._was_accepted = asyncio.Event()
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"{host}:{port}"

    def cut(self) -> None:
        self._cut = True
        self._abort_all()

    def freeze(self) -> None:
        """Take bytes and pass none on; new connections are accepted and hear nothing."""
        self._flowing.clear()

    def heal(self) -> None:
        """Everything flows again. What was frozen is lost with its connections, as after a long outage."""
        self._cut = False
        if not self._flowing.is_set():
            self._abort_all()
            self._flowing.set()

    async def connected_again(self, times: int) -> None:
        """Until whoever is on the other side has tried so often more."""
        wanted = self._accepted + times
        while self._accepted < wanted:
            self._was_accepted.clear()
            await self._was_accepted.wait()

    async def close(self) -> None:
        self.cut()
        if self._server is not None:
            self._server.close()
        for pump in self._pumps:
            pump.cancel()
        await asyncio.gather(*self._pumps, return_exceptions=True)

    def _abort_all(self) -> None:
        for writer in list(self._writers):
            writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._accepted += 1
        self._was_accepted.set()
        if self._cut:
            writer.transport.abort()
            return
        self._writers.add(writer)
        server_reader, server_writer = await asyncio.open_connection(*self._target)
        self._writers.add(server_writer)
        for source, sink in ((reader, server_writer), (server_reader, writer)):
            pump = asyncio.create_task(self._pump(source, sink))
            self._pumps.add(pump)
            pump.add_done_callback(self._pumps.discard)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await self._flowing.wait()
                writer.write(data)
        writer.close()
        self._writers.discard(writer)
