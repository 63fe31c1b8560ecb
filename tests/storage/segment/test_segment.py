import errno
import os
from pathlib import Path
from struct import pack

import pytest

from ottla.disk.directory import LogDirectory
from ottla.errors.kafka import CorruptMessageError, KafkaStorageError
from ottla.records.batch import stamp
from ottla.storage.segment.batch_scan import walk_batches
from ottla.storage.segment.segment import Segment
from support.disks import FaultyDisk, os_error
from support.logs import NOW_MS, batch


def create(path: Path, directory: LogDirectory | None = None, *, interval: int = 200, allocate: int = 0) -> Segment:
    return Segment.create(
        str(path),
        100,
        directory or LogDirectory(str(path)),
        index_bytes_max=1 << 12,
        index_interval_bytes=interval,
        now_ms=NOW_MS,
        allocate_bytes=allocate,
    )


def reopen(segment: Segment) -> Segment:
    path = os.path.dirname(segment.log.path)
    return Segment.open(
        path,
        segment.base_offset,
        segment.log.directory,
        index_bytes_max=1 << 12,
        index_interval_bytes=200,
        now_ms=NOW_MS,
        has_txn_index=False,
    )


def append(segment: Segment, offset: int, count: int = 1, timestamp: int = NOW_MS) -> int:
    records = batch(count, timestamp=timestamp)
    stamp(records, 0, offset, 0)
    return segment.append(records, offset + count - 1, timestamp)


@pytest.fixture
def segment(tmp_path: Path) -> Segment:
    return create(tmp_path)


def entries(segment: Segment) -> list[tuple[int, int]]:
    return [tuple(segment.offset_index.entry(number)) for number in range(segment.offset_index.entries)]


def test_files_have_names_of_twenty_digits(segment: Segment, tmp_path: Path) -> None:
    append(segment, 100)
    segment.close()
    name = "00000000000000000100"
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{name}.index", f"{name}.log", f"{name}.timeindex"]


def test_an_index_entry_is_due_when_more_than_the_interval_was_appended_since_the_last(segment: Segment) -> None:
    size = len(batch(1))
    assert 2 * size < 200 < 3 * size
    for offset in range(100, 108):
        append(segment, offset)
    assert entries(segment) == [(3, 3 * size), (6, 6 * size)]


def test_the_first_batch_of_a_segment_has_no_entry_even_without_interval(tmp_path: Path) -> None:
    segment = create(tmp_path, interval=0)
    for offset in range(100, 104):
        append(segment, offset)
    assert [offset for offset, _ in entries(segment)] == [1, 2, 3]


def test_time_index_ends_with_the_largest_timestamp_of_a_closed_segment(segment: Segment) -> None:
    append(segment, 100, timestamp=NOW_MS + 50)
    append(segment, 101, timestamp=NOW_MS + 20)
    segment.close()
    again = reopen(segment)
    assert again.time_index.entries == 1
    assert (again.max_timestamp, again.time_index.largest()) == (NOW_MS + 50, (NOW_MS + 50, 100))


def test_age_is_that_of_the_file_where_records_have_no_timestamp(segment: Segment) -> None:
    append(segment, 100, timestamp=-1)
    os.utime(segment.log.path, (1234, 1234))
    assert segment.max_timestamp == -1
    assert segment.largest_timestamp == 1_234_000
    append(segment, 101, timestamp=NOW_MS)
    assert segment.largest_timestamp == NOW_MS


def test_every_offset_is_found_with_and_without_indexes(segment: Segment) -> None:
    places = []
    offset = 100
    for count in (1, 3, 2, 5, 1, 1, 4, 2, 9, 1):
        places.append((append(segment, offset, count), offset, offset + count))
        offset += count + count % 2  # gaps, as compaction leaves them
    segment.check_invariants()
    segment.close()
    for state in (segment, reopen(segment)):
        for wanted in range(100, offset):
            expected = min((position for position, _, end in places if end > wanted), default=None)
            assert state.find_position(wanted) == expected
    assert segment.read_end().offset == places[-1][2]


