"""What a commit promises, in every format: files and offsets together, once, for the state that was read."""

from pathlib import Path

import pytest

from ottla.model import TopicPartition
from ottla.spark.loader.errors import CommitConflictError
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.table import Table, TableChange
from support.load_tables import SCHEMA, append, open_target, read_offsets, read_table, rows, write_files

FORMATS = ["parquet", "delta", "iceberg"]
CLICKS, OTHER = TopicPartition("clicks", 0), TopicPartition("clicks", 1)


@pytest.fixture(params=FORMATS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def table(kind: str, tmp_path: Path) -> Table:
    return open_target(kind, tmp_path)


def test_commit_holds_files_and_offsets_together(kind: str, table: Table, tmp_path: Path) -> None:
    append(table, table.state([CLICKS]), range(5))
    append(table, table.state([CLICKS]), range(5, 8))
    state = table.state([CLICKS, OTHER])
    assert dict(state.offsets) == {CLICKS: 8}
    assert state.schema.names == SCHEMA.names
    assert sorted(file.rows for file in state.files) == [3, 5]
    assert all(table.read_path(file).is_file() for file in state.files)
    assert read_offsets(kind, tmp_path) == list(range(8))


def test_offsets_of_other_partitions_stay(table: Table) -> None:
    append(table, table.state([]), range(5))
    append(table, table.state([]), range(3), partition=1)
    assert dict(table.state([CLICKS, OTHER]).offsets) == {CLICKS: 5, OTHER: 3}


@pytest.mark.parametrize("before", [0, 1])
def test_second_commit_on_the_same_state_fails_and_changes_nothing(
    kind: str, table: Table, tmp_path: Path, before: int
) -> None:
    if before:
        append(table, table.state([]), range(5))
    state = table.state([CLICKS])
    start = 5 * before
    append(table, state, range(start, start + 3))
    with pytest.raises(CommitConflictError):
        append(table, state, range(start, start + 3))
    assert read_offsets(kind, tmp_path) == list(range(start + 3))
    assert dict(table.state([CLICKS]).offsets) == {CLICKS: start + 3}


@pytest.mark.parametrize("kind", ["iceberg"])
def test_iceberg_commit_that_is_overtaken_at_the_last_moment_fails(
    kind: str, table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyiceberg would try it again behind the other, and both would be in the table."""
    from ottla.spark.loader.tables.iceberg import Iceberg

    append(table, table.state([]), range(5))
    assert isinstance(table, Iceberg)
    with table._open().transaction() as transaction:  # type: ignore[union-attr]
        transaction.set_properties({"commit.retry.num-retries": "4"})
    change_files = Iceberg._change_files

    def overtaken(self: Iceberg, *arguments: object) -> None:
        monkeypatch.setattr(Iceberg, "_change_files", change_files)
        other = open_target(kind, tmp_path)
        append(other, other.state([CLICKS]), range(5, 8))
        change_files(self, *arguments)  # type: ignore[arg-type]

    state = table.state([CLICKS])
    monkeypatch.setattr(Iceberg, "_change_files", overtaken)
    with pytest.raises(CommitConflictError):
        append(table, state, range(5, 8))
    assert read_offsets(kind, tmp_path) == list(range(8))


def test_commit_without_files_is_checked_as_well(kind: str, table: Table, tmp_path: Path) -> None:
    """Transaction markers alone move offsets too, and must not move them back."""
    append(table, table.state([]), range(5))
    state = table.state([CLICKS])
    table.commit(state, TableChange(load_id="a", schema=state.schema, offsets={CLICKS: 7}))
    with pytest.raises(CommitConflictError):
        table.commit(state, TableChange(load_id="b", schema=state.schema, offsets={CLICKS: 6}))
    assert dict(table.state([CLICKS]).offsets) == {CLICKS: 7}
    assert read_offsets(kind, tmp_path) == list(range(5))


def test_replaced_files_go_with_the_commit_that_replaces_them(kind: str, table: Table, tmp_path: Path) -> None:
    for start in (0, 3, 6):
        append(table, table.state([]), range(start, start + 3))
    state = table.state([CLICKS])
    replaced = tuple(file for file in state.files if file != state.files[0])
    load_id = table.new_load_id(state)
    kept = table.read_path(state.files[0])
    first = next(start for start in (0, 3, 6) if f"v{start}".encode() in kept.read_bytes())
    data = rows(offset for offset in range(9) if not first <= offset < first + 3)
    change = TableChange(load_id=load_id, schema=SCHEMA, added=write_files(table, load_id, data), removed=replaced)
    table.commit(state, change)
    assert read_offsets(kind, tmp_path) == list(range(9))
    assert len(table.state([CLICKS]).files) == 2
    assert dict(table.state([CLICKS]).offsets) == {CLICKS: 9}


def test_new_columns_are_null_in_rows_that_were_there(kind: str, table: Table, tmp_path: Path) -> None:
    import pyarrow as pa

    append(table, table.state([]), range(2))
    state = table.state([CLICKS])
    wider = SCHEMA.append(pa.field("country", pa.string()))
    data = rows(range(2, 4)).append_column("country", pa.array(["DK", "CZ"]))
    load_id = table.new_load_id(state)
    added = write_files(table, load_id, data)
    table.commit(state, TableChange(load_id=load_id, schema=wider, added=added, offsets={CLICKS: 4}))
    assert "country" in table.state([CLICKS]).schema.names
    if kind != "parquet":
        found = read_table(kind, tmp_path).sort_by("offset").column("country").to_pylist()
        assert found == [None, None, "DK", "CZ"]


def test_folders_with_odd_names_are_read_back(kind: str, tmp_path: Path) -> None:
    table = open_target(kind, tmp_path, TableLayout(partition_by=("topic",)))
    table.prepare(SCHEMA)
    state = table.state([])
    load_id = table.new_load_id(state)
    data = rows(range(2))
    data = data.set_column(2, "topic", [["a/b c%d", "a/b c%d"]])
    if not table.partition_columns_in_files:
        data = data.drop_columns(["topic"])
    added = write_files(table, load_id, data, folder="topic=a%2Fb c%25d")
    table.commit(state, TableChange(load_id=load_id, schema=SCHEMA, added=added, offsets={CLICKS: 2}))
    assert set(read_table(kind, tmp_path).column("topic").to_pylist()) == {"a/b c%d"}
    state = table.state([])
    assert [table.read_path(file).is_file() for file in state.files] == [True]
    table.commit(state, TableChange(load_id="gone", schema=SCHEMA, removed=state.files))
    assert read_table(kind, tmp_path).num_rows == 0
