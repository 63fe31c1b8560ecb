"""The manifest of a Parquet directory: a log of commits that says which files are the table.

    TABLE/_ottla/commits/00000000000000000007.json       one commit, never changed once it has its name
    TABLE/_ottla/checkpoints/00000000000000000020.json   the state after a commit, every 20 commits
    TABLE/_ottla/staging/<load>/...                       files of loads that have not been committed

A commit is a JSON object:

    format       1
    version      its number, from 0 without gaps
    load         which load made it; its files were written to staging/<load>/
    time_ms      when
    layout       mode, columns, headers, partition_by, buckets (the same in all commits)
    schema       the table's Arrow schema as an IPC message in base64, partition columns included
    offsets      {topic: {partition: next offset}} of the partitions that it moved
    add          [{path, rows, bytes}] files that belong to the table from now on
    remove       [path] files that do not any more

A checkpoint has the same fields with `offsets` and `add` of everything up to its version and nothing in `remove`.

A commit is written under another name, synced, and then linked to its own: a link to a name that exists fails, so that
of two loaders one wins, and a commit is there wholly or not at all. A torn or foreign file is an error, never skipped.
"""

import base64
import json
import os
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from ottla.model import TopicPartition
from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.errors import CommitConflictError, TableLayoutError
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.table import TableChange, TableState

FOLDER = "_ottla"
FORMAT = 1
CHECKPOINT_INTERVAL = 20


class Manifest:
    """Reads states and writes commits. Knows nothing of where data files are."""

    def __init__(self, table: Path) -> None:
        self.folder = table / FOLDER
        self._commits = self.folder / "commits"
        self._checkpoints = self.folder / "checkpoints"

    def exists(self) -> bool:
        return self._commits.is_dir()

    def state(self, layout: TableLayout) -> TableState:
        """The newest; an empty one of this layout where nothing was committed yet."""
        version, document = self._newest_checkpoint()
        state = _Replay(document)
        for number in range(version + 1, self._next_version(version + 1)):
            state.apply(self.read_commit(number))
        return state.result(layout)

    def read_commit(self, version: int) -> dict[str, Any]:
        return _read(self._commits / _name(version))

    def has_commit(self, version: int) -> bool:
        return (self._commits / _name(version)).exists()

    def write_commit(self, state: TableState, change: TableChange) -> int:
        version = state.version + 1
        self._commits.mkdir(parents=True, exist_ok=True)
        document = encode_commit(version, state.layout, change)
        _write_new(self._commits / _name(version), document)
        if version % CHECKPOINT_INTERVAL == 0 and version:
            self._write_checkpoint(version, state.layout)
        return version

    def _write_checkpoint(self, version: int, layout: TableLayout) -> None:
        """Only saves time, so a failure is nobody's concern; one that is there already is the same."""
        state = self.state(layout)
        if state.version != version:
            return
        full = TableChange(load_id="", schema=state.schema, added=state.files, offsets=state.offsets)
        self._checkpoints.mkdir(exist_ok=True)
        try:
            _write_new(self._checkpoints / _name(version), encode_commit(version, layout, full))
        except (OSError, CommitConflictError):
            return

    def _newest_checkpoint(self) -> tuple[int, dict[str, Any] | None]:
        found = sorted(self._checkpoints.glob("*.json")) if self._checkpoints.is_dir() else []
        if not found:
            return -1, None
        document = _read(found[-1])
        return document["version"], document

    def _next_version(self, version: int) -> int:
        while self.has_commit(version):
            version += 1
        return version


class _Replay:
    """A state from a checkpoint and the commits behind it."""

    def __init__(self, checkpoint: dict[str, Any] | None) -> None:
        self._version = -1
        self._layout: dict[str, Any] | None = None
        self._schema = ""
        self._offsets: dict[TopicPartition, int] = {}
        self._files: dict[str, DataFile] = {}
        if checkpoint is not None:
            self.apply(checkpoint)

    def apply(self, commit: dict[str, Any]) -> None:
        self._version, self._layout, self._schema = commit["version"], commit["layout"], commit["schema"]
        self._offsets.update(decode_offsets(commit["offsets"]))
        for path in commit["remove"]:
            del self._files[path]
        for entry in commit["add"]:
            self._files[entry["path"]] = DataFile(entry["path"], entry["rows"], entry["bytes"])

    def result(self, layout: TableLayout) -> TableState:
        if self._layout is None:
            return TableState(version=-1, layout=layout)
        return TableState(
            version=self._version,
            layout=TableLayout.of_json(self._layout),
            schema=decode_schema(self._schema),
            offsets=self._offsets,
            files=tuple(self._files.values()),
        )


def encode_commit(version: int, layout: TableLayout, change: TableChange) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": version,
        "load": change.load_id,
        "time_ms": int(time.time() * 1000),
        "layout": layout.as_json(),
        "schema": encode_schema(change.schema),
        "offsets": encode_offsets(change.offsets),
        "add": [file._asdict() for file in change.added],
        "remove": [file.path for file in change.removed],
    }


def encode_offsets(offsets: Mapping[TopicPartition, int]) -> dict[str, dict[str, int]]:
    by_topic: dict[str, dict[str, int]] = {}
    for (topic, partition), offset in sorted(offsets.items()):
        by_topic.setdefault(topic, {})[str(partition)] = offset
    return by_topic


def decode_offsets(by_topic: Mapping[str, Mapping[str, int]]) -> dict[TopicPartition, int]:
    return {
        TopicPartition(topic, int(partition)): offset
        for topic, partitions in by_topic.items()
        for partition, offset in partitions.items()
    }


def encode_schema(schema: pa.Schema) -> str:
    return base64.b64encode(schema.serialize().to_pybytes()).decode()


def decode_schema(text: str) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))


def sync_directory(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _name(version: int) -> str:
    return f"{version:020d}.json"


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_bytes())
        found = document["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise TableLayoutError(f"{path} is no commit of `ottla load`: {error}") from error
    if found != FORMAT:
        raise TableLayoutError(f"{path} has format {found}; this version of Ottla reads format {FORMAT}")
    return dict(document)


def _write_new(path: Path, document: dict[str, Any]) -> None:
    """The file with all its bytes on the disk, under a name that nobody has had before."""
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with temporary.open("wb") as file:
            file.write(json.dumps(document, separators=(",", ":")).encode())
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError as error:
        raise CommitConflictError(f"another load of {path.parents[2]} was committed first") from error
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(path.parent)
