"""What the offset index and the time index share: fixed-size entries of a rising key and a rising value.

In the active segment the entries are two arrays in memory, searched with bisect; the file, made `segment.index.bytes`
long but sparse, gets them in one write on roll, flush and close, and every so often where there is room. Losing the
unwritten ones costs nothing: a segment that was not closed cleanly is scanned on recovery, and its indexes are built
anew. In a closed segment nothing is kept in memory: the search preads a few entries, then one page.

Invariants: keys rise strictly, values never fall; an entry's place in the file is its number times the entry size; a
closed file ends with its last entry.
"""

from array import array
from bisect import bisect_right
from contextlib import suppress
from itertools import pairwise
from struct import Struct
from typing import ClassVar, NamedTuple, Self

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.errors.kafka import KafkaStorageError

_PAGE_ENTRIES = 512
_PENDING_MAX = 4096
_ENTRIES_MIN = 2  # with less a segment would be full before its first entry


class Entry(NamedTuple):
    key: int
    value: int


class SparseIndex:
    """The base of `OffsetIndex` and `TimeIndex`, which give key and value their meaning."""

    ENTRY: ClassVar[Struct]
    KEY_TYPE: ClassVar[str]

    __slots__ = ("_keys", "_values", "_written", "base_offset", "entries", "entries_max", "file")

    def __init__(self, file: LogFile, base_offset: int, size_max: int) -> None:
        self.file = file
        self.base_offset = base_offset
        self.entries_max = max(_ENTRIES_MIN, size_max // self.ENTRY.size)
        self.entries = self._written = file.size // self.ENTRY.size
        self._keys: array[int] | None = None
        self._values: array[int] | None = None

    @classmethod
    def create(cls, path: str, directory: LogDirectory, base_offset: int, size_max: int) -> Self:
        """A new index, for a segment that is appended to. When there is no room for it, nothing is left behind."""
        index = cls(LogFile.create(path, directory), base_offset, size_max)
        try:
            index.activate()
        except Exception:
            index.file.delete()
            raise
        return index

    @classmethod
    def open(cls, path: str, directory: LogDirectory, base_offset: int, size_max: int) -> Self:
        return cls(LogFile.open(path, directory), base_offset, size_max)

    @property
    def is_active(self) -> bool:
        return self._keys is not None

    # -- between active and closed ------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Bring the entries into memory and make the file ready to grow."""
        if self._keys is not None:
            return
        entries = self._read_entries(0, self.entries)
        self._keys = array(self.KEY_TYPE, [entry.key for entry in entries])
        self._values = array("i", [entry.value for entry in entries])
        self.file.extend_sparse(max(self.entries_max, self.entries) * self.ENTRY.size)

    def deactivate(self) -> None:
        """Write what is pending, cut the file to its entries, and drop the arrays."""
        if self._keys is None:
            return
        self.write_pending()
        self.file.truncate(self.entries * self.ENTRY.size)
        self.file.close()
        self._keys = self._values = None

    def write_pending(self) -> None:
        """Bring the file up to the arrays."""
        if self._keys is None or self._values is None or self._written == self.entries:
            return
        pack = self.ENTRY.pack
        pending = zip(self._keys[self._written :], self._values[self._written :], strict=True)
        self.file.write_at(self._written * self.ENTRY.size, b"".join(pack(key, value) for key, value in pending))
        self._written = self.entries

    # -- entries ------------------------------------------------------------------------------------------------------

    def entry(self, number: int) -> Entry:
        if self._keys is not None and self._values is not None:
            return Entry(self._keys[number], self._values[number])
        return self._read_entries(number, 1)[0]

    def last_entry(self) -> Entry | None:
        return self.entry(self.entries - 1) if self.entries else None

    def floor(self, key: int) -> Entry | None:
        """The last entry whose key is not above `key`."""
        if self._keys is not None and self._values is not None:
            number = bisect_right(self._keys, key) - 1
            return Entry(self._keys[number], self._values[number]) if number >= 0 else None
        return self._floor_in_file(key)

    def _add(self, key: int, value: int) -> None:
        assert self._keys is not None, "appended to an index that is closed"
        assert self._values is not None
        self._keys.append(key)
        self._values.append(value)
        self.entries += 1
        if (self.entries - self._written) % _PENDING_MAX == 0:
            self._write_if_there_is_room()

    def _write_if_there_is_room(self) -> None:
        """What the new entry is of is in the log already, and must not be refused for want of room here."""
        with suppress(KafkaStorageError):
            self.write_pending()

    def _keep(self, entries: int) -> None:
        """Drop every entry from number `entries` on."""
        if entries >= self.entries:
            return
        if self._keys is not None and self._values is not None:
            del self._keys[entries:], self._values[entries:]
        else:
            self.file.truncate(entries * self.ENTRY.size)
        self.entries = entries
        self._written = min(self._written, entries)

    def reset(self) -> None:
        """Forget everything, to be built anew. Afterwards the index is active."""
        self._keys = array(self.KEY_TYPE)
        self._values = array("i")
        self.entries = self._written = 0
        self.file.truncate(0)

    def _read_entries(self, first: int, count: int) -> list[Entry]:
        size = self.ENTRY.size
        data = self.file.read_at(first * size, count * size)
        return [Entry(*fields) for fields in self.ENTRY.iter_unpack(data[: len(data) // size * size])]

    def _floor_in_file(self, key: int) -> Entry | None:
        """Invariant: entries below `low` have keys at or below `key`, those from `high` on keys above it."""
        low, high = 0, self.entries
        page, page_start = b"", 0
        size, unpack_from = self.ENTRY.size, self.ENTRY.unpack_from
        while low < high:
            if not page and high - low <= _PAGE_ENTRIES:
                page, page_start = self.file.read_at(low * size, (high - low) * size), low
            middle = (low + high) // 2
            entry_key = unpack_from(page, (middle - page_start) * size)[0] if page else self.entry(middle).key
            if entry_key <= key:
                low = middle + 1
            else:
                high = middle
        return self.entry(low - 1) if low else None

    # -- the file -----------------------------------------------------------------------------------------------------

    def is_sane(self) -> bool:
        """Whether size and last entry are possible. Catches a file cut short or one left at its sparse length."""
        if self.file.size % self.ENTRY.size:
            return False
        last = self.last_entry()
        return last is None or (last.value >= 0 and (self.entries == 1 or last.key > self.entry(0).key))

    def check_invariants(self) -> None:
        every = [self.entry(number) for number in range(self.entries)]
        assert all(a.key < b.key and a.value <= b.value for a, b in pairwise(every)), every
