"""The Parquet directory with its manifest: what a commit promises, and what a crash leaves."""

import json
import os
from pathlib import Path

import pytest

from ottla.model import TopicPartition
from ottla.spark.loader.errors import CommitConflictError, TableLayoutError
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.manifest import CHECKPOINT_INTERVAL
from ottla.spark.loader.tables.parquet_directory import ParquetDirectory, committed_files
from ottla.spark.loader.tables.table import TableChange
from support.load_tables import SCHEMA, append, rows, visible_offsets, write_files

CLICKS = TopicPartition("clicks", 0)


@pytest.fixture
def table(tmp_path: Path) -> ParquetDirectory:
    return ParquetDirectory(tmp_path / "table", TableLayout())


def test_commit_holds_files_and_offsets_together(table: ParquetDirectory) -> None:
    append(table, table.state([CLICKS]), range(5))
    state = table.state([CLICKS])
    assert (state.version, dict(state.offsets)) == (0, {CLICKS: 5})
    assert state.schema == SCHEMA
    assert visible_offsets(Path(table.name)) == [0, 1, 2, 3, 4]


def test_files_are_not_seen_before_the_commit(table: ParquetDirectory) -> None:
    append(table, table.state([]), range(3))
    write_files(table, table.new_load_id(table.state([])), rows(range(3, 6)))
    assert visible_offsets(Path(table.name)) == [0, 1, 2]
    assert len(list(Path(table.name).rglob("*.parquet"))) == 1
    assert len(committed_files(table.name)) == 1


def test_second_commit_on_the_same_state_fails_and_changes_nothing(table: ParquetDirectory) -> None:
    state = table.state([])
    append(table, state, range(5))
    with pytest.raises(CommitConflictError):
        append(table, state, range(5))
    assert dict(table.state([]).offsets) == {CLICKS: 5}
    assert visible_offsets(Path(table.name)) == [0, 1, 2, 3, 4]


def test_files_of_a_load_that_lost_are_cleaned_and_those_under_way_are_kept(table: ParquetDirectory) -> None:
    lost = table.new_load_id(table.state([]))
    write_files(table, lost, rows(range(5)))
    append(table, table.state([]), range(5))
    under_way = table.new_load_id(table.state([]))
    write_files(table, under_way, rows(range(5, 6)))
    assert table.clean() == 1
    assert not table.files_directory(lost).exists()
    assert table.files_directory(under_way).exists()


@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_crash_after_the_commit_is_finished_by_the_next_start(
    table: ParquetDirectory, monkeypatch: pytest.MonkeyPatch, renamed: int
) -> None:
    """The process ends after so many of the renames."""
    left = renamed
    rename = os.rename

    def rename_or_die(source: str, target: str) -> None:
        nonlocal left
        if not left:
            raise KeyboardInterrupt
        left -= 1
        rename(source, target)

    state = table.state([])
    load_id = table.new_load_id(state)
    added = write_files(table, load_id, rows(range(3)), "a") + write_files(table, load_id, rows(range(3, 6)), "b")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, "rename", rename_or_die)
        table.commit(state, TableChange(load_id=load_id, schema=SCHEMA, added=added, offsets={CLICKS: 6}))
        raise KeyboardInterrupt
    assert sum(path.exists() for path in committed_files(table.name)) == 2

    again = ParquetDirectory(Path(table.name), TableLayout())
    again.recover()
    again.recover()
    assert visible_offsets(Path(table.name)) == [0, 1, 2, 3, 4, 5]
    assert dict(again.state([]).offsets) == {CLICKS: 6}


def test_commit_of_another_that_died_is_finished_before_the_next(
    table: ParquetDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(ParquetDirectory, "recover", lambda self: None)
        append(table, table.state([]), range(3))
    append(table, table.state([]), range(3, 6))
    assert visible_offsets(Path(table.name)) == [0, 1, 2, 3, 4, 5]


def test_file_that_is_gone_is_said(table: ParquetDirectory) -> None:
    state = table.state([])
    load_id = table.new_load_id(state)
    added = write_files(table, load_id, rows(range(3)))
    next(table.files_directory(load_id).glob("*.staged")).unlink()
    with pytest.raises(TableLayoutError, match="is gone"):
        table.commit(state, TableChange(load_id=load_id, schema=SCHEMA, added=added, offsets={CLICKS: 3}))


def test_replaced_files_go_with_the_commit_that_replaces_them(table: ParquetDirectory) -> None:
    append(table, table.state([]), range(3))
    append(table, table.state([]), range(3, 6))
    state = table.state([])
    load_id = table.new_load_id(state)
    added = write_files(table, load_id, rows(range(6)))
    table.commit(state, TableChange(load_id=load_id, schema=SCHEMA, added=added, removed=state.files))
    assert visible_offsets(Path(table.name)) == [0, 1, 2, 3, 4, 5]
    assert len(list(Path(table.name).glob("*.parquet"))) == 1
    assert dict(table.state([]).offsets) == {CLICKS: 6}


def test_state_after_a_checkpoint_is_that_of_all_commits(table: ParquetDirectory) -> None:
    for number in range(CHECKPOINT_INTERVAL + 3):
        append(table, table.state([]), range(number, number + 1))
    assert list((Path(table.name) / "_ottla" / "checkpoints").iterdir())
    state = table.state([])
    assert (state.version, len(state.files)) == (CHECKPOINT_INTERVAL + 2, CHECKPOINT_INTERVAL + 3)
    assert dict(state.offsets) == {CLICKS: CHECKPOINT_INTERVAL + 3}


def test_torn_or_newer_manifest_is_an_error(table: ParquetDirectory) -> None:
    append(table, table.state([]), range(3))
    commit = Path(table.name) / "_ottla" / "commits" / f"{0:020d}.json"
    whole = commit.read_text()
    commit.write_text(whole[: len(whole) // 2])
    with pytest.raises(TableLayoutError, match="is no commit"):
        table.state([])
    commit.write_text(json.dumps(json.loads(whole) | {"format": 2}))
    with pytest.raises(TableLayoutError, match="has format 2"):
        table.state([])


@pytest.mark.parametrize("folder", ["", "record_date=2026-11-15"])
def test_readers_of_the_documentation_see_what_is_committed(tmp_path: Path, folder: str) -> None:
    """Also beside the manifest and the files of a load that is under way. polars wants the glob: in a directory that it
    is given, every file must end with .parquet."""
    import duckdb
    import polars
    import pyarrow.dataset as ds

    table = ParquetDirectory(tmp_path, TableLayout(partition_by=("day",) if folder else ()))
    state = table.state([])
    load_id = table.new_load_id(state)
    added = write_files(table, load_id, rows(range(3)), folder=folder)
    table.commit(state, TableChange(load_id=load_id, schema=SCHEMA, added=added, offsets={CLICKS: 3}))
    write_files(table, table.new_load_id(table.state([])), rows(range(3, 5)), folder=folder)

    glob = f"{tmp_path}/**/*.parquet"
    seen = [
        polars.read_parquet(glob)["offset"].to_list(),
        polars.scan_parquet(committed_files(tmp_path)).collect()["offset"].to_list(),
        [offset for (offset,) in duckdb.sql(f"select \"offset\" from read_parquet('{glob}')").fetchall()],
        ds.dataset(tmp_path, partitioning="hive").to_table()["offset"].to_pylist(),
    ]
    assert seen == [[0, 1, 2]] * len(seen)
