"""DeleteRecords, DescribeLogDirs, DescribeProducers, DescribeTopicPartitions over real logs."""

from pathlib import Path

import pytest

from ottla.errors import ErrorCode
from ottla.errors.kafka import InvalidRequestError
from ottla.handlers.context import RequestContext
from ottla.handlers.delete_records import DeleteRecordsHandlers
from ottla.handlers.log_dirs import LogDirHandlers
from ottla.handlers.producers import ProducersHandlers
from ottla.handlers.topic_partitions import TopicPartitionsHandlers
from ottla.metadata.image import BrokerRegistration, ClusterImage
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from ottla.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from ottla.protocol.messages.describe_producers import DescribeProducersRequest
from ottla.protocol.messages.describe_producers import TopicRequest as ProducersTopic
from ottla.protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicRequest,
)
from ottla.records.record import Record, encode_batch
from support.loops import on_loop
from support.replicas import TOPIC_ID, Replicas, replicas_in


def delete(replicas: Replicas, offset: int, topic: str = "t", index: int = 0) -> DeleteRecordsPartitionResult:
    part = DeleteRecordsPartition(partition_index=index, offset=offset)
    request = DeleteRecordsRequest(topics=[DeleteRecordsTopic(name=topic, partitions=[part])])
    handlers = DeleteRecordsHandlers(replicas.manager)
    return handlers.handle_delete_records(RequestContext(ApiKey.DELETE_RECORDS, 2), request).topics[0].partitions[0]


@on_loop
async def test_records_below_the_offset_are_gone(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        for _ in range(5):
            replicas.append(partition)
        assert delete(replicas, 3).low_watermark == 3
        assert delete(replicas, 1).low_watermark == 3
        assert delete(replicas, -1).low_watermark == 5
        assert partition.log.log_start_offset == 5


@on_loop
async def test_what_cannot_be_deleted_is_refused(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.append(replicas.lead())
        for offset in (2, -2):
            assert delete(replicas, offset).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        assert delete(replicas, 0, index=7).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert delete(replicas, 0, "__consumer_offsets").error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
        assert delete(replicas, 2).low_watermark == -1


@on_loop
async def test_compacted_topic_keeps_its_records(tmp_path: Path) -> None:
    with replicas_in(tmp_path, cleanup_policy="compact") as replicas:
        replicas.lead()
        assert delete(replicas, 0).error_code == ErrorCode.POLICY_VIOLATION


@on_loop
async def test_log_directories_tell_sizes_and_room(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(count=2)
        replicas.append(partition)
        handlers = LogDirHandlers(replicas.logs, replicas.manager)
        context = RequestContext(ApiKey.DESCRIBE_LOG_DIRS, 4)
        [result] = handlers.handle_describe_log_dirs(context, DescribeLogDirsRequest(topics=None)).results
        sizes = {part.partition_index: part.partition_size for topic in result.topics for part in topic.partitions}
        assert sizes == {0: partition.log.size, 1: 0}
        assert result.log_dir == str(tmp_path)
        assert result.total_bytes > result.usable_bytes > 0
        one = DescribeLogDirsRequest(topics=[DescribableLogDirTopic(topic="t", partitions=[1])])
        [result] = handlers.handle_describe_log_dirs(context, one).results
        assert [part.partition_index for part in result.topics[0].partitions] == [1]


@on_loop
async def test_producers_of_a_partition_are_listed(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        written = encode_batch([Record(0, 1, None, b"v", ())], producer_id=77, producer_epoch=3, base_sequence=0)
        replicas.manager.append(partition, memoryview(bytearray(written)), 1, 9, replicas.clock.wall_ms())
        request = DescribeProducersRequest(topics=[ProducersTopic(name="t", partition_indexes=[0, 9, 0])] * 2)
        handlers = ProducersHandlers(replicas.manager)
        context = RequestContext(ApiKey.DESCRIBE_PRODUCERS, 0)
        [topic] = handlers.handle_describe_producers(context, request).topics
        found, missing = topic.partitions  # What is named again is told once.
        [producer] = found.active_producers
        assert (producer.producer_id, producer.producer_epoch, producer.last_sequence) == (77, 3, 0)
        assert missing.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def describe(replicas: Replicas, request: DescribeTopicPartitionsRequest) -> DescribeTopicPartitionsResponse:
    handlers = TopicPartitionsHandlers(replicas.metadata, lambda: 2000)
    return handlers.handle_describe_topic_partitions(RequestContext(ApiKey.DESCRIBE_TOPIC_PARTITIONS, 0), request)


@on_loop
async def test_topics_come_page_by_page(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead("b", 3)
        replicas.lead("a", 2)
        image = replicas.metadata.image
        replicas.metadata.swap(ClusterImage(topics=image.topics, brokers={1: BrokerRegistration(1, {})}))
        seen: list[tuple[str | None, int]] = []
        cursor: Cursor | None = None
        pages = 0
        while True:
            page = describe(replicas, DescribeTopicPartitionsRequest(response_partition_limit=2, cursor=cursor))
            seen += [(topic.name, part.partition_index) for topic in page.topics for part in topic.partitions]
            pages += 1
            cursor = page.next_cursor
            if cursor is None:
                break
        assert seen == [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2)]
        assert pages == 3


@on_loop
async def test_named_topics_are_described_or_said_to_be_missing(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead("b", 1)
        names = [TopicRequest(name=name) for name in ("b", "no", "a/b")]
        topics = describe(replicas, DescribeTopicPartitionsRequest(topics=names)).topics
        assert {topic.name: topic.error_code for topic in topics} == {
            "a/b": ErrorCode.INVALID_TOPIC_EXCEPTION,
            "b": ErrorCode.NONE,
            "no": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        }
        assert next(topic.topic_id for topic in topics if topic.name == "b") == TOPIC_ID
        with pytest.raises(InvalidRequestError):
            describe(replicas, DescribeTopicPartitionsRequest(cursor=Cursor(topic_name="b", partition_index=-1)))
