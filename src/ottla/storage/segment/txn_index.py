"""`.txnindex`: the aborted transactions whose marker lies in a segment, which read_committed consumers must skip.

    OFFSET  SIZE  FIELD
    0       2     version              0
    2       8     producer_id
    10      8     first_offset         of the transaction's first record, maybe in an earlier segment
    18      8     last_offset          of its abort marker, in this segment
    26      8     last_stable_offset   where it stood once the marker was written

Big-endian, 34 bytes an entry, ordered by last_offset. Aborts are rare: the file is only made with the first one, and
its entries are kept in memory once they were asked for. `last_stable_offset` ends a search: transactions that a later
entry notes cannot have begun below it.
"""

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile

VERSION = 0
_ENTRY = Struct(">hqqqq")
ENTRY_SIZE = _ENTRY.size


class AbortedTransaction(NamedTuple):
    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int


class TxnIndex:
    """The file is there only once it has an entry."""

    __slots__ = ("_directory", "_entries", "_file", "_path")

    def __init__(self, path: str, directory: LogDirectory, file: LogFile | None = None) -> None:
        self._path = path
        self._directory = directory
        self._file = file
        self._entries: list[AbortedTransaction] | None = None if file else []

    @classmethod
    def open(cls, path: str, directory: LogDirectory) -> "TxnIndex":
        """For a file that is known to exist."""
        return cls(path, directory, LogFile.open(path, directory))

    @property
    def file(self) -> LogFile | None:
        return self._file

    @property
    def entries(self) -> list[AbortedTransaction]:
        if self._entries is None:
            self._entries = list(self._read())
        return self._entries

    def append(self, aborted: AbortedTransaction) -> None:
        entries = self.entries
        assert not entries or aborted.last_offset > entries[-1].last_offset, (aborted, entries[-1])
        # The marker is in the log: without its entry consumers would be given what was aborted. Recovery makes it.
        with self._directory.no_way_back():
            if self._file is None:
                self._file = LogFile.create(self._path, self._directory)
            self._file.append(_ENTRY.pack(VERSION, *aborted))
        entries.append(aborted)

    def truncate_to(self, offset: int) -> None:
        """Drop transactions whose marker lies at or past `offset`."""
        kept = [aborted for aborted in self.entries if aborted.last_offset < offset]
        self._entries = kept
        if self._file is not None:
            self._file.truncate(len(kept) * ENTRY_SIZE)

    def is_sane(self) -> bool:
        if self._file is None:
            return True
        return self._file.size % ENTRY_SIZE == 0 and len(self.entries) * ENTRY_SIZE == self._file.size

    def renamed(self, path: str) -> None:
        """Where the file is to be made, should it not be there yet."""
        self._path = path

    def _read(self) -> Iterator[AbortedTransaction]:
        if self._file is None:
            return
        data = self._file.read_at(0, self._file.size)
        for version, *fields in _ENTRY.iter_unpack(data[: len(data) // ENTRY_SIZE * ENTRY_SIZE]):
            if version != VERSION:
                return
            yield AbortedTransaction(*fields)
