"""DeleteRecords (0-2): everything below an offset is gone, for readers at once and from the disk with its segment.

-1 is the high watermark. The answer is the low watermark: where the partition begins now, on all its replicas.
"""

from ottla.errors import KafkaError
from ottla.errors.kafka import InvalidTopicError, OffsetOutOfRangeError, PolicyViolationError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.model import INTERNAL_TOPICS, NO_OFFSET
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from ottla.replication.partition import Partition
from ottla.replication.replica_manager import ReplicaManager

VERSIONS = (0, 2)
HIGH_WATERMARK = -1


class DeleteRecordsHandlers:
    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.DELETE_RECORDS, self.handle_delete_records, *VERSIONS, delete_records_error)

    def handle_delete_records(self, context: RequestContext, request: DeleteRecordsRequest) -> DeleteRecordsResponse:
        return DeleteRecordsResponse(
            topics=[
                DeleteRecordsTopicResult(
                    name=topic.name, partitions=[self._delete(topic.name, part) for part in topic.partitions]
                )
                for topic in request.topics
            ]
        )

    def _delete(self, topic: str, part: DeleteRecordsPartition) -> DeleteRecordsPartitionResult:
        result = DeleteRecordsPartitionResult(partition_index=part.partition_index, low_watermark=NO_OFFSET)
        try:
            if topic in INTERNAL_TOPICS:
                raise InvalidTopicError(f"Cannot delete records of internal topic {topic}")
            partition = self._replicas.partition(topic, part.partition_index)
            partition.check_leader()
            result.low_watermark = delete_below(partition, part.offset)
        except KafkaError as error:
            result.error_code = error.code
        return result


def delete_below(partition: Partition, offset: int) -> int:
    log = partition.log
    if not log.config.is_deleted:
        raise PolicyViolationError("records of a topic that is only compacted are not deleted by offset")
    high_watermark = partition.high_watermark.offset
    start = high_watermark if offset == HIGH_WATERMARK else offset
    if not 0 <= start <= high_watermark:
        raise OffsetOutOfRangeError(f"{offset} is not between 0 and the high watermark {high_watermark}")
    log.increment_log_start_offset(start)
    partition.changed()
    return log.log_start_offset


def delete_records_error(request: DeleteRecordsRequest, version: int, error: KafkaError) -> DeleteRecordsResponse:
    return DeleteRecordsResponse(
        topics=[
            DeleteRecordsTopicResult(
                name=topic.name,
                partitions=[
                    DeleteRecordsPartitionResult(
                        partition_index=part.partition_index, low_watermark=NO_OFFSET, error_code=error.code
                    )
                    for part in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )
