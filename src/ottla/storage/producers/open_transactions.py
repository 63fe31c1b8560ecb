"""The transactions of one partition that hold back its readers: open, or ended by a marker not yet replicated.

A read_committed consumer may read up to the last stable offset: the first offset of the oldest transaction that is
still undecided, or decided by a marker at or past the high watermark (such a marker could still be lost with its
leader).
"""

from bisect import insort
from typing import NamedTuple


class CompletedTransaction(NamedTuple):
    """A transaction that its marker, at `last_offset`, has just ended. An aborted one goes into the transaction
    index.
    """

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


class OpenTransactions:
    """First offsets are kept sorted: there are few, and the oldest is asked for on every fetch."""

    __slots__ = ("_ongoing", "_producers", "_unreplicated")

    def __init__(self) -> None:
        self._ongoing: list[int] = []
        self._producers: dict[int, int] = {}
        self._unreplicated: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._ongoing)

    def begin(self, producer_id: int, first_offset: int) -> None:
        insort(self._ongoing, first_offset)
        self._producers[first_offset] = producer_id

    def complete(self, completed: CompletedTransaction) -> None:
        """Its records stay unstable until the marker is below the high watermark."""
        self._ongoing.remove(completed.first_offset)
        del self._producers[completed.first_offset]
        self._unreplicated[completed.first_offset] = completed.last_offset

    def first_unstable_offset(self, high_watermark: int) -> int | None:
        """Where read_committed readers must stop, None when only the high watermark holds them.

        What it has passed is decided for good, and forgotten.
        """
        if not self._ongoing and not self._unreplicated:
            return None
        for first_offset, last_offset in list(self._unreplicated.items()):
            if last_offset < high_watermark:
                del self._unreplicated[first_offset]
        return min([*self._ongoing[:1], *self._unreplicated], default=None)

    def last_stable_offset_after(self, completed: CompletedTransaction) -> int:
        """The last stable offset that the transaction index notes beside an abort: what stays open without it."""
        for first_offset in self._ongoing:
            if self._producers[first_offset] != completed.producer_id:
                return first_offset
        return completed.last_offset + 1

    def clear(self) -> None:
        self._ongoing.clear()
        self._producers.clear()
        self._unreplicated.clear()
