"""ListOffsets (0-11): where a partition begins, ends, or was at some time.

Version-dependent meaning:
    0      the old getOffsetsBefore: up to `max_num_offsets` segment starts before a time, newest first
    2+     isolation level: "latest" is the last stable offset for read_committed
    4+     leader epochs checked and answered
    5+     a leader that does not know the high watermark yet says OFFSET_NOT_AVAILABLE (before: LEADER_NOT_AVAILABLE),
           for "latest" and for a time that no record below it has
    7+     -3: the record with the largest timestamp
    8+     -4: the earliest offset on local disk (all of them, without tiering)
    9+     -5: the latest tiered offset (none)
    11+    -6: the earliest offset that awaits upload (none)
"""

from ottla.clock import Clock
from ottla.errors import KafkaError, LogDirError
from ottla.errors.kafka import (
    InvalidRequestError,
    LeaderNotAvailableError,
    OffsetNotAvailableError,
    UnsupportedVersionError,
)
from ottla.handlers.context import RequestContext
from ottla.handlers.registry import HandlerTable
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
    ListOffsetsTopicResponse,
)
from ottla.replication.fetch_reader import READ_COMMITTED
from ottla.replication.partition import Partition
from ottla.replication.replica_manager import ReplicaManager

VERSIONS = (0, 11)
LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6
_OFFSET_NOT_AVAILABLE_VERSION = 5
_FIRST_VERSION = {MAX_TIMESTAMP: 7, EARLIEST_LOCAL: 8, LATEST_TIERED: 9, EARLIEST_PENDING_UPLOAD: 11}


class ListOffsetsHandlers:
    def __init__(self, replicas: ReplicaManager, clock: Clock) -> None:
        self._replicas = replicas
        self._clock = clock

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.LIST_OFFSETS, self.handle_list_offsets, *VERSIONS, list_offsets_error)

    def handle_list_offsets(self, context: RequestContext, request: ListOffsetsRequest) -> ListOffsetsResponse:
        duplicates = named_twice(request.topics)
        return ListOffsetsResponse(
            topics=[
                ListOffsetsTopicResponse(
                    name=topic.name,
                    partitions=[
                        self._answer(context, request, topic.name, part, duplicates) for part in topic.partitions
                    ],
                )
                for topic in request.topics
            ]
        )

    def _answer(
        self,
        context: RequestContext,
        request: ListOffsetsRequest,
        topic: str,
        part: ListOffsetsPartition,
        duplicates: set[tuple[str, int]],
    ) -> ListOffsetsPartitionResponse:
        answer = ListOffsetsPartitionResponse(partition_index=part.partition_index)
        try:
            if (topic, part.partition_index) in duplicates:
                raise InvalidRequestError(f"{topic}-{part.partition_index} is named twice")
            partition = self._replicas.partition(topic, part.partition_index)
            partition.check_leader(part.current_leader_epoch)
            if context.api_version == 0:
                answer.old_style_offsets = offsets_before(partition, part, request, self._clock.wall_ms())
            else:
                fill(answer, partition, part.timestamp, request, context.api_version)
        except KafkaError as error:
            answer.error_code = error.code
        except LogDirError as error:
            answer.error_code = self._replicas.storage_failed(error).code
        return answer


def end_offset(partition: Partition, request: ListOffsetsRequest) -> int:
    """Below it lies what the asker may read."""
    if request.replica_id >= 0:
        return partition.log.log_end_offset  # A follower copies what is not committed yet.
    committed = request.isolation_level == READ_COMMITTED
    return (partition.last_stable_offset if committed else partition.high_watermark).offset


def check_available(partition: Partition, request: ListOffsetsRequest, version: int) -> None:
    """A new leader does not know how far its predecessor had come until its own epoch is committed (KIP-207).

    To a consumer it says neither where the end is, nor that a record is not there.
    """
    leadership = partition.leadership
    if request.replica_id >= 0 or leadership is None:
        return
    if partition.high_watermark.offset < leadership.epoch_start_offset:
        problem = f"the high watermark of {partition.topic_partition} is not known yet"
        if version >= _OFFSET_NOT_AVAILABLE_VERSION:
            raise OffsetNotAvailableError(problem)
        raise LeaderNotAvailableError(problem)


def fill(
    answer: ListOffsetsPartitionResponse,
    partition: Partition,
    timestamp: int,
    request: ListOffsetsRequest,
    version: int,
) -> None:
    if timestamp < EARLIEST and version < _FIRST_VERSION.get(timestamp, version + 1):
        raise UnsupportedVersionError(f"timestamp {timestamp} means nothing in version {version}")
    if timestamp == LATEST:
        check_available(partition, request, version)
        answer.offset = end_offset(partition, request)
        answer.leader_epoch = partition.leader_epoch
    elif timestamp in (EARLIEST, EARLIEST_LOCAL):
        answer.offset = partition.log.log_start_offset
        answer.leader_epoch = partition.log.leader_epochs.epoch_for_offset(answer.offset)
    elif timestamp >= MAX_TIMESTAMP:
        fill_from_record(answer, partition, timestamp, request, version)


def fill_from_record(
    answer: ListOffsetsPartitionResponse,
    partition: Partition,
    timestamp: int,
    request: ListOffsetsRequest,
    version: int,
) -> None:
    log = partition.log
    found = log.offset_of_max_timestamp() if timestamp == MAX_TIMESTAMP else log.offset_for_timestamp(timestamp)
    if not 0 <= found.offset < end_offset(partition, request):
        check_available(partition, request, version)
        return
    answer.offset = found.offset
    answer.timestamp = found.timestamp
    answer.leader_epoch = found.leader_epoch


def offsets_before(
    partition: Partition, part: ListOffsetsPartition, request: ListOffsetsRequest, now_ms: int
) -> list[int]:
    """The starts of the segments last written by a time, newest first; before them the end, which is of now.

    Of segments that begin past the end only the end is told.
    """
    log, timestamp, count_max = partition.log, part.timestamp, max(0, part.max_num_offsets)
    if timestamp == EARLIEST:
        return [log.log_start_offset][:count_max]
    end = end_offset(partition, request)
    offsets = {
        min(max(segment.base_offset, log.log_start_offset), end)
        for segment in log.segments
        if timestamp == LATEST or segment.modified_ms <= timestamp
    }
    if timestamp == LATEST or now_ms <= timestamp:
        offsets.add(end)
    return sorted(offsets, reverse=True)[:count_max]


def named_twice(topics: list[ListOffsetsTopic]) -> set[tuple[str, int]]:
    seen: set[tuple[str, int]] = set()
    twice: set[tuple[str, int]] = set()
    for topic in topics:
        for part in topic.partitions:
            key = (topic.name, part.partition_index)
            (twice if key in seen else seen).add(key)
    return twice


def list_offsets_error(request: ListOffsetsRequest, version: int, error: KafkaError) -> ListOffsetsResponse:
    return ListOffsetsResponse(
        topics=[
            ListOffsetsTopicResponse(
                name=topic.name,
                partitions=[
                    ListOffsetsPartitionResponse(partition_index=part.partition_index, error_code=error.code)
                    for part in topic.partitions
                ],
            )
            for topic in request.topics
        ]
    )
