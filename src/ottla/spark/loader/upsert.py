"""`mode=upsert`: a changelog topic as a table with one row for every key, the last one; a null value deletes the row.

The table is divided by keys into buckets (CRC-32 of the key), and a file holds rows of one bucket. A load goes in two
steps, and then commits once:

    1  for each range of offsets: the last change of every key, to change files by bucket, in a scratch folder
    2  for each bucket that has changes: its rows without the keys that changed, and the changes that are no deletions

The last change of a key is the one with the highest offset of its partition; should a key be in several partitions (the
topic got more of them), the newest by timestamp of these. A later load is always later than what the table holds. A
record without a key is a bad one.
"""

import zlib
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ottla.spark.loader.rewriting import RewriteJob, RewriteResult, open_files, read_files
from ottla.spark.loader.settings import TableLayout

DELETED = pa.field("_deleted", pa.bool_())
TIME = pa.field("_time", pa.timestamp("us", tz="UTC"))


class ChangeColumns(NamedTuple):
    """The columns that say which of two changes is the later."""

    key: str
    partition: str
    offset: str

    @classmethod
    def of(cls, layout: TableLayout) -> "ChangeColumns":
        return cls(layout.key_column, *layout.position_columns)


def change_schema(schema: pa.Schema) -> pa.Schema:
    """A table's columns and what a change has besides."""
    return schema.append(DELETED).append(TIME)


def as_changes(table: pa.Table, deleted: pa.Array, timestamps: pa.ChunkedArray) -> pa.Table:
    return table.append_column(DELETED, deleted).append_column(TIME, timestamps)


def last_changes(changes: pa.Table, columns: ChangeColumns) -> pa.Table:
    """The last change of every key."""
    if not changes.num_rows:
        return changes
    of_partition = _last_by(changes, [columns.key, columns.partition], [(columns.offset, "ascending")])
    order = [(TIME.name, "ascending"), (columns.partition, "ascending")]
    return _last_by(of_partition, [columns.key], order)


def _last_by(table: pa.Table, keys: list[str], order: list[tuple[str, str]]) -> pa.Table:
    table = table.sort_by(order)
    numbered = table.select(keys).append_column("_row", pa.array(range(table.num_rows), pa.int64()))
    last = numbered.group_by(keys, use_threads=False).aggregate([("_row", "max")])
    return table.take(last.column("_row_max"))


def by_bucket(table: pa.Table, key: str, buckets: int) -> dict[int, pa.Table]:
    numbers = pa.array([zlib.crc32(one) % buckets for one in table.column(key).to_pylist()], pa.int32())
    return {number: table.filter(pc.equal(numbers, number)) for number in sorted(set(numbers.to_pylist()))}


@dataclass(frozen=True, kw_only=True)
class MergeJob:
    rewrite: RewriteJob
    columns: ChangeColumns


class MergeTask(NamedTuple):
    bucket: int
    paths: tuple[str, ...]
    change_paths: tuple[str, ...]


def run_merge_task(job: MergeJob, task: MergeTask) -> RewriteResult:
    schema = job.rewrite.schema
    changes = last_changes(_table(task.change_paths, change_schema(schema)), job.columns)
    current = _table(task.paths, schema)
    changed = pc.is_in(current.column(job.columns.key), value_set=changes.column(job.columns.key).combine_chunks())
    kept = current.filter(pc.invert(changed))
    new = changes.filter(pc.invert(changes.column(DELETED.name))).select(schema.names)
    files = open_files(job.rewrite, "merged")
    try:
        for table in (kept, new):
            if table.num_rows:
                files.write(table, bucket=task.bucket)
        return RewriteResult(tuple(files.close()), new.num_rows)
    except BaseException:
        files.discard()
        raise


def _table(paths: tuple[str, ...], schema: pa.Schema) -> pa.Table:
    return pa.Table.from_batches(read_files(paths, schema), schema)
