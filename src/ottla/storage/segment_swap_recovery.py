"""What a crash in the middle of a change leaves in a partition's directory, and how it is put right before loading.

The cleaner (and the split of a segment) replaces segments in steps, and the suffix of a file says how far it came:

    write  X.log.cleaned ...           not finished: deleted, the old segments are all there
    rename X.log.cleaned to .swap      finished: from here on the new segments are the truth
    rename the old ones to .deleted    a reader may still hold them
    rename X.log.swap to X.log         done

So `.cleaned` and `.deleted` files go, and `.swap` files take the place of the segments whose offsets they cover.
Where both `.swap` and `.cleaned` exist, the renaming to `.swap` was itself interrupted: it goes from the highest base
offset down, so that swaps at or above the lowest `.cleaned` belong to that unfinished change and go too.
"""

import logging
import os
from collections.abc import Iterable

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.storage.segment.batch_scan import walk_batches
from ottla.storage.segment.segment_files import (
    CLEANED_SUFFIX,
    DELETED_SUFFIX,
    LOG_SUFFIX,
    SEGMENT_SUFFIXES,
    SWAP_SUFFIX,
    parse_file_name,
)

logger = logging.getLogger(__name__)


def finish_interrupted_changes(directory: LogDirectory, path: str, names: list[str]) -> list[str]:
    """Put right what a crash left; the names that are there afterwards, sorted."""
    if not any(name.endswith((CLEANED_SUFFIX, DELETED_SUFFIX, SWAP_SUFFIX)) for name in names):
        return names
    cleaned = [name for name in names if name.endswith(CLEANED_SUFFIX)]
    first_cleaned = min((offset for name in cleaned if (offset := _base_offset(name)) is not None), default=None)
    swaps = [name for name in names if name.endswith(SWAP_SUFFIX)]
    unfinished = [name for name in swaps if first_cleaned is not None and _starts_at(name, first_cleaned)]
    deleted = [name for name in names if name.endswith(DELETED_SUFFIX)]
    _remove(directory, path, [*deleted, *unfinished, *cleaned])
    _complete_swaps(directory, path, sorted(set(swaps) - set(unfinished)))
    directory.sync_directory(path)
    return directory.list_directory(path)


def _starts_at(name: str, offset: int) -> bool:
    base_offset = _base_offset(name)
    return base_offset is None or base_offset >= offset


def _complete_swaps(directory: LogDirectory, path: str, swaps: list[str]) -> None:
    """Delete the segments that the swaps replace, then give the swaps their names.

    Producer snapshots stay: what compaction took out of the log is known from them alone (KAFKA-12520).
    """
    parsed_swaps = [(name, parse_file_name(name.removesuffix(SWAP_SUFFIX))) for name in swaps]
    logs = {name: parsed[0] for name, parsed in parsed_swaps if parsed and parsed[1] == LOG_SUFFIX}
    if logs:
        first = min(logs.values())
        end = max(_next_offset(directory, path, name, base_offset) for name, base_offset in logs.items())
        replaced = [
            name
            for name in directory.list_directory(path)
            if (parsed := parse_file_name(name)) and parsed[1] in SEGMENT_SUFFIXES and first <= parsed[0] < end
        ]
        _remove(directory, path, replaced)
    for name in swaps:
        logger.info("completing the interrupted swap of %s", os.path.join(path, name))
        directory.rename(os.path.join(path, name), os.path.join(path, name.removesuffix(SWAP_SUFFIX)))


def _next_offset(directory: LogDirectory, path: str, name: str, base_offset: int) -> int:
    file = LogFile.open(os.path.join(path, name), directory)
    next_offset = base_offset + 1
    for place in walk_batches(file, 0, file.size):
        next_offset = place.last_offset + 1
    file.close()
    return next_offset


def _base_offset(name: str) -> int | None:
    """Of a segment's file, whatever suffixes follow."""
    parsed = parse_file_name(".".join(name.split(".")[:2]))
    return parsed[0] if parsed else None


def _remove(directory: LogDirectory, path: str, names: Iterable[str]) -> None:
    for name in names:
        logger.info("removing %s, left by an interrupted change", os.path.join(path, name))
        directory.unlink(os.path.join(path, name))
