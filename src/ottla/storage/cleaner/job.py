"""What the broker tells the cleaning process, and what it is told back: one line of JSON each.

Paths and offsets only, never records. The child trusts the job: it comes from its parent.
"""

import json
from typing import NamedTuple


class SourceSegment(NamedTuple):
    """A closed segment. It may be read up to `size`."""

    base_offset: int
    size: int


class AbortedRange(NamedTuple):
    """An aborted transaction: its records lie between these offsets, both inclusive."""

    producer_id: int
    first_offset: int
    last_offset: int


class CleaningJob(NamedTuple):
    """`segments` are all that may be rewritten, from the start of the log on; they end at `end_offset`.

    `last_offsets` tells for each producer that the log still knows where its last batch ends: that batch stays, without
    records if need be, so that its sequence is not forgotten.
    """

    directory: str
    segments: list[SourceSegment]
    first_dirty_offset: int
    end_offset: int
    segment_bytes: int
    index_bytes_max: int
    index_interval_bytes: int
    delete_retention_ms: int
    now_ms: int
    map_entries_max: int
    aborted: list[AbortedRange]
    last_offsets: dict[int, int]

    def encode(self) -> str:
        return json.dumps({**self._asdict(), "last_offsets": list(self.last_offsets.items())})

    @classmethod
    def decode(cls, line: str) -> "CleaningJob":
        fields = json.loads(line)
        fields["segments"] = [SourceSegment(*segment) for segment in fields["segments"]]
        fields["aborted"] = [AbortedRange(*aborted) for aborted in fields["aborted"]]
        fields["last_offsets"] = dict(fields["last_offsets"])
        return cls(**fields)


class CleanedGroup(NamedTuple):
    """One new segment and the base offsets of those that it replaces, the first of which it shares."""

    base_offset: int
    replaces: list[int]
    size: int


class CleaningResult(NamedTuple):
    """`clean_offset` is where the dirty part begins now. `error` is empty when all went well.

    `is_damaged`: the error lies in the log itself, and will be there the next time.
    """

    groups: list[CleanedGroup]
    clean_offset: int
    bytes_read: int
    bytes_written: int
    keys_count: int
    error: str = ""
    is_damaged: bool = False

    def encode(self) -> str:
        return json.dumps(self._asdict())

    @classmethod
    def decode(cls, line: str) -> "CleaningResult":
        fields = json.loads(line)
        fields["groups"] = [CleanedGroup(*group) for group in fields["groups"]]
        return cls(**fields)
