"""A Parquet file of a table: what a task tells the driver, and the driver the table.

`path` is relative to the table's root and never changes: `record_date=2026-11-15/<load>-<task>-<attempt>-<n>.parquet`.
The attempt is in the name, so that a task that is tried again, or runs twice, never writes to a file of the other.
In a table with `mode=upsert` the name begins with the bucket of its keys, `b00007-`.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote

_BUCKET = re.compile(r"b(\d{5})-")
HIVE_NULL = "__HIVE_DEFAULT_PARTITION__"


class DataFile(NamedTuple):
    path: str
    rows: int
    bytes: int

    @property
    def bucket(self) -> int | None:
        found = _BUCKET.match(self.path.rpartition("/")[2])
        return int(found[1]) if found else None

    @property
    def partition_values(self) -> dict[str, str | None]:
        """The values in the names of its folders, as Hive writes them."""
        values: dict[str, str | None] = {}
        for folder in self.path.split("/")[:-1]:
            name, equals, value = folder.partition("=")
            if equals:
                values[name] = None if value == HIVE_NULL else unquote(value)
        return values


def bucket_prefix(bucket: int | None) -> str:
    return "" if bucket is None else f"b{bucket:05d}-"
