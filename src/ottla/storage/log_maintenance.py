"""What has to be done to partitions from time to time, spread so that thousands of them never come due at once.

A heap of (when, number of the partition): each partition is visited once every `log.retention.check.interval.ms` (or
more often, for the expiry of producers), partitions that came together being spread over that time, and a tick visits
only so many.
Besides: flushes by `flush.ms`, the epochs that changed, checkpoints, and the bound on producers.
"""

import heapq
import itertools
import logging
import random

from ottla.config.topic_config import LONG_MAX
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from ottla.storage.log.log_hooks import LogObserver
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log.retention import delete_old_segments
from ottla.storage.log_durability import LogDurability
from ottla.storage.log_registry import LogRegistry

logger = logging.getLogger(__name__)

VISITS_PER_TICK_MAX = 500
EPOCH_WRITES_PER_TICK_MAX = 20
INITIAL_DELAY_MS = 30_000
TICK_MS = 1000
FLUSH_INTERVAL_MS_MIN = 10


class LogMaintenance(LogObserver):
    def __init__(self, registry: LogRegistry, durability: LogDurability) -> None:
        self._registry = registry
        self._durability = durability
        self._heap: list[tuple[int, int]] = []
        self._count = itertools.count()
        self._logs: dict[int, PartitionLog] = {}
        self._numbers: dict[PartitionLog, int] = {}
        self._flushed_ms: dict[PartitionLog, int] = {}
        self._recovery_due = self._start_due = 0

    def log_added(self, log: PartitionLog) -> None:
        number = self._numbers[log] = next(self._count)
        self._logs[number] = log
        self.log_configured(log)
        heapq.heappush(self._heap, (-1, number))

    def log_removed(self, log: PartitionLog) -> None:
        """Nothing of the log is kept; its number is dropped when it comes up in the heap."""
        self._logs.pop(self._numbers.pop(log, -1), None)
        self._flushed_ms.pop(log, None)

    def log_configured(self, log: PartitionLog) -> None:
        if log.config.flush_ms == LONG_MAX:
            self._flushed_ms.pop(log, None)
        else:
            self._flushed_ms.setdefault(log, 0)

    def run(self, now_ms: int, wall_ms: int) -> None:
        """`now_ms` is monotonic, for when things are due; `wall_ms` is what record timestamps are compared with."""
        for log_dir in self._registry.dirs.online():
            log_dir.deletions.run_due(now_ms)
            log_dir.flusher.retry()
        self._visit_due(now_ms, wall_ms)
        self.flush_due(now_ms)
        self._write_epochs()
        self._bound_producers()
        self._checkpoint_due(now_ms)

    # -- one partition ------------------------------------------------------------------------------------------------

    def _visit_due(self, now_ms: int, wall_ms: int) -> None:
        for _ in range(VISITS_PER_TICK_MAX):
            if not self._heap or self._heap[0][0] > now_ms:
                return
            due_ms, number = heapq.heappop(self._heap)
            log = self._logs.get(number)
            if log is None:
                continue
            heapq.heappush(self._heap, (self._next_due(due_ms, now_ms), number))
            if due_ms >= 0:
                self._visit(log, wall_ms)

    def _next_due(self, due_ms: int, now_ms: int) -> int:
        """A new partition gets a place of its own within the interval, and keeps it."""
        settings = self._registry.settings
        interval = min(settings.retention_check_interval_ms, settings.producer_check_interval_ms)
        if due_ms < 0:
            return now_ms + min(INITIAL_DELAY_MS, interval) + int(random.random() * interval)
        return now_ms + interval

    def _visit(self, log: PartitionLog, wall_ms: int) -> None:
        log.producers.expire(wall_ms, self._registry.settings.producer_expiration_ms)
        try:
            delete_old_segments(log, high_watermark=self._durability.high_watermark(log), now_ms=wall_ms)
        except LogDirError as error:
            self._registry.dirs.fail(error)
        except KafkaStorageError as error:
            logger.warning("retention of %s is put off: %s", log.topic_partition, error)

    # -- all partitions -----------------------------------------------------------------------------------------------

    @property
    def flush_interval_ms(self) -> int:
        """How often `flush_due` must be called for `flush.ms` to be kept."""
        shortest = min((log.config.flush_ms for log in self._flushed_ms), default=2 * TICK_MS)
        return max(FLUSH_INTERVAL_MS_MIN, min(TICK_MS, shortest // 2))

    def flush_due(self, now_ms: int) -> None:
        """Flush what would be too late the next time. A message came after the last time that its log was durable."""
        interval_ms = self.flush_interval_ms
        for log, flushed_ms in list(self._flushed_ms.items()):
            if log.log_end_offset <= log.recovery_point:
                self._flushed_ms[log] = now_ms
            elif now_ms - flushed_ms + interval_ms >= log.config.flush_ms:
                self._flushed_ms[log] = now_ms
                self._durability.flush(log, log.log_end_offset)

    def _write_epochs(self) -> None:
        """Nothing depends on this (recovery reads them from the records), but people look at the file."""
        dirty = (log for log in self._registry.logs() if log.leader_epochs.dirty)
        for log in list(itertools.islice(dirty, EPOCH_WRITES_PER_TICK_MAX)):
            self._durability.flush(log, 0)

    def _bound_producers(self) -> None:
        """Too many producer ids over all: the partition that has the most forgets those longest not seen."""
        surplus = sum(len(log.producers) for log in self._registry.logs()) - self._registry.settings.producers_max
        if surplus <= 0:
            return
        log = max(self._registry.logs(), key=lambda log: len(log.producers))
        dropped = log.producers.shrink_to(max(0, len(log.producers) - max(surplus, len(log.producers) // 8)))
        logger.warning("%s: forgot %d producer ids, the longest not seen: too many", log.topic_partition, dropped)

    def _checkpoint_due(self, now_ms: int) -> None:
        settings = self._registry.settings
        if now_ms >= self._recovery_due:
            self._recovery_due = now_ms + settings.recovery_checkpoint_interval_ms
            self._durability.checkpoint_recovery_points()
        if now_ms >= self._start_due:
            self._start_due = now_ms + settings.log_start_checkpoint_interval_ms
            self._durability.checkpoint_log_starts()
