"""Opening one partition's directory at start: files in, the parts of a log out.

After a clean stop only names, sizes, index entries and the headers behind the last one are looked at: they must lead to
the end of the active segment, which is the end of the log, and the producers are in the snapshot of it. Where they do
not, because a copy or a disk lost the tail of the file since, that segment is recovered as after a crash: what is
appended behind a torn batch could never be read. After a crash `recovery` reads what the recovery point does not vouch
for. Whatever can be made from the log (indexes, epochs, snapshots) is made anew when it is missing or damaged.
"""

import logging
import os
import uuid
from dataclasses import dataclass, field

from ottla.disk.atomic_file import read_whole
from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.errors.kafka import CorruptMessageError
from ottla.model import NO_OFFSET, TopicPartition
from ottla.storage.log import leader_epochs as epoch_file
from ottla.storage.log.leader_epochs import LeaderEpochs, decode_leader_epochs
from ottla.storage.log.partition_directory import (
    PARTITION_METADATA,
    InconsistentPartitionMetadataError,
    decode_partition_metadata,
)
from ottla.storage.log.recovery import LogParts, rebuild_epochs, rebuild_indexes, rebuild_producers, recover_from
from ottla.storage.log_dir.checkpoint_text import MalformedCheckpointError
from ottla.storage.log_dir.load_progress import LoadProgress
from ottla.storage.producers import recent_producer_batches
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.producers.recent_producer_batches import restore_windows
from ottla.storage.producers.snapshot_files import SnapshotFiles
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_files import (
    INDEX_SUFFIXES,
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    SEGMENT_SUFFIXES,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    file_path,
    parse_file_name,
)
from ottla.storage.segment_swap_recovery import finish_interrupted_changes

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequest:
    """What is known of a partition before its directory is looked at.

    `may_have_gaps`: nothing can be lost, since the power was not; or its topic is or was compacted, or the directory is
    another broker's and nobody knows. A gap between two segments then says nothing: it may have been copied from a
    leader that compacted. Otherwise it says that records were lost, and the log ends there.
    """

    topic_partition: TopicPartition
    path: str
    is_clean: bool
    recovery_point: int
    log_start_offset: int
    index_bytes_max: int
    index_interval_bytes: int
    now_ms: int
    may_have_gaps: bool = False
    progress: LoadProgress = field(default_factory=LoadProgress)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedLog:
    """A partition, ready to serve: the last segment is active, all below `recovery_point` is on disk."""

    topic_partition: TopicPartition
    path: str
    segments: list[Segment]
    leader_epochs: LeaderEpochs
    producers: ProducerStates
    snapshots: SnapshotFiles
    log_start_offset: int
    log_end_offset: int
    recovery_point: int
    topic_id: uuid.UUID | None


def load_log(directory: LogDirectory, request: LoadRequest) -> LoadedLog:
    names = finish_interrupted_changes(directory, request.path, directory.list_directory(request.path))
    names = _remove_orphans(directory, request.path, _without_nameless(request.path, names))
    rebuilt: list[Segment] = []
    parts = _open_parts(directory, request, names, rebuilt)
    for segment in rebuilt:
        if request.is_clean or segment.base_offset < request.recovery_point:
            rebuild_indexes(parts, segment)
    end_offset, recovery_point = _find_end(parts, request)
    if end_offset < parts.log_start_offset:
        end_offset = recovery_point = _begin_anew(parts)
    _ensure_active_segment(directory, request, parts, end_offset)
    parts.leader_epochs.truncate_from_end(end_offset)
    parts.leader_epochs.truncate_from_start(parts.log_start_offset)
    parts.snapshots.keep_only({segment.base_offset for segment in parts.segments})
    return LoadedLog(
        topic_partition=request.topic_partition,
        path=request.path,
        segments=parts.segments,
        leader_epochs=parts.leader_epochs,
        producers=parts.producers,
        snapshots=parts.snapshots,
        log_start_offset=parts.log_start_offset,
        log_end_offset=end_offset,
        recovery_point=recovery_point,
        topic_id=read_topic_id(directory, request.path),
    )


def read_topic_id(directory: LogDirectory, path: str) -> uuid.UUID | None:
    """From `partition.metadata`; None when there is none or it is damaged: it is written anew once the id is known."""
    data = read_whole(directory, os.path.join(path, PARTITION_METADATA))
    if data is None:
        return None
    try:
        return decode_partition_metadata(data, os.path.join(path, PARTITION_METADATA))
    except InconsistentPartitionMetadataError as error:
        logger.warning("%s", error)
        return None


# -- files to parts ---------------------------------------------------------------------------------------------------


def _open_parts(directory: LogDirectory, request: LoadRequest, names: list[str], rebuilt: list[Segment]) -> LogParts:
    segments = []
    for base_offset in _base_offsets(names):
        segment, is_whole = _open_segment(directory, request, base_offset, names)
        segments.append(segment)
        if not is_whole:
            rebuilt.append(segment)
    first_offset = segments[0].base_offset if segments else 0
    return LogParts(
        path=request.path,
        segments=segments,
        leader_epochs=_load_epochs(directory, request.path, segments),
        producers=ProducerStates(request.topic_partition),
        snapshots=SnapshotFiles.among(names, request.path, directory),
        log_start_offset=max(request.log_start_offset, first_offset),
        may_have_gaps=request.may_have_gaps,
        now_ms=request.now_ms,
        progress=request.progress,
    )


def _base_offsets(names: list[str]) -> list[int]:
    parsed = [parse_file_name(name) for name in names]
    return sorted(found[0] for found in parsed if found and found[1] == LOG_SUFFIX)


