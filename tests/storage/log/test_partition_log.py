import errno
from pathlib import Path

import pytest

from ottla.errors.kafka import KafkaStorageError, OffsetOutOfRangeError, OutOfOrderSequenceNumberError
from ottla.errors.tree import LogDirError
from ottla.records.batch import iterate_batches
from ottla.storage.log.log_results import LogOffset
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.segment.time_index import TimeIndex
from support.disks import FaultyDisk, RoomForLogsDisk, os_error
from support.logs import NOW_MS, batch, create_log, open_log, read_all, take


@pytest.fixture
def log(tmp_path: Path) -> PartitionLog:
    return create_log(tmp_path, segment_bytes=2000, index_interval_bytes=100)


def fill(log: PartitionLog, batches: int = 50, *, leader_epoch: int = 0) -> None:
    for number in range(batches):
        log.append_as_leader(batch([b"%d" % number, b"more"]), leader_epoch, now_ms=NOW_MS + number)


def values(log: PartitionLog, offset: int | None = None) -> list[bytes | None]:
    return [record.value for record in read_all(log, offset)]


def test_append_gives_offsets_and_stamps_them_with_the_epoch_into_the_batch(log: PartitionLog) -> None:
    log.append_as_leader(batch(3), 4, now_ms=NOW_MS)
    info = log.append_as_leader(batch(2, timestamp=NOW_MS + 7), 4, now_ms=NOW_MS)
    assert (info.first_offset, info.last_offset, info.max_timestamp) == (3, 4, NOW_MS + 7)
    assert (info.log_append_time_ms, info.log_start_offset, info.duplicate) == (-1, 0, False)
    headers = [header for _, header in iterate_batches(take(log.read(0, 10_000, end_offset=log.end_position)))]
    assert [(header.base_offset, header.partition_leader_epoch) for header in headers] == [(0, 4), (3, 4)]
    assert log.leader_epochs.entries == [(4, 0)]


def test_a_read_only_buffer_is_stored_like_a_writable_one(log: PartitionLog) -> None:
    log.append_as_leader(batch(3), 4, now_ms=NOW_MS)
    log.append_as_leader(memoryview(bytes(batch(3))), 4, now_ms=NOW_MS)
    assert [record.offset for record in read_all(log)] == list(range(6))
    log.check_invariants()


def test_read_starts_with_the_batch_that_holds_the_offset(log: PartitionLog) -> None:
    fill(log, 3)
    read = log.read(3, 10_000, end_offset=log.end_position)
    assert read.start.offset == 3
    assert [header.base_offset for _, header in iterate_batches(take(read))] == [2, 4]


def test_read_stops_at_the_end_that_it_is_given(log: PartitionLog) -> None:
    fill(log, 4)
    high_watermark = log.position_of(4)
    data = take(log.read(0, 10_000, end_offset=high_watermark))
    assert [header.base_offset for _, header in iterate_batches(data)] == [0, 2]
    assert take(log.read(0, 10_000, end_offset=LogOffset(4))) == data
    assert log.read(4, 10_000, end_offset=high_watermark).slice is None
    assert log.read(6, 10_000, end_offset=high_watermark).slice is None


def test_read_gives_at_least_one_batch_only_where_that_is_wanted(log: PartitionLog) -> None:
    fill(log, 2)
    data = take(log.read(0, 10, end_offset=log.end_position, minimum_one_batch=True))
    assert [header.base_offset for _, header in iterate_batches(data)] == [0]
    size = len(data)
    assert log.read(0, size - 1, end_offset=log.end_position).slice is None
    assert len(take(log.read(0, size, end_offset=log.end_position))) == size
    assert len(take(log.read(0, size + 1, end_offset=log.end_position))) == size + 1
    assert log.read(0, 0, end_offset=log.end_position).slice is None


@pytest.mark.parametrize("segment_bytes", [5_000, 1 << 20])
def test_large_batches_in_order_take_one_small_read_each_and_leave_nothing_behind(
    tmp_path: Path, segment_bytes: int
) -> None:
    log = create_log(tmp_path, segment_bytes=segment_bytes)
    for _ in range(30):
        log.append_as_leader(batch([b"v" * 900, b"w"]), 0, now_ms=NOW_MS)
    disk = FaultyDisk()
    for segment in log.segments:
        segment.log.directory.disk = disk
    for offset in range(0, 58, 2):
        disk.calls.clear()
        read = log.read(offset, 1_000, end_offset=log.end_position, minimum_one_batch=True)
        assert read.start.offset == offset
        assert take(read)[:8] == offset.to_bytes(8, "big")
        is_first_of_segment = read.start.position == 0
        assert disk.calls.count("pread") <= (3 if is_first_of_segment else 2)  # The second is `take`'s.
    assert all(len(segment._known_positions) <= 1 for segment in log.segments if segment is not log.active)


def test_read_out_of_range_is_refused(log: PartitionLog) -> None:
    fill(log, 2)
    log.increment_log_start_offset(2)
    for offset in (-1, 0, 1, 5):
        with pytest.raises(OffsetOutOfRangeError):
            log.read(offset, 100, end_offset=log.end_position)
    assert log.read(4, 100, end_offset=log.end_position).slice is None


