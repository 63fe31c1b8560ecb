"""Cleaned files take the place of the segments that they replace. Each step leaves what a restart can put right.

    .cleaned                written and synced by the child       restart: removed, the old segments are all there
    .cleaned -> .swap       indexes first, the log file last      restart: with the log file still .cleaned, all removed
    directory synced        from here on the new one is the truth restart: the swap is completed
    old -> .deleted         readers that hold them go on          restart: the swap is completed
    .swap -> final name                                           restart: done; .deleted files are removed

Groups are swapped from the lowest offset on, one after the other, so that a `.cleaned` file beside a `.swap` file
belongs to a later group, or to the same one that did not get that far (`storage.segment_swap_recovery` goes by this).
"""

import os
from collections.abc import Iterable

from ottla.storage.cleaner.job import CleanedGroup
from ottla.storage.cleaner.planning import CleaningPlan
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_files import (
    CLEANED_SUFFIX,
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    SWAP_SUFFIX,
    TIME_INDEX_SUFFIX,
    file_path,
)

_FILES = (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX, LOG_SUFFIX)
"""In the order in which they are renamed: the log file, which decides, comes last."""


def is_still_valid(plan: CleaningPlan, segments: Iterable[Segment]) -> bool:
    """Whether the log still has these segments of the plan as they were: they may have been deleted or cut since."""
    log = plan.log
    current = {id(segment) for segment in log.segments}
    sizes = dict(zip((segment.base_offset for segment in plan.segments), plan.sizes, strict=True))
    return all(
        id(segment) in current and segment is not log.active and segment.size == sizes[segment.base_offset]
        for segment in segments
    )


def replaced_segments(plan: CleaningPlan, group: CleanedGroup) -> list[Segment]:
    bases = set(group.replaces)
    return [segment for segment in plan.segments if segment.base_offset in bases]


def rename_to_swap(log: PartitionLog, group: CleanedGroup) -> None:
    """To be made durable by a sync of the directory before anything else is done."""
    _rename(log, group.base_offset, CLEANED_SUFFIX, SWAP_SUFFIX)


def put_in_place(plan: CleaningPlan, group: CleanedGroup, *, now_ms: int) -> Segment:
    log = plan.log
    replaced = replaced_segments(plan, group)
    with log.log_directory.no_way_back():
        for segment in replaced:
            segment.mark_deleted()
        _rename(log, group.base_offset, SWAP_SUFFIX, "")
    config = log.config
    cleaned = Segment.open(
        log.directory,
        group.base_offset,
        log.log_directory,
        index_bytes_max=config.segment_index_bytes,
        index_interval_bytes=config.index_interval_bytes,
        now_ms=now_ms,
        has_txn_index=False,
    )
    log.replace(replaced, cleaned)
    return cleaned


def discard(log: PartitionLog, group: CleanedGroup) -> None:
    """The cleaning came too late: remove its files, whichever step they are at."""
    for suffix in _FILES:
        path = file_path(log.directory, group.base_offset, suffix)
        log.log_directory.unlink(path + CLEANED_SUFFIX)
        log.log_directory.unlink(path + SWAP_SUFFIX)


def remove_leftovers(log: PartitionLog) -> None:
    """What a cleaner that was killed has left."""
    for name in log.log_directory.list_directory(log.directory):
        if name.endswith(CLEANED_SUFFIX):
            log.log_directory.unlink(os.path.join(log.directory, name))


def _rename(log: PartitionLog, base_offset: int, old_suffix: str, new_suffix: str) -> None:
    disk = log.log_directory.disk
    for suffix in _FILES:
        path = file_path(log.directory, base_offset, suffix)
        try:
            disk.rename(path + old_suffix, path + new_suffix)
        except OSError as error:
            raise log.log_directory.storage_error(error) from error
