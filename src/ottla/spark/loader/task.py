"""What one task does, in a Python worker of Spark: a range of a topic partition to Parquet files, without the JVM.

A task has no state but its arguments, and what it does can be seen by nobody until the driver commits the files it
returned: it may fail, be tried again or run twice at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.file_writer import FileSet
from ottla.spark.loader.partitioning import Partitioning, file_schema, with_time_columns
from ottla.spark.loader.raw_columns import RawDecoder, RowDecoder
from ottla.spark.loader.settings import LoadSettings
from ottla.spark.options import ClientOptions
from ottla.spark.ranges import OffsetRange, read_range

BATCH_ROWS = 100_000


@dataclass(frozen=True, kw_only=True)
class LoadJob:
    """What all tasks of a load are told."""

    settings: LoadSettings
    load_id: str
    directory: str
    with_partition_columns: bool
    schema: pa.Schema | None = None


class TaskResult(NamedTuple):
    offset_range: OffsetRange
    files: tuple[DataFile, ...]
    rows: int
    bytes: int
    bad_records: int
    schema: pa.Schema


def run_load_task(job: LoadJob, offset_range: OffsetRange) -> TaskResult:
    decoder = RawDecoder(headers=job.settings.layout.headers)
    files = _open_files(job, offset_range, decoder.schema)
    try:
        return _write(job, offset_range, decoder, files)
    except BaseException:
        files.discard()
        raise


def _open_files(job: LoadJob, offset_range: OffsetRange, schema: pa.Schema) -> FileSet:
    settings = job.settings
    partition_by = settings.layout.partition_by
    wanted = file_schema(
        with_time_columns(schema, partition_by), partition_by, with_partition_columns=job.with_partition_columns
    )
    name = f"{job.load_id}-{offset_range.topic}-{offset_range.partition}-{offset_range.start}"
    return FileSet(Path(job.directory), name, wanted, file_bytes=settings.file_bytes, compression=settings.compression)


def _write(job: LoadJob, offset_range: OffsetRange, decoder: RowDecoder, files: FileSet) -> TaskResult:
    layout = job.settings.layout
    schema = with_time_columns(decoder.schema, layout.partition_by)
    partitioning = Partitioning(schema, layout.partition_by, with_partition_columns=job.with_partition_columns)
    rows = size = 0
    for batch in read_records(job.settings, offset_range):
        decoded = decoder.decode(batch)
        rows += decoded.table.num_rows
        size += _payload_bytes(batch)
        for folder, table in partitioning.divide(decoded.table, decoded.timestamps):
            files.write(table, folder)
    return TaskResult(offset_range, tuple(files.close()), rows, size, 0, schema)


def read_records(settings: LoadSettings, offset_range: OffsetRange) -> Iterator[pa.RecordBatch]:
    return read_range(
        ClientOptions(settings.client),
        offset_range,
        include_headers=settings.layout.headers,
        fail_on_data_loss=not settings.allow_gaps,
        batch_rows=BATCH_ROWS,
    )


def _payload_bytes(batch: pa.RecordBatch) -> int:
    """The bytes of keys and values."""
    lengths = (pc.sum(pc.binary_length(batch.column(name))).as_py() or 0 for name in ("key", "value"))
    return sum(lengths)
