"""What the log answers with: places, appends, reads, found timestamps."""

from typing import NamedTuple

from ottla.disk.file_slice import FileSlice
from ottla.model import NO_EPOCH, NO_OFFSET, NO_TIMESTAMP

UNKNOWN_POSITION = -1


class LogOffset(NamedTuple):
    """An offset with the place of its record: base offset of the segment, byte position in its log file.

    High watermark, last stable offset and log end are handed around in this form, so that a read knows where to stop
    without a search. With an unknown position the log looks it up.
    """

    offset: int
    segment_base: int = NO_OFFSET
    position: int = UNKNOWN_POSITION


class AppendInfo(NamedTuple):
    """What an append did. For a duplicate it is what the first append of that batch did.

    `leader_epoch` is the epoch in which the records were written. An offset and an epoch name one record for ever.
    """

    first_offset: int
    last_offset: int
    max_timestamp: int
    log_append_time_ms: int
    log_start_offset: int
    leader_epoch: int
    duplicate: bool = False


class LogRead(NamedTuple):
    """What a read found. `start` is where its first batch begins, maybe below the offset that was asked for.

    The reader owns the slice and must close it. None: there is nothing to read (yet).
    """

    slice: FileSlice | None
    start: LogOffset


class FoundOffset(NamedTuple):
    """The answer to a search by timestamp."""

    offset: int = NO_OFFSET
    timestamp: int = NO_TIMESTAMP
    leader_epoch: int = NO_EPOCH


NOT_FOUND = FoundOffset()
