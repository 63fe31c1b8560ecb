"""The connections of one client: one per broker and channel, opened when first needed and again after they end.

A channel keeps requests apart that would wait for each other: Kafka responds on a connection in order, so a fetch that
waits for data must not share one with a heartbeat. After a failure the next attempt waits (`reconnect.backoff.ms`,
doubling); callers that come meanwhile wait for the same attempt.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import NamedTuple

from ottla.clients.addresses import Address
from ottla.clients.connection import BrokerConnection, ConnectionObserver, ConnectionSettings
from ottla.clients.errors import ClientClosedError
from ottla.clients.outages import Outages
from ottla.clients.retry import Backoff
from ottla.clients.runtime import Runtime
from ottla.errors import KafkaError

ObserverOf = Callable[[int], ConnectionObserver]


class Slot(NamedTuple):
    node_id: int
    channel: str


class ConnectionPool:
    def __init__(
        self,
        runtime: Runtime,
        settings: ConnectionSettings,
        observer_of: ObserverOf | None = None,
        outages: Outages | None = None,
    ) -> None:
        self._runtime = runtime
        self._settings = settings
        self._observer_of = observer_of
        self._outages = outages
        self._backoff = Backoff(settings.reconnect_backoff_ms, settings.reconnect_backoff_max_ms)
        self._open: dict[Slot, BrokerConnection] = {}
        self._connecting: dict[Slot, asyncio.Task[BrokerConnection]] = {}
        self._failures: dict[Slot, int] = {}
        self._retry_at: dict[Slot, float] = {}
        self._closed = False

    def __iter__(self) -> Iterable[BrokerConnection]:
        return iter(self._open.values())

    def __len__(self) -> int:
        return len(self._open)

    def open_connection(self, node_id: int, channel: str = "") -> BrokerConnection | None:
        """The connection, if it is there already."""
        return self._open.get(Slot(node_id, channel))

    def open_nodes(self) -> dict[int, BrokerConnection]:
        """The open connections without a channel, by node."""
        return {slot.node_id: connection for slot, connection in self._open.items() if not slot.channel}

    def in_backoff(self, node_id: int, channel: str = "") -> bool:
        return self._retry_at.get(Slot(node_id, channel), 0.0) > self._runtime.clock.monotonic()

    async def connection(self, node_id: int, address: Address, channel: str = "") -> BrokerConnection:
        """The connection, opened where it has to be. NetworkError or ClientTimeoutError when that fails."""
        slot = Slot(node_id, channel)
        known = self._open.get(slot)
        if known is not None and known.address == address:
            return known
        if known is not None:
            known.close(f"the broker is now at {address}")
        if self._closed:
            raise ClientClosedError("the client is closed")
        task = self._connecting.get(slot)
        if task is None:
            task = self._runtime.loop.create_task(self._connect(slot, address))
            self._connecting[slot] = task
            task.add_done_callback(lambda done: self._connected(slot, done))
        return await asyncio.shield(task)

    async def _connect(self, slot: Slot, address: Address) -> BrokerConnection:
        pause = self._retry_at.get(slot, 0.0) - self._runtime.clock.monotonic()
        if pause > 0:
            await asyncio.sleep(pause)
        observer = self._observer_of(slot.node_id) if self._observer_of is not None else None
        connection = BrokerConnection(
            address, self._runtime, self._settings, observer, lambda closed: self._forget(slot, closed)
        )
        try:
            await connection.connect()
        except KafkaError as error:
            self._note_failure(slot)
            if self._outages is not None:
                self._outages.note_refused(address, error)
            raise
        if self._outages is not None:
            self._outages.note_connected(address)
        self._failures.pop(slot, None)
        self._retry_at.pop(slot, None)
        self._open[slot] = connection
        return connection

    def _connected(self, slot: Slot, task: "asyncio.Task[BrokerConnection]") -> None:
        self._connecting.pop(slot, None)
        if not task.cancelled():
            task.exception()  # each caller gets it through its shield; nobody may be left to ask for it

    def _note_failure(self, slot: Slot) -> None:
        failures = self._failures[slot] = self._failures.get(slot, 0) + 1
        self._retry_at[slot] = self._runtime.clock.monotonic() + self._backoff.delay_ms(failures) / 1000

    def _forget(self, slot: Slot, connection: BrokerConnection) -> None:
        if self._open.get(slot) is connection:
            del self._open[slot]
            self._retry_at[slot] = self._runtime.clock.monotonic() + self._backoff.delay_ms(1) / 1000

    def retain_nodes(self, node_ids: Iterable[int]) -> None:
        """Close the connections to brokers that are gone."""
        wanted = set(node_ids)
        for slot, connection in list(self._open.items()):
            if slot.node_id >= 0 and slot.node_id not in wanted:
                connection.close("the broker has left the cluster")

    async def close(self) -> None:
        self._closed = True
        tasks = list(self._connecting.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for connection in list(self._open.values()):
            connection.close()
