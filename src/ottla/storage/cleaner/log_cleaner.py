"""Cleans the compacted logs of a broker, one at a time: plan, let the child work, swap, note how far it came.

Everything here runs on the loop; what blocks is handed to the background of the cleaner (the child) or of the log
directory (syncs). Nothing depends on how far a cleaning came when the broker stops.

    idle ──► cleaning (child) ──► for each group: swap renamed ──► synced ──► in place ──► idle

A log that cannot be cleaned holds up no other: it is tried again after a backoff of its own, or, where its records are
damaged, not before the next start. What is known here of a log goes with it, so that a later one of the same name
begins anew.
"""

import logging
from collections.abc import Callable, Iterable

from ottla.clock import Clock
from ottla.config.topic_config import LONG_MAX
from ottla.errors import LogDirError, OttlaError
from ottla.errors.kafka import CorruptMessageError
from ottla.model import TopicPartition
from ottla.storage.background import Background
from ottla.storage.cleaner.cleaner_metrics import CleanerMetrics
from ottla.storage.cleaner.job import AbortedRange, CleaningJob, CleaningResult, SourceSegment
from ottla.storage.cleaner.planning import CleaningPlan, choose_plan, plan_cleaning
from ottla.storage.cleaner.process import CleanerDiedError
from ottla.storage.cleaner.settings import CleanerSettings
from ottla.storage.cleaner.swapping import (
    discard,
    is_still_valid,
    put_in_place,
    remove_leftovers,
    rename_to_swap,
    replaced_segments,
)
from ottla.storage.log.aborted_transactions import collect_aborted
from ottla.storage.log.log_hooks import LogObserver
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir.checkpoints import CLEANER, OffsetsByPartition
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.log_manager import LogManager
from ottla.storage.segment.segment import Segment

logger = logging.getLogger(__name__)

Run = Callable[[CleaningJob], CleaningResult]
SwapStep = Callable[[CleaningPlan, CleaningResult, int], None]


