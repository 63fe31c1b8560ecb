"""OffsetForLeaderEpoch (0-4): where an epoch ended, so that a reader can tell whether it read a lost past."""

from ottla.errors import KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)
from ottla.replication.replica_manager import ReplicaManager

VERSIONS = (0, 4)


class LeaderEpochHandlers:
    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.OFFSET_FOR_LEADER_EPOCH, self.handle_offset_for_leader_epoch, *VERSIONS, leader_epoch_error)

    def handle_offset_for_leader_epoch(
        self, _context: RequestContext, request: OffsetForLeaderEpochRequest
    ) -> OffsetForLeaderEpochResponse:
        return OffsetForLeaderEpochResponse(
            topics=[
                OffsetForLeaderTopicResult(
                    topic=topic.topic, partitions=[self._answer(topic.topic, part) for part in topic.partitions]
                )
                for topic in request.topics
            ]
        )

    def _answer(self, topic: str, part: OffsetForLeaderPartition) -> EpochEndOffset:
        answer = EpochEndOffset(partition=part.partition)
        try:
            partition = self._replicas.partition(topic, part.partition)
            partition.check_leader(part.current_leader_epoch)
            answer.leader_epoch, answer.end_offset = partition.log.end_offset_for_epoch(part.leader_epoch)
        except KafkaError as error:
            answer.error_code = error.code
        return answer


def leader_epoch_error(
    request: OffsetForLeaderEpochRequest, version: int, error: KafkaError
) -> OffsetForLeaderEpochResponse:
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic=topic.topic,
                partitions=[
                    EpochEndOffset(partition=part.partition, error_code=error.code) for part in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )
