"""A crash in the middle of a segment swap: at each step the log is the old one or the new one, never both."""

import os
import shutil
from pathlib import Path

import pytest

from storage.partitions import PartitionWriter, check, values_of

SUFFIXES = (".log", ".index", ".timeindex")


@pytest.fixture
def writer(tmp_path: Path) -> PartitionWriter:
    """Three segments, at 0, 20 and 40; a cleaned segment would replace the first two."""
    (tmp_path / "old").mkdir()
    writer = PartitionWriter(tmp_path / "old")
    for number in range(3):
        if number:
            writer.roll()
        for batch in range(10):
            sequence = 2 * (number * 10 + batch)
            writer.append(b"value", b"other", producer_id=7, sequence=sequence)
    writer.stop()
    return writer


@pytest.fixture
def cleaned(tmp_path: Path) -> PartitionWriter:
    """What the cleaner made of the first two: offsets 10 to 29 are left, in one segment based at 0."""
    (tmp_path / "new").mkdir()
    made = PartitionWriter(tmp_path / "new")
    made.end = 10
    for _ in range(10):
        made.append(b"kept", b"too")
    made.crash()
    return made


def put(cleaned: PartitionWriter, writer: PartitionWriter, suffix: str) -> None:
    for kind in SUFFIXES:
        shutil.copy(os.path.join(cleaned.path, f"{0:020d}{kind}"), os.path.join(writer.path, f"{0:020d}{kind}{suffix}"))


def leftovers(writer: PartitionWriter) -> list[str]:
    return [name for name in os.listdir(writer.path) if name.endswith((".cleaned", ".swap", ".deleted"))]


def test_an_unfinished_clean_leaves_the_old_segments(writer: PartitionWriter, cleaned: PartitionWriter) -> None:
    put(cleaned, writer, ".cleaned")
    log = writer.load(is_clean=True, recovery_point=60)
    check(log)
    assert values_of(log) == writer.values
    assert leftovers(writer) == []


@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_a_finished_clean_takes_the_place_of_the_old_segments(
    writer: PartitionWriter, cleaned: PartitionWriter, renamed: int
) -> None:
    """However many of the old segments were renamed to .deleted before the crash."""
    put(cleaned, writer, ".swap")
    for base_offset in (0, 20)[:renamed]:
        for suffix in SUFFIXES:
            path = os.path.join(writer.path, f"{base_offset:020d}{suffix}")
            os.rename(path, path + ".deleted")
    log = writer.load(is_clean=True, recovery_point=60)
    check(log)
    assert [segment.base_offset for segment in log.segments] == [0, 40]
    assert values_of(log) == cleaned.values + [value for value in writer.values if value[0] >= 40]
    assert leftovers(writer) == []


def test_producers_survive_a_swap(writer: PartitionWriter, cleaned: PartitionWriter) -> None:
    """The cleaned records no longer name producer 7: only the snapshots do (KAFKA-12520)."""
    put(cleaned, writer, ".swap")
    log = writer.load(recovery_point=40)
    producer = log.producers.get(7)
    assert producer is not None
    assert producer.last_sequence == 59


def test_a_swap_that_was_half_renamed_is_undone(writer: PartitionWriter, cleaned: PartitionWriter) -> None:
    """A split: the second new segment is a swap already, the first is not. The old segments are still all there."""
    put(cleaned, writer, ".cleaned")
    for kind in SUFFIXES:
        Path(writer.path, f"{20:020d}{kind}.swap").write_bytes(b"")
    log = writer.load(is_clean=True, recovery_point=60)
    check(log)
    assert values_of(log) == writer.values
    assert leftovers(writer) == []


def test_deleted_files_go(writer: PartitionWriter) -> None:
    Path(writer.path, f"{0:020d}.snapshot.deleted").write_bytes(b"x")
    Path(writer.path, f"{99:020d}.log.deleted").write_bytes(b"x")
    log = writer.load(is_clean=True, recovery_point=60)
    check(log)
    assert leftovers(writer) == []


@pytest.mark.parametrize("stem", ["9" * 20, "not-a-segment-at-all"])
def test_a_swap_whose_name_is_no_offset_replaces_nothing(writer: PartitionWriter, stem: str) -> None:
    Path(writer.path, f"{stem}.log.swap").write_bytes(b"x" * 100)
    log = writer.load(recovery_point=60)
    assert values_of(log) == writer.values
    check(log)