def _without_nameless(path: str, names: list[str]) -> list[str]:
    """Without files that look like a segment's and have the name of none: whose they are, only a person can tell."""
    nameless = [name for name in names if name.endswith(SEGMENT_SUFFIXES) and parse_file_name(name) is None]
    for name in nameless:
        logger.warning("%s is left alone: its name is no offset that a segment can begin at", os.path.join(path, name))
    return [name for name in names if name not in nameless] if nameless else names


def _remove_orphans(directory: LogDirectory, path: str, names: list[str]) -> list[str]:
    """Index files without their log file."""
    bases = set(_base_offsets(names))
    kept = []
    for name in names:
        parsed = parse_file_name(name)
        if parsed and parsed[1] in INDEX_SUFFIXES and parsed[0] not in bases:
            logger.warning("removing %s: it has no log file", os.path.join(path, name))
            directory.unlink(os.path.join(path, name))
        else:
            kept.append(name)
    return kept


def _open_segment(
    directory: LogDirectory, request: LoadRequest, base_offset: int, names: list[str]
) -> tuple[Segment, bool]:
    """The segment, and whether its indexes can be believed as far as a look at their last entries tells."""
    is_whole = True
    for suffix in (OFFSET_INDEX_SUFFIX, TIME_INDEX_SUFFIX):
        path = file_path(request.path, base_offset, suffix)
        if os.path.basename(path) not in names:
            LogFile.create(path, directory).close()
            is_whole = False
    segment = Segment.open(
        request.path,
        base_offset,
        directory,
        index_bytes_max=request.index_bytes_max,
        index_interval_bytes=request.index_interval_bytes,
        now_ms=request.now_ms,
        has_txn_index=os.path.basename(file_path(request.path, base_offset, TXN_INDEX_SUFFIX)) in names,
    )
    return segment, is_whole and _indexes_are_sane(segment)


def _indexes_are_sane(segment: Segment) -> bool:
    offsets, times = segment.offset_index, segment.time_index
    is_placed = offsets.entries == 0 or 0 <= offsets.last_position() < segment.size
    return (
        is_placed
        and offsets.is_sane()
        and times.is_sane()
        and segment.txn_index.is_sane()
        and not _lacks_times(segment)
    )


def _lacks_times(segment: Segment) -> bool:
    """A segment with timestamps is closed with an entry of the largest. Only where there is none a header is read."""
    if segment.time_index.entries:
        return False
    try:
        return segment.first_timestamp >= 0
    except CorruptMessageError:
        return False  # Not for the index to say.


def _load_epochs(directory: LogDirectory, path: str, segments: list[Segment]) -> LeaderEpochs:
    file = os.path.join(path, epoch_file.FILE_NAME)
    data = read_whole(directory, file)
    if data is None:
        return LeaderEpochs()
    try:
        return decode_leader_epochs(data, file)
    except MalformedCheckpointError as error:
        logger.warning("%s: the leader epochs are read from the records", error)
        return rebuild_epochs(segments)


# -- where the log ends -----------------------------------------------------------------------------------------------


def _find_end(parts: LogParts, request: LoadRequest) -> tuple[int, int]:
    """The log's end offset and recovery point, with producers brought up to the end."""
    if not parts.segments:
        parts.producers.clear(parts.log_start_offset)
        return parts.log_start_offset, parts.log_start_offset
    if not request.is_clean:
        end_offset = recover_from(parts, _first_unflushed(parts.segments, request.recovery_point))
        return end_offset, min(request.recovery_point, end_offset)
    end_offset = _read_end(parts.segments[-1])
    if end_offset < request.recovery_point:
        end_offset = recover_from(parts, len(parts.segments) - 1)
        logger.warning(
            "%s ends at offset %d, not at %d as it was stopped", parts.path, end_offset, request.recovery_point
        )
        return end_offset, end_offset
    if parts.snapshots.offsets:
        rebuild_producers(parts, parts.segments, end_offset)
        windows = read_whole(
            parts.segments[-1].log.directory, os.path.join(parts.path, recent_producer_batches.FILE_NAME)
        )
        restore_windows(parts.producers, windows or b"")
    else:  # a broker that knew of no producers stopped it
        parts.producers.clear(end_offset)
    return end_offset, end_offset


def _first_unflushed(segments: list[Segment], recovery_point: int) -> int:
    """The number of the segment that the recovery point lies in; the last one when it lies past the end."""
    below = [number for number, segment in enumerate(segments) if segment.base_offset <= recovery_point]
    return below[-1] if below else 0


def _read_end(active: Segment) -> int:
    """The offset that the active segment ends at; NO_OFFSET when it does not end with a whole batch."""
    try:
        end = active.read_end()
    except CorruptMessageError:
        return NO_OFFSET
    return end.offset if end.position == active.size else NO_OFFSET


def _begin_anew(parts: LogParts) -> int:
    """All records are below the log start offset: somebody deleted segments by hand. Start empty from there."""
    logger.warning("%s ends before its log start offset %d: all is deleted", parts.path, parts.log_start_offset)
    for segment in parts.segments:
        segment.delete_files()
    parts.segments.clear()
    parts.leader_epochs.clear()
    parts.snapshots.drop_past(-1)
    parts.producers.clear(parts.log_start_offset)
    return parts.log_start_offset


def _ensure_active_segment(directory: LogDirectory, request: LoadRequest, parts: LogParts, end_offset: int) -> None:
    if parts.segments:
        for segment in parts.segments[:-1]:
            segment.deactivate()
        parts.segments[-1].activate()
        return
    parts.segments.append(
        Segment.create(
            request.path,
            end_offset,
            directory,
            index_bytes_max=request.index_bytes_max,
            index_interval_bytes=request.index_interval_bytes,
            now_ms=request.now_ms,
        )
    )
