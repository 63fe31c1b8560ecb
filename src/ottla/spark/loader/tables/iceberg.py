"""An Iceberg table, by the package pyiceberg.

    files          one snapshot, an append or an overwrite of files by name
    offsets        table properties in the same transaction: `ottla.offsets.<topic>` = {"partition": next offset}
    layout         the table property `ottla.layout`
    catalog        SQLite beside the tables, or what the properties of the catalog say

A snapshot is made also where no file comes or goes, because it is the snapshot that a commit is checked by: it goes
exactly behind the one that was read, or fails. pyiceberg tries a commit again behind others that came in between, which
would load records twice: the table property `commit.retry.num-retries` is 0, and that is seen to before every commit.

Files carry no ids of fields, so the table maps them by name (`schema.name-mapping.default`). Those of loads that failed
are never read, and are removed a week later (`ottla load --compact`).
"""

import json
import logging
import shutil
import uuid
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError, TableAlreadyExistsError, ValidationException
from pyiceberg.io.pyarrow import parquet_files_to_data_files
from pyiceberg.table import Table as PyIcebergTable
from pyiceberg.table import Transaction

from ottla.errors import ConfigError
from ottla.model import TopicPartition
from ottla.spark.loader.arrow_types import plain_schema
from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.errors import CommitConflictError, TableLayoutError
from ottla.spark.loader.partitioning import partition_columns
from ottla.spark.loader.row_schema import widened_columns
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.location import local_directory
from ottla.spark.loader.tables.manifest import decode_offsets, encode_offsets
from ottla.spark.loader.tables.scratch import is_old, remove_old, scratch_directory
from ottla.spark.loader.tables.standing import CATALOG, CATALOG_FILE, ICEBERG, check_place
from ottla.spark.loader.tables.table import TableChange, TableState

LAYOUT_PROPERTY = "ottla.layout"
OFFSETS_PREFIX = "ottla.offsets."
CATALOG_NAME = "default"
NO_RETRIES = {"commit.retry.num-retries": "0"}
NAME_MAPPING = "schema.name-mapping.default"


class Iceberg:
    partition_columns_in_files = True
    staged_suffix = ""

    def __init__(self, name: str, layout: TableLayout, catalog: Mapping[str, str]) -> None:
        self.name = name
        self._layout = layout
        self._identifier = _identifier(name, has_catalog=bool(catalog))
        self._lake = None if catalog else _lake(name, self._identifier)
        self._catalog_properties = _remote_refused(catalog)
        self._directory: Path | None = None
        # It warns of every column without statistics, and we leave them out on purpose.
        logging.getLogger("pyiceberg.io.pyarrow").setLevel(logging.ERROR)

    @cached_property
    def _catalog(self) -> Catalog:
        """Opening a catalog of our own makes it."""
        if self._lake is None:
            return load_catalog(CATALOG_NAME, **self._catalog_properties)
        self._lake.mkdir(parents=True, exist_ok=True)
        uri = f"sqlite:///{self._lake / CATALOG_FILE}"
        return load_catalog(CATALOG_NAME, type="sql", uri=uri, warehouse=f"file://{self._lake}")

    def recover(self) -> None:
        """There is nothing to finish: a commit is one row of the catalog."""

    def state(self, partitions: Iterable[TopicPartition]) -> TableState:
        table = self._open()
        if table is None:
            return TableState(version=-1, layout=self._layout)
        return TableState(
            version=_version(table),
            layout=self._read_layout(table),
            schema=plain_schema(table.schema().as_arrow()),
            offsets=decode_offsets(_offset_properties(table)),
            files=tuple(self._relative(table, task.file) for task in table.scan().plan_files()),
            token=table.metadata.current_snapshot_id,
        )

    def new_load_id(self, state: TableState) -> str:
        return uuid.uuid4().hex[:12]

    def files_directory(self, load_id: str) -> Path:
        return self._data()

    def scratch_directory(self, load_id: str) -> Path:
        return scratch_directory(self._data().parent, load_id)

    def discard_scratch(self, load_id: str) -> None:
        shutil.rmtree(self.scratch_directory(load_id), ignore_errors=True)

    def read_path(self, file: DataFile) -> Path:
        return self._data() / file.path

    def prepare(self, schema: Any) -> None:
        """Makes the table where there is none: empty, with no offsets. Who comes second finds it."""
        if self._open() is not None:
            return
        self._catalog.create_namespace_if_not_exists(self._identifier.rpartition(".")[0])
        properties = {LAYOUT_PROPERTY: json.dumps(self._layout.as_json()), **NO_RETRIES}
        creation = self._catalog.create_table_transaction(self._identifier, schema, properties=properties)
        _local(creation.table_metadata.location)  # where the catalog puts it is known now, and it is not there yet
        try:
            with creation, creation.update_spec() as spec:
                for column in partition_columns(self._layout.partition_by):
                    spec.add_identity(column)
        except (TableAlreadyExistsError, CommitFailedException):
            return

    def commit(self, state: TableState, change: TableChange) -> int:
        table = self._table_of(state)
        try:
            with table.transaction() as transaction:
                self._change_schema(transaction, state.schema, change.schema)
                self._change_files(table, transaction, change)
                transaction.set_properties(_offsets_after(table, change))
        except (CommitFailedException, ValidationException) as error:
            raise CommitConflictError(f"another commit to {self.name} came first ({error})") from error
        return _version(table)

    def clean(self, *, thorough: bool = False) -> int:
        table = self._open() if thorough else None
        if table is None:
            return 0
        held = {_local(path) for path in table.inspect.all_files().column("file_path").to_pylist()}
        orphans = [path for path in _data_directory(table).rglob("*.parquet") if path not in held and is_old(path)]
        for path in orphans:
            path.unlink(missing_ok=True)
        return len(orphans) + remove_old(_data_directory(table).parent)

    def _open(self) -> PyIcebergTable | None:
        if self._lake is not None and not (self._lake / CATALOG_FILE).exists():
            return None
        try:
            return self._catalog.load_table(self._identifier)
        except NoSuchTableError:
            return None

    def _data(self) -> Path:
        """Its place is the catalog's choice, so it can be asked only where there is a table."""
        if self._directory is None:
            table = self._open()
            if table is None:
                raise TableLayoutError(f"{self.name} is not there")
            self._directory = _data_directory(table)
        return self._directory

    def _table_of(self, state: TableState) -> Any:
        """The table with the snapshot that the state was read from. Should another come now, the commit will fail."""
        table = self._open()
        if table is not None and NO_RETRIES.items() - table.properties.items():
            with table.transaction() as transaction:
                transaction.set_properties(NO_RETRIES)
            table = self._open()
        if table is None or table.metadata.current_snapshot_id != state.token:
            raise CommitConflictError(f"another load of {self.name} was committed first, or its table was dropped")
        return table

    def _read_layout(self, table: PyIcebergTable) -> TableLayout:
        text = table.properties.get(LAYOUT_PROPERTY)
        if text is None:
            raise TableLayoutError(f"{self.name} is an Iceberg table that `ottla load` did not make")
        return TableLayout.of_json(json.loads(text))

    def _relative(self, table: PyIcebergTable, file: Any) -> DataFile:
        path = _local(file.file_path).relative_to(_data_directory(table))
        return DataFile(str(path), file.record_count, file.file_size_in_bytes)

    def _change_schema(self, transaction: Transaction, before: Any, schema: Any) -> None:
        """New columns are added. One of another type, which no file of before has any more, is another column of the
        same name: Iceberg itself would not make a double of a long."""
        widened = widened_columns(before, schema)
        if widened:
            with transaction.update_schema(allow_incompatible_changes=True) as update:
                for name in widened:
                    update.delete_column(name)
        known = {field.name for field in transaction.table_metadata.schema().fields}
        if any(name not in known for name in schema.names):
            with transaction.update_schema() as update:
                update.union_by_name(schema)
        mapping = transaction.table_metadata.schema().name_mapping.model_dump_json()
        if transaction.table_metadata.properties.get(NAME_MAPPING) != mapping:
            transaction.set_properties({NAME_MAPPING: mapping})

    def _change_files(self, table: PyIcebergTable, transaction: Transaction, change: TableChange) -> None:
        folder = _data_directory(table)
        paths = (f"file://{folder / file.path}" for file in change.added)
        added = parquet_files_to_data_files(table.io, transaction.table_metadata, paths)
        removed = {file.path for file in change.removed}
        update = transaction.update_snapshot()
        with update.overwrite() if removed else update.fast_append() as snapshot:
            for data_file in added:
                snapshot.append_data_file(data_file)
            for task in table.scan().plan_files() if removed else ():
                if self._relative(table, task.file).path in removed:
                    snapshot.delete_data_file(task.file)


