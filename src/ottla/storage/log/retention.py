"""Which of a log's oldest segments may go: by time, by size, by the log start offset.

    time    every record is older than retention.ms: the largest timestamp in the segment decides, and the time of the
            file where records have none
    size    without it the log is still at least retention.bytes long
    start   all of it lies below the log start offset (DeleteRecords); this one holds for compacted topics too

Never past the high watermark: what is not replicated yet is not deleted. The active segment goes as well, a new one is
begun first (`PartitionLog.delete_oldest`).
"""

import logging

from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.segment.segment import Segment

logger = logging.getLogger(__name__)


def delete_old_segments(log: PartitionLog, *, high_watermark: int, now_ms: int) -> int:
    """Delete what retention allows; how many bytes went."""
    freed = 0
    if log.config.is_deleted:
        freed += _delete(log, expired_segments(log, high_watermark, now_ms), "retention.ms", now_ms)
        freed += _delete(log, surplus_segments(log, high_watermark), "retention.bytes", now_ms)
    return freed + _delete(log, passed_segments(log, high_watermark), "the log start offset", now_ms)


def expired_segments(log: PartitionLog, high_watermark: int, now_ms: int) -> int:
    """How many segments, from the oldest, retention by time gives up."""
    retention_ms = log.config.retention_ms
    if retention_ms < 0:
        return 0
    return log.deletable_segments(lambda segment, _: now_ms - segment.largest_timestamp > retention_ms, high_watermark)


def surplus_segments(log: PartitionLog, high_watermark: int) -> int:
    """How many segments, from the oldest, retention by size gives up."""
    retention_bytes = log.config.retention_bytes
    surplus = log.size - retention_bytes
    if retention_bytes < 0 or surplus <= 0:
        return 0

    def is_surplus(segment: Segment, _: int) -> bool:
        nonlocal surplus
        surplus -= segment.size
        return surplus >= 0

    return log.deletable_segments(is_surplus, high_watermark)


def passed_segments(log: PartitionLog, high_watermark: int) -> int:
    """How many segments lie below the log start offset as a whole."""
    start_offset = log.log_start_offset
    return log.deletable_segments(
        lambda segment, end_offset: end_offset <= start_offset and segment is not log.active, high_watermark
    )


def _delete(log: PartitionLog, count: int, reason: str, now_ms: int) -> int:
    if count == 0:
        return 0
    freed = log.delete_oldest(count, now_ms=now_ms)
    logger.info("%s: deleted %d segments, %d bytes, because of %s", log.topic_partition, count, freed, reason)
    return freed
