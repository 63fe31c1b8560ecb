"""The ranges of one micro-batch, from its start and end, and what is wrong with them.

Partitions that are new since the last batch begin at their first offset. What shows that data is gone (a partition
that vanished or went back, a new one that does not begin at 0) fails the query or, with failOnDataLoss=false, is
warned of.
"""

import logging

from ottla.spark.errors import DATA_LOSS_TOLERATED, DataLossError
from ottla.spark.offsets import PartitionOffsets
from ottla.spark.ranges import OffsetRange
from ottla.spark.source.offset_limits import names
from ottla.spark.source.offset_reader import OffsetReader
from ottla.spark.source.source_options import SourceOptions

logger = logging.getLogger(__name__)


def plan_ranges(
    start: PartitionOffsets, end: PartitionOffsets, reader: OffsetReader, options: SourceOptions
) -> list[OffsetRange]:
    problems: list[str] = []
    starts = start | _new_starts(start, end, reader, problems)
    gone = start.keys() - end.keys()
    if gone:
        problems.append(f"Partitions {names(set(gone))} have been deleted.")
    ranges = []
    for partition in sorted(end.keys() & starts.keys()):
        wanted = OffsetRange(*partition, starts[partition], end[partition])
        if wanted.end < wanted.start:
            problems.append(
                f"Partition {partition} offset was changed from {wanted.start} to {wanted.end}. This could be either "
                "1) a user error that the start offset is set beyond available offset when starting query, or 2) the "
                "kafka topic-partition is deleted and re-created."
            )
        ranges.append(wanted)
    report_losses(problems, options)
    return ranges


def _new_starts(
    start: PartitionOffsets, end: PartitionOffsets, reader: OffsetReader, problems: list[str]
) -> PartitionOffsets:
    new = end.keys() - start.keys()
    found = reader.earliest_of(new)
    if found.keys() != new:
        lost = names(set(new - found.keys()))
        problems.append(f"Cannot find initial offsets for partitions {lost}. They may have been deleted.")
    problems += [
        f"Added partition {partition} starts from {offset} instead of 0."
        for partition, offset in found.items()
        if offset
    ]
    return found


def report_losses(problems: list[str], options: SourceOptions) -> None:
    """Fail with the first, or warn of all."""
    for problem in problems:
        if options.fail_on_data_loss:
            raise DataLossError(problem)
        logger.warning(DATA_LOSS_TOLERATED, problem.rstrip("."))
