"""ElectLeaders (0-2): preferred leaders, or any that is left, for some partitions or for all.

Version-dependent meaning:
    0      preferred only, no error at the top: what failed as a whole is answered for each partition
    1+     election type (0 preferred, 1 unclean); null topics mean all, and only those that needed it are answered
"""

from collections.abc import Mapping

from ottla.controller.leader_moves import PREFERRED, UNCLEAN
from ottla.controller.node import ControllerNode
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import InvalidRequestError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.model import TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    PartitionResult,
    ReplicaElectionResult,
)

VERSIONS = (0, 2)


class ElectLeadersHandlers:
    def __init__(self, controller: ControllerNode) -> None:
        self._controller = controller

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.ELECT_LEADERS, self.handle_elect_leaders, *VERSIONS, elect_leaders_error)

    async def handle_elect_leaders(self, context: RequestContext, request: ElectLeadersRequest) -> ElectLeadersResponse:
        election_type = request.election_type if context.api_version >= 1 else PREFERRED
        if election_type not in (PREFERRED, UNCLEAN):
            raise InvalidRequestError(f"{election_type} is no election type")
        outcomes = await self._controller.elect_leaders(election_type, named_partitions(request))
        return ElectLeadersResponse(replica_election_results=results(outcomes))


def named_partitions(request: ElectLeadersRequest) -> list[TopicPartition] | None:
    if request.topic_partitions is None:
        return None
    return [TopicPartition(topic.topic, index) for topic in request.topic_partitions for index in topic.partitions]


def results(outcomes: Mapping[TopicPartition, KafkaError | None]) -> list[ReplicaElectionResult]:
    by_topic: dict[str, list[PartitionResult]] = {}
    for partition, error in outcomes.items():
        by_topic.setdefault(partition.topic, []).append(
            PartitionResult(
                partition_id=partition.partition,
                error_code=ErrorCode.NONE if error is None else error.code,
                error_message=None if error is None else str(error) or None,
            )
        )
    return [ReplicaElectionResult(topic=topic, partition_result=parts) for topic, parts in by_topic.items()]


def elect_leaders_error(request: ElectLeadersRequest, version: int, error: KafkaError) -> ElectLeadersResponse:
    if version >= 1:
        return ElectLeadersResponse(error_code=error.code)
    return ElectLeadersResponse(replica_election_results=results(dict.fromkeys(named_partitions(request) or (), error)))
