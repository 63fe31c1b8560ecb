"""What a load reads: from the offsets that the table holds to the ends of the partitions. Pure.

    nothing committed                 from the first offset that there is
    committed <= end                  from the committed offset
    committed < first offset          records aged out before they were loaded: GapError, or a gap
    committed > end                   the topic was made anew or lost its tail: GapError, or on from its end

A gap that is allowed is skipped and told. Going on from the end and not from the beginning means that no record is ever
loaded twice, whatever happened to the topic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from ottla.model import TopicPartition
from ottla.spark.loader.errors import GapError
from ottla.spark.ranges import OffsetRange
from ottla.spark.source.splitting import cut

Offsets = Mapping[TopicPartition, int]
# A task costs Spark some 30 ms; fewer rows than the first are not worth one. With about four tasks per core the last
# of them do not leave the others idle for long, and a progress bar moves.
TASK_ROWS_MIN = 100_000
TASK_ROWS_MAX = 5_000_000
TASKS_PER_CORE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`ranges`: at most one per partition, none empty. `starts`: where partitions go on behind a gap. `ends`: where the
    partitions end now."""

    ranges: tuple[OffsetRange, ...]
    gaps: tuple[OffsetRange, ...]
    starts: Mapping[TopicPartition, int]
    ends: Mapping[TopicPartition, int]

    @property
    def size(self) -> int:
        return sum(wanted.size for wanted in self.ranges)

    @property
    def next_offsets(self) -> dict[TopicPartition, int]:
        """What the table holds as committed once the ranges are in it."""
        return {**self.starts, **{wanted.topic_partition: wanted.end for wanted in self.ranges}}


def plan_load(
    committed: Offsets, earliest: Offsets, latest: Offsets, *, allow_gaps: bool, records_max: int | None = None
) -> Plan:
    ranges, gaps, starts = [], [], {}
    for partition, end in sorted(latest.items()):
        start, gap = _start(partition, committed.get(partition), earliest[partition], end)
        if gap is not None:
            gaps.append(gap)
            starts[partition] = start
        if start < end:
            ranges.append(OffsetRange(*partition, start, end))
    if gaps and not allow_gaps:
        raise GapError(_explain(gaps[0], committed, latest))
    return Plan(ranges=tuple(_limited(ranges, records_max)), gaps=tuple(gaps), starts=starts, ends=dict(latest))


def _start(partition: TopicPartition, committed: int | None, earliest: int, end: int) -> tuple[int, OffsetRange | None]:
    if committed is None:
        return earliest, None
    if committed > end:
        return end, OffsetRange(*partition, end, committed)
    if committed < earliest:
        return earliest, OffsetRange(*partition, committed, earliest)
    return committed, None


def _explain(gap: OffsetRange, committed: Offsets, latest: Offsets) -> str:
    partition = gap.topic_partition
    if committed[partition] > latest[partition]:
        return (
            f"{partition}: the table has been loaded up to offset {committed[partition]}, but the partition ends at "
            f"{latest[partition]}: the topic was deleted and made anew, or has lost records. Load into another table, "
            "or go on from its present end with --allow-gaps"
        )
    return (
        f"{partition}: the records {gap.start} to {gap.end - 1} were deleted before they were loaded. Load more often "
        "or keep records longer (retention.ms); --allow-gaps goes on without them"
    )


def _limited(ranges: Sequence[OffsetRange], records_max: int | None) -> list[OffsetRange]:
    """At most so many offsets together, every partition its share."""
    size = sum(wanted.size for wanted in ranges)
    if records_max is None or size <= records_max:
        return list(ranges)
    share = records_max / size
    return [wanted._replace(end=min(wanted.end, wanted.start + max(1, int(wanted.size * share)))) for wanted in ranges]


def plan_tasks(ranges: Sequence[OffsetRange], cores: int) -> list[OffsetRange]:
    """One task for every range; large ones are cut, so that all cores have work to the end. Longest first."""
    size = sum(wanted.size for wanted in ranges)
    rows = min(TASK_ROWS_MAX, max(TASK_ROWS_MIN, ceil(size / (cores * TASKS_PER_CORE))))
    pieces = [piece for wanted in ranges for piece in cut(wanted, ceil(wanted.size / rows))]
    return sorted(pieces, key=lambda piece: -piece.size)
