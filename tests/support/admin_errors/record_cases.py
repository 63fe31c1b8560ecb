"""DeleteRecords, DescribeLogDirs and DescribeProducers."""

from ottla.protocol.messages.delete_records import DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic
from ottla.protocol.messages.describe_log_dirs import DescribableLogDirTopic, DescribeLogDirsRequest
from ottla.protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from support.admin_errors.case import Case


def delete(topic: str, partition: int, offset: int) -> DeleteRecordsRequest:
    wanted = DeleteRecordsPartition(partition_index=partition, offset=offset)
    return DeleteRecordsRequest(topics=[DeleteRecordsTopic(name=topic, partitions=[wanted])], timeout_ms=20_000)


def log_dirs(topic: str, *partitions: int) -> DescribeLogDirsRequest:
    return DescribeLogDirsRequest(topics=[DescribableLogDirTopic(topic=topic, partitions=list(partitions))])


def producers(topic: str, *partitions: int) -> DescribeProducersRequest:
    return DescribeProducersRequest(topics=[TopicRequest(name=topic, partition_indexes=list(partitions))])


RECORD_CASES = [
    Case("records: up to an offset", 2, delete("t", 0, 2)),
    Case("records: the same again", 2, delete("t", 0, 2)),
    Case("records: below the start", 2, delete("t", 0, 1)),
    Case("records: beyond the end", 2, delete("t", 0, 99)),
    Case("records: negative offset", 2, delete("t", 0, -5)),
    Case("records: all", 2, delete("t", 0, -1)),
    Case("records: of an empty partition", 2, delete("t", 1, -1)),
    Case("records: unknown topic", 2, delete("unknown", 0, 0)),
    Case("records: unknown partition", 2, delete("t", 9, 0)),
    Case("records: negative partition", 2, delete("t", -1, 0)),
    Case("records: internal topic", 2, delete("__consumer_offsets", 0, 0)),
    Case("records: no topics", 2, DeleteRecordsRequest(topics=[], timeout_ms=20_000)),
    Case("records: version 0", 0, delete("unknown", 0, 0)),
    Case("log dirs: two partitions", 4, log_dirs("t", 0, 1)),
    Case("log dirs: version 0", 0, log_dirs("t", 0)),
    Case("log dirs: unknown topic", 4, log_dirs("unknown", 0)),
    Case("log dirs: unknown partition", 4, log_dirs("t", 9)),
    Case("log dirs: no topics", 4, DescribeLogDirsRequest(topics=[])),
    Case("producers: none", 0, producers("t", 0, 1)),
    Case("producers: unknown topic", 0, producers("unknown", 0)),
    Case("producers: unknown partition", 0, producers("t", 9)),
    Case("producers: invalid name", 0, producers("a/b", 0)),
    Case("producers: no topics", 0, DescribeProducersRequest(topics=[])),
]
