"""The log of one partition: what replication appends to and reads from. Step 6 of the path.

    append_as_leader      one produced batch: checked, stamped with offset and epoch, written
    append_as_follower    the leader's bytes as they are, many batches
    read                  a FileSlice, by offset
    roll, truncate, delete, move the start

Everything runs on the event loop and nothing here suspends or syncs: an append goes to the page cache, and what has to
be made durable is handed to `LogHooks`. The order within an append is what keeps the log whole: check first, then
write, and only then change what is in memory, so that a failed write leaves no trace.

Invariants: log_start_offset <= log_end_offset; the active segment ends at log_end_offset; batches lie in order without
overlap; leader epochs and producers describe exactly the records below log_end_offset.
"""

import random
from collections.abc import Callable, Sequence
from functools import partial

from ottla.config.topic_config import TopicConfig
from ottla.disk.directory import LogDirectory
from ottla.errors import LogDirError
from ottla.errors.kafka import KafkaError, OffsetOutOfRangeError
from ottla.model import NO_OFFSET, NO_TIMESTAMP, TopicPartition
from ottla.records.attributes import CONTROL_MASK
from ottla.records.batch import HEADER_SIZE, BatchHeader, Buffer, stamp
from ottla.storage.log.aborted_transactions import aborted_in_read, collect_aborted
from ottla.storage.log.batch_validation import (
    PRODUCE_VERSION_LATEST,
    PRODUCE_VERSION_LEGACY_MAX,
    BatchValidation,
    Origin,
    PreparedBatch,
)
from ottla.storage.log.follower_batches import (
    FollowerBatch,
    admit_first_batch,
    check_follower_batches,
    in_format_2,
    segment_runs,
)
from ottla.storage.log.leader_epochs import EpochEnd, LeaderEpochs
from ottla.storage.log.log_hooks import LogHooks, NoHooks
from ottla.storage.log.log_reading import read_segments
from ottla.storage.log.log_results import AppendInfo, FoundOffset, LogOffset, LogRead
from ottla.storage.log.timestamp_lookup import TimestampLookup
from ottla.storage.producers.producer_replay import decode_marker, note_batch, replay_segments
from ottla.storage.producers.producer_state import AppendedBatch, ProducerStates
from ottla.storage.producers.snapshot_files import SnapshotFiles
from ottla.storage.segment.roll_rule import UNDECIDED, RollRule
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList
from ottla.storage.segment.txn_index import AbortedTransaction

# Makes a NamedTuple without the Python code of its constructor, for what every append makes.
_new_tuple = tuple.__new__


