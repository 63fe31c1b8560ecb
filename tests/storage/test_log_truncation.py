from pathlib import Path

import pytest

from ottla.storage.log.partition_log import PartitionLog
from support.logs import NOW_MS, batch, create_log, read_all


@pytest.fixture
def log(tmp_path: Path) -> PartitionLog:
    log = create_log(tmp_path, segment_bytes=1000, index_interval_bytes=100)
    for number in range(40):
        producer = {"producer_id": 1, "producer_epoch": 0, "base_sequence": 2 * number}
        log.append_as_leader(batch(2, timestamp=NOW_MS + number, **producer), number // 10, now_ms=NOW_MS)
    return log


@pytest.mark.parametrize("offset", [0, 1, 2, 17, 18, 40, 41, 78, 79])
def test_truncation_cuts_records_indexes_epochs_and_producers(log: PartitionLog, offset: int) -> None:
    expected = read_all(log)[: offset // 2 * 2]
    assert log.truncate_to(offset, now_ms=NOW_MS)
    log.check_invariants()
    assert read_all(log) == expected
    assert log.log_end_offset == len(expected)
    starts = [entry.start_offset for entry in log.leader_epochs.entries]
    assert starts == [start for start in (0, 20, 40, 60) if start < len(expected)]
    entry = log.producers.get(1)
    assert (entry.last_sequence if entry else -1) == len(expected) - 1


def test_truncating_past_the_end_does_nothing(log: PartitionLog) -> None:
    before = read_all(log)
    assert not log.truncate_to(80, now_ms=NOW_MS)
    assert not log.truncate_to(999, now_ms=NOW_MS)
    assert read_all(log) == before


def test_appends_go_on_after_a_truncation(log: PartitionLog) -> None:
    log.truncate_to(31, now_ms=NOW_MS)
    info = log.append_as_leader(batch(2, producer_id=1, producer_epoch=0, base_sequence=30), 9, now_ms=NOW_MS)
    assert info.first_offset == 30
    assert not info.duplicate
    assert log.leader_epochs.entries[-1] == (9, 30)
    log.check_invariants()


def test_truncation_pulls_back_the_recovery_point(log: PartitionLog) -> None:
    log.mark_flushed(70)
    log.truncate_to(30, now_ms=NOW_MS)
    assert log.recovery_point == 30


def test_truncation_removes_the_files_of_later_segments(log: PartitionLog) -> None:
    log.truncate_to(3, now_ms=NOW_MS)
    names = {path.name.split(".")[0] for path in Path(log.directory).iterdir()}
    assert names == {"00000000000000000000"}


def test_full_truncation_starts_anew_where_it_is_told(log: PartitionLog) -> None:
    log.truncate_fully(500, now_ms=NOW_MS)
    log.check_invariants()
    assert (log.log_start_offset, log.log_end_offset) == (500, 500)
    assert len(log.leader_epochs) == 0
    assert len(log.producers) == 0
    info = log.append_as_leader(batch(1), 0, now_ms=NOW_MS)
    assert info.first_offset == 500
    assert [path.name for path in sorted(Path(log.directory).glob("*.log"))] == ["00000000000000000500.log"]


def test_truncating_below_the_first_segment_starts_anew_there(log: PartitionLog) -> None:
    log.delete_oldest(2, now_ms=NOW_MS)
    start = log.log_start_offset
    assert start > 0
    log.truncate_to(start - 1, now_ms=NOW_MS)
    assert (log.log_start_offset, log.log_end_offset) == (start - 1, start - 1)
    log.check_invariants()


def test_truncation_below_the_log_start_takes_the_start_along(log: PartitionLog) -> None:
    log.increment_log_start_offset(9)
    log.truncate_to(6, now_ms=NOW_MS)
    assert (log.log_start_offset, log.log_end_offset) == (6, 6)
    log.check_invariants()


def test_readers_keep_the_bytes_of_segments_that_are_truncated_away(log: PartitionLog) -> None:
    last = log.active
    read = log.read(last.base_offset, 1 << 20, end_offset=log.end_position)
    assert read.slice is not None
    log.truncate_to(1, now_ms=NOW_MS)
    assert len(read.slice.read(0, 1 << 20)) == len(read.slice)
    read.slice.close()
