"""`--to parquet:PATH`: the table that a load is told to write to."""

from collections.abc import Mapping
from pathlib import Path

from ottla.errors.tree import ConfigError
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.table import Table

FORMATS = ("parquet", "delta", "iceberg")


def open_table(target: str, layout: TableLayout, catalog: Mapping[str, str] | None = None) -> Table:
    """The table of this name. Nothing is written before the first commit."""
    kind, colon, name = target.partition(":")
    if not colon or kind not in FORMATS or not name:
        raise ConfigError(f"{target}: a table is written as parquet:PATH, delta:PATH or iceberg:PATH/NAMESPACE.TABLE")
    from ottla.spark.loader.tables.parquet_directory import ParquetDirectory

    return ParquetDirectory(Path(name).absolute(), layout)