def _identifier(name: str, *, has_catalog: bool) -> str:
    """NAMESPACE.TABLE"""
    directory, _slash, identifier = name.rpartition("/")
    named = all(identifier.split(".")) and "." in identifier
    if has_catalog and (directory or not named):
        raise ConfigError(f"iceberg:{name}: with --catalog a table is written as iceberg:NAMESPACE.TABLE")
    if not named:
        example = f"{name.rstrip('/')}/web.clicks"
        raise ConfigError(
            f"iceberg:{name} names no table: write iceberg:DIRECTORY/NAMESPACE.TABLE (iceberg:{example}), or "
            "iceberg:NAMESPACE.TABLE with --catalog"
        )
    return identifier


def _lake(name: str, identifier: str) -> Path:
    """The directory of a catalog of our own, with no other table where this one is to be."""
    lake = local_directory(name).parent
    check_place(lake, CATALOG)
    namespace, _dot, table = identifier.rpartition(".")
    check_place(lake / namespace / table, ICEBERG)
    return lake


def _remote_refused(properties: Mapping[str, str]) -> Mapping[str, str]:
    """A warehouse is told before anything is made there; what a catalog itself decides, when it has decided."""
    if "warehouse" in properties:
        local_directory(properties["warehouse"])
    return properties


def _version(table: Any) -> int:
    """Iceberg counts snapshots from 1."""
    return int(table.metadata.last_sequence_number)


def _data_directory(table: PyIcebergTable) -> Path:
    return _local(table.location()) / "data"


def _local(location: str) -> Path:
    """Iceberg writes paths as they are, without escapes."""
    if location.startswith("file://"):
        return Path(location.removeprefix("file://"))
    return local_directory(location)


def _offset_properties(table: PyIcebergTable) -> dict[str, dict[str, int]]:
    return {
        key.removeprefix(OFFSETS_PREFIX): json.loads(value)
        for key, value in table.properties.items()
        if key.startswith(OFFSETS_PREFIX)
    }


def _offsets_after(table: PyIcebergTable, change: TableChange) -> dict[str, str]:
    """The properties of the topics that the change moves, with what they held before."""
    found = _offset_properties(table)
    moved = encode_offsets(change.offsets)
    return {
        f"{OFFSETS_PREFIX}{topic}": json.dumps({**found.get(topic, {}), **partitions})
        for topic, partitions in moved.items()
    }
