"""DescribeLogDirs (0-5): what lies in each log directory of this broker, and how much room is left there.

Version-dependent meaning:
    3+    an error for the request as a whole
    4+    total and usable bytes of the volume
"""

from collections.abc import Iterable

from ottla.errors import ErrorCode, KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.model import TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.describe_log_dirs import (
    DescribableLogDirTopic,
    DescribeLogDirsPartition,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeLogDirsResult,
    DescribeLogDirsTopic,
)
from ottla.replication.replica_manager import ReplicaManager
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.log_manager import LogManager

VERSIONS = (0, 5)


class LogDirHandlers:
    def __init__(self, logs: LogManager, replicas: ReplicaManager) -> None:
        self._logs = logs
        self._replicas = replicas

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.DESCRIBE_LOG_DIRS, self.handle_describe_log_dirs, *VERSIONS, describe_log_dirs_error)

    def handle_describe_log_dirs(
        self, context: RequestContext, request: DescribeLogDirsRequest
    ) -> DescribeLogDirsResponse:
        wanted = wanted_partitions(request.topics)
        return DescribeLogDirsResponse(results=[self._describe(log_dir, wanted) for log_dir in self._logs.dirs.all])

    def _describe(self, log_dir: LogDir, wanted: set[TopicPartition] | None) -> DescribeLogDirsResult:
        if not log_dir.is_online:
            return DescribeLogDirsResult(error_code=ErrorCode.KAFKA_STORAGE_ERROR, log_dir=log_dir.path)
        total_bytes, usable_bytes = log_dir.directory.capacity()
        chosen = (log for name, log in log_dir.logs.items() if wanted is None or name in wanted)
        return DescribeLogDirsResult(
            log_dir=log_dir.path,
            topics=self._topics(chosen),
            total_bytes=total_bytes,
            usable_bytes=usable_bytes,
        )

    def _topics(self, logs: Iterable[PartitionLog]) -> list[DescribeLogDirsTopic]:
        topics: dict[str, DescribeLogDirsTopic] = {}
        for log in logs:
            name, index = log.topic_partition
            topic = topics.setdefault(name, DescribeLogDirsTopic(name=name, partitions=[]))
            lag = max(0, self._replicas.high_watermark(log) - log.log_end_offset)
            topic.partitions.append(
                DescribeLogDirsPartition(partition_index=index, partition_size=log.size, offset_lag=lag)
            )
        return list(topics.values())


def wanted_partitions(topics: list[DescribableLogDirTopic] | None) -> set[TopicPartition] | None:
    """None asks for all."""
    if topics is None:
        return None
    return {TopicPartition(topic.topic, index) for topic in topics for index in topic.partitions}


def describe_log_dirs_error(
    request: DescribeLogDirsRequest, version: int, error: KafkaError
) -> DescribeLogDirsResponse:
    return DescribeLogDirsResponse(error_code=error.code)
