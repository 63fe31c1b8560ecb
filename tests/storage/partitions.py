"""Partition directories for tests, written segment by segment, and opened as the broker opens them."""

import os
from pathlib import Path

from ottla.disk.directory import LogDirectory
from ottla.disk.system_disk import SYSTEM_DISK, Disk
from ottla.model import TopicPartition
from ottla.records.batch import iterate_batches
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.records.legacy import down_convert
from ottla.records.record import Record, decode_batch, encode_batch
from ottla.storage.log.leader_epochs import FILE_NAME, LeaderEpochs
from ottla.storage.log.loading import LoadedLog, LoadRequest, load_log
from ottla.storage.producers.producer_replay import note_batch
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.producers.snapshot_files import SnapshotFiles
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList

NOW = 1_700_000_000_000
ORDERS = TopicPartition("orders", 0)
INDEX_BYTES = 4096
INDEX_INTERVAL = 100


class PartitionWriter:
    """Writes what a leader would, without a PartitionLog: segments, epochs, producers, snapshots."""

    def __init__(self, root: Path, disk: Disk = SYSTEM_DISK) -> None:
        self.directory = LogDirectory(str(root), disk)
        self.path = str(root / str(ORDERS))
        os.mkdir(self.path)
        self.end = 0
        self.epoch = 0
        self.epochs = LeaderEpochs()
        self.producers = ProducerStates(ORDERS)
        self.snapshots = SnapshotFiles(self.path, self.directory, [])
        self.segments: list[Segment] = []
        self.values: list[tuple[int, bytes | None]] = []
        self.roll()

    @property
    def active(self) -> Segment:
        return self.segments[-1]

    def roll(self) -> None:
        if self.segments:
            self.active.deactivate()
            self.snapshots.take(self.producers, self.end)
        self.segments.append(
            Segment.create(
                self.path,
                self.end,
                self.directory,
                index_bytes_max=INDEX_BYTES,
                index_interval_bytes=INDEX_INTERVAL,
                now_ms=NOW,
            )
        )

    def append(self, *values: bytes, producer_id: int = -1, sequence: int = -1, transactional: bool = False) -> None:
        records = [Record(self.end + number, NOW + self.end, None, value) for number, value in enumerate(values)]
        self._write(
            encode_batch(
                records,
                leader_epoch=self.epoch,
                producer_id=producer_id,
                producer_epoch=0 if producer_id >= 0 else -1,
                base_sequence=sequence,
                is_transactional=transactional,
            )
        )
        self.values += [(record.offset, record.value) for record in records]

    def append_old(self, value: bytes, *, magic: int) -> None:
        """A message of the format v0 or v1, as a directory of an old Kafka has them."""
        data = down_convert(encode_batch([Record(self.end, NOW + self.end, None, value)]), magic)
        self.active.append(data, self.end, NOW + self.end if magic else -1)
        self.end += 1

    def end_transaction(self, producer_id: int, control_type: ControlType) -> None:
        self._write(
            encode_end_txn_batch(
                control_type,
                producer_id=producer_id,
                producer_epoch=0,
                coordinator_epoch=0,
                timestamp=NOW,
                base_offset=self.end,
                leader_epoch=self.epoch,
            )
        )

    def _write(self, data: bytes) -> None:
        ((_, header),) = iterate_batches(data)
        if self.epoch > self.epochs.latest_epoch:
            self.epochs.assign(self.epoch, self.end)
        self.active.append(data, header.last_offset, header.max_timestamp)
        self.end = header.next_offset
        if header.producer_id >= 0:
            note_batch(self.producers, self.active.txn_index, header, data, header.base_offset, NOW)

    def stop(self) -> None:
        """A clean stop, but for the marker and the checkpoints, which `load` is told of."""
        self.producers.end_offset = self.end
        self.snapshots.take(self.producers, self.end)
        self.crash()

    def crash(self) -> None:
        """End without a promise. The index files are those of a broker that had just flushed."""
        for segment in self.segments:
            segment.close()
        Path(self.path, FILE_NAME).write_bytes(self.epochs.encode())

    def load(
        self,
        *,
        is_clean: bool = False,
        recovery_point: int = 0,
        log_start_offset: int = 0,
        may_have_gaps: bool = False,
        disk: Disk = SYSTEM_DISK,
    ) -> LoadedLog:
        directory = LogDirectory(self.directory.path, disk)
        request = LoadRequest(
            topic_partition=ORDERS,
            path=self.path,
            is_clean=is_clean,
            recovery_point=recovery_point,
            log_start_offset=log_start_offset,
            index_bytes_max=INDEX_BYTES,
            index_interval_bytes=INDEX_INTERVAL,
            may_have_gaps=may_have_gaps,
            now_ms=NOW,
        )
        return load_log(directory, request)


def values_of(log: LoadedLog) -> list[tuple[int, bytes | None]]:
    """Every record that is in the log, control batches left out."""
    found = []
    for segment in log.segments:
        data = segment.log.read_at(0, segment.size)
        for position, header in iterate_batches(data):
            if not header.is_control:
                found += [(record.offset, record.value) for record in decode_batch(data, position)]
    return found


def check(log: LoadedLog) -> None:
    """All that must hold of a log that was opened."""
    SegmentList(log.segments).check_invariants()
    assert log.segments[-1].offset_index.is_active
    assert not any(segment.offset_index.is_active for segment in log.segments[:-1])
    assert log.log_start_offset <= log.log_end_offset
    assert log.recovery_point <= log.log_end_offset
    assert log.producers.end_offset == log.log_end_offset
    assert log.segments[-1].base_offset <= log.log_end_offset
    assert all(offset <= log.log_end_offset for offset in log.snapshots.offsets)
