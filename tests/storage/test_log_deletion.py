from collections.abc import Sequence
from pathlib import Path

import pytest

from ottla.errors.kafka import OffsetOutOfRangeError
from ottla.storage.log.log_hooks import NoHooks
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.segment.segment import Segment
from support.logs import NOW_MS, batch, create_log, read_all


class DelayedDeletion(NoHooks):
    """Hooks that keep deleted segments until the test removes them, as file.delete.delay.ms does."""

    def __init__(self) -> None:
        self.deleted: list[Segment] = []

    def segments_deleted(self, log: PartitionLog, segments: Sequence[Segment]) -> None:
        self.deleted += segments


@pytest.fixture
def hooks() -> DelayedDeletion:
    return DelayedDeletion()


@pytest.fixture
def log(tmp_path: Path, hooks: DelayedDeletion) -> PartitionLog:
    log = create_log(tmp_path, hooks=hooks, segment_bytes=5 * len(batch(1)))
    for number in range(23):
        log.append_as_leader(batch(1, timestamp=NOW_MS + number), number // 10, now_ms=NOW_MS)
    return log


def suffixes(log: PartitionLog, base_offset: int) -> set[str]:
    return {"".join(path.suffixes) for path in Path(log.directory).glob(f"{base_offset:020d}*")}


def test_deletion_moves_the_start_and_renames_the_files_until_the_delay_is_over(
    log: PartitionLog, hooks: DelayedDeletion
) -> None:
    assert log.delete_oldest(2, now_ms=NOW_MS) == 10 * len(batch(1))
    assert log.log_start_offset == 10
    assert log.leader_epochs.entries == [(1, 10), (2, 20)]
    assert suffixes(log, 0) == {".log.deleted", ".index.deleted", ".timeindex.deleted"}
    assert read_all(log)[0].offset == 10
    for segment in hooks.deleted:
        segment.delete_files()
    assert suffixes(log, 0) == set()
    log.check_invariants()


def test_a_reader_of_a_deleted_segment_goes_on(log: PartitionLog, hooks: DelayedDeletion) -> None:
    read = log.read(0, 1 << 20, end_offset=log.end_position)
    assert read.slice is not None
    before = read.slice.read(0, 1 << 20)
    log.delete_oldest(3, now_ms=NOW_MS)
    for segment in hooks.deleted:
        segment.delete_files()
    assert read.slice.read(0, 1 << 20) == before
    read.slice.close()
    with pytest.raises(OffsetOutOfRangeError):
        log.read(0, 1 << 20, end_offset=log.end_position)


def test_deleting_everything_leaves_an_empty_log_at_its_end(log: PartitionLog) -> None:
    count = log.deletable_segments(lambda segment, end: True, log.log_end_offset)
    assert count == len(log.segments)
    log.delete_oldest(count, now_ms=NOW_MS)
    assert (log.log_start_offset, log.log_end_offset) == (23, 23)
    assert log.deletable_segments(lambda segment, end: True, log.log_end_offset) == 0
    log.check_invariants()


def test_what_is_not_replicated_is_not_deleted(log: PartitionLog) -> None:
    assert log.deletable_segments(lambda segment, end: True, 14) == 2
    assert log.deletable_segments(lambda segment, end: True, 15) == 3


def test_deletion_stops_at_the_first_segment_that_is_kept(log: PartitionLog) -> None:
    assert log.deletable_segments(lambda segment, end: segment.largest_timestamp != NOW_MS + 9, 23) == 1


def test_delete_records_moves_only_the_start(log: PartitionLog) -> None:
    assert log.increment_log_start_offset(7)
    assert not log.increment_log_start_offset(6)
    assert [record.offset for record in read_all(log)] == list(range(7, 23))
    assert log.leader_epochs.entries == [(0, 7), (1, 10), (2, 20)]
    with pytest.raises(OffsetOutOfRangeError):
        log.increment_log_start_offset(24)
    log.check_invariants()


def test_snapshots_go_with_their_segments(log: PartitionLog) -> None:
    assert log.snapshots.offsets == [5, 10, 15, 20]
    log.delete_oldest(2, now_ms=NOW_MS)
    assert log.snapshots.offsets == [10, 15, 20]
    assert len(list(Path(log.directory).glob("*.snapshot"))) == 3


def test_a_renamed_directory_is_still_read_and_appended_to(log: PartitionLog, tmp_path: Path) -> None:
    for segment in log.segments:
        segment.log.close()
    log.rename_directory(f"{tmp_path}/orders-0.0123456789abcdef-delete")
    assert len(read_all(log)) == 23
    log.append_as_leader(batch(5), 2, now_ms=NOW_MS)
    log.roll(now_ms=NOW_MS)
    assert not (tmp_path / "orders-0").exists()
    log.check_invariants()
