"""`--to parquet:PATH`: the table that a load is told to write to."""

import importlib.util
from collections.abc import Mapping

from ottla.errors.tree import ConfigError, OperatorError
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.location import local_directory
from ottla.spark.loader.tables.table import Table

FORMATS = ("parquet", "delta", "iceberg")


def open_table(target: str, layout: TableLayout, catalog: Mapping[str, str] | None = None) -> Table:
    """The table of this name. Nothing is written before the first commit."""
    kind, colon, name = target.partition(":")
    if not colon or kind not in FORMATS or not name:
        raise ConfigError(f"{target}: a table is written as parquet:PATH, delta:PATH or iceberg:PATH/NAMESPACE.TABLE")
    _require(kind)
    if kind == "delta":
        from ottla.spark.loader.tables.delta import Delta

        return Delta(local_directory(name), layout)
    if kind == "iceberg":
        from ottla.spark.loader.tables.iceberg import Iceberg

        return Iceberg(name, layout, catalog or {})
    from ottla.spark.loader.tables.parquet_directory import ParquetDirectory

    return ParquetDirectory(local_directory(name), layout)


def _require(kind: str) -> None:
    package = {"delta": "deltalake", "iceberg": "pyiceberg"}.get(kind)
    if package is not None and importlib.util.find_spec(package) is None:
        raise OperatorError(f"{kind} tables need {package}: pip install 'ottla[lake]'")
