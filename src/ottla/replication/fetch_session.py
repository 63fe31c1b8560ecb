"""What a fetcher fetches, remembered between its requests (KIP-227).

A session's request names only what changed and its response only what has news. So that an idle session costs nothing
however many partitions it has, each of its entries is in one of two states:

    ready      read at the next request: just added or changed, or the last read returned something or had no room
    watching   the last read found nothing; the session is a watcher on that partition and moves the entry back to
               ready, once, when the partition changes

A fetch without a session is a session for one request (id 0) that no cache remembers.
"""

import uuid
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from ottla.model import NO_BROKER
from ottla.replication.fetch_reader import FetchEntry, PartitionRead
from ottla.replication.partition import Partition

INVALID_SESSION_ID = 0
INITIAL_EPOCH = 0
FINAL_EPOCH = -1
_EPOCH_MAX = 2**31 - 1


class EntryKey(NamedTuple):
    """A partition as the session names it: by topic id from Fetch 13 on, by name before."""

    topic: str | uuid.UUID
    partition_index: int


def next_epoch(epoch: int) -> int:
    """Epochs count requests from 1 and wrap to 1: 0 and -1 mean something else."""
    return 1 if epoch == _EPOCH_MAX else epoch + 1


class WaitingFetch(Protocol):
    def entry_changed(self, entry: FetchEntry) -> bool:
        """Count what the entry has now; True when that ended the wait."""
        ...

    def give_up(self) -> None:
        """Respond with nothing."""
        ...


class FetchSession:
    """The entries of one fetcher. Not told apart by connection: clients reconnect and go on."""

    __slots__ = (
        "_by_partition",
        "entries",
        "epoch",
        "last_used",
        "privileged",
        "ready",
        "session_id",
        "uses_topic_ids",
        "waiting",
    )

    def __init__(self, session_id: int, *, privileged: bool = False, uses_topic_ids: bool = False) -> None:
        self.session_id = session_id
        self.epoch = 1
        self.privileged = privileged
        self.uses_topic_ids = uses_topic_ids
        self.last_used = 0.0
        self.entries: dict[EntryKey, FetchEntry] = {}
        self.ready: dict[FetchEntry, None] = {}
        self._by_partition: dict[Partition, FetchEntry] = {}
        self.waiting: WaitingFetch | None = None

    def put(self, key: EntryKey, entry: FetchEntry) -> None:
        """Add a partition, or take its new fetch position."""
        known = self.entries.get(key)
        if known is not None:
            entry.last_high_watermark = known.last_high_watermark
            entry.last_log_start = known.last_log_start
            self._drop(known)
        self.entries[key] = entry
        self.ready[entry] = None

    def forget(self, keys: Iterable[EntryKey]) -> None:
        for key in keys:
            entry = self.entries.pop(key, None)
            if entry is not None:
                self._drop(entry)

    def close(self) -> None:
        """Nothing is left to watch or to read, and a fetch that waits is responded to with nothing."""
        for partition in self._by_partition:
            partition.watchers.pop(self, None)
        self._by_partition.clear()
        self.entries.clear()
        self.ready.clear()
        if self.waiting is not None:
            self.waiting.give_up()

    def _drop(self, entry: FetchEntry) -> None:
        self.ready.pop(entry, None)
        partition = entry.partition
        if partition is not None and self._by_partition.get(partition) is entry:
            del self._by_partition[partition]
            partition.watchers.pop(self, None)

    def release_stopped(self) -> None:
        """Let go of partitions that this broker no longer holds: the next read looks them up anew."""
        for entry in self.entries.values():
            partition = entry.partition
            if partition is not None and partition.leader_id == NO_BROKER:
                self._drop(entry)
                self.ready[entry] = None
                entry.partition = entry.start = None

    @staticmethod
    def has_news(entry: FetchEntry, read: PartitionRead) -> bool:
        """Whether an incremental response must name this partition."""
        return (
            entry.read_bytes > 0
            or read.error_code != 0
            or read.diverging_epoch is not None
            or read.preferred_read_replica >= 0
            or read.high_watermark != entry.last_high_watermark
            or read.log_start_offset != entry.last_log_start
        )

    def settle(self, entry: FetchEntry, read: PartitionRead) -> None:
        """After a response: to the end of the line when something was read, else watch. A starved one stays put."""
        is_taken = read.error_code == 0 and read.diverging_epoch is None
        # What comes with an error, or with an order to truncate, the fetcher does not take over: it is told again.
        entry.last_high_watermark = read.high_watermark if is_taken else -1
        entry.last_log_start = read.log_start_offset if is_taken else -1
        if entry.is_starved:
            return
        self.ready.pop(entry, None)
        if entry.read_bytes > 0 or read.error_code != 0 or read.preferred_read_replica >= 0:
            self.ready[entry] = None
        else:
            self.watch(entry)

    def watch(self, entry: FetchEntry) -> None:
        partition = entry.partition
        if partition is not None:
            self._by_partition[partition] = entry
            partition.watchers[self] = None

    def partition_changed(self, partition: Partition) -> None:
        """The watch is over, unless the waiting fetch still wants more. A response decides anew what is watched."""
        partition.watchers.pop(self, None)
        entry = self._by_partition.pop(partition, None)
        if entry is None:
            return
        self.ready[entry] = None
        if self.waiting is not None and not self.waiting.entry_changed(entry):
            self.watch(entry)
