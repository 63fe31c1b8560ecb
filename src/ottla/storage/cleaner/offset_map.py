"""The last offset of every key in the dirty part of a log, in bounded memory.

Keys are kept as digests of 16 bytes, so that the bound does not depend on how long they are. Two keys with the same
digest are less likely than a disk that lies. When the map is full it covers only a beginning of the dirty part: records
from `end_offset` on are not known to it, and stay.
"""

from collections.abc import Iterable
from hashlib import blake2b

from ottla.records.record import Record

DIGEST_SIZE = 16
ENTRY_BYTES = 190
"""About what an entry takes: the digest as an object, the offset, its place in the dictionary."""


class OffsetMap:
    __slots__ = ("_entries_max", "_offsets", "end_offset")

    def __init__(self, entries_max: int, end_offset: int) -> None:
        self._entries_max = entries_max
        self._offsets: dict[bytes, int] = {}
        self.end_offset = end_offset

    def __len__(self) -> int:
        return len(self._offsets)

    def has_room_for(self, count: int) -> bool:
        """The first batch always has: otherwise nothing would ever be cleaned."""
        return not self._offsets or len(self._offsets) + count <= self._entries_max

    def add(self, records: Iterable[Record]) -> None:
        offsets = self._offsets
        for record in records:
            if record.key is not None:
                offsets[_digest(record.key)] = record.offset

    def is_latest(self, record: Record) -> bool:
        """Whether no later record below `end_offset` has the same key."""
        if record.key is None:
            return False
        return record.offset >= self._offsets.get(_digest(record.key), -1)


def _digest(key: bytes) -> bytes:
    return blake2b(key, digest_size=DIGEST_SIZE).digest()
