"""`.index`: from an offset to a place in the log file near it.

    OFFSET  SIZE  FIELD
    0       4     relative_offset   last offset of a batch, minus the base offset of the segment
    4       4     position          where that batch begins in the log file

Big-endian, entries in order, at most one per batch and one every `index.interval.bytes`. A reader takes the last entry
at or below the offset it wants and walks the batches from there. No checksum: recovery builds the index anew from the
log, and an entry that cannot be (`is_sane`) makes it do so.
"""

from bisect import bisect_left
from struct import Struct
from typing import ClassVar

from ottla.storage.segment.sparse_index import SparseIndex


class OffsetIndex(SparseIndex):
    """Key: relative offset. Value: position."""

    ENTRY: ClassVar[Struct] = Struct(">ii")
    KEY_TYPE: ClassVar[str] = "i"

    __slots__ = ()

    @property
    def is_full(self) -> bool:
        return self.entries >= self.entries_max

    def append(self, last_offset: int, position: int) -> None:
        self._add(last_offset - self.base_offset, position)

    def lookup(self, offset: int) -> int:
        """A position at or before the batch that holds `offset`."""
        entry = self.floor(offset - self.base_offset)
        return entry.value if entry else 0

    def last_position(self) -> int:
        """Where the last batch that has an entry begins; 0 without entries."""
        entry = self.last_entry()
        return entry.value if entry else 0

    def first_offset_from(self, position: int) -> int | None:
        """The last offset of the first batch with an entry that begins at or past `position`."""
        number = self._first_from(position)
        return self.base_offset + self.entry(number).key if number < self.entries else None

    def truncate_to(self, position: int) -> None:
        """Drop entries for batches that begin at or past `position`."""
        self._keep(self._first_from(position))

    def _first_from(self, position: int) -> int:
        """The number of the first entry for a batch that begins at or past `position`."""
        if self._values is not None:
            return bisect_left(self._values, position)
        return bisect_left(range(self.entries), position, key=lambda number: self.entry(number).value)
