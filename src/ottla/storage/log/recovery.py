"""Recovery of one partition after a crash: which records are there, and everything that is made from them.

Below the recovery point all was synced and is taken as it is. From the segment that the recovery point lies in
onwards every batch is read (`segment_scan`), and on the way offset index, time index, transaction index, leader
epochs and producers are built anew. At the first batch that is not sound the log ends: the rest of that segment is
cut, later segments are deleted. A lost tail is what the sync policy allows; a wrong record would be a lie.

Order matters for a crash in the middle of recovery: the cut comes before the deletion of later segments, and neither
the recovery point nor the clean-shutdown marker is touched, so that a second recovery starts from the same place.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ottla.records.batch import peek_header
from ottla.storage.log.leader_epochs import LeaderEpochs
from ottla.storage.log_dir.load_progress import LoadProgress
from ottla.storage.producers.producer_replay import note_batch, replay_segments
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.producers.snapshot_files import SnapshotFiles
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList
from ottla.storage.segment.segment_scan import ScannedBatch, SegmentScan

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class LogParts:
    """What a partition is made of, while it is put together. `segments` are in order of their base offsets."""

    path: str
    segments: list[Segment]
    leader_epochs: LeaderEpochs
    producers: ProducerStates
    snapshots: SnapshotFiles
    log_start_offset: int
    may_have_gaps: bool
    now_ms: int
    progress: LoadProgress


def recover_from(parts: LogParts, first: int) -> int:
    """Recover `segments[first:]`, all below being sound; the log's end offset. `segments` loses what is deleted."""
    unflushed = parts.segments[first:]
    next_offset = unflushed[0].base_offset
    parts.progress.segments_found(len(unflushed))
    parts.leader_epochs.truncate_from_end(next_offset)
    rebuild_producers(parts, parts.segments[:first], next_offset)
    for number, segment in enumerate(unflushed, start=first):
        if number > first and not _continues(parts, segment, parts.segments[number - 1], next_offset):
            _delete_segments(parts, number)
            break
        if number > first:
            parts.snapshots.take(parts.producers, segment.base_offset)
        size_bytes = segment.size
        next_offset, is_whole = _recover_segment(parts, segment)
        parts.progress.segment_recovered(size_bytes)
        if not is_whole:
            _delete_segments(parts, number + 1)
            break
    parts.producers.end_offset = next_offset
    return next_offset


def _continues(parts: LogParts, segment: Segment, before: Segment, next_offset: int) -> bool:
    """Whether a segment goes on where the one before it, just recovered, ends.

    One that begins below that end was left by a truncation whose deletions did not reach the disk. One that begins
    above it was begun when the one before was longer, and what is missing was lost with the power; unless compaction
    has made the gap (`LoadRequest.may_have_gaps`), which leaves no segment empty.
    """
    if segment.base_offset <= next_offset:
        return segment.base_offset == next_offset
    return parts.may_have_gaps and before.size > 0


def rebuild_producers(parts: LogParts, segments: Sequence[Segment], end_offset: int) -> None:
    """Bring the producers to `end_offset`: the newest snapshot up to there, then the batches of `segments` after it.

    Snapshots past `end_offset` are deleted: they may tell of records that are gone.
    """
    parts.snapshots.drop_past(end_offset)
    first_offset = parts.snapshots.restore_newest(parts.producers, end_offset, parts.now_ms)
    if segments and first_offset < end_offset:
        replay_segments(parts.producers, SegmentList(segments), first_offset, end_offset, parts.now_ms)
    parts.producers.end_offset = end_offset


def rebuild_indexes(parts: LogParts, segment: Segment) -> None:
    """Make the indexes of a sound segment anew, because one of them is missing or wrong.

    The transaction index depends on which transactions were open when the segment began: producers of its own, from
    the snapshots before it, tell. Those of the partition and its epochs are not touched.
    """
    logger.warning("rebuilding the indexes of %s", segment.log.path)
    earlier = [offset for offset in parts.snapshots.offsets if offset <= segment.base_offset]
    own = replace(
        parts,
        leader_epochs=LeaderEpochs(),
        producers=ProducerStates(parts.producers.label),
        snapshots=SnapshotFiles(parts.path, segment.log.directory, earlier),
    )
    before = [other for other in parts.segments if other.base_offset < segment.base_offset]
    rebuild_producers(own, before, segment.base_offset)
    _recover_segment(own, segment)
    segment.deactivate()


def rebuild_epochs(segments: list[Segment]) -> LeaderEpochs:
    """The leader epochs as the records have them, for when their file is damaged. Reads every batch."""
    epochs = LeaderEpochs()
    for segment in segments:
        for batch in SegmentScan(segment.log.directory.disk, segment.log.path, segment.size, segment.base_offset):
            if batch.leader_epoch > epochs.latest_epoch:
                epochs.assign(batch.leader_epoch, batch.base_offset)
    return epochs


def _recover_segment(parts: LogParts, segment: Segment) -> tuple[int, bool]:
    """Scan a segment and build its indexes; the offset after its last sound batch, and whether all of it was sound."""
    scan = SegmentScan(segment.log.directory.disk, segment.log.path, segment.size, segment.base_offset)
    segment.reset_indexes()
    next_offset = segment.base_offset
    for batch in scan:
        _account_for(parts, segment, batch)
        next_offset = batch.last_offset + 1
    if scan.valid_bytes == segment.size:
        return next_offset, True
    lost = segment.size - scan.valid_bytes
    logger.warning(
        "%s: %s: the last %d bytes are cut, the log ends at offset %d",
        segment.log.path,
        scan.problem,
        lost,
        next_offset,
    )
    segment.log.truncate(scan.valid_bytes)
    return next_offset, False


def _account_for(parts: LogParts, segment: Segment, batch: ScannedBatch) -> None:
    segment.note_batch(batch.position, batch.size, batch.last_offset, batch.max_timestamp)
    if batch.leader_epoch > parts.leader_epochs.latest_epoch:
        parts.leader_epochs.assign(batch.leader_epoch, batch.base_offset)
    if batch.producer_id >= 0:
        header = peek_header(batch.chunk, batch.chunk_position)
        note_batch(parts.producers, segment.txn_index, header, batch.data, batch.base_offset, parts.now_ms)


def _delete_segments(parts: LogParts, first: int) -> None:
    """Remove what lies behind a cut. From the last one on, so that a crash leaves no hole."""
    parts.progress.segments_dropped(len(parts.segments) - first)
    while len(parts.segments) > first:
        segment = parts.segments.pop()
        logger.warning("%s lies behind the end of the log: deleted", segment.log.path)
        segment.delete_files()
    parts.snapshots.drop_past(parts.segments[-1].base_offset)
    parts.segments[-1].log.directory.sync_directory(parts.path)
