"""A directory of Parquet files that any reader takes as it is, with a manifest that makes its changes atomic.

    1  tasks write to TABLE/_ottla/staging/<load>/....parquet.staged: Spark and pyarrow do not look into such a folder,
       and a glob of **/*.parquet, as one gives DuckDB, does not match such names
    2  the commit is linked into the manifest: from here on the files belong to the table
    3  the files are renamed into TABLE/..., files that were replaced are unlinked

Step 2 decides. A process that dies before it leaves a staging folder that nobody reads; one that dies after it leaves
step 3 to `recover`, which every load calls first and which may be done any number of times, by several at once: a
rename moves a file once, and the second finds it moved.

Window: between 2 and the end of 3 (milliseconds; after a crash, until the next load) a reader of the plain directory
sees a part of that commit. `committed_files` gives the exact list at any time.

A load's id begins with the version that its commit would make. Once the table has that version, the load can only fail
and its staging folder is garbage: `clean` needs no clock.
"""

import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from ottla.model import TopicPartition
from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.errors import TableLayoutError
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.manifest import FOLDER, Manifest, sync_directory
from ottla.spark.loader.tables.standing import PARQUET, check_only_ours, check_place
from ottla.spark.loader.tables.table import TableChange, TableState

STAGED = ".staged"


class ParquetDirectory:
    partition_columns_in_files = False
    staged_suffix = STAGED

    def __init__(self, path: Path, layout: TableLayout) -> None:
        self.name = str(path)
        self._path = path
        self._layout = layout
        self._staging = path / FOLDER / "staging"
        self._published = path / FOLDER / "published"
        self._manifest = Manifest(path)
        check_place(path, PARQUET)
        if not self._manifest.exists():  # a folder that a load made and never committed to is welcome
            check_only_ours(path, lambda file: file.parts[0] == FOLDER)

    def recover(self) -> None:
        state = self._manifest.state(self._layout)
        wanted = {file.path for file in state.files}
        for version in range(self._published_version() + 1, state.version + 1):
            self._publish(self._manifest.read_commit(version), wanted)
        self._note_published(state.version)

    def state(self, partitions: Iterable[TopicPartition]) -> TableState:
        return self._manifest.state(self._layout)

    def prepare(self, schema: Any) -> None:
        """A directory needs nothing."""

    def new_load_id(self, state: TableState) -> str:
        return f"{state.version + 1:06d}-{uuid.uuid4().hex[:12]}"

    def files_directory(self, load_id: str) -> Path:
        return self._staging / load_id

    def scratch_directory(self, load_id: str) -> Path:
        return self._staging / f"{load_id}.scratch"

    def discard_scratch(self, load_id: str) -> None:
        shutil.rmtree(self.scratch_directory(load_id), ignore_errors=True)

    def read_path(self, file: DataFile) -> Path:
        return self._path / file.path

    def commit(self, state: TableState, change: TableChange) -> int:
        version = self._manifest.write_commit(state, change)
        self.recover()
        return version

    def clean(self, *, thorough: bool = False) -> int:
        version = self._published_version()
        removed = 0
        for folder in self._staging.iterdir() if self._staging.is_dir() else ():
            wanted_version = folder.name.partition("-")[0]
            if wanted_version.isdigit() and int(wanted_version) <= version:
                removed += sum(1 for _ in folder.rglob(f"*{STAGED}"))
                shutil.rmtree(folder, ignore_errors=True)
        return removed

    def _publish(self, commit: dict[str, Any], wanted: set[str]) -> None:
        """`wanted`: the files of the newest state, none of which may be missing then."""
        staging = self._staging / commit["load"]
        for folder in sorted({os.path.dirname(entry["path"]) for entry in commit["add"]}):
            (self._path / folder).mkdir(parents=True, exist_ok=True)
        for entry in commit["add"]:
            target = self._path / entry["path"]
            try:
                os.rename(staging / f"{entry['path']}{STAGED}", target)
            except FileNotFoundError as error:
                # Moved before, by whoever recovered or by the process that died; it may also have been replaced since.
                if entry["path"] in wanted and not target.exists():
                    raise TableLayoutError(f"{target} belongs to the table and is gone") from error
        for path in commit["remove"]:
            (self._path / path).unlink(missing_ok=True)
        for folder in {os.path.dirname(entry["path"]) for entry in commit["add"]}:
            sync_directory(self._path / folder)
        shutil.rmtree(staging, ignore_errors=True)

    def _published_version(self) -> int:
        """Everything up to it lies where it belongs. A hint that may lag behind."""
        try:
            return int(self._published.read_text())
        except (FileNotFoundError, ValueError):
            return -1

    def _note_published(self, version: int) -> None:
        if version > self._published_version():
            temporary = self._published.with_name(f".published.{uuid.uuid4().hex}")
            temporary.write_text(str(version))
            temporary.replace(self._published)


def committed_files(table: Path | str) -> list[Path]:
    """Exactly the files that hold the table's rows, also while a commit is being published or after a crash."""
    root = Path(table)
    manifest = Manifest(root)
    if not manifest.exists():
        raise TableLayoutError(f"{root} is no table of `ottla load`: it has no {FOLDER}/commits")
    state = manifest.state(TableLayout())
    return [_present(root, file) for file in state.files]


def _present(root: Path, file: DataFile) -> Path:
    published = root / file.path
    if published.exists():
        return published
    return next(_staged(root, file), published)


def _staged(root: Path, file: DataFile) -> Iterator[Path]:
    return (root / FOLDER / "staging").glob(f"*/{file.path}{STAGED}")
