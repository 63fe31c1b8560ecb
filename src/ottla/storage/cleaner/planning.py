"""Which log is cleaned next, and how far. Pure decisions over what the logs say of themselves.

    log start ──── clean ────► first dirty offset ──── dirty ────► end ──── not to be touched ────► log end

Not to be touched is the active segment, and what is not replicated, not flushed, not decided (an open transaction) or
younger than `min.compaction.lag.ms`. A log is due when the dirty part is more than `min.cleanable.dirty.ratio` of what
may be cleaned, or when its oldest dirty record has waited for `max.compaction.lag.ms`.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ottla.config.topic_config import LONG_MAX
from ottla.model import TopicPartition
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.segment.segment import Segment


class CleaningPlan(NamedTuple):
    """`segments` begin at the log's start and end at `end_offset`; `sizes` are theirs at the time of the plan."""

    log: PartitionLog
    segments: tuple[Segment, ...]
    sizes: tuple[int, ...]
    first_dirty_offset: int
    end_offset: int
    dirty_bytes: int
    overdue_ms: int

    @property
    def is_overdue(self) -> bool:
        return self.overdue_ms > 0

    @property
    def dirty_ratio(self) -> float:
        return self.dirty_bytes / max(1, sum(self.sizes))

    @property
    def is_due(self) -> bool:
        return self.dirty_bytes > 0 and (
            self.is_overdue or self.dirty_ratio > self.log.config.min_cleanable_dirty_ratio
        )


def plan_cleaning(log: PartitionLog, clean_offset: int, *, high_watermark: int, now_ms: int) -> CleaningPlan | None:
    """What may be cleaned; None when nothing is dirty. `clean_offset` is how far it was cleaned before."""
    segments = _cleanable_segments(log, high_watermark, now_ms)
    if not segments:
        return None
    end_offset = log.segments.next_base_offset(len(segments) - 1, log.log_end_offset)
    # An offset from before the log was deleted or truncated says nothing.
    is_known = log.log_start_offset <= clean_offset <= log.log_end_offset
    first_dirty_offset = clean_offset if is_known else log.log_start_offset
    if first_dirty_offset >= end_offset:
        return None
    dirty = [
        segment
        for number, segment in enumerate(segments)
        if log.segments.next_base_offset(number, end_offset) > first_dirty_offset
    ]
    return CleaningPlan(
        log,
        segments,
        tuple(segment.size for segment in segments),
        first_dirty_offset,
        end_offset,
        sum(segment.size for segment in dirty),
        _overdue_ms(log, dirty, now_ms),
    )


def choose_plan(plans: Iterable[CleaningPlan | None], retry_at: Mapping[TopicPartition, float]) -> CleaningPlan | None:
    """The dirtiest of those that are due; what is overdue comes first.

    Behind all others come those that failed the last time, the longest ago first: they may fail again and again.
    """
    due = [plan for plan in plans if plan is not None and plan.is_due]

    def rank(plan: CleaningPlan) -> tuple[float, bool, float]:
        return -retry_at.get(plan.log.topic_partition, 0.0), plan.is_overdue, plan.dirty_ratio

    return max(due, key=rank, default=None)


def _cleanable_segments(log: PartitionLog, high_watermark: int, now_ms: int) -> tuple[Segment, ...]:
    unstable = log.first_unstable_offset(high_watermark)
    bound = min(high_watermark, log.recovery_point, log.active.base_offset)
    if unstable is not None:
        bound = min(bound, unstable.offset)
    count = 0
    for number, segment in enumerate(log.segments):
        is_below = log.segments.next_base_offset(number, log.log_end_offset) <= bound
        if segment is log.active or not is_below or _is_too_young(log, segment, now_ms):
            break
        count += 1
    return tuple(log.segments)[:count]


def _is_too_young(log: PartitionLog, segment: Segment, now_ms: int) -> bool:
    lag_ms = log.config.min_compaction_lag_ms
    return lag_ms > 0 and segment.largest_timestamp > now_ms - lag_ms


def _overdue_ms(log: PartitionLog, dirty: list[Segment], now_ms: int) -> int:
    """For how long the oldest dirty record should have been cleaned."""
    lag_ms = log.config.max_compaction_lag_ms
    if lag_ms == LONG_MAX or not dirty or dirty[0].first_timestamp < 0:
        return 0
    return max(0, now_ms - lag_ms - dirty[0].first_timestamp)
