"""The segments of a partition in order of their base offsets. Immutable: a change makes a new list.

So a reader that took the list goes on with it undisturbed while segments are rolled, deleted and truncated, and the
search needs no lock (chapter 5.4, "Deletes").
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from ottla.storage.segment.segment import Segment


class SegmentList:
    """At least one segment; the last one is the active one."""

    __slots__ = ("_base_offsets", "_segments")

    def __init__(self, segments: Sequence[Segment]) -> None:
        assert segments, "a log has at least one segment"
        self._segments = tuple(segments)
        self._base_offsets = tuple(segment.base_offset for segment in segments)

    def __len__(self) -> int:
        return len(self._segments)

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._segments)

    def __getitem__(self, number: int) -> Segment:
        return self._segments[number]

    @property
    def first(self) -> Segment:
        return self._segments[0]

    @property
    def active(self) -> Segment:
        return self._segments[-1]

    def floor(self, offset: int) -> int:
        """The number of the segment that `offset` lies in; 0 for offsets below the first."""
        return max(0, bisect_right(self._base_offsets, offset) - 1)

    def from_offset(self, offset: int) -> tuple[Segment, ...]:
        """The segments that may hold records at or past `offset`."""
        return self._segments[self.floor(offset) :]

    def next_base_offset(self, number: int, log_end_offset: int) -> int:
        """Where the segment after number `number` begins; the end of the log for the last one."""
        return self._base_offsets[number + 1] if number + 1 < len(self._base_offsets) else log_end_offset

    def with_active(self, segment: Segment) -> "SegmentList":
        """One more, which is active from now on. An active one without a record makes room for it."""
        kept = self._segments if self.active.size else self._segments[:-1]
        return SegmentList((*kept, segment))

    def without_first(self, count: int) -> "SegmentList":
        return SegmentList(self._segments[count:])

    def with_replaced(self, replaced: Sequence[Segment], segment: Segment) -> "SegmentList":
        """Another segment in the place of some that lie beside each other; none of them is the active one."""
        first = self._segments.index(replaced[0])
        after = first + len(replaced)
        assert self._segments[first:after] == tuple(replaced), replaced
        assert after < len(self._segments), "the active segment is not replaced"
        return SegmentList((*self._segments[:first], segment, *self._segments[after:]))

    def up_to(self, offset: int) -> tuple["SegmentList", tuple[Segment, ...]]:
        """Those that begin at or below `offset`, and the others."""
        keep = self.floor(offset) + 1
        return SegmentList(self._segments[:keep]), self._segments[keep:]

    def check_invariants(self) -> None:
        assert list(self._base_offsets) == sorted(set(self._base_offsets)), self._base_offsets
        for segment in self._segments:
            segment.check_invariants()