class PartitionLog:
    """Made by `log_creation` of what `loading` found. `recovery_point`: everything below it is durable."""

    __slots__ = (
        "_first_unstable",
        "_latest_epoch",
        "_roll_after_timestamp",
        "_roll_jitter",
        "_segment_bytes",
        "_validate_compressed",
        "active",
        "config",
        "directory",
        "hooks",
        "is_flushed",
        "leader_epochs",
        "log_directory",
        "log_end_offset",
        "log_start_offset",
        "producers",
        "recovery_point",
        "roll_rule",
        "segments",
        "snapshots",
        "topic_partition",
        "validation",
    )

    def __init__(
        self,
        topic_partition: TopicPartition,
        directory: str,
        log_directory: LogDirectory,
        config: TopicConfig,
        segments: SegmentList,
        *,
        leader_epochs: LeaderEpochs,
        producers: ProducerStates,
        snapshots: SnapshotFiles,
        log_start_offset: int,
        log_end_offset: int,
        recovery_point: int,
        hooks: LogHooks | None = None,
        validate_compressed: bool = False,
    ) -> None:
        self.topic_partition = topic_partition
        self.directory = directory
        self.log_directory = log_directory
        self._set_segments(segments)
        self.leader_epochs = leader_epochs
        self.producers = producers
        self.snapshots = snapshots
        self.log_start_offset = log_start_offset
        self.log_end_offset = log_end_offset
        self.recovery_point = recovery_point
        self._first_unstable: LogOffset | None = None
        self.hooks: LogHooks = hooks or NoHooks()
        self._latest_epoch = leader_epochs.latest_epoch
        self._roll_jitter = random.random()
        self.configure(config, validate_compressed=validate_compressed)

    def __repr__(self) -> str:
        return f"PartitionLog({self.topic_partition}, [{self.log_start_offset}, {self.log_end_offset}))"

    def configure(self, config: TopicConfig, *, validate_compressed: bool | None = None) -> None:
        """Take over a changed configuration; segments that are there keep the index settings they were made with."""
        self.config = config
        if validate_compressed is not None:
            self._validate_compressed = validate_compressed
        self.validation = BatchValidation(
            config,
            validate_compressed=self._validate_compressed,
            on_converted=partial(self.hooks.records_converted, self),
        )
        self.roll_rule = RollRule(config, self._roll_jitter)
        self.is_flushed = config.is_flushed
        self._segment_bytes = config.segment_bytes
        self._roll_after_timestamp = UNDECIDED

    @property
    def end_position(self) -> LogOffset:
        active = self.active
        return _new_tuple(LogOffset, (self.log_end_offset, active.base_offset, active.log.size))

    @property
    def size(self) -> int:
        return sum(segment.size for segment in self.segments)

    # -- append -------------------------------------------------------------------------------------------------------

    def append_as_leader(
        self,
        records: memoryview,
        leader_epoch: int,
        *,
        now_ms: int,
        origin: Origin = Origin.CLIENT,
        produce_version: int = PRODUCE_VERSION_LATEST,
    ) -> AppendInfo:
        """Append one batch. `records` may be stamped in place, and is not needed any more on return."""
        if produce_version <= PRODUCE_VERSION_LEGACY_MAX:
            prepared = self.validation.prepare(records, now_ms, origin, produce_version)
            return self.append_prepared(prepared, leader_epoch, now_ms=now_ms, origin=origin)
        batch, header = self.validation.validate(records, now_ms, origin, produce_version)
        return self._append_batch(batch, header, leader_epoch, now_ms, origin)

    def append_prepared(
        self,
        batches: Sequence[PreparedBatch],
        leader_epoch: int,
        *,
        now_ms: int,
        origin: Origin = Origin.CLIENT,
    ) -> AppendInfo:
        """Append what `validation.prepare` made, maybe in a thread, of one produced `records`: all of it or nothing."""
        first_offset = self.log_end_offset
        try:
            infos = [self._append_batch(*batch, leader_epoch, now_ms, origin) for batch in batches]
        except KafkaError:
            if self.log_end_offset > first_offset:
                self.truncate_to(first_offset, now_ms=now_ms)
            raise
        max_timestamp = max(info.max_timestamp for info in infos)
        last = infos[-1]
        return infos[0]._replace(
            last_offset=last.last_offset, max_timestamp=max_timestamp, leader_epoch=last.leader_epoch
        )

    def _append_batch(
        self, batch: Buffer, header: BatchHeader, leader_epoch: int, now_ms: int, origin: Origin
    ) -> AppendInfo:
        if header.producer_id >= 0:
            duplicate = self._check_producer(batch, header, origin)
            if duplicate is not None:
                return self._duplicate_info(duplicate)
        first_offset = self.log_end_offset
        last_offset = first_offset + header.last_offset_delta
        max_timestamp = header.max_timestamp
        segment = self.active
        size = len(batch)
        if (
            segment.log.size + size > self._segment_bytes
            or last_offset > segment.offset_max
            or max_timestamp > self._roll_after_timestamp
        ):
            segment = self.segment_for(size, max_timestamp, first_offset, last_offset, now_ms)
        _append_stamped(segment, batch, first_offset, last_offset, leader_epoch, max_timestamp)
        self.log_end_offset = last_offset + 1
        if leader_epoch > self._latest_epoch:
            self.assign_epoch_start(leader_epoch, first_offset)
        if header.producer_id >= 0:
            note_batch(self.producers, segment.txn_index, header, batch, first_offset, now_ms)
        append_time = now_ms if self.validation.is_append_time else NO_TIMESTAMP
        fields = (first_offset, last_offset, max_timestamp, append_time, self.log_start_offset, leader_epoch, False)
        return _new_tuple(AppendInfo, fields)

    def append_as_follower(self, records: memoryview, *, now_ms: int) -> AppendInfo | None:
        """Append what the leader sent. A batch that is cut off at the end is left out; None when there is no whole one.

        Everything is checked before anything is written. Offsets may leave gaps (the leader's log was compacted) but
        never go back.
        """
        records = in_format_2(records, self.config.decompressed_bytes_max)
        batches = check_follower_batches(records)
        if not batches:
            return None
        log_start_offset = admit_first_batch(self, batches[0].header, now_ms)
        for run in segment_runs(self, batches, now_ms):
            self._append_run(records, run, now_ms)
        self.log_start_offset = log_start_offset
        first, last = batches[0].header, batches[-1].header
        max_timestamp = max(batch.header.max_timestamp for batch in batches)
        return AppendInfo(
            first.base_offset,
            last.last_offset,
            max_timestamp,
            NO_TIMESTAMP,
            self.log_start_offset,
            last.partition_leader_epoch,
        )

    def _check_producer(self, batch: Buffer, header: BatchHeader, origin: Origin) -> AppendedBatch | None:
        if origin is not Origin.COORDINATOR:
            return self.producers.check(header)
        marker = decode_marker(batch) if header.attributes & CONTROL_MASK else None
        if marker is not None:
            self.producers.check_marker(header, marker)
        else:
            self.producers.check_epoch(header.producer_id, header.producer_epoch)
        return None

    def _duplicate_info(self, batch: AppendedBatch) -> AppendInfo:
        append_time = batch.timestamp if self.validation.is_append_time else NO_TIMESTAMP
        return AppendInfo(
            batch.base_offset,
            batch.last_offset,
            batch.timestamp,
            append_time,
            self.log_start_offset,
            self.leader_epochs.epoch_for_offset(batch.last_offset),
            duplicate=True,
        )

    def _append_run(self, records: memoryview, run: list[FollowerBatch], now_ms: int) -> None:
        """Write neighbouring batches, which all go to the active segment, in one call."""
        segment = self.active
        first_position = run[0].position
        end_position = run[-1].position + run[-1].header.size_bytes
        start = segment.log.append(records[first_position:end_position])
        for position, header in run:
            size = header.size_bytes
            segment.note_batch(start + position - first_position, size, header.last_offset, header.max_timestamp)
            self.log_end_offset = header.next_offset
            if header.partition_leader_epoch > self._latest_epoch:
                self.assign_epoch_start(header.partition_leader_epoch, header.base_offset)
            if header.producer_id >= 0:
                batch = records[position : position + size]
                note_batch(self.producers, segment.txn_index, header, batch, header.base_offset, now_ms)

    def assign_epoch_start(self, leader_epoch: int, start_offset: int) -> None:
        """`leader_epoch` begins at `start_offset`; called by the first append of an epoch, and when one leads."""
        self.leader_epochs.assign(leader_epoch, start_offset)
        self._latest_epoch = self.leader_epochs.latest_epoch

    # -- roll ---------------------------------------------------------------------------------------------------------

    def segment_for(self, size: int, max_timestamp: int, first_offset: int, last_offset: int, now_ms: int) -> Segment:
        """The segment that a batch goes to: the active one, or a new one if that has had enough."""
        if self.roll_rule.must_roll(self.active, size, max_timestamp, last_offset, now_ms):
            return self.roll(now_ms=now_ms, base_offset=first_offset)
        self._roll_after_timestamp = self.roll_rule.last_timestamp(self.active)
        return self.active

    def roll(self, *, now_ms: int, base_offset: int = 0) -> Segment:
        """Close the active segment and begin a new one at the end of the log (or past it, for a gap)."""
        closing = self.active
        start = max(base_offset, self.log_end_offset)
        if closing.size == 0 and closing.base_offset == start:
            return closing
        closing.prepare_to_close()
        self.snapshots.take(self.producers, start)
        segment = self._create_segment(start, now_ms)
        self._set_segments(self.segments.with_active(segment))  # First: one that is half closed cannot be appended to.
        if closing.size:
            closing.deactivate()
            self.hooks.segment_closed(self, closing)
        else:
            closing.delete_files()
        return segment

    def _create_segment(self, base_offset: int, now_ms: int) -> Segment:
        config = self.config
        return Segment.create(
            self.directory,
            base_offset,
            self.log_directory,
            index_bytes_max=config.segment_index_bytes,
            index_interval_bytes=config.index_interval_bytes,
            now_ms=now_ms,
            allocate_bytes=config.segment_bytes if config.preallocate else 0,
        )

    def _set_segments(self, segments: SegmentList) -> None:
        self.segments = segments
        self.active = segments.active
        self._roll_after_timestamp = UNDECIDED

    # -- read ---------------------------------------------------------------------------------------------------------

    def read(
        self,
        offset: int,
        max_bytes: int,
        *,
        end_offset: LogOffset,
        minimum_one_batch: bool = False,
    ) -> LogRead:
        """What may be read from `offset` on, below `end_offset`. The caller closes the slice."""
        if offset >= end_offset.offset or not self.log_start_offset <= offset:
            self._check_in_range(offset)
            return LogRead(None, LogOffset(offset))
        if max_bytes <= 0 and not minimum_one_batch:  # There is no room left: nothing needs to be looked up.
            return LogRead(None, LogOffset(offset))
        return read_segments(self.segments, offset, max_bytes, end_offset, minimum_one_batch=minimum_one_batch)

    def read_tail(self, start: LogOffset, end: LogOffset, max_bytes: int) -> bytes:
        """The bytes between two known places of the active segment. Empty where only `read` can tell what is there.

        `start` is from an earlier read, since when the log has only grown.
        """
        active = self.active
        size = end.position - start.position
        if (
            active.base_offset != start.segment_base
            or active.base_offset != end.segment_base
            or not 0 < size <= max_bytes
            or start.position < 0
            or start.offset < self.log_start_offset
        ):
            return b""
        try:
            data = active.log.read_at(start.position, size)
        except LogDirError:  # Who goes on with `read` is told.
            return b""
        return data if len(data) == size else b""

    def _check_in_range(self, offset: int) -> None:
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise OffsetOutOfRangeError(
                f"Received request for offset {offset} for partition {self.topic_partition}, but we only have log "
                f"segments upto {self.log_end_offset} with start {self.log_start_offset}."
            )

    def position_of(self, offset: int) -> LogOffset:
        """`offset` with its place in the files."""
        self._check_in_range(offset)
        if offset == self.log_end_offset:
            return self.end_position
        for segment in self.segments.from_offset(offset):
            position = segment.find_position(offset)
            if position is not None:
                return LogOffset(offset, segment.base_offset, position)
        return self.end_position

    def aborted_transactions(self, first_offset: int, end_offset: int) -> list[AbortedTransaction]:
        """Those with a record in [first_offset, end_offset)."""
        return collect_aborted(self.segments, first_offset, end_offset)

    def aborted_in_read(self, read: LogRead, first_offset: int, end_offset: int) -> list[AbortedTransaction]:
        """Those with a record in what was read from `first_offset` on, below `end_offset`."""
        return aborted_in_read(self.segments, read, first_offset, end_offset)

    def first_unstable_offset(self, high_watermark: int) -> LogOffset | None:
        """Where read_committed readers stop; None: nothing but the high watermark holds them.

        Its place is kept: it is looked up once for each transaction that is the oldest.
        """
        first_offset = self.producers.transactions.first_unstable_offset(high_watermark)
        if first_offset is None:
            return None
        offset = max(first_offset, self.log_start_offset)
        kept = self._first_unstable
        if kept is None or kept.offset != offset:
            kept = self._first_unstable = self.position_of(offset)
        return kept

    def offset_for_timestamp(self, timestamp: int) -> FoundOffset:
        lookup = TimestampLookup(self.segments, self.log_start_offset, self.config.decompressed_bytes_max)
        return lookup.find(timestamp)

    def offset_of_max_timestamp(self) -> FoundOffset:
        lookup = TimestampLookup(self.segments, self.log_start_offset, self.config.decompressed_bytes_max)
        return lookup.find_max()

    def end_offset_for_epoch(self, leader_epoch: int) -> EpochEnd:
        return self.leader_epochs.end_offset_for(leader_epoch, self.log_end_offset)

    # -- truncate -----------------------------------------------------------------------------------------------------

    def truncate_to(self, offset: int, *, now_ms: int) -> bool:
        """Cut the end off: everything at or past `offset`, and the whole batch that `offset` lies in.

        False when the log ends before `offset` anyway. An epoch that began at the end and has no record goes in any
        case: a former leader noted it, and the new one may not know it.
        """
        if offset >= self.log_end_offset:
            self.leader_epochs.truncate_from_end(self.log_end_offset)
            self._latest_epoch = self.leader_epochs.latest_epoch
            return False
        if offset < self.segments.first.base_offset:
            self.truncate_fully(offset, now_ms=now_ms)
            return True
        self.hooks.log_truncated(self, offset)
        segments, dropped = self.segments.up_to(offset)
        with self.log_directory.no_way_back():
            self._set_segments(segments)
            self._discard(dropped)
            self.active.activate()
            self._cut_state(self.active.truncate_to(offset), now_ms)
        self._roll_after_timestamp = UNDECIDED
        return True

    def truncate_fully(self, new_start: int, *, now_ms: int) -> None:
        """Drop everything; the log goes on, empty, at `new_start`."""
        self.hooks.log_truncated(self, 0)
        with self.log_directory.no_way_back():
            self._discard(tuple(self.segments))
            self._set_segments(SegmentList([self._create_segment(new_start, now_ms)]))
            self.log_start_offset = new_start
            self.leader_epochs.clear()
            self.snapshots.drop_past(NO_OFFSET)
            self._cut_state(new_start, now_ms)

    def _cut_state(self, end_offset: int, now_ms: int) -> None:
        """Make everything that describes the log end where the log now ends."""
        self._first_unstable = None
        self.log_end_offset = end_offset
        self.log_start_offset = min(self.log_start_offset, end_offset)
        self.recovery_point = min(self.recovery_point, end_offset)
        self.leader_epochs.truncate_from_end(end_offset)
        self._latest_epoch = self.leader_epochs.latest_epoch
        self.snapshots.drop_past(end_offset)
        replay_from = self.snapshots.restore_newest(self.producers, end_offset, now_ms)
        replay_segments(self.producers, self.segments, max(replay_from, self.log_start_offset), end_offset, now_ms)

    # -- delete -------------------------------------------------------------------------------------------------------

    def deletable_segments(self, is_old: Callable[[Segment, int], bool], end_offset_max: int) -> int:
        """How many segments from the oldest on `is_old(segment, end offset)` gives up, all below `end_offset_max`.

        That is the high watermark: what is not replicated yet is not deleted. An active one without a record stays.
        """
        count = 0
        for segment in self.segments:
            end_offset = self.segments.next_base_offset(count, self.log_end_offset)
            if end_offset > end_offset_max or not is_old(segment, end_offset):
                break
            if segment is self.active and segment.size == 0:
                break
            count += 1
        return count

    def delete_oldest(self, count: int, *, now_ms: int) -> int:
        """Delete that many segments; how many bytes went. When it is all of them, a new one is begun first."""
        if count == 0:
            return 0
        if count >= len(self.segments):
            self.roll(now_ms=now_ms)
            count = len(self.segments) - 1
        dropped = [self.segments[number] for number in range(count)]
        with self.log_directory.no_way_back():
            self._set_segments(self.segments.without_first(count))
            self._move_start(max(self.log_start_offset, self.segments.first.base_offset))
            self.snapshots.drop_below(self.segments.first.base_offset)
            self._discard(dropped)
        return sum(segment.size for segment in dropped)

    def increment_log_start_offset(self, offset: int) -> bool:
        """Records below `offset` are deleted from now on (DeleteRecords, or the leader says so). False: nothing new."""
        if offset > self.log_end_offset:
            raise OffsetOutOfRangeError(
                f"Cannot increment the log start offset to {offset} of partition {self.topic_partition} since it is "
                f"larger than the log end offset {self.log_end_offset}"
            )
        if offset <= self.log_start_offset:
            return False
        self._move_start(offset)
        return True

    def _move_start(self, offset: int) -> None:
        self.log_start_offset = offset
        self.leader_epochs.truncate_from_start(offset)

    def replace(self, replaced: Sequence[Segment], segment: Segment) -> None:
        """A cleaned segment takes the place of those that it was made from, whose files are renamed already."""
        self._set_segments(self.segments.with_replaced(replaced, segment))
        self.hooks.segments_deleted(self, replaced)

    def _discard(self, segments: Sequence[Segment]) -> None:
        for segment in segments:
            segment.mark_deleted()
        if segments:
            self.hooks.segments_deleted(self, segments)

    # -- flush, close -------------------------------------------------------------------------------------------------

    def unflushed_segments(self) -> tuple[Segment, ...]:
        """Those with records at or past the recovery point."""
        return tuple(segment for segment in self.segments.from_offset(self.recovery_point) if segment.size)

    def mark_flushed(self, offset: int) -> None:
        """Everything below `offset` is durable now."""
        self.recovery_point = max(self.recovery_point, min(offset, self.log_end_offset))

    def lower_recovery_point(self, offset: int) -> None:
        """The log is about to be cut at `offset`, and the checkpoint says so already."""
        self.recovery_point = offset

    def flush(self) -> None:
        """Make the whole log durable. Blocks."""
        end_offset = self.log_end_offset
        for segment in self.unflushed_segments():
            segment.flush()
        self.log_directory.sync_directory(self.directory)
        self.mark_flushed(end_offset)

    def close(self) -> None:
        """A clean stop: what the next start needs is written, so that it reads no records. Does not sync."""
        self.snapshots.take(self.producers, self.log_end_offset)
        for segment in self.segments:
            segment.close()

    def close_files(self) -> None:
        """Give back descriptors without writing anything."""
        for segment in self.segments:
            for file in segment.files:
                file.close()

    def rename_directory(self, path: str) -> None:
        """Move the whole partition, to a `-delete` name or from a `-future` one. Readers go on."""
        self.log_directory.rename(self.directory, path)
        self.directory = path
        self.snapshots.moved(path)
        for segment in self.segments:
            segment.moved(path)

    def check_invariants(self) -> None:
        self.segments.check_invariants()
        assert self.active is self.segments.active
        assert 0 <= self.log_start_offset <= self.log_end_offset
        assert self.segments.first.base_offset <= max(self.log_start_offset, self.segments.first.base_offset)
        assert self.active.base_offset <= self.log_end_offset
        assert self.recovery_point <= self.log_end_offset
        assert not self.active.size or self.active.read_end().offset == self.log_end_offset
        assert self.leader_epochs.latest_epoch == self._latest_epoch


def _append_stamped(
    segment: Segment, batch: Buffer, first_offset: int, last_offset: int, leader_epoch: int, max_timestamp: int
) -> None:
    """Stamp in place where the bytes can be changed; else the header is copied and both are written in one call."""
    if isinstance(batch, bytearray) or (isinstance(batch, memoryview) and not batch.readonly):
        stamp(batch, 0, first_offset, leader_epoch)
        segment.append(batch, last_offset, max_timestamp)
        return
    head = bytearray(batch[:HEADER_SIZE])
    stamp(head, 0, first_offset, leader_epoch)
    position = segment.log.append_parts(head, batch[HEADER_SIZE:])
    segment.note_batch(position, len(batch), last_offset, max_timestamp)
