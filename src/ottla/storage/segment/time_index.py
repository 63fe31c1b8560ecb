"""`.timeindex`: from a timestamp to an offset near it.

    OFFSET  SIZE  FIELD
    0       8     timestamp         largest timestamp in the segment up to and with a batch
    8       4     relative_offset   last offset of the batch that had it, minus the base offset of the segment

Big-endian, entries in order, written beside the entries of the offset index when the largest timestamp has risen since.
An entry (t, o) says: records later than t have offsets above o. Once a segment is closed its last entry is its largest
timestamp, which is what retention by time goes by; the last place of the file is kept free for it.
"""

from struct import Struct
from typing import ClassVar

from ottla.storage.segment.sparse_index import SparseIndex


class TimeIndex(SparseIndex):
    """Key: timestamp. Value: relative offset."""

    ENTRY: ClassVar[Struct] = Struct(">qi")
    KEY_TYPE: ClassVar[str] = "q"

    __slots__ = ()

    @property
    def is_full(self) -> bool:
        """One place is kept for the entry that closes the segment."""
        return self.entries >= self.entries_max - 1

    def maybe_append(self, timestamp: int, last_offset: int) -> None:
        """Note the largest timestamp so far, unless it is noted already."""
        last = self.last_entry()
        if timestamp >= 0 and (last is None or timestamp > last.key):
            self._add(timestamp, last_offset - self.base_offset)

    def lookup(self, timestamp: int) -> int:
        """An offset below which no record is later than `timestamp`."""
        entry = self.floor(timestamp)
        return self.base_offset + (entry.value if entry else 0)

    def largest(self) -> tuple[int, int] | None:
        """The largest timestamp noted and the last offset of its batch."""
        last = self.last_entry()
        return (last.key, self.base_offset + last.value) if last else None

    def truncate_to(self, offset: int) -> None:
        """Drop entries of batches that end at or past `offset`."""
        kept = self.entries
        while kept and self.base_offset + self.entry(kept - 1).value >= offset:
            kept -= 1
        self._keep(kept)
