"""DescribeTopicPartitions (0): topics page by page (KIP-966), so that no answer grows with the cluster.

Topics come in the order of their names, partitions in that of their numbers; `next_cursor` says where the next page
begins. Without topics, all are meant. There is no eligible-leader set in a cluster that ZooKeeper coordinates: those
fields are empty.
"""

from collections.abc import Callable, Iterator

from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import InvalidRequestError
from ottla.handlers.authorized_operations import ALL_ON_TOPIC
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import NO_LEADER, ClusterImage, PartitionImage, TopicImage
from ottla.model import INTERNAL_TOPICS, topic_name_problem
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
)

VERSIONS = (0, 0)


class TopicPartitionsHandlers:
    """`page_max`: `max.request.partition.size.limit`."""

    def __init__(self, cache: MetadataCache, page_max: Callable[[], int]) -> None:
        self._cache = cache
        self._page_max = page_max

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.DESCRIBE_TOPIC_PARTITIONS, self.handle_describe_topic_partitions, *VERSIONS, describe_error)

    def handle_describe_topic_partitions(
        self, context: RequestContext, request: DescribeTopicPartitionsRequest
    ) -> DescribeTopicPartitionsResponse:
        cursor = request.cursor
        if cursor is not None and cursor.partition_index < 0:
            raise InvalidRequestError("the cursor's partition is negative")
        page = Page(self._cache.image, max(1, min(request.response_partition_limit, self._page_max())))
        for name in self._names(request):
            first = cursor.partition_index if cursor is not None and cursor.topic_name == name else 0
            if not page.add(name, first):
                break
        return DescribeTopicPartitionsResponse(topics=page.topics, next_cursor=page.next_cursor)

    def _names(self, request: DescribeTopicPartitionsRequest) -> Iterator[str]:
        named = {topic.name for topic in request.topics} or set(self._cache.image.topics)
        begin = request.cursor.topic_name if request.cursor is not None else ""
        return (name for name in sorted(named) if name >= begin)


class Page:
    def __init__(self, image: ClusterImage, partitions_max: int) -> None:
        self._image = image
        self._left = partitions_max
        self.topics: list[DescribeTopicPartitionsResponseTopic] = []
        self.next_cursor: Cursor | None = None

    def add(self, name: str, first: int) -> bool:
        """One topic from a partition on; False when the page is full, and `next_cursor` is set."""
        topic = self._image.topics.get(name)
        if topic is None:
            self.topics.append(missing_topic(name))
            return True
        if self._left == 0:
            self.next_cursor = Cursor(topic_name=name, partition_index=first)
            return False
        numbers = [number for number in sorted(topic.partitions) if number >= first]
        shown, rest = numbers[: self._left], numbers[self._left :]
        self._left -= len(shown)
        self.topics.append(self._describe(topic, shown))
        if rest:
            self.next_cursor = Cursor(topic_name=name, partition_index=rest[0])
        return not rest

    def _describe(self, topic: TopicImage, numbers: list[int]) -> DescribeTopicPartitionsResponseTopic:
        return DescribeTopicPartitionsResponseTopic(
            name=topic.name,
            topic_id=topic.topic_id,
            is_internal=topic.name in INTERNAL_TOPICS,
            partitions=[self._partition(number, topic.partitions[number]) for number in numbers],
            topic_authorized_operations=ALL_ON_TOPIC,
        )

    def _partition(self, number: int, partition: PartitionImage) -> DescribeTopicPartitionsResponsePartition:
        has_leader = partition.leader in self._image.brokers
        return DescribeTopicPartitionsResponsePartition(
            error_code=ErrorCode.NONE if has_leader else ErrorCode.LEADER_NOT_AVAILABLE,
            partition_index=number,
            leader_id=partition.leader if has_leader else NO_LEADER,
            leader_epoch=partition.leader_epoch,
            replica_nodes=list(partition.replicas),
            isr_nodes=list(partition.isr),
            eligible_leader_replicas=[],
            last_known_elr=[],
            offline_replicas=list(partition.offline_replicas),
        )


def missing_topic(name: str) -> DescribeTopicPartitionsResponseTopic:
    illegal = topic_name_problem(name) is not None
    code = ErrorCode.INVALID_TOPIC_EXCEPTION if illegal else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return DescribeTopicPartitionsResponseTopic(error_code=code, name=name)


def describe_error(
    request: DescribeTopicPartitionsRequest, version: int, error: KafkaError
) -> DescribeTopicPartitionsResponse:
    return DescribeTopicPartitionsResponse(
        topics=[
            DescribeTopicPartitionsResponseTopic(error_code=error.code, name=topic.name) for topic in request.topics
        ]
    )
