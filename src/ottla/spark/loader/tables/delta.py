"""A Delta Lake table, by the package deltalake.

    files          AddAction and RemoveAction of one commit
    offsets        the versions of application transactions in the same commit: application `ottla:<topic>:<partition>`,
                   version = the next offset. Delta keeps the newest of each in its checkpoints for good
    layout         the table property `ottla.layout`
    for people     the commit's own metadata names the load and the offsets

deltalake would put a commit behind others that came in between; with no retries allowed it goes exactly behind the
version that was read, or fails. New columns are a commit of their own before that of the data, under the same rule;
columns of other types come with an overwrite of all files.

Files lie under their final names from the start. Who reads Delta does not see them before the commit; who globs may.
Those of loads that failed are removed by Delta's own vacuum, a week later (`ottla load --compact`).
"""

import json
import re
import shutil
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.exceptions import CommitFailedError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from ottla.model import TopicPartition
from ottla.spark.loader.arrow_types import plain_schema
from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.errors import CommitConflictError, TableLayoutError
from ottla.spark.loader.partitioning import partition_columns
from ottla.spark.loader.row_schema import widened_columns
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.manifest import encode_offsets
from ottla.spark.loader.tables.scratch import FOLDER, remove_old, scratch_directory
from ottla.spark.loader.tables.standing import DELTA, check_only_ours, check_place
from ottla.spark.loader.tables.table import TableChange, TableState

LAYOUT_PROPERTY = "ottla.layout"
# A bucket where the table has them, and the load's id.
_DATA_FILE = re.compile(r"(b\d{5}-)?[0-9a-f]{12}-.+\.parquet")


class Delta:
    partition_columns_in_files = False
    staged_suffix = ""

    def __init__(self, path: Path, layout: TableLayout) -> None:
        self.name = str(path)
        self._path = path
        self._layout = layout
        check_place(path, DELTA)
        if not DeltaTable.is_deltatable(str(path)):
            check_only_ours(path, _may_be_left_over)

    def recover(self) -> None:
        """There is nothing to finish: a commit of Delta is one file."""

    def state(self, partitions: Iterable[TopicPartition]) -> TableState:
        table = self._open()
        if table is None:
            return TableState(version=-1, layout=self._layout)
        found = {partition: table.transaction_version(_application(partition)) for partition in partitions}
        return TableState(
            version=table.version(),
            layout=self._read_layout(table),
            schema=plain_schema(pa.schema(table.schema())),
            offsets={partition: offset for partition, offset in found.items() if offset is not None},
            files=tuple(_files(table)),
        )

    def prepare(self, schema: pa.Schema) -> None:
        """The commit makes the table."""

    def new_load_id(self, state: TableState) -> str:
        return uuid.uuid4().hex[:12]

    def files_directory(self, load_id: str) -> Path:
        return self._path

    def scratch_directory(self, load_id: str) -> Path:
        return scratch_directory(self._path, load_id)

    def discard_scratch(self, load_id: str) -> None:
        shutil.rmtree(self.scratch_directory(load_id), ignore_errors=True)

    def read_path(self, file: DataFile) -> Path:
        return self._path / file.path

    def commit(self, state: TableState, change: TableChange) -> int:
        created = state.version < 0
        table = self._create(change.schema) if created else DeltaTable(str(self._path), version=state.version)
        try:
            if widened_columns(state.schema, change.schema):
                self._replace_all(table, state, change)
            else:
                self._add_columns(table, change.schema)
                self._write(table, state, change)
        except CommitFailedError as error:
            raise CommitConflictError(f"another commit to {self._path} came first ({error})") from error
        return DeltaTable(str(self._path)).version()

    def _write(self, table: DeltaTable, state: TableState, change: TableChange) -> None:
        table.create_write_transaction(
            [*map(_add, change.added), *map(_remove, change.removed)],
            "append",
            table.schema(),
            partition_columns(state.layout.partition_by),
            commit_properties=_properties(change),
        )

    def _replace_all(self, table: DeltaTable, state: TableState, change: TableChange) -> None:
        """Only an overwrite can give columns other types. It removes all files by itself."""
        assert set(change.removed) == set(state.files)
        table.create_write_transaction(
            [*map(_add, change.added)],
            "overwrite",
            Schema.from_arrow(change.schema),
            partition_columns(state.layout.partition_by),
            commit_properties=_properties(change),
        )

    def clean(self, *, thorough: bool = False) -> int:
        table = self._open() if thorough else None
        return 0 if table is None else len(table.vacuum(dry_run=False, full=True)) + remove_old(self._path)

    def _open(self) -> DeltaTable | None:
        try:
            return DeltaTable(str(self._path))
        except TableNotFoundError:
            return None

    def _create(self, schema: pa.Schema) -> DeltaTable:
        """An empty one. When two do this at once, the second finds that of the first, and both stay right."""
        table = DeltaTable.create(
            str(self._path),
            Schema.from_arrow(schema),
            mode="ignore",
            partition_by=partition_columns(self._layout.partition_by),
            configuration={LAYOUT_PROPERTY: json.dumps(self._layout.as_json())},
            raise_if_key_not_exists=False,
        )
        if table.version() > 0:
            raise CommitConflictError(f"another load of {self._path} was committed first")
        return table

    def _add_columns(self, table: DeltaTable, schema: pa.Schema) -> None:
        known = {field.name for field in table.schema().fields}
        added = [field for field in Schema.from_arrow(schema).fields if field.name not in known]
        if added:
            table.alter.add_columns(added, commit_properties=CommitProperties(max_commit_retries=0))

    def _read_layout(self, table: DeltaTable) -> TableLayout:
        text = table.metadata().configuration.get(LAYOUT_PROPERTY)
        if text is None:
            raise TableLayoutError(f"{self._path} is a Delta table that `ottla load` did not make")
        return TableLayout.of_json(json.loads(text))


def _may_be_left_over(file: Path) -> bool:
    """Of a load that failed before it made the table: its files have their names already."""
    return file.parts[0] == FOLDER or _DATA_FILE.match(file.name) is not None


def _application(partition: TopicPartition) -> str:
    return f"ottla:{partition.topic}:{partition.partition}"


def _properties(change: TableChange) -> CommitProperties:
    return CommitProperties(
        custom_metadata={"ottla.load": change.load_id, "ottla.offsets": encode_offsets(change.offsets)},
        max_commit_retries=0,
        app_transactions=[Transaction(_application(one), offset) for one, offset in change.offsets.items()],
    )


def _files(table: DeltaTable) -> Iterable[DataFile]:
    """Delta writes paths as in a URL; deltalake escapes them when it writes, and gives them as they are written."""
    actions = pa.table(table.get_add_actions())
    columns: list[list[Any]] = [actions.column(name).to_pylist() for name in ("path", "num_records", "size_bytes")]
    return (DataFile(unquote(path), rows or 0, size) for path, rows, size in zip(*columns, strict=True))


def _add(file: DataFile) -> AddAction:
    stats = json.dumps({"numRecords": file.rows})
    return AddAction(file.path, file.bytes, file.partition_values, _now_ms(), True, stats)


def _remove(file: DataFile) -> RemoveAction:
    return RemoveAction(file.path, True, _now_ms(), file.bytes, file.partition_values)


def _now_ms() -> int:
    return int(time.time() * 1000)
