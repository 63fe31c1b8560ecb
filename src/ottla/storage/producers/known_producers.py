"""The highest producer id that log directories know of: whoever hands out ids anew must begin above it.

An id given twice would be worse than an error: the new producer's first batches would look like ones that the old
producer sent long ago, and be acknowledged without being written. A broker knows the producers of its newest snapshot
and of the records after it, so that is what is looked at.
"""

import os
from collections.abc import Iterable

from ottla.disk.system_disk import SystemDisk
from ottla.storage.log_dir.log_dir_scan import FoundPartition
from ottla.storage.producers.producer_snapshot import CorruptSnapshotError, decode_snapshot
from ottla.storage.segment.segment_files import LOG_SUFFIX, SNAPSHOT_SUFFIX, file_path, parse_file_name
from ottla.storage.segment.segment_scan import SegmentScan

NO_PRODUCER_ID = -1


def highest_producer_id(partitions: Iterable[FoundPartition]) -> int:
    """-1 where nobody ever had one."""
    return max((_highest_in(partition.path) for partition in partitions), default=NO_PRODUCER_ID)


def _highest_in(directory: str) -> int:
    parsed = [found for found in map(parse_file_name, os.listdir(directory)) if found is not None]
    highest, covered_up_to = NO_PRODUCER_ID, 0
    for offset in sorted((base for base, suffix in parsed if suffix == SNAPSHOT_SUFFIX), reverse=True):
        try:
            with open(file_path(directory, offset, SNAPSHOT_SUFFIX), "rb") as file:
                highest = max((producer_id for producer_id, _ in decode_snapshot(file.read())), default=NO_PRODUCER_ID)
        except CorruptSnapshotError:
            continue
        covered_up_to = offset
        break
    bases = sorted(base for base, suffix in parsed if suffix == LOG_SUFFIX)
    for base, following in zip(bases, [*bases[1:], None], strict=False):
        if following is None or following > covered_up_to:
            highest = max(highest, _highest_in_segment(directory, base))
    return highest


def _highest_in_segment(directory: str, base_offset: int) -> int:
    path = file_path(directory, base_offset, LOG_SUFFIX)
    scan = SegmentScan(SystemDisk(), path, os.path.getsize(path), base_offset)
    return max((batch.producer_id for batch in scan), default=NO_PRODUCER_ID)
