"""DescribeProducers (0): who has written to a partition lately, as its leader remembers for detecting duplicates."""

from ottla.errors import KafkaError
from ottla.errors.kafka import InvalidTopicError, UnknownTopicOrPartitionError
from ottla.handlers.context import RequestContext
from ottla.handlers.error_texts import NOT_HOSTED_TEXT
from ottla.handlers.registry import HandlerTable
from ottla.model import topic_name_problem
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)
from ottla.replication.replica_manager import ReplicaManager
from ottla.storage.producers.producer_state import ProducerStates

VERSIONS = (0, 0)


class ProducersHandlers:
    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.DESCRIBE_PRODUCERS, self.handle_describe_producers, *VERSIONS, describe_producers_error)

    def handle_describe_producers(
        self, context: RequestContext, request: DescribeProducersRequest
    ) -> DescribeProducersResponse:
        """A partition that is named again is described once: its producers take more room than its number."""
        wanted: dict[str, dict[int, None]] = {}
        for topic in request.topics:
            wanted.setdefault(topic.name, {}).update(dict.fromkeys(topic.partition_indexes))
        return DescribeProducersResponse(
            topics=[
                TopicResponse(name=name, partitions=[self._describe(name, index) for index in indexes])
                for name, indexes in wanted.items()
            ]
        )

    def _describe(self, topic: str, index: int) -> PartitionResponse:
        problem = topic_name_problem(topic)
        if problem is not None:
            return _refused(index, InvalidTopicError(problem))
        try:
            partition = self._replicas.partition(topic, index)
            partition.check_leader()
        except UnknownTopicOrPartitionError:
            return _refused(index, UnknownTopicOrPartitionError(NOT_HOSTED_TEXT))
        except KafkaError as error:
            return _refused(index, error)
        return PartitionResponse(partition_index=index, active_producers=active_producers(partition.log.producers))


def active_producers(producers: ProducerStates) -> list[ProducerState]:
    return [
        ProducerState(
            producer_id=producer_id,
            producer_epoch=entry.epoch,
            last_sequence=entry.last_sequence,
            last_timestamp=entry.last_timestamp,
            coordinator_epoch=entry.coordinator_epoch,
            current_txn_start_offset=entry.current_txn_first_offset,
        )
        for producer_id, entry in producers.items()
    ]


def _refused(index: int, error: KafkaError) -> PartitionResponse:
    return PartitionResponse(partition_index=index, error_code=error.code, error_message=str(error))


def describe_producers_error(
    request: DescribeProducersRequest, version: int, error: KafkaError
) -> DescribeProducersResponse:
    return DescribeProducersResponse(
        topics=[
            TopicResponse(
                name=topic.name,
                partitions=[_refused(index, error) for index in topic.partition_indexes],
            )
            for topic in request.topics
        ]
    )
