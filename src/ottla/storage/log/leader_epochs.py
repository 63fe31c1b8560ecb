"""At which offset each leader epoch of a partition began (KIP-101, KIP-279).

By it followers and consumers find the point where their history and the leader's part.

The file is `leader-epoch-checkpoint` in the partition's directory, in the form of `checkpoint_text`, one "epoch
start_offset" a line. Invariant: epochs and start offsets both rise from line to line (strictly; an epoch without a
record is replaced by the next one).

Durability: the entries are in the records too (`partition_leader_epoch`), and recovery reads those past the recovery
point again. So a change only marks the object dirty, and the file must be on disk before the recovery point moves
past the entry: `flushing` writes it in its thread, no election waits for an fsync. A file that is older than the log
is put right on load by `truncate_from_end` and `truncate_from_start`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from ottla.model import NO_EPOCH, NO_OFFSET
from ottla.storage.log_dir.checkpoint_text import MalformedCheckpointError, decode_int, decode_lines, encode_lines

FILE_NAME = "leader-epoch-checkpoint"


class EpochEntry(NamedTuple):
    epoch: int
    start_offset: int


class EpochEnd(NamedTuple):
    """The end of an epoch's records: `epoch` is the one found, -1 with `end_offset` -1 when there is none."""

    epoch: int
    end_offset: int


UNDEFINED_EPOCH_END = EpochEnd(NO_EPOCH, NO_OFFSET)


class LeaderEpochs:
    """The epochs of one partition, oldest first. `version` counts changes; `dirty` says that the file is behind."""

    __slots__ = ("_epochs", "_starts", "saved_version", "version")

    def __init__(self, entries: Iterable[EpochEntry] = ()) -> None:
        self._epochs: list[int] = []
        self._starts: list[int] = []
        self.version = 0
        self.saved_version = 0
        for epoch, start_offset in entries:
            self.assign(epoch, start_offset)
        self.saved_version = self.version

    def __len__(self) -> int:
        return len(self._epochs)

    @property
    def entries(self) -> list[EpochEntry]:
        return list(map(EpochEntry, self._epochs, self._starts))

    @property
    def latest_epoch(self) -> int:
        """The newest epoch, -1 when no record has one."""
        return self._epochs[-1] if self._epochs else NO_EPOCH

    def mark_saved(self, version: int) -> None:
        """The file says what the epochs were at this version."""
        self.saved_version = version

    @property
    def dirty(self) -> bool:
        return self.version != self.saved_version

    def assign(self, epoch: int, start_offset: int) -> bool:
        """Note that `epoch` begins at `start_offset`; False when that says nothing new.

        Entries that the new one contradicts (a later epoch, or a start at or past it) are dropped: the log was cut
        there.
        """
        assert epoch >= 0, epoch
        assert start_offset >= 0, start_offset
        if self._epochs and epoch == self._epochs[-1] and start_offset >= self._starts[-1]:
            return False
        keep = min(bisect_left(self._epochs, epoch), bisect_left(self._starts, start_offset))
        self._cut(keep)
        self._epochs.append(epoch)
        self._starts.append(start_offset)
        self.version += 1
        return True

    def end_offset_for(self, epoch: int, log_end_offset: int) -> EpochEnd:
        """Where the records of the largest epoch not above `epoch` end."""
        if epoch < 0 or not self._epochs or epoch > self._epochs[-1]:
            return UNDEFINED_EPOCH_END
        if epoch == self._epochs[-1]:
            return EpochEnd(epoch, log_end_offset)
        following = bisect_right(self._epochs, epoch)
        # Older than everything known: its records are gone, the follower goes on at what is left.
        found = self._epochs[following - 1] if following else epoch
        return EpochEnd(found, self._starts[following])

    def epoch_for_offset(self, offset: int) -> int:
        """The epoch that the record at `offset` was written in, -1 when it is older than every entry."""
        following = bisect_right(self._starts, offset)
        return self._epochs[following - 1] if following else NO_EPOCH

    def truncate_from_end(self, end_offset: int) -> None:
        """Forget the epochs that begin at or past `end_offset`, where the log now ends."""
        keep = bisect_left(self._starts, end_offset)
        if keep < len(self._starts):
            self._cut(keep)
            self.version += 1

    def truncate_from_start(self, start_offset: int) -> None:
        """Forget the epochs that end at or before `start_offset`; the one it lies in now begins there."""
        passed = bisect_right(self._starts, start_offset)
        if passed == 0 or (passed == 1 and self._starts[0] == start_offset):
            return
        del self._epochs[: passed - 1], self._starts[: passed - 1]
        self._starts[0] = start_offset
        self.version += 1

    def clear(self) -> None:
        if self._epochs:
            self._cut(0)
            self.version += 1

    def _cut(self, keep: int) -> None:
        del self._epochs[keep:], self._starts[keep:]

    def encode(self) -> bytes:
        return encode_lines(f"{entry.epoch} {entry.start_offset}" for entry in self.entries)


def decode_leader_epochs(data: bytes, source: str = FILE_NAME) -> LeaderEpochs:
    """Raises MalformedCheckpointError; the caller then rebuilds the epochs from the records."""
    entries = [_decode_entry(line, source) for line in decode_lines(data, source)]
    for before, after in pairwise(entries):
        if not (before.epoch < after.epoch and before.start_offset < after.start_offset):
            raise MalformedCheckpointError(source, f"{after} does not follow {before}")
    return LeaderEpochs(entries)


def _decode_entry(line: str, source: str) -> EpochEntry:
    fields = line.split(" ")
    if len(fields) != 2:
        raise MalformedCheckpointError(source, f"{line[:80]!r} is not 'epoch start_offset'")
    entry = EpochEntry(decode_int(fields[0], source), decode_int(fields[1], source))
    if entry.epoch < 0 or entry.start_offset < 0:
        raise MalformedCheckpointError(source, f"{line[:80]!r} is negative")
    return entry
