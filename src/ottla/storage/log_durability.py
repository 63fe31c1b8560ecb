"""What is on disk and what is known to be: flushes, recovery points, checkpoints, and truncation, which is durable.

The high watermark of a log is replication's (`high_watermark`). Logs are truncated through here: the recovery point
must be lowered on disk first, or after a crash recovery would trust records that were written in the place of others.
"""

from collections.abc import Callable, Sequence

from ottla.clock import Clock
from ottla.clock.clocks import monotonic_ms
from ottla.errors import OttlaError
from ottla.observability.conversion_metrics import Conversion
from ottla.storage.background import Done
from ottla.storage.log.log_hooks import LogObservers
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT, OffsetsByPartition
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.log_dir.log_dirs import LogDirs
from ottla.storage.segment.segment import Segment


class LogDurability:
    """Implements `LogHooks`: what a log tells on a roll or a truncation becomes syncs and deletions."""

    def __init__(
        self,
        dirs: LogDirs,
        clock: Clock,
        observers: LogObservers,
        high_watermark: Callable[[PartitionLog], int],
        on_converted: Callable[[PartitionLog, Conversion], None],
    ) -> None:
        self._dirs = dirs
        self._clock = clock
        self._observers = observers
        self.high_watermark = high_watermark
        self._on_converted = on_converted

    # Flushes

    def flush(self, log: PartitionLog, up_to_offset: int, done: Done | None = None) -> None:
        """Make everything below the offset durable (group commit), then call `done` with None or the error."""
        self._dirs.of(log).flusher.request(log, up_to_offset, done)

    def must_flush(self, log: PartitionLog) -> bool:
        """Whether so much is unflushed that `flush.messages` wants a flush before the next acknowledgement."""
        return log.log_end_offset - log.recovery_point >= log.config.flush_messages

    # From the log (`LogHooks`)

    def segment_closed(self, log: PartitionLog, segment: Segment) -> None:
        self._dirs.of(log).flusher.segment_closed(log, segment)

    def log_truncated(self, log: PartitionLog, offset: int) -> None:
        self._observers.log_truncated(log, offset)
        self._dirs.of(log).flusher.truncated(log, offset)

    def records_converted(self, log: PartitionLog, conversion: Conversion) -> None:
        self._on_converted(log, conversion)

    def segments_deleted(self, log: PartitionLog, segments: Sequence[Segment]) -> None:
        due_ms = monotonic_ms(self._clock) + log.config.file_delete_delay_ms
        log_dir = self._dirs.of(log)
        log_dir.flusher.segments_deleted(log, segments)
        log_dir.deletions.add_segments(segments, due_ms)

    # Truncation

    def truncate_to(self, log: PartitionLog, offset: int) -> bool:
        """Cut off the end of a log, durably. False when it ends before `offset` anyway."""
        if offset >= log.log_end_offset:
            return log.truncate_to(offset, now_ms=self._clock.wall_ms())
        self._lower_recovery_point(log, offset)
        is_cut = log.truncate_to(offset, now_ms=self._clock.wall_ms())
        self._sync_truncation(log)
        return is_cut

    def truncate_fully(self, log: PartitionLog, new_start: int) -> None:
        """Drop all records of a log; it goes on at `new_start`."""
        self._lower_recovery_point(log, 0)
        log.truncate_fully(new_start, now_ms=self._clock.wall_ms())
        self._sync_truncation(log)

    def _lower_recovery_point(self, log: PartitionLog, offset: int) -> None:
        log_dir = self._dirs.of(log)
        if offset < log.recovery_point:  # Until it is written the old one stands: a refused truncation is tried again.
            lowered = min(offset, log_dir.flusher.checkpoint_point(log))
            log_dir.write_checkpoint_now(RECOVERY_POINT, log_dir.recovery_points() | {log.topic_partition: lowered})
            log.lower_recovery_point(offset)

    def _sync_truncation(self, log: PartitionLog) -> None:
        """So that no segment that was dropped comes back after a crash, beside records written since."""
        with log.log_directory.no_way_back():
            log.active.log.sync()
            log.log_directory.sync_directory(log.directory)

    # Checkpoints

    def checkpoint_recovery_points(self) -> None:
        for log_dir in self._dirs.online():
            log_dir.write_checkpoint(RECOVERY_POINT, log_dir.recovery_points())

    def checkpoint_log_starts(self) -> None:
        for log_dir in self._dirs.online():
            log_dir.write_checkpoint(LOG_START, log_dir.log_start_offsets())

    def checkpoint_high_watermarks(self) -> None:
        """For replication, every `replica.high.watermark.checkpoint.interval.ms`."""
        for log_dir in self._dirs.online():
            log_dir.write_checkpoint(HIGH_WATERMARK, self._high_watermarks(log_dir))

    def write_high_watermarks_now(self) -> None:
        for log_dir in self._dirs.online():
            try:
                log_dir.write_checkpoint_now(HIGH_WATERMARK, self._high_watermarks(log_dir))
            except OttlaError as error:
                log_dir.fail(error)

    def _high_watermarks(self, log_dir: LogDir) -> OffsetsByPartition:
        return {partition: self.high_watermark(log) for partition, log in log_dir.logs.items()}
