"""AlterPartition (0-3): a leader asks the controller for another ISR.

Version-dependent meaning:
    0-1    topics by name
    2+     topics by id; INELIGIBLE_REPLICA (before: OPERATION_NOT_ATTEMPTED)
    3+     the members with their broker epochs (KIP-903)
"""

from ottla.controller.node import ControllerNode
from ottla.errors import KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import ONLY_FROM_BROKERS, HandlerTable
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse

VERSIONS = (0, 3)


class AlterPartitionHandlers:
    def __init__(self, controller: ControllerNode) -> None:
        self._controller = controller

    def register(self, table: HandlerTable) -> None:
        table.add(
            ApiKey.ALTER_PARTITION,
            self.handle_alter_partition,
            *VERSIONS,
            alter_partition_error,
            ONLY_FROM_BROKERS,
        )

    async def handle_alter_partition(
        self, context: RequestContext, request: AlterPartitionRequest
    ) -> AlterPartitionResponse:
        return await self._controller.alter_partition(request, context.api_version)


def alter_partition_error(request: AlterPartitionRequest, version: int, error: KafkaError) -> AlterPartitionResponse:
    return AlterPartitionResponse(error_code=error.code)