def test_every_offset_can_be_read_across_segments(log: PartitionLog) -> None:
    fill(log, 60)
    assert len(log.segments) >= 3
    for offset in range(log.log_end_offset):
        assert read_all(log, offset)[0].offset == offset
    log.check_invariants()


def test_a_full_disk_refuses_the_append_and_changes_nothing(tmp_path: Path) -> None:
    disk = FaultyDisk()
    log = create_log(tmp_path, disk=disk)
    log.append_as_leader(batch(1, producer_id=7, producer_epoch=0, base_sequence=0), 0, now_ms=NOW_MS)
    before = log.end_position
    disk.room = 30
    with pytest.raises(KafkaStorageError):
        log.append_as_leader(batch(1, producer_id=7, producer_epoch=0, base_sequence=1), 1, now_ms=NOW_MS)
    assert log.end_position == before
    assert log.leader_epochs.latest_epoch == 0
    log.check_invariants()
    disk.room = None
    log.append_as_leader(batch(1, producer_id=7, producer_epoch=0, base_sequence=1), 1, now_ms=NOW_MS)
    assert len(read_all(log)) == 2


@pytest.mark.parametrize("room", [0, 5, 20, 70])
def test_a_full_disk_during_a_roll_refuses_the_append_and_changes_nothing(tmp_path: Path, room: int) -> None:
    disk = FaultyDisk()
    log = create_log(tmp_path, disk=disk, segment_bytes=400, index_interval_bytes=0)
    fill(log, 4)
    before = log.end_position
    disk.room = room
    for _ in range(3):
        with pytest.raises(KafkaStorageError):
            fill(log, 10)
    disk.room = None
    assert log.end_position.offset >= before.offset
    log.check_invariants()
    fill(log, 10)
    log.check_invariants()
    assert [record.offset for record in read_all(log)] == list(range(log.log_end_offset))


def test_an_append_needs_no_room_for_indexes(tmp_path: Path) -> None:
    """A log file has room reserved ahead, its indexes have not: what is in the log has been appended."""
    disk = RoomForLogsDisk()
    log = create_log(tmp_path, disk=disk, index_interval_bytes=0)
    disk.is_full = True
    for _ in range(9000):
        log.append_as_leader(batch(), 0, now_ms=NOW_MS)
    with pytest.raises(KafkaStorageError):
        log.roll(now_ms=NOW_MS)
    log.check_invariants()
    assert open_log(tmp_path, is_clean=False).log_end_offset == 9000
    disk.is_full = False
    log.roll(now_ms=NOW_MS)
    log.check_invariants()


def test_a_segment_that_cannot_be_closed_whole_is_not_appended_to(
    log: PartitionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when there is no descriptor left for the second of its indexes."""
    log.append_as_leader(batch(), 0, now_ms=NOW_MS)
    closing = log.active

    def without_descriptors() -> None:
        raise KafkaStorageError("too many open files")

    with monkeypatch.context() as patched:
        patched.setattr(TimeIndex, "deactivate", lambda index: without_descriptors())
        with pytest.raises(KafkaStorageError):
            log.roll(now_ms=NOW_MS)
    fill(log)
    assert log.segments.first is closing
    assert len(read_all(log)) == log.log_end_offset == 101
    log.check_invariants()


def test_a_refused_append_leaves_the_epoch_that_has_begun(log: PartitionLog) -> None:
    fill(log, 2)
    log.assign_epoch_start(3, log.log_end_offset)
    prepared = log.validation.prepare(batch(producer_id=7, producer_epoch=0, base_sequence=0), NOW_MS)
    log.append_prepared(prepared, 3, now_ms=NOW_MS)
    log.assign_epoch_start(4, log.log_end_offset)
    gap = log.validation.prepare(batch(producer_id=7, producer_epoch=0, base_sequence=9), NOW_MS)
    with pytest.raises(OutOfOrderSequenceNumberError):
        log.append_prepared(gap, 4, now_ms=NOW_MS)
    assert log.end_offset_for_epoch(4) == (4, 5)


def test_an_input_output_error_takes_the_directory_offline(tmp_path: Path) -> None:
    disk = FaultyDisk()
    log = create_log(tmp_path, disk=disk)
    disk.faults["pwrite"] = os_error(errno.EIO)
    with pytest.raises(LogDirError):
        log.append_as_leader(batch(1), 0, now_ms=NOW_MS)


def test_a_retry_is_answered_with_the_offsets_of_the_first_time(log: PartitionLog) -> None:
    first = log.append_as_leader(batch(2, producer_id=9, producer_epoch=0, base_sequence=0), 0, now_ms=NOW_MS)
    log.append_as_leader(batch(2, producer_id=9, producer_epoch=0, base_sequence=2), 0, now_ms=NOW_MS)
    again = log.append_as_leader(batch(2, producer_id=9, producer_epoch=0, base_sequence=0), 0, now_ms=NOW_MS)
    assert again.duplicate
    assert (again.first_offset, again.last_offset) == (first.first_offset, first.last_offset)
    assert log.log_end_offset == 4
    with pytest.raises(OutOfOrderSequenceNumberError):
        log.append_as_leader(batch(2, producer_id=9, producer_epoch=0, base_sequence=8), 0, now_ms=NOW_MS)
