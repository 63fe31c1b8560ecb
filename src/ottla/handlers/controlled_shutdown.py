"""ControlledShutdown (0-3): a broker that wants to stop asks the controller to take its leaderships away.

Versions 0 and 1 name no broker epoch; it is not checked then.
"""

from ottla.controller.node import ControllerNode
from ottla.errors import KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import ONLY_FROM_BROKERS, HandlerTable
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
    RemainingPartition,
)

VERSIONS = (0, 3)


class ControlledShutdownHandlers:
    def __init__(self, controller: ControllerNode) -> None:
        self._controller = controller

    def register(self, table: HandlerTable) -> None:
        table.add(
            ApiKey.CONTROLLED_SHUTDOWN,
            self.handle_controlled_shutdown,
            *VERSIONS,
            controlled_shutdown_error,
            ONLY_FROM_BROKERS,
        )

    async def handle_controlled_shutdown(
        self, _: RequestContext, request: ControlledShutdownRequest
    ) -> ControlledShutdownResponse:
        remaining = await self._controller.controlled_shutdown(request.broker_id, request.broker_epoch)
        return ControlledShutdownResponse(
            remaining_partitions=[RemainingPartition(topic_name=t, partition_index=p) for t, p in remaining]
        )


def controlled_shutdown_error(
    request: ControlledShutdownRequest, version: int, error: KafkaError
) -> ControlledShutdownResponse:
    return ControlledShutdownResponse(error_code=error.code)
