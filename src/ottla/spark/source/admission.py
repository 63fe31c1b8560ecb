"""How much a micro-batch takes. Pure, but for the time that is passed in.

`maxOffsetsPerTrigger` is shared out over the partitions in proportion to what each has waiting, none of them starved.
`minOffsetsPerTrigger` holds a batch back until there is enough of it, or `maxTriggerDelay` is over.
"""

from collections.abc import Mapping
from math import ceil, floor

from ottla.model import TopicPartition


def limit_offsets(
    rows_max: int, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int]
) -> dict[TopicPartition, int]:
    """The end of a batch with at most about `rows_max` rows. Partitions that are not in `start` end where they do."""
    waiting = {key: offset - start[key] for key, offset in end.items() if key in start and offset > start[key]}
    total = sum(waiting.values())
    limited = dict(end)
    for partition, rows in waiting.items():
        share = rows_max * rows / total
        taken = ceil(share) if share < 1 else floor(share)
        limited[partition] = min(end[partition], start[partition] + taken)
    return limited


class MinimumRows:
    """Holds batches back that are too small."""

    def __init__(self, rows_min: int, delay_max_ms: float) -> None:
        self._rows_min = rows_min
        self._delay_max_s = delay_max_ms / 1000
        self._last_batch_at = float("-inf")

    def holds_back(self, start: Mapping[TopicPartition, int], end: Mapping[TopicPartition, int], now: float) -> bool:
        rows = sum(offset - start.get(partition, 0) for partition, offset in end.items())
        if now - self._last_batch_at < self._delay_max_s and rows < self._rows_min:
            return True
        self._last_batch_at = now
        return False
