"""What a load needs of a table, whatever its format.

A commit holds the files that come, the files that go and the next offset of every partition, all or nothing. It is
made for a state: when somebody else has committed since that state was read, it fails and nothing of it is in the table
(CommitConflictError). So two loaders of one table can never load a record twice, and what the table holds is always
exactly the records below its offsets.

Files are written before the commit, to `files_directory(load_id)`; until then nobody reads them. After a failed commit
they are left where they are: whether a commit that raised an error has landed is known only to the table, and deleting
files that it does hold would destroy it. `clean` removes what no commit can want any more.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ottla.model import TopicPartition
from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.settings import TableLayout

Offsets = dict[TopicPartition, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """A table as one commit left it. Version -1: there is none yet. `token` is the format's own."""

    version: int
    layout: TableLayout
    schema: Any = None
    offsets: Mapping[TopicPartition, int] = field(default_factory=dict)
    files: tuple[DataFile, ...] = ()
    token: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableChange:
    """Where `schema` has another type for a column that is there, all files of before are in `removed`."""

    load_id: str
    schema: Any
    added: tuple[DataFile, ...] = ()
    removed: tuple[DataFile, ...] = ()
    offsets: Mapping[TopicPartition, int] = field(default_factory=dict)


class Table(Protocol):
    name: str
    # Whether files hold the columns that the table is partitioned by; the names of folders do in any case.
    partition_columns_in_files: bool
    # What the names of files end with until they are committed.
    staged_suffix: str

    def recover(self) -> None:
        """Finish what a process that died left half done. Called before a state is read for a load."""

    def state(self, partitions: Iterable[TopicPartition]) -> TableState:
        """The newest state, with the offsets of these partitions that have any."""

    def prepare(self, schema: Any) -> None:
        """Make the table, empty, where its format has to have one before files can be written."""

    def new_load_id(self, state: TableState) -> str: ...

    def files_directory(self, load_id: str) -> Path:
        """Where the tasks of this load write, on a file system that they and the driver share."""

    def scratch_directory(self, load_id: str) -> Path:
        """Where tasks of this load leave what only its later tasks read; on the same file system."""

    def discard_scratch(self, load_id: str) -> None: ...

    def read_path(self, file: DataFile) -> Path:
        """Where a file of the table is."""

    def commit(self, state: TableState, change: TableChange) -> int:
        """The version that it made. CommitConflictError when the table is no longer in this state."""

    def clean(self, *, thorough: bool = False) -> int:
        """Remove files that no commit holds and none can come to hold. How many. `thorough`: look for old ones too."""
