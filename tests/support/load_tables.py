"""Tables and rows for tests of `ottla load`, with no broker and no Spark."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from ottla.model import TopicPartition
from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.file_writer import FileSet
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.opening import open_table
from ottla.spark.loader.tables.table import Table, TableChange, TableState
from ottla.spark.schema import arrow_schema

SCHEMA = arrow_schema(include_headers=False)


class SchedulerHere:
    """Runs tasks one after the other in this process: for what is about tables, not about Spark."""

    def cores(self) -> int:
        return 2

    def run(self, function: Callable[[Any], Any], tasks: Sequence[Any], on_rows: Callable[[int], None]) -> list[Any]:
        return [function(task) for task in tasks]

    def close(self) -> None:
        pass


def rows(offsets: Iterable[int], partition: int = 0) -> pa.Table:
    """Raw rows with these offsets."""
    found = [
        {"key": b"k", "value": b"v%d" % offset, "topic": "clicks", "partition": partition, "offset": offset,
         "timestamp": offset * 1_000_000, "timestampType": 0}
        for offset in offsets
    ]  # fmt: skip
    return pa.Table.from_pylist(found, SCHEMA)


def write_files(table: Table, load_id: str, data: pa.Table, name: str = "t", folder: str = "") -> tuple[DataFile, ...]:
    files = FileSet(table.files_directory(load_id), f"{load_id}-{name}", data.schema, file_bytes=1 << 20,
                    compression="snappy", suffix=table.staged_suffix)  # fmt: skip
    files.write(data, folder)
    return tuple(files.close())


def append(table: Table, state: TableState, offsets: range, partition: int = 0) -> int:
    """What a load does with a table."""
    table.prepare(SCHEMA)
    load_id = table.new_load_id(state)
    added = write_files(table, load_id, rows(offsets, partition))
    change = TableChange(
        load_id=load_id, schema=SCHEMA, added=added, offsets={TopicPartition("clicks", partition): offsets.stop}
    )
    return table.commit(state, change)


def open_target(kind: str, directory: Path, layout: TableLayout | None = None) -> Table:
    return open_table(target_name(kind, directory), layout or TableLayout())


def target_name(kind: str, directory: Path) -> str:
    """As `--to` has it."""
    return (
        f"{kind}:{directory / ('lake' if kind == 'iceberg' else 'table')}{'/web.clicks' if kind == 'iceberg' else ''}"
    )


def read_table(kind: str, directory: Path) -> pa.Table:
    """All rows, by a reader of the format that is not ours."""
    if kind == "delta":
        from deltalake import DeltaTable

        return DeltaTable(directory / "table").to_pyarrow_table()
    if kind == "iceberg":
        from pyiceberg.catalog import load_catalog

        lake = directory / "lake"
        catalog = load_catalog("default", type="sql", uri=f"sqlite:///{lake}/catalog.db", warehouse=f"file://{lake}")
        return catalog.load_table("web.clicks").scan().to_arrow()
    return ds.dataset(directory / "table", format="parquet", partitioning="hive").to_table()


def read_offsets(kind: str, directory: Path) -> list[int]:
    return sorted(read_table(kind, directory).column("offset").to_pylist())


def visible_offsets(directory: Path) -> list[int]:
    """What a reader of the plain directory sees."""
    return sorted(ds.dataset(directory, format="parquet").to_table(columns=["offset"]).column(0).to_pylist())
