"""A directory holds one table: what stands there is never loaded over, whichever comes first."""

from pathlib import Path

import pytest

from ottla.spark.loader.errors import TableLayoutError
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.opening import open_table
from ottla.spark.loader.tables.table import Table
from support.load_tables import append, rows, write_files

NAMES = {"parquet": "a Parquet table", "delta": "a Delta table", "iceberg": "an Iceberg table"}


def opened(target: str) -> Table:
    return open_table(target, TableLayout())


def files_below(directory: Path) -> set[Path]:
    return {path for path in directory.rglob("*") if path.is_file()}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where an Iceberg table `web.clicks` of the catalog in tmp_path would lie, too."""
    return tmp_path / "web" / "clicks"


def target(kind: str, place: Path) -> str:
    return f"iceberg:{place.parents[1]}/web.clicks" if kind == "iceberg" else f"{kind}:{place}"


@pytest.mark.parametrize("there", NAMES)
@pytest.mark.parametrize("wanted", NAMES)
def test_table_is_loaded_only_in_the_format_that_it_has(there: str, wanted: str, place: Path) -> None:
    table = opened(target(there, place))
    append(table, table.state([]), range(3))
    before = files_below(place)
    if wanted == there:
        assert len(opened(target(wanted, place)).state([]).files) == 1
        return
    with pytest.raises(TableLayoutError, match=f"{place} holds {NAMES[there]}"):
        opened(target(wanted, place))
    assert files_below(place) == before


@pytest.mark.parametrize("there", NAMES)
@pytest.mark.parametrize("wanted", ["parquet:{}/more", "delta:{}/more", "iceberg:{}/more.clicks"])
def test_table_inside_of_a_table_is_refused(there: str, wanted: str, place: Path) -> None:
    table = opened(target(there, place))
    append(table, table.state([]), range(3))
    with pytest.raises(TableLayoutError, match=NAMES[there]):
        opened(wanted.format(place))


@pytest.mark.parametrize("wanted", ["parquet", "delta"])
@pytest.mark.parametrize("name", ["precious.csv", "record_date=2026-11-15/part-0.parquet", "catalog.db"])
def test_directory_with_other_peoples_files_is_refused(wanted: str, name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("1")
    with pytest.raises(TableLayoutError, match=r"did not write|catalog of Iceberg"):
        opened(f"{wanted}:{tmp_path}")


@pytest.mark.parametrize("wanted", ["parquet:{}", "delta:{}", "iceberg:{}/web.clicks"])
def test_file_in_the_place_of_a_table_is_refused(wanted: str, tmp_path: Path) -> None:
    (tmp_path / "table").write_text("1")
    with pytest.raises(TableLayoutError, match="is a file"):
        opened(wanted.format(tmp_path / "table"))


@pytest.mark.parametrize("wanted", ["parquet", "delta"])
def test_what_a_load_left_that_failed_before_its_first_commit_is_no_hindrance(wanted: str, tmp_path: Path) -> None:
    failed = opened(f"{wanted}:{tmp_path}")
    write_files(failed, failed.new_load_id(failed.state([])), rows(range(3)), folder="record_date=2026-11-15")
    failed.scratch_directory("abc").mkdir(parents=True)
    table = opened(f"{wanted}:{tmp_path}")
    append(table, table.state([]), range(3))
    assert len(table.state([]).files) == 1
