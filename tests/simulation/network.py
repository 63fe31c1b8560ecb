"""Connections between processes: whole frames as bytes, in order within a connection, delayed at random.

A cut link loses nothing that TCP would not lose: what was sent waits and arrives when the link is whole again, unless
one side has given up by then. A killed process resets its connections; whoever cannot be reached learns nothing.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from ottla.transport.connection import CloseReason
from simulation.process import Process

OnFrame = Callable[[memoryview], bool | None]
_SIZE_BYTES = 4


class Connection:
    """One end. Has what `clients.BrokerConnection` uses of `transport.Connection`."""

    def __init__(self, network: "Network", process: Process, address: str, peer_address: str) -> None:
        self._network = network
        self._process = process
        self.address = address
        self.peer_address = peer_address
        self.peer: Connection
        self.on_frame: OnFrame
        self.on_closed: Callable[[CloseReason], None]
        self.closed = False
        self._in_transit: deque[tuple[float, bytes | None]] = deque()
        self._arrival = 0.0

    def send(self, chunks: Iterable[Any]) -> None:
        data = b"".join(chunk if isinstance(chunk, bytes | bytearray) else _taken(chunk) for chunk in chunks)
        if not self.closed and not self._process.is_dead:
            position = 0
            while position < len(data):
                end = position + _SIZE_BYTES + int.from_bytes(data[position : position + _SIZE_BYTES], "big")
                self.put(data[position + _SIZE_BYTES : end])
                position = end

    def put(self, frame: bytes | None) -> None:
        """A frame, or None for the end of the stream, on its way to the other end."""
        self._arrival = max(self._arrival, self._network.now()) + self._network.delay()
        self._in_transit.append((self._arrival, frame))
        self._network.call_at(self._arrival, self.deliver)

    def deliver(self) -> None:
        while self._in_transit and self._in_transit[0][0] <= self._network.now():
            if self._network.is_cut(self.address, self.peer_address):
                self._network.stalled[self] = None
                return
            _, frame = self._in_transit.popleft()
            self.peer._process.call_soon(self.peer.receive, frame)

    def receive(self, frame: bytes | None) -> None:
        if self.closed:
            return
        if frame is None:
            self.closed = True
            self.on_closed("closed by the peer")
            return
        try:
            self.on_frame(memoryview(bytearray(frame)))
        except Exception as error:  # noqa: BLE001 - as the transport does with what is no frame
            self.close(error)
            self.on_closed(error)

    def close(self, reason: CloseReason = "") -> None:
        """Also called by what is left of a dead process, when it is thrown away: that is not heard any more."""
        if not self.closed and not self._process.is_dead:
            self.closed = True
            self.put(None)

    def reset(self) -> None:
        """The process is gone."""
        if not self.closed:
            self.closed = True
            self._in_transit.clear()
            self.put(None)


def _taken(chunk: Any) -> bytes:
    if isinstance(chunk, memoryview):
        return bytes(chunk)
    try:
        return bytes(chunk.read(0, len(chunk)))
    finally:
        chunk.close()


class Network:
    def __init__(self, loop: asyncio.AbstractEventLoop, chance: random.Random, delay_max_s: float) -> None:
        self._loop = loop
        self._chance = chance
        self._delay_max_s = delay_max_s
        self._listening: dict[str, tuple[Process, Callable[[Connection], None]]] = {}
        self._connections: dict[str, list[Connection]] = {}
        self._cuts: dict[tuple[str, str], int] = {}
        self.stalled: dict[Connection, None] = {}
        self.call_at = loop.call_at
        self.now = loop.time

    def delay(self) -> float:
        """Mostly short, now and then long."""
        longest = self._delay_max_s if self._chance.random() < 0.02 else self._delay_max_s / 20
        return 0.0001 + self._chance.random() * longest

    # Cuts

    @property
    def has_cuts(self) -> bool:
        return bool(self._cuts)

    def is_cut(self, source: str, target: str) -> bool:
        return (source, target) in self._cuts

    def cut(self, source: str, target: str) -> None:
        """Nothing that `source` sends reaches `target`."""
        self._cuts[source, target] = self._cuts.get((source, target), 0) + 1

    def mend(self, source: str, target: str) -> None:
        left = self._cuts.pop((source, target), 1) - 1
        if left:
            self._cuts[source, target] = left
        stalled, self.stalled = self.stalled, {}
        for connection in stalled:
            connection.deliver()

    # Connections

    def listen(self, address: str, process: Process, accept: Callable[[Connection], None]) -> None:
        self._listening[address] = (process, accept)

    def gone(self, address: str) -> None:
        """The process at this address was killed."""
        self._listening.pop(address, None)
        for connection in self._connections.pop(address, []):
            connection.reset()

    def connector(self, address: str, process: Process) -> Any:
        """What `clients.Runtime.connect` is for the process at this address."""

        async def connect(
            host: str, port: int, on_frame: OnFrame, on_closed: Callable[[CloseReason], None], **_: Any
        ) -> Connection:
            await asyncio.sleep(self.delay())
            while self.is_cut(address, host) or self.is_cut(host, address):  # noqa: ASYNC110 - TCP tries again
                await asyncio.sleep(0.5)
            if host not in self._listening:
                raise ConnectionRefusedError(f"nobody listens at {host}")
            return self._connect(process, address, host, on_frame, on_closed)

        return connect

    def _connect(
        self, process: Process, address: str, host: str, on_frame: OnFrame, on_closed: Callable[[CloseReason], None]
    ) -> Connection:
        server, accept = self._listening[host]
        near, far = Connection(self, process, address, host), Connection(self, server, host, address)
        near.peer, far.peer = far, near
        near.on_frame, near.on_closed = on_frame, on_closed
        accept(far)
        for end in (near, far):
            self._connections.setdefault(end.address, []).append(end)
        return near
