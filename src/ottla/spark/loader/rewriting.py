"""Files of a table written anew: small ones joined, or all of them because a column was widened. Rows stay the same.

A task reads its files with the table's present columns (those that a file lacks are null) and writes them to files of
the wanted size in the same folder.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds

from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.file_writer import FileSet

# A file is small below this share of the wanted size: written once more it would be joined again and again otherwise.
SMALL_SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class RewriteJob:
    """`schema` is that of files: without the columns that folders stand for, where the format has it so."""

    load_id: str
    directory: str
    schema: pa.Schema
    file_bytes: int
    compression: str
    suffix: str = ""


class RewriteTask(NamedTuple):
    folder: str
    bucket: int | None
    paths: tuple[str, ...]


class RewriteResult(NamedTuple):
    files: tuple[DataFile, ...]
    rows: int


def plan_compaction(files: Iterable[DataFile], file_bytes: int) -> list[tuple[DataFile, ...]]:
    """Groups of small files of one folder and bucket, each about one file's worth. Pure."""
    small = sorted((file for file in files if file.bytes < file_bytes * SMALL_SHARE), key=_place)
    groups = []
    for _place_of, found in groupby(small, key=_place):
        groups += [group for group in _packed(found, file_bytes) if len(group) > 1]
    return groups


def _place(file: DataFile) -> tuple[str, int]:
    return file.path.rpartition("/")[0], -1 if file.bucket is None else file.bucket


def _packed(files: Iterable[DataFile], file_bytes: int) -> Iterator[tuple[DataFile, ...]]:
    group: list[DataFile] = []
    size = 0
    for file in files:
        if group and size + file.bytes > file_bytes:
            yield tuple(group)
            group, size = [], 0
        group.append(file)
        size += file.bytes
    if group:
        yield tuple(group)


def run_rewrite_task(job: RewriteJob, task: RewriteTask) -> RewriteResult:
    files = open_files(job, "rewritten")
    try:
        for batch in read_files(task.paths, job.schema):
            files.write(pa.Table.from_batches([batch]), task.folder, task.bucket)
        done = tuple(files.close())
    except BaseException:
        files.discard()
        raise
    return RewriteResult(done, sum(file.rows for file in done))


def open_files(job: RewriteJob, name: str) -> FileSet:
    return FileSet(
        Path(job.directory),
        f"{job.load_id}-{name}",
        job.schema,
        file_bytes=job.file_bytes,
        compression=job.compression,
        suffix=job.suffix,
    )


def read_files(paths: Iterable[str], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Their rows with these columns: those that a file lacks are null, those that were narrower are widened."""
    for path in paths:
        yield from ds.dataset(path, schema=schema, format="parquet").to_batches(use_threads=False)
