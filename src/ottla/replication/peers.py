"""Requests to other brokers, over the same connections that clients use.

Each purpose has a connection of its own (a channel): a fetch that waits for data must not hold up an AlterPartition.
Where a broker is comes from the metadata image, or from whoever knows better (the controller reads ZooKeeper).
"""

import asyncio
from collections.abc import Callable
from typing import Any

from ottla.clients.addresses import Address
from ottla.clients.connection import ConnectionSettings
from ottla.clients.connection_pool import ConnectionPool
from ottla.clients.runtime import Runtime
from ottla.errors.kafka import BrokerNotAvailableError
from ottla.protocol.message import Request

FORWARD_TIMEOUT_MS = 30_000

AddressOf = Callable[[int], Address | None]


class Peers:
    def __init__(self, runtime: Runtime, settings: ConnectionSettings, address_of: AddressOf) -> None:
        self._pool = ConnectionPool(runtime, settings)
        self._address_of = address_of

    async def request(
        self, broker_id: int, request: Request, *, channel: str, timeout_ms: float, version_max: int | None = None
    ) -> Any:
        """The broker's response. BrokerNotAvailableError, NetworkError or a time-out when there is none."""
        address = self._address_of(broker_id)
        if address is None:
            raise BrokerNotAvailableError(f"Broker {broker_id} is not known here.")
        connection = await self._pool.connection(broker_id, address, channel)
        return await connection.send(request, timeout_ms=timeout_ms, version_max=version_max)

    def send(self, broker_id: int, request: Request) -> "asyncio.Future[Any]":
        """`request` for those who do not wait: what is forwarded to the controller."""
        return asyncio.get_running_loop().create_task(
            self.request(broker_id, request, channel="forward", timeout_ms=FORWARD_TIMEOUT_MS)
        )

    async def close(self) -> None:
        await self._pool.close()
