"""Which folder a row belongs to: by the day or hour of its record's timestamp (UTC), or by columns.

    day       record_date=2026-11-15
    hour      record_date=2026-11-15/record_hour=7
    country   country=DK             a column of the table; its value leaves the file where the format wants it so

The folders are named as Hive names them, which Spark, DuckDB and pyarrow read back as columns.
"""

from collections.abc import Iterator, Sequence
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from ottla.spark.loader.data_file import HIVE_NULL
from ottla.spark.loader.errors import TableLayoutError

DAY, HOUR = "day", "hour"
DATE_FIELD = pa.field("record_date", pa.date32())
HOUR_FIELD = pa.field("record_hour", pa.int32())


def partition_columns(partition_by: Sequence[str]) -> list[str]:
    """The names of the columns that folders are named after."""
    names: list[str] = []
    for by in partition_by:
        names += {DAY: [DATE_FIELD.name], HOUR: [DATE_FIELD.name, HOUR_FIELD.name]}.get(by, [by])
    return list(dict.fromkeys(names))


def with_time_columns(schema: pa.Schema, partition_by: Sequence[str]) -> pa.Schema:
    """The table's schema: that of its rows and the columns of time that it is partitioned by."""
    for field in (DATE_FIELD, HOUR_FIELD):
        if field.name in partition_columns(partition_by) and field.name not in schema.names:
            schema = schema.append(field)
    for name in partition_columns(partition_by):
        if name not in schema.names:
            raise TableLayoutError(f"--partition-by {name}: the table has no such column; give it with --schema")
    return schema


def file_schema(schema: pa.Schema, partition_by: Sequence[str], *, with_partition_columns: bool) -> pa.Schema:
    if with_partition_columns:
        return schema
    left_out = set(partition_columns(partition_by))
    return pa.schema([field for field in schema if field.name not in left_out])


class Partitioning:
    """Divides tables by folder. `timestamps` of the records come beside the table, in the same order."""

    def __init__(self, schema: pa.Schema, partition_by: Sequence[str], *, with_partition_columns: bool) -> None:
        self._columns = partition_columns(partition_by)
        self._file_schema = file_schema(schema, partition_by, with_partition_columns=with_partition_columns)

    def divide(self, table: pa.Table, timestamps: pa.ChunkedArray) -> Iterator[tuple[str, pa.Table]]:
        if not self._columns:
            yield "", table
            return
        table = self._with_time(table, timestamps)
        groups = table.select(self._columns).group_by(self._columns).aggregate([]).to_pylist()
        for group in groups:
            part = table if len(groups) == 1 else table.filter(_mask(table, group))
            yield folder_name(group), part.select(self._file_schema.names)

    def _with_time(self, table: pa.Table, timestamps: pa.ChunkedArray) -> pa.Table:
        if DATE_FIELD.name in self._columns and DATE_FIELD.name not in table.column_names:
            table = table.append_column(DATE_FIELD, timestamps.cast(pa.date32()))
        if HOUR_FIELD.name in self._columns and HOUR_FIELD.name not in table.column_names:
            table = table.append_column(HOUR_FIELD, pc.hour(timestamps).cast(pa.int32()))
        return table


def folder_name(values: dict[str, object]) -> str:
    return "/".join(f"{name}={_text(value)}" for name, value in values.items())


def _text(value: object) -> str:
    if value is None:
        return HIVE_NULL
    return quote(str(value).lower() if isinstance(value, bool) else str(value), safe=" ")


def _mask(table: pa.Table, group: dict[str, object]) -> pa.ChunkedArray:
    mask = None
    for name, value in group.items():
        column = table.column(name)
        matches = pc.is_null(column) if value is None else pc.equal(column, pa.scalar(value, column.type))
        mask = matches if mask is None else pc.and_(mask, matches)
    return mask
