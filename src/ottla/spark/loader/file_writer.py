"""Arrow batches to Parquet files of about the wanted size, in folders named after the columns to partition by.

Rows are gathered to row groups of some ten MB. A file is closed when it has reached its size, and synced: the commit
that follows promises that its rows are there. At most `OPEN_FILES_MAX` are open; the one that waited longest is closed
for the next, so that records in no order of time cost small files, not memory (`ottla load --compact` mends that).
"""

import os
import uuid
from collections import OrderedDict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ottla.spark.loader.data_file import DataFile, bucket_prefix
from ottla.spark.loader.tables.manifest import sync_directory

# Larger ones do not stay in memory that is used again, and the kernel clears every page of them anew.
ROW_GROUP_BYTES_MAX = 32 * 1024 * 1024
WRITE_BATCH_ROWS = 65_536
OPEN_FILES_MAX = 64
BUFFERED_BYTES_MAX = 512 * 1024 * 1024


class ParquetOptions:
    """How columns are written. Columns of arbitrary bytes get neither a dictionary nor statistics: both cost more than
    all the rest and help no reader. Offsets, which count up, are stored as differences."""

    def __init__(self, schema: pa.Schema, compression: str) -> None:
        opaque = {field.name for field in schema if field.type in (pa.binary(),) or pa.types.is_nested(field.type)}
        plain = [field.name for field in schema if field.name not in opaque]
        counting = {"offset", "kafka_offset"} & set(schema.names)
        self.arguments: dict[str, Any] = {
            "compression": compression,
            "use_dictionary": [name for name in plain if name not in counting],
            "write_statistics": plain,
            "column_encoding": dict.fromkeys(counting, "DELTA_BINARY_PACKED") or None,
            "write_batch_size": WRITE_BATCH_ROWS,
            "store_schema": False,
        }


class FileSet:
    """The files that one task writes to one directory. `close` gives them; nothing is sure before. On the disk their
    names end with the suffix."""

    def __init__(
        self, directory: Path, name: str, schema: pa.Schema, *, file_bytes: int, compression: str, suffix: str = ""
    ) -> None:
        self._directory = directory
        self._name = f"{name}-{uuid.uuid4().hex[:8]}"
        self._schema = schema
        self._file_bytes = file_bytes
        self._suffix = suffix
        self._options = ParquetOptions(schema, compression).arguments
        self._open: OrderedDict[tuple[str, int | None], _OpenFile] = OrderedDict()
        self._count = 0
        self._done: list[DataFile] = []

    def write(self, table: pa.Table, folder: str = "", bucket: int | None = None) -> None:
        file = self._file(folder, bucket)
        file.add(table)
        if file.size >= self._file_bytes:
            self._close_file((folder, bucket))
        elif sum(one.buffered_bytes for one in self._open.values()) > BUFFERED_BYTES_MAX:
            file.flush()

    def close(self) -> list[DataFile]:
        for key in list(self._open):
            self._close_file(key)
        for folder in {os.path.dirname(file.path) for file in self._done}:
            sync_directory(self._directory / folder)
        return self._done

    def discard(self) -> None:
        """Close what is open, without a file to show for it."""
        for file in self._open.values():
            file.abandon()
        self._open.clear()

    def _file(self, folder: str, bucket: int | None) -> "_OpenFile":
        key = (folder, bucket)
        if key not in self._open:
            if len(self._open) >= OPEN_FILES_MAX:
                self._close_file(next(iter(self._open)))
            name = f"{bucket_prefix(bucket)}{self._name}-{self._count}.parquet"
            self._count += 1
            path = os.path.join(folder, name)
            row_group = min(ROW_GROUP_BYTES_MAX, self._file_bytes)
            target = self._directory / f"{path}{self._suffix}"
            self._open[key] = _OpenFile(target, path, self._schema, self._options, row_group)
        self._open.move_to_end(key)
        return self._open[key]

    def _close_file(self, key: tuple[str, int | None]) -> None:
        self._done.append(self._open.pop(key).close())


class _OpenFile:
    def __init__(
        self, target: Path, path: str, schema: pa.Schema, options: dict[str, Any], row_group_bytes: int
    ) -> None:
        self._path = path
        self._row_group_bytes = row_group_bytes
        self._waiting: list[pa.Table] = []
        self.buffered_bytes = 0
        self._rows = 0
        target.parent.mkdir(parents=True, exist_ok=True)
        self._file = target.open("wb")
        self._writer = pq.ParquetWriter(self._file, schema, **options)

    @property
    def size(self) -> int:
        return self._file.tell()

    def add(self, table: pa.Table) -> None:
        self._waiting.append(table)
        self._rows += table.num_rows
        self.buffered_bytes += table.nbytes
        if self.buffered_bytes >= self._row_group_bytes:
            self.flush()

    def flush(self) -> None:
        if self._waiting:
            table = pa.concat_tables(self._waiting)
            self._writer.write_table(table, row_group_size=max(1, table.num_rows))
            self._waiting = []
            self.buffered_bytes = 0

    def close(self) -> DataFile:
        self.flush()
        self._writer.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        size = self._file.tell()
        self._file.close()
        return DataFile(self._path, self._rows, size)

    def abandon(self) -> None:
        self._writer.close()
        self._file.close()
