import os
from pathlib import Path
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.disk.directory import LogDirectory
from ottla.storage.segment.offset_index import OffsetIndex
from ottla.storage.segment.time_index import TimeIndex

BASE = 1000


@pytest.fixture
def directory(tmp_path: Path) -> LogDirectory:
    return LogDirectory(str(tmp_path))


def offset_index(directory: LogDirectory, size_max: int = 4096) -> OffsetIndex:
    return OffsetIndex.create(f"{directory.path}/a.index", directory, BASE, size_max)


def reopened(index: OffsetIndex) -> OffsetIndex:
    return OffsetIndex.open(index.file.path, index.file.directory, BASE, 4096)


def test_entries_are_relative_offset_and_position_big_endian(directory: LogDirectory) -> None:
    index = offset_index(directory)
    index.append(BASE + 5, 0)
    index.append(BASE + 11, 4242)
    index.deactivate()
    assert Path(index.file.path).read_bytes() == pack(">iiii", 5, 0, 11, 4242)


def test_time_entries_are_timestamp_and_relative_offset_big_endian(directory: LogDirectory) -> None:
    index = TimeIndex.create(f"{directory.path}/a.timeindex", directory, BASE, 4096)
    index.maybe_append(1_700_000_000_000, BASE + 5)
    index.deactivate()
    assert Path(index.file.path).read_bytes() == pack(">qi", 1_700_000_000_000, 5)


def test_file_of_the_active_segment_is_preallocated_sparse_and_shrunk_when_closed(directory: LogDirectory) -> None:
    index = offset_index(directory, 10 << 20)
    assert os.stat(index.file.path).st_size == 10 << 20
    assert os.stat(index.file.path).st_blocks <= 16
    index.append(BASE + 5, 0)
    index.deactivate()
    assert os.stat(index.file.path).st_size == 8


def test_size_of_the_file_is_rounded_down_to_whole_entries(directory: LogDirectory) -> None:
    assert offset_index(directory, 1003).entries_max == 125
    times = TimeIndex.create(f"{directory.path}/a.timeindex", directory, BASE, 1003)
    assert times.entries_max == 83
    assert os.stat(times.file.path).st_size == 83 * 12


def test_an_index_can_be_activated_again_and_appended_to(directory: LogDirectory) -> None:
    index = offset_index(directory)
    index.append(BASE + 5, 0)
    index.deactivate()
    again = reopened(index)
    again.activate()
    again.append(BASE + 9, 100)
    again.deactivate()
    assert [reopened(index).entry(number) for number in range(2)] == [(5, 0), (9, 100)]


def test_time_index_notes_only_what_rises(directory: LogDirectory) -> None:
    index = TimeIndex.create(f"{directory.path}/a.timeindex", directory, BASE, 4096)
    for timestamp, offset in [(10, 1), (10, 2), (7, 3), (-1, 4), (12, 5)]:
        index.maybe_append(timestamp, BASE + offset)
    assert [index.entry(number) for number in range(index.entries)] == [(10, 1), (12, 5)]
    assert index.largest() == (12, BASE + 5)


def test_time_index_keeps_its_last_place_for_closing(directory: LogDirectory) -> None:
    index = TimeIndex.create(f"{directory.path}/a.timeindex", directory, BASE, 36)
    index.maybe_append(1, BASE)
    assert not index.is_full
    index.maybe_append(2, BASE + 1)
    assert index.is_full
    index.maybe_append(3, BASE + 2)
    index.deactivate()
    assert os.stat(index.file.path).st_size == 36


@pytest.mark.parametrize("content", [b"\0" * 4096, b"\0" * 13, pack(">iiii", 5, 0, 3, 10), pack(">ii", 5, -1)])
def test_impossible_files_are_found_out(directory: LogDirectory, content: bytes) -> None:
    index = offset_index(directory)
    index.deactivate()
    Path(index.file.path).write_bytes(content)
    assert not reopened(index).is_sane()


def test_possible_files_are_believed(directory: LogDirectory) -> None:
    index = offset_index(directory)
    index.deactivate()
    for content in (b"", pack(">ii", 0, 0), pack(">iiii", 0, 0, 3, 10)):
        Path(index.file.path).write_bytes(content)
        assert reopened(index).is_sane()


steps = st.lists(st.tuples(st.integers(1, 50), st.integers(1, 5000)), max_size=800)


@given(steps=steps, wanted=st.lists(st.integers(-5, 2000), min_size=1, max_size=20))
def test_lookup_is_the_last_entry_at_or_below_in_memory_and_in_the_file(
    steps: list[tuple[int, int]], wanted: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = LogDirectory(str(tmp_path_factory.mktemp("index")))
    index = offset_index(directory, 1 << 16)
    entries, offset, position = [], 0, 0
    for offset_step, position_step in steps:
        offset, position = offset + offset_step, position + position_step
        entries.append((offset, position))
        index.append(BASE + offset, position)
    expected = [max([value for key, value in entries if key <= target], default=0) for target in wanted]
    assert [index.lookup(BASE + target) for target in wanted] == expected
    index.check_invariants()
    index.deactivate()
    closed = reopened(index)
    assert [closed.lookup(BASE + target) for target in wanted] == expected
    closed.check_invariants()


@given(steps=steps, cut=st.integers(0, 1_000_000), is_closed=st.booleans())
def test_truncation_drops_entries_at_or_past_the_position(
    steps: list[tuple[int, int]], cut: int, is_closed: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = LogDirectory(str(tmp_path_factory.mktemp("index")))
    index = offset_index(directory, 1 << 16)
    positions, offset, position = [], 0, 0
    for offset_step, position_step in steps:
        offset, position = offset + offset_step, position + position_step
        positions.append(position)
        index.append(BASE + offset, position)
    if is_closed:
        index.deactivate()
    index.truncate_to(cut)
    kept = [position for position in positions if position < cut]
    assert [index.entry(number).value for number in range(index.entries)] == kept
    index.deactivate()
    assert os.stat(index.file.path).st_size == 8 * len(kept)
