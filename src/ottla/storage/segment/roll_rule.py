"""When the active segment has had enough: a pure decision.

    by size      the next batch would take it past `segment.bytes`
    by time      the next batch is more than `segment.ms`, less a random part of `segment.jitter.ms`, later than the
                 first one in it; where records have no timestamps the clock counts, from its creation
    by offset    the next offset is more than 2^31 - 1 above its base offset, or an index has no room for another entry

An empty segment is never rolled for its size or age. The jitter is one per partition, so that the partitions of a topic
that were created together do not all roll at once.
"""

from ottla.config.topic_config import TopicConfig
from ottla.storage.segment.segment import Segment

UNDECIDED = -2  # below every timestamp


class RollRule:
    """The rule of one partition."""

    __slots__ = ("after_ms", "segment_bytes")

    def __init__(self, config: TopicConfig, jitter: float) -> None:
        """`jitter` from 0 to 1: how much of `segment.jitter.ms` this partition rolls early."""
        self.segment_bytes = config.segment_bytes
        # The active segment is not cleaned: one that stays longer would hold its records up.
        longest_ms = min(config.segment_ms, config.max_compaction_lag_ms) if config.is_compacted else config.segment_ms
        self.after_ms = longest_ms - int(jitter * min(config.segment_jitter_ms, longest_ms))

    def must_roll(
        self,
        active: Segment,
        size: int,
        max_timestamp: int,
        last_offset: int,
        now_ms: int,
        pending_first_timestamp: int | None = None,
    ) -> bool:
        """Whether a batch of this kind needs a new segment.

        With `pending_first_timestamp` other batches, counted in `size`, will be in the active one before it.
        """
        if last_offset > active.offset_max:
            return True
        if active.size == 0 and pending_first_timestamp is None:
            return False
        if active.size + size > self.segment_bytes:
            return True
        first_timestamp = active.first_timestamp if active.size else pending_first_timestamp
        if first_timestamp is not None and first_timestamp >= 0:
            return max_timestamp - first_timestamp > self.after_ms
        return now_ms - active.created_ms > self.after_ms

    def last_timestamp(self, active: Segment) -> int:
        """Up to which timestamp batches may go to `active` without asking again; UNDECIDED: ask for each."""
        first_timestamp = active.first_timestamp
        return first_timestamp + self.after_ms if first_timestamp >= 0 else UNDECIDED
