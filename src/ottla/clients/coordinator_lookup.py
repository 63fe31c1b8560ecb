"""Which broker coordinates a group or a transactional id: asked once, kept until somebody says that it is wrong."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from ottla.clients.errors import broker_error
from ottla.errors import ErrorCode
from ottla.errors.kafka import CoordinatorNotAvailableError
from ottla.protocol.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse

if TYPE_CHECKING:
    from ottla.clients.cluster import Cluster


class CoordinatorType(IntEnum):
    GROUP = 0
    TRANSACTION = 1


class CoordinatorLookup:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._known: dict[tuple[CoordinatorType, str], int] = {}

    async def find(self, key: str, kind: CoordinatorType = CoordinatorType.GROUP) -> int:
        """The node id of the coordinator. A retriable error while there is none yet."""
        node_id = self._known.get((kind, key))
        if node_id is not None and node_id in self._cluster.snapshot.brokers:
            return node_id
        node_id = await self._ask(key, kind)
        if node_id not in self._cluster.snapshot.brokers:
            await self._cluster.refresh()
        if node_id not in self._cluster.snapshot.brokers:
            raise CoordinatorNotAvailableError(f"the coordinator {node_id} of {key} is not in the metadata")
        self._known[kind, key] = node_id
        return node_id

    def forget(self, key: str, kind: CoordinatorType = CoordinatorType.GROUP) -> None:
        """It is not there any more."""
        self._known.pop((kind, key), None)

    async def _ask(self, key: str, kind: CoordinatorType) -> int:
        request = FindCoordinatorRequest(key=key, key_type=kind, coordinator_keys=[key])
        response: FindCoordinatorResponse = await self._cluster.send_to_any(request)
        if response.coordinators:
            found = response.coordinators[0]
            code, message, node_id = found.error_code, found.error_message, found.node_id
        else:
            code, message, node_id = response.error_code, response.error_message, response.node_id
        if code != ErrorCode.NONE:
            raise broker_error(code, f"the coordinator of {key}", message)
        return node_id
