"""What one task does, in a Python worker of Spark: a range of a topic partition to Parquet files, without the JVM.

A task has no state but its arguments, and what it does can be seen by nobody until the driver commits the files it
returned: it may fail, be tried again or run twice at once. (Only dead letters can be seen: they may come twice.)

All files of a task have the same columns. When a record needs a column that is not there, the task looks through the
rest of its range for all that is needed, and begins again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.dead_letters import DeadLetters
from ottla.spark.loader.file_writer import FileSet
from ottla.spark.loader.json_columns import JsonDecoder, SchemaGrown, value_fields
from ottla.spark.loader.partitioning import Partitioning, file_schema, with_time_columns
from ottla.spark.loader.raw_columns import BadRecord, Decoded, RawDecoder, RowDecoder
from ottla.spark.loader.settings import RAW, UPSERT, LoadSettings
from ottla.spark.loader.upsert import ChangeColumns, as_changes, by_bucket, change_schema, last_changes
from ottla.spark.options import ClientOptions
from ottla.spark.ranges import OffsetRange, read_range

BATCH_ROWS = 100_000


@dataclass(frozen=True, kw_only=True)
class LoadJob:
    """What all tasks of a load are told. `schema`: the columns to begin with; `pinned`: those that folders are named
    after, which keep their types; `fixed`: there will be no others."""

    settings: LoadSettings
    load_id: str
    directory: str
    with_partition_columns: bool
    schema: pa.Schema
    suffix: str = ""
    pinned: frozenset[str] = frozenset()
    fixed: bool = False


class TaskResult(NamedTuple):
    offset_range: OffsetRange
    files: tuple[DataFile, ...]
    rows: int
    bytes: int
    bad_records: int
    schema: pa.Schema


def run_load_task(job: LoadJob, offset_range: OffsetRange) -> TaskResult:
    decoder = _decoder(job, value_fields(job.schema))
    try:
        return _RangeWriter(job, offset_range, decoder).run()
    except SchemaGrown as grown:
        fields = _needed_fields(job, offset_range, grown.fields)
    return _RangeWriter(job, offset_range, _decoder(job, fields)).run()


def _decoder(job: LoadJob, fields: list[pa.Field]) -> RowDecoder:
    layout = job.settings.layout
    if layout.columns == RAW:
        return RawDecoder(headers=layout.headers)
    return JsonDecoder(fields, pinned=job.pinned, fixed=job.fixed)


def _needed_fields(job: LoadJob, offset_range: OffsetRange, fields: list[pa.Field]) -> list[pa.Field]:
    """All that the records of the range need."""
    for batch in read_records(job.settings, offset_range):
        while True:
            try:
                JsonDecoder(fields, pinned=job.pinned).decode(batch)
                break
            except SchemaGrown as grown:
                fields = grown.fields
    return fields


def read_records(settings: LoadSettings, offset_range: OffsetRange) -> Iterator[pa.RecordBatch]:
    options = ClientOptions(settings.client)
    return read_range(
        options,
        offset_range,
        include_headers=settings.layout.headers,
        fail_on_data_loss=not settings.allow_gaps,
        batch_rows=BATCH_ROWS,
        poll_timeout_ms=options.config.int("default.api.timeout.ms"),
    )


class _RangeWriter:
    """Writes one range with the columns of one decoder."""

    def __init__(self, job: LoadJob, offset_range: OffsetRange, decoder: RowDecoder) -> None:
        settings = job.settings
        by = settings.layout.partition_by
        self._job = job
        self._range = offset_range
        self._decoder = decoder
        self._schema = with_time_columns(decoder.schema, by)
        self._upsert = settings.layout.mode == UPSERT
        self._partitioning = Partitioning(self._schema, by, with_partition_columns=job.with_partition_columns)
        written = file_schema(self._schema, by, with_partition_columns=job.with_partition_columns)
        self._files = FileSet(
            Path(job.directory),
            f"{job.load_id}-{offset_range.topic}-{offset_range.partition}-{offset_range.start}",
            change_schema(written) if self._upsert else written,
            file_bytes=settings.file_bytes,
            compression=settings.compression,
            suffix=job.suffix,
        )
        self._dead_letters = DeadLetters(settings.dead_letter_topic, settings.producer)
        self._rows = self._bytes = 0

    def run(self) -> TaskResult:
        try:
            for batch in read_records(self._job.settings, self._range):
                self._bytes += _payload_bytes(batch)
                self._write_batch(batch)
            files = tuple(self._files.close())
            self._dead_letters.flush()
        except BaseException:
            self._files.discard()
            raise
        finally:
            self._dead_letters.close()
        return TaskResult(self._range, files, self._rows, self._bytes, self._dead_letters.count, self._schema)

    def _write_batch(self, batch: pa.RecordBatch) -> None:
        if self._upsert:
            self._write_changes(batch)
            return
        decoded = self._decode(batch)
        for folder, table in self._partitioning.divide(decoded.table, decoded.timestamps):
            self._files.write(table, folder)

    def _decode(self, batch: pa.RecordBatch) -> Decoded:
        decoded = self._decoder.decode(batch)
        self._dead_letters.send(decoded.bad)
        self._rows += decoded.table.num_rows
        return decoded

    def _write_changes(self, batch: pa.RecordBatch) -> None:
        batch = self._with_keys(batch)
        layout = self._job.settings.layout
        decoded = self._decode(batch)
        offset_column = layout.position_columns[1]
        empty = batch.column("offset").filter(pc.is_null(batch.column("value")))
        deleted = pc.is_in(decoded.table.column(offset_column), value_set=empty)
        columns = ChangeColumns.of(layout)
        changes = last_changes(as_changes(decoded.table, deleted, decoded.timestamps), columns)
        for bucket, table in by_bucket(changes, columns.key, layout.buckets).items():
            self._files.write(table, bucket=bucket)

    def _with_keys(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        keyed = pc.is_valid(batch.column("key"))
        for row in batch.filter(pc.invert(keyed)).to_pylist():
            position = (row["topic"], row["partition"], row["offset"])
            self._dead_letters.send([BadRecord(*position, None, row["value"], "a record without a key")])
        return batch.filter(keyed)


def _payload_bytes(batch: pa.RecordBatch) -> int:
    """The bytes of keys and values."""
    lengths = (pc.sum(pc.binary_length(batch.column(name))).as_py() or 0 for name in ("key", "value"))
    return sum(lengths)
