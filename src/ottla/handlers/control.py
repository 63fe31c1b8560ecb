"""What the controller tells this broker: LeaderAndIsr (5-7), StopReplica (3-4), UpdateMetadata (6-8).

Only the versions with topic ids, grouped topics and broker epochs are served: no older controller is in this cluster.
"""

from ottla.controller.control_request_handler import ControlRequestHandler
from ottla.errors import KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import ONLY_FROM_BROKERS, HandlerTable
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.leader_and_isr import LeaderAndIsrRequest, LeaderAndIsrResponse
from ottla.protocol.messages.stop_replica import StopReplicaRequest, StopReplicaResponse
from ottla.protocol.messages.update_metadata import UpdateMetadataRequest, UpdateMetadataResponse


class ControlHandlers:
    def __init__(self, state: ControlRequestHandler) -> None:
        self._state = state

    def register(self, table: HandlerTable) -> None:
        table.add(
            ApiKey.LEADER_AND_ISR,
            self.handle_leader_and_isr,
            5,
            7,
            leader_and_isr_error,
            ONLY_FROM_BROKERS,
        )
        table.add(ApiKey.STOP_REPLICA, self.handle_stop_replica, 3, 4, stop_replica_error, ONLY_FROM_BROKERS)
        table.add(
            ApiKey.UPDATE_METADATA,
            self.handle_update_metadata,
            6,
            8,
            update_metadata_error,
            ONLY_FROM_BROKERS,
        )

    async def handle_leader_and_isr(self, _: RequestContext, request: LeaderAndIsrRequest) -> LeaderAndIsrResponse:
        return await self._state.handle_leader_and_isr(request)

    async def handle_stop_replica(self, _: RequestContext, request: StopReplicaRequest) -> StopReplicaResponse:
        return await self._state.handle_stop_replica(request)

    async def handle_update_metadata(self, _: RequestContext, request: UpdateMetadataRequest) -> UpdateMetadataResponse:
        return await self._state.handle_update_metadata(request)


def leader_and_isr_error(request: LeaderAndIsrRequest, version: int, error: KafkaError) -> LeaderAndIsrResponse:
    return LeaderAndIsrResponse(error_code=error.code)


def stop_replica_error(request: StopReplicaRequest, version: int, error: KafkaError) -> StopReplicaResponse:
    return StopReplicaResponse(error_code=error.code)


def update_metadata_error(request: UpdateMetadataRequest, version: int, error: KafkaError) -> UpdateMetadataResponse:
    return UpdateMetadataResponse(error_code=error.code)