class LogCleaner(LogObserver):
    """`run` does a job and blocks (`CleanerProcess.run`); `background` is where it does so."""

    def __init__(
        self,
        logs: LogManager,
        settings: Callable[[], CleanerSettings],
        clock: Clock,
        run: Run,
        background: Background,
        metrics: CleanerMetrics,
    ) -> None:
        self._registry = logs.registry
        self._dirs = logs.dirs
        self._high_watermark = logs.durability.high_watermark
        self._settings = settings
        self._clock = clock
        self._run = run
        self._background = background
        self._clean_offsets: OffsetsByPartition = {}
        self._uncleanable: set[TopicPartition] = set()
        self._retry_at: dict[TopicPartition, float] = {}
        self._outdated: set[LogDir] = set()  # whose checkpoint names logs that are gone
        self._due = 0.0
        self._is_stopped = False
        self._began_at = clock.monotonic()
        self._metrics = metrics
        self.is_busy = False
        metrics.observe(
            lambda: (clock.monotonic() - self._began_at) * 1000,
            lambda: self._sum_uncleanable(lambda log: 1),
            lambda: self._sum_uncleanable(lambda log: log.size),
        )
        logs.registry.subscribe(self)

    def load(self) -> None:
        """How far the logs were cleaned before the last stop."""
        for log_dir in self._dirs.online():
            noted = log_dir.read_checkpoint(CLEANER)
            # A line without its log is of one that was deleted, and one past its end of another with the same name.
            self._clean_offsets.update(
                (name, offset)
                for name, offset in noted.items()
                if name in log_dir.logs and offset <= log_dir.logs[name].log_end_offset
            )

    def stop(self) -> None:
        """Leave everything as it is: the next start puts it right."""
        self._is_stopped = True

    def clean_offset(self, partition: TopicPartition) -> int:
        return self._clean_offsets.get(partition, -1)

    def log_truncated(self, log: PartitionLog, offset: int) -> None:
        """What is appended from `offset` on is dirty, though the log was cleaned beyond it before."""
        partition = log.topic_partition
        if self._clean_offsets.get(partition, -1) > offset:
            self._clean_offsets[partition] = offset

    def log_removed(self, log: PartitionLog) -> None:
        """A later log of the same name has nothing to do with this one."""
        partition = log.topic_partition
        self._uncleanable.discard(partition)
        self._retry_at.pop(partition, None)
        if self._clean_offsets.pop(partition, None) is not None:
            self._outdated.add(self._dirs.of(log))  # Not written here: a topic has many partitions.

    def tick(self) -> None:
        """About once a second: begin a cleaning if one is due and none is under way."""
        while self._outdated:
            self._write_checkpoint(self._outdated.pop())
        is_off = self._is_stopped or not self._settings().is_enabled
        if is_off or self.is_busy or self._clock.monotonic() < self._due:
            return
        plans = self._plans()
        self._metrics.dirty_percent.value = 100 * max((plan.dirty_ratio for plan in plans), default=0)
        plan = choose_plan(plans, self._retry_at)
        if plan is None:
            self._due = self._after_backoff()
        else:
            self._begin(plan)

    def _after_backoff(self) -> float:
        return self._clock.monotonic() + self._settings().backoff_ms / 1000

    def _plans(self) -> list[CleaningPlan]:
        plans = [self._plan(log) for log in list(self._registry.logs()) if self._may_be_cleaned(log)]
        return [plan for plan in plans if plan is not None and self._is_here(plan.log)]

    def _may_be_cleaned(self, log: PartitionLog) -> bool:
        partition = log.topic_partition
        is_put_off = self._clock.monotonic() < self._retry_at.get(partition, 0.0)
        return log.config.is_compacted and self._is_here(log) and not is_put_off and partition not in self._uncleanable

    def _is_here(self, log: PartitionLog) -> bool:
        """Not deleted, maybe with a namesake in its place, and not in a directory that is offline."""
        return self._registry.get(log.topic_partition) is log

    def _plan(self, log: PartitionLog) -> CleaningPlan | None:
        try:
            return plan_cleaning(
                log,
                self.clean_offset(log.topic_partition),
                high_watermark=self._high_watermark(log),
                now_ms=self._clock.wall_ms(),
            )
        except CorruptMessageError as error:
            self._exclude(log, str(error))
        except OttlaError as error:
            self._failed(log, error)
        return None

    def _sum_uncleanable(self, measure: Callable[[PartitionLog], int]) -> list[tuple[tuple[str], float]]:
        return [
            ((log_dir.path,), sum(measure(log) for name, log in log_dir.logs.items() if name in self._uncleanable))
            for log_dir in self._dirs.online()
        ]

    # The child's part

    def _begin(self, plan: CleaningPlan) -> None:
        self.is_busy = True
        self._began_at = self._clock.monotonic()
        self._metrics.delay_seconds.value = plan.overdue_ms / 1000
        results: list[CleaningResult] = []
        try:
            job = self._job(plan)
            remove_leftovers(plan.log)
        except OttlaError as error:
            self._failed(plan.log, error)
            return
        self._background.submit(
            lambda: results.append(self._run(job)),
            lambda error: self._cleaned(plan, results[0] if results else None, error),
        )

    def _job(self, plan: CleaningPlan) -> CleaningJob:
        log, config = plan.log, plan.log.config
        aborted = collect_aborted(log.segments, plan.segments[0].base_offset, plan.end_offset)
        return CleaningJob(
            directory=log.directory,
            segments=[
                SourceSegment(segment.base_offset, size)
                for segment, size in zip(plan.segments, plan.sizes, strict=True)
            ],
            first_dirty_offset=plan.first_dirty_offset,
            end_offset=plan.end_offset,
            segment_bytes=config.segment_bytes,
            index_bytes_max=config.segment_index_bytes,
            index_interval_bytes=config.index_interval_bytes,
            delete_retention_ms=min(config.delete_retention_ms, LONG_MAX - self._clock.wall_ms()),
            now_ms=self._clock.wall_ms(),
            map_entries_max=self._settings().map_entries_max,
            aborted=[AbortedRange(one.producer_id, one.first_offset, one.last_offset) for one in aborted],
            last_offsets={producer_id: entry.last_offset for producer_id, entry in log.producers.items()},
        )

    def _cleaned(self, plan: CleaningPlan, result: CleaningResult | None, error: Exception | None) -> None:
        if self._is_stopped:
            return
        if result is None:
            self._failed(plan.log, error)
        elif not self._is_wanted(plan, plan.segments if result.error else ()):
            self._give_up(plan, result, 0)  # What the child read may have been another log, or a part of one.
        elif result.is_damaged:
            self._exclude(plan.log, result.error)
            self.is_busy = False
        elif result.error:
            self._failed(plan.log, result.error)
        else:
            self._swap_next(plan, result, 0)

    def _exclude(self, log: PartitionLog, reason: str) -> None:
        """The error lies in the log itself, and would be there the next time."""
        logger.error("%s is not cleaned any more: %s", log.topic_partition, reason)
        self._uncleanable.add(log.topic_partition)

    def _failed(self, log: PartitionLog, error: Exception | str | None) -> None:
        """Nothing has changed in the log; it is tried again after the backoff."""
        logger.warning("cleaning of %s failed: %s", log.topic_partition, error)
        if isinstance(error, LogDirError):
            self._dirs.fail(error)
        if isinstance(error, CleanerDiedError):
            self._metrics.dead_processes.value += 1
        if self._is_here(log):
            self._retry_at[log.topic_partition] = self._after_backoff()
        self.is_busy = False

    # The swap

    def _swap_next(self, plan: CleaningPlan, result: CleaningResult, number: int) -> None:
        if number == len(result.groups):
            self._finish(plan, result)
            return
        group = result.groups[number]
        if not self._is_wanted(plan, replaced_segments(plan, group)):
            self._give_up(plan, result, number)
            return
        try:
            rename_to_swap(plan.log, group)
        except OttlaError as error:
            self._failed(plan.log, error)
            return
        self._sync(plan, result, number, self._put_in_place)

    def _put_in_place(self, plan: CleaningPlan, result: CleaningResult, number: int) -> None:
        group = result.groups[number]
        if not self._is_wanted(plan, replaced_segments(plan, group)):
            self._give_up(plan, result, number)
            return
        try:
            put_in_place(plan, group, now_ms=self._clock.wall_ms())
        except OttlaError as error:
            self._failed(plan.log, error)
            return
        self._sync(plan, result, number + 1, self._swap_next)

    def _is_wanted(self, plan: CleaningPlan, segments: Iterable[Segment]) -> bool:
        return self._is_here(plan.log) and is_still_valid(plan, segments)

    def _sync(self, plan: CleaningPlan, result: CleaningResult, number: int, then: SwapStep) -> None:
        log = plan.log
        disk, path = log.log_directory.disk, log.directory

        def synced(error: Exception | None) -> None:
            if self._is_stopped:
                return
            if not self._is_here(log):  # Its directory may have been renamed under the sync, which is no failure.
                self._give_up(plan, result, number)
            elif error is None:
                then(plan, result, number)
            else:
                self._failed(log, log.log_directory.sync_failure(error) if isinstance(error, OSError) else error)

        self._dirs.of(log).background.submit(lambda: disk.sync_directory(path), synced)

    def _give_up(self, plan: CleaningPlan, result: CleaningResult, number: int) -> None:
        """The log was deleted, cut or moved meanwhile: what is swapped already stays, the rest goes."""
        logger.info("%s changed while it was cleaned; it is cleaned again", plan.log.topic_partition)
        try:
            for group in result.groups[number:]:
                discard(plan.log, group)
        except OttlaError as error:
            self._failed(plan.log, error)
            return
        self.is_busy = False

    def _finish(self, plan: CleaningPlan, result: CleaningResult) -> None:
        log = plan.log
        self._clean_offsets[log.topic_partition] = result.clean_offset
        self._retry_at.pop(log.topic_partition, None)
        self._write_checkpoint(self._dirs.of(log))
        self._metrics.recopy_percent.value = 100 * result.bytes_written / max(1, sum(plan.sizes))
        self._metrics.map_percent.value = 100 * result.keys_count / self._settings().map_entries_max
        self._metrics.clean_time_seconds.value = self._clock.monotonic() - self._began_at
        logger.info(
            "%s: cleaned %d segments (%d bytes) into %d (%d bytes), up to offset %d",
            log.topic_partition,
            sum(len(group.replaces) for group in result.groups),
            sum(plan.sizes),
            len(result.groups),
            result.bytes_written,
            result.clean_offset,
        )
        self.is_busy = False

    def _write_checkpoint(self, log_dir: LogDir) -> None:
        offsets = {name: offset for name, offset in self._clean_offsets.items() if name in log_dir.logs}
        log_dir.write_checkpoint(CLEANER, offsets)
