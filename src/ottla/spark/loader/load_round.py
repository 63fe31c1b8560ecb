"""The tasks of one commit: what the driver lets Spark do between a plan and the change of a table that it gives.

1  every range to files (append) or to changes by bucket (upsert)
2  where tasks found different columns: those that lack some of them once more, with the columns of all
3  upsert: the buckets that changed, written anew
4  where a column was widened: the files that are left of before, written anew
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pyarrow as pa

from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.partitioning import file_schema
from ottla.spark.loader.plan import Plan, plan_tasks
from ottla.spark.loader.rewriting import RewriteJob, RewriteTask, run_rewrite_task
from ottla.spark.loader.row_schema import initial_schema, merged_schema, widened_columns
from ottla.spark.loader.scheduler import Scheduler
from ottla.spark.loader.settings import UPSERT, LoadSettings
from ottla.spark.loader.tables.table import Table, TableChange, TableState
from ottla.spark.loader.task import LoadJob, TaskResult, run_load_task
from ottla.spark.loader.upsert import ChangeColumns, MergeJob, MergeTask, run_merge_task


class LoadRound:
    def __init__(self, settings: LoadSettings, table: Table, scheduler: Scheduler, state: TableState) -> None:
        self._settings = settings
        self._table = table
        self._scheduler = scheduler
        self._state = state
        self._load_id = table.new_load_id(state)
        self._schema = initial_schema(settings, state.schema)
        table.prepare(self._schema)

    def run(self, plan: Plan, on_rows: Callable[[int], None]) -> tuple[TableChange, list[TaskResult]]:
        """What to commit, and what the tasks say of it."""
        results = self._load(plan, on_rows)
        added: list[DataFile] = []
        removed: list[DataFile] = []
        if self._settings.layout.mode == UPSERT:
            self._merge(results, added, removed)
        else:
            added += [file for result in results for file in result.files]
        if widened_columns(self._state.schema, self._schema):
            self._rewrite_rest(added, removed)
        change = TableChange(
            load_id=self._load_id,
            schema=self._schema,
            added=tuple(added),
            removed=tuple(removed),
            offsets=plan.next_offsets,
        )
        return change, results

    def discard_scratch(self) -> None:
        self._table.discard_scratch(self._load_id)

    def _load(self, plan: Plan, on_rows: Callable[[int], None]) -> list[TaskResult]:
        if not plan.ranges:
            return []
        tasks = plan_tasks(plan.ranges, self._scheduler.cores())
        results = self._scheduler.run(partial(run_load_task, self._job()), tasks, on_rows)
        ordered = sorted(results, key=lambda result: result.offset_range)
        self._schema = merged_schema(self._settings, self._schema, [result.schema for result in ordered])
        narrow = [result.offset_range for result in ordered if result.schema != self._schema]
        if not narrow:
            return ordered
        again = self._scheduler.run(partial(run_load_task, self._job(fixed=True)), narrow, lambda rows: None)
        return [*(result for result in ordered if result.schema == self._schema), *again]

    def _job(self, *, fixed: bool = False) -> LoadJob:
        upsert = self._settings.layout.mode == UPSERT
        directory = self._table.scratch_directory if upsert else self._table.files_directory
        return LoadJob(
            settings=self._settings,
            load_id=self._load_id,
            directory=str(directory(self._load_id)),
            with_partition_columns=self._table.partition_columns_in_files,
            schema=self._schema,
            suffix=self._table.staged_suffix,
            pinned=frozenset(self._settings.layout.partition_by),
            fixed=fixed,
        )

    def _rewrite_job(self) -> RewriteJob:
        layout = self._settings.layout
        return rewrite_job(self._settings, self._table, self._load_id, self._schema, layout.partition_by)

    def _merge(self, results: Iterable[TaskResult], added: list[DataFile], removed: list[DataFile]) -> None:
        scratch = self._table.scratch_directory(self._load_id)
        changes: dict[int, list[str]] = {}
        for file in (file for result in results for file in result.files):
            assert file.bucket is not None
            changes.setdefault(file.bucket, []).append(f"{scratch / file.path}{self._table.staged_suffix}")
        tasks = []
        for bucket, change_paths in sorted(changes.items()):
            files = tuple(file for file in self._state.files if file.bucket == bucket)
            tasks.append(MergeTask(bucket, read_paths(self._table, files), tuple(change_paths)))
            removed += files
        if tasks:
            job = MergeJob(rewrite=self._rewrite_job(), columns=ChangeColumns.of(self._settings.layout))
            for merged in self._scheduler.run(partial(run_merge_task, job), tasks, lambda rows: None):
                added += merged.files

    def _rewrite_rest(self, added: list[DataFile], removed: list[DataFile]) -> None:
        gone = set(removed)
        rest = [file for file in self._state.files if file not in gone]
        added += rewrite(self._scheduler, self._rewrite_job(), self._table, [(file,) for file in rest])
        removed += rest


def rewrite_job(
    settings: LoadSettings, table: Table, load_id: str, schema: pa.Schema, partition_by: tuple[str, ...]
) -> RewriteJob:
    return RewriteJob(
        load_id=load_id,
        directory=str(table.files_directory(load_id)),
        schema=file_schema(schema, partition_by, with_partition_columns=table.partition_columns_in_files),
        file_bytes=settings.file_bytes,
        compression=settings.compression,
        suffix=table.staged_suffix,
    )


def rewrite(
    scheduler: Scheduler, job: RewriteJob, table: Table, groups: Iterable[tuple[DataFile, ...]]
) -> list[DataFile]:
    """The files that hold the rows of these groups from now on."""
    tasks = [
        RewriteTask(group[0].path.rpartition("/")[0], group[0].bucket, read_paths(table, group)) for group in groups
    ]
    if not tasks:
        return []
    results: list[Any] = scheduler.run(partial(run_rewrite_task, job), tasks, lambda rows: None)
    return [file for result in results for file in result.files]


def read_paths(table: Table, files: Iterable[DataFile]) -> tuple[str, ...]:
    return tuple(str(table.read_path(file)) for file in files)