@pytest.mark.parametrize("position", [1 << 10, 77, (1 << 31) - 1])
@pytest.mark.parametrize("key", [0, 1])
def test_every_offset_is_found_though_an_index_entry_is_wrong(segment: Segment, key: int, position: int) -> None:
    for offset in range(100, 140):
        append(segment, offset)
    segment.deactivate()
    wrong = Path(segment.offset_index.file.path)
    wrong.write_bytes(pack(">ii", key, position) + wrong.read_bytes()[8:])
    reopened = reopen(segment)
    for offset in range(100, 140):
        place = reopened.find(offset)
        assert place is not None
        assert place.base_offset == offset
        assert reopened.find_position(offset) == place.position


def test_known_positions_are_dropped_with_what_they_point_at(segment: Segment) -> None:
    position = append(segment, 100)
    append(segment, 101)
    segment.know_position(101, segment.size)
    segment.truncate_to(101)
    assert segment.find_position(101) is None
    append(segment, 105)
    assert segment.find_position(101) == len(batch(1)) > position


def test_truncation_takes_the_whole_batch_and_says_where_the_log_now_ends(segment: Segment) -> None:
    for offset in range(100, 150, 5):
        append(segment, offset, 5, timestamp=NOW_MS + offset)
    assert segment.truncate_to(123) == 120
    segment.check_invariants()
    assert segment.size == 4 * len(batch(5))
    assert segment.max_timestamp == NOW_MS + 115
    assert segment.truncate_to(200) == 200


def test_truncated_and_closed_segments_can_be_appended_to_again(segment: Segment) -> None:
    for offset in range(100, 130):
        append(segment, offset, timestamp=NOW_MS + offset)
    segment.close()
    again = reopen(segment)
    again.activate()
    again.truncate_to(110)
    for offset in range(110, 140):
        append(again, offset)
    again.check_invariants()
    assert again.max_timestamp == NOW_MS + 109


@pytest.mark.parametrize("call", ["open", "truncate", "allocate"])
def test_a_segment_that_cannot_be_created_leaves_nothing_behind(tmp_path: Path, call: str) -> None:
    disk = FaultyDisk()
    directory = LogDirectory(str(tmp_path), disk)
    disk.faults[call] = os_error(errno.ENOSPC)
    with pytest.raises(KafkaStorageError):
        create(tmp_path, directory, allocate=4096)
    assert list(tmp_path.iterdir()) == []
    assert len(directory.handles) == 0


def test_preallocated_room_is_given_back_when_the_segment_is_closed(tmp_path: Path) -> None:
    segment = create(tmp_path, allocate=8192)
    append(segment, 100)
    assert os.stat(segment.log.path).st_size == 8192
    segment.close()
    assert os.stat(segment.log.path).st_size == segment.size == len(batch(1))


def test_deleted_files_are_renamed_first_and_stay_readable(segment: Segment, tmp_path: Path) -> None:
    append(segment, 100)
    part = segment.slice(0, segment.size)
    segment.mark_deleted()
    assert {path.suffix for path in tmp_path.iterdir()} == {".deleted"}
    segment.delete_files()
    assert list(tmp_path.iterdir()) == []
    assert len(part.read(0, 1 << 20)) == len(batch(1))
    part.close()


def test_deleting_a_segment_whose_index_is_gone_is_no_error(segment: Segment, tmp_path: Path) -> None:
    os.unlink(segment.offset_index.file.path)
    segment.mark_deleted()
    segment.delete_files()
    assert list(tmp_path.iterdir()) == []


def test_messages_of_old_formats_are_walked_by_their_last_offset(segment: Segment) -> None:
    v0 = pack(">qiIbbii", 100, 14, 0, 0, 0, -1, -1)
    v1 = pack(">qiIbbqii", 103, 22, 0, 1, 0, NOW_MS + 3, -1, -1)
    segment.append(v0, 100, -1)
    segment.append(v1, 103, NOW_MS + 3)
    segment.append(v0[:7] + b"\x70" + v0[8:], 112, -1)
    places = list(walk_batches(segment.log, 0, segment.size))
    assert [(place.last_offset, place.max_timestamp, place.size) for place in places] == [
        (100, -1, 26),
        (103, NOW_MS + 3, 34),
        (112, -1, 26),
    ]
    assert segment.find_position(101) == 26
    assert segment.find_position(104) == 60


def test_a_batch_length_that_cannot_be_ends_the_walk_with_an_error(segment: Segment) -> None:
    segment.log.append(bytes(100))
    with pytest.raises(CorruptMessageError):
        segment.find(100 + 1)
    with pytest.raises(CorruptMessageError):
        list(walk_batches(segment.log, 0, segment.size))
