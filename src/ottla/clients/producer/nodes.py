"""The brokers that a producer sends to: a connection each, and how many requests are under way on it."""

import asyncio
from collections.abc import Callable

from ottla.clients.cluster import Cluster
from ottla.clients.connection import BrokerConnection
from ottla.errors import KafkaError

PRODUCE_CHANNEL = "produce"


class ProducerNode:
    __slots__ = ("_cluster", "_connecting", "_on_connected", "in_flight_count", "node_id", "throttled_until")

    def __init__(self, node_id: int, cluster: Cluster, on_connected: Callable[[], object]) -> None:
        self.node_id = node_id
        self.in_flight_count = 0
        self.throttled_until = 0.0
        self._cluster = cluster
        self._on_connected = on_connected
        self._connecting: asyncio.Task[None] | None = None

    def connection(self) -> BrokerConnection | None:
        """The connection if it is there. If not, it is being opened, and `on_connected` will be called."""
        connection = self._cluster.pool.open_connection(self.node_id, PRODUCE_CHANNEL)
        if connection is not None and not connection.closed:
            return connection
        if self._connecting is None:
            self._connecting = self._cluster.runtime.loop.create_task(self._connect())
        return None

    async def _connect(self) -> None:
        try:
            await self._cluster.connection(self.node_id, PRODUCE_CHANNEL)
        except KafkaError:
            # Whether the broker is slow, gone or moved: the next drain asks the metadata and tries again.
            self._cluster.request_refresh()
        finally:
            self._connecting = None
            self._on_connected()

    async def close(self) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
            await asyncio.gather(self._connecting, return_exceptions=True)
