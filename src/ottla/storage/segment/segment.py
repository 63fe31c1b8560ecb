"""One segment: a log file and its indexes. Only the last segment of a partition is active, which means appended to.

    append      bytes go to the end of the log file; now and then an index entry
    find        offset to batch: offset index, then a walk over a few headers
    close       the largest timestamp goes into the time index, the index files are cut to their length

The log file is the truth; everything else about a segment can be made from it. Invariants: batches lie one after the
other from position 0 to `size`; their offsets rise and none is below `base_offset`, nor more than 2^31 - 1 above it;
the offset index points at the beginnings of batches; the time index never understates.
"""

import logging
from typing import Final

from ottla.disk.directory import LogDirectory
from ottla.disk.file_slice import FileSlice
from ottla.disk.log_file import LogFile
from ottla.disk.system_disk import Buffer
from ottla.errors.kafka import CorruptMessageError, KafkaStorageError
from ottla.model import NO_OFFSET, NO_TIMESTAMP
from ottla.observability.logs import RateLimitedLogger
from ottla.storage.log.log_results import LogOffset
from ottla.storage.segment.batch_scan import BatchPlace, batch_at, find_position, walk_batches
from ottla.storage.segment.offset_index import OffsetIndex
from ottla.storage.segment.segment_files import (
    DELETED_SUFFIX,
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    TXN_INDEX_SUFFIX,
    file_path,
)
from ottla.storage.segment.time_index import TimeIndex
from ottla.storage.segment.txn_index import TxnIndex

_problems = RateLimitedLogger(logging.getLogger(__name__))

RELATIVE_OFFSET_MAX: Final = 2**31 - 1
_KNOWN_POSITIONS_MAX = 256
_UNREAD = -2  # below every timestamp: nobody has looked into the time index yet


class Segment:
    """`max_timestamp` is -1 until a batch with a timestamp is in; for a closed segment it is read when asked for."""

    __slots__ = (
        "_bytes_since_entry",
        "_first_timestamp",
        "_known_positions",
        "_max_timestamp",
        "base_offset",
        "created_ms",
        "index_interval_bytes",
        "log",
        "offset_index",
        "offset_max",
        "offset_of_max_timestamp",
        "time_index",
        "txn_index",
    )

    def __init__(
        self,
        base_offset: int,
        log: LogFile,
        indexes: tuple[OffsetIndex, TimeIndex, TxnIndex],
        *,
        index_interval_bytes: int,
        created_ms: int,
    ) -> None:
        self.base_offset = base_offset
        self.log = log
        self.offset_index, self.time_index, self.txn_index = indexes
        self.index_interval_bytes = index_interval_bytes
        self.created_ms = created_ms
        # Past it batches need another segment: relative offsets are 31 bits wide, and the indexes may be full.
        self.offset_max = base_offset + RELATIVE_OFFSET_MAX
        self.offset_of_max_timestamp: int = NO_OFFSET
        self._max_timestamp = _UNREAD
        self._first_timestamp: int | None = None
        self._bytes_since_entry = 0
        # Where reads ended and the next ones will begin: saves followers of the log's end the search.
        self._known_positions: dict[int, int] = {}

    @classmethod
    def create(
        cls,
        path: str,
        base_offset: int,
        directory: LogDirectory,
        *,
        index_bytes_max: int,
        index_interval_bytes: int,
        now_ms: int,
        allocate_bytes: int = 0,
    ) -> "Segment":
        """New, empty and active. When there is no room for it, nothing is left behind."""
        made: list[LogFile] = []
        try:
            made.append(
                LogFile.create(file_path(path, base_offset, LOG_SUFFIX), directory, allocate_bytes=allocate_bytes)
            )
            offsets = OffsetIndex.create(
                file_path(path, base_offset, OFFSET_INDEX_SUFFIX), directory, base_offset, index_bytes_max
            )
            made.append(offsets.file)
            times = TimeIndex.create(
                file_path(path, base_offset, TIME_INDEX_SUFFIX), directory, base_offset, index_bytes_max
            )
        except Exception:
            for file in made:
                file.delete()
            raise
        aborts = TxnIndex(file_path(path, base_offset, TXN_INDEX_SUFFIX), directory)
        segment = cls(
            base_offset,
            made[0],
            (offsets, times, aborts),
            index_interval_bytes=index_interval_bytes,
            created_ms=now_ms,
        )
        segment._max_timestamp = NO_TIMESTAMP
        return segment

    @classmethod
    def open(
        cls,
        path: str,
        base_offset: int,
        directory: LogDirectory,
        *,
        index_bytes_max: int,
        index_interval_bytes: int,
        now_ms: int,
        has_txn_index: bool,
    ) -> "Segment":
        """An existing one, closed. Only the sizes of its files are looked at."""
        log = LogFile.open(file_path(path, base_offset, LOG_SUFFIX), directory)
        offset_path = file_path(path, base_offset, OFFSET_INDEX_SUFFIX)
        time_path = file_path(path, base_offset, TIME_INDEX_SUFFIX)
        txn_path = file_path(path, base_offset, TXN_INDEX_SUFFIX)
        indexes = (
            OffsetIndex.open(offset_path, directory, base_offset, index_bytes_max),
            TimeIndex.open(time_path, directory, base_offset, index_bytes_max),
            TxnIndex.open(txn_path, directory) if has_txn_index else TxnIndex(txn_path, directory),
        )
        return cls(base_offset, log, indexes, index_interval_bytes=index_interval_bytes, created_ms=now_ms)

    def __repr__(self) -> str:
        return f"Segment({self.base_offset}, {self.size} bytes)"

    @property
    def size(self) -> int:
        return self.log.size

    @property
    def files(self) -> list[LogFile]:
        """The files that there are: what a sync makes durable, what a deletion removes."""
        files = [self.log, self.offset_index.file, self.time_index.file]
        return [*files, self.txn_index.file] if self.txn_index.file else files

    # -- append -------------------------------------------------------------------------------------------------------

    def append(self, data: Buffer, last_offset: int, max_timestamp: int) -> int:
        """Write one batch; the position it went to. On failure nothing has changed."""
        position = self.log.append(data)
        self.note_batch(position, len(data), last_offset, max_timestamp)
        return position

    def note_batch(self, position: int, size: int, last_offset: int, max_timestamp: int) -> None:
        """Account for a batch that is in the log file: timestamps, and an index entry if one is due."""
        if max_timestamp > self._max_timestamp:
            self._max_timestamp = max_timestamp
            self.offset_of_max_timestamp = last_offset
        if self._bytes_since_entry > self.index_interval_bytes:
            self._add_entries(last_offset, position)
        self._bytes_since_entry += size

    def _add_entries(self, last_offset: int, position: int) -> None:
        self.offset_index.append(last_offset, position)
        self.time_index.maybe_append(self._max_timestamp, self.offset_of_max_timestamp)
        self._bytes_since_entry = 0
        if self.offset_index.is_full or self.time_index.is_full:
            self.offset_max = last_offset

    @property
    def max_timestamp(self) -> int:
        """The largest timestamp of its records, -1 when they have none."""
        if self._max_timestamp == _UNREAD:
            self._load_max_timestamp()
        return self._max_timestamp

    @property
    def largest_timestamp(self) -> int:
        """`max_timestamp`, or when the file was last written where records have no timestamps. Retention goes by it."""
        return self.max_timestamp if self.max_timestamp >= 0 else self.modified_ms

    @property
    def modified_ms(self) -> int:
        """When the log file was last written."""
        return self.log.modified_ms

    @property
    def first_timestamp(self) -> int:
        """The largest timestamp of the first batch, -1 when there is none: rolling by time counts from it."""
        if self._first_timestamp is None:
            first = next(walk_batches(self.log, 0, self.size), None)
            if first is None:
                return NO_TIMESTAMP
            self._first_timestamp = first.max_timestamp
        return self._first_timestamp

    def _load_max_timestamp(self) -> None:
        largest = self.time_index.largest()
        self._max_timestamp, self.offset_of_max_timestamp = largest or (NO_TIMESTAMP, NO_OFFSET)

    # -- read ---------------------------------------------------------------------------------------------------------

    def find(self, offset: int) -> BatchPlace | None:
        """The first batch that ends at or past `offset`; None when all end below it."""
        position = self._search(offset)
        return next(walk_batches(self.log, position, self.size), None) if position is not None else None

    def find_position(self, offset: int) -> int | None:
        """Where the batch of `find` begins. Quick for offsets that a batch is known to begin at.

        At the end of the log many wait for the same offset. What is known of a closed segment is used up, so that
        readers who pass through leave nothing behind.
        """
        positions = self._known_positions
        known = positions.get(offset) if self.offset_index.is_active else positions.pop(offset, None)
        if known is not None and known < self.size:
            return known
        return self._search(offset)

    def _search(self, offset: int) -> int | None:
        """From where the index says, and where that cannot be from the first batch on: the index has no checksum."""
        start = self.offset_index.lookup(offset)
        try:
            found = find_position(self.log, offset, start, self.size)
            if start == 0 or found not in (None, start) or self._may_begin_search(start, offset):
                return found
        except CorruptMessageError:
            if start == 0:
                raise
        _problems.warning(
            "index",
            "%s is wrong about offset %d and does without it: stop, remove the file and start to have it made anew",
            self.offset_index.file.path,
            offset,
        )
        return find_position(self.log, offset, 0, self.size)

    def _may_begin_search(self, position: int, offset: int) -> bool:
        """An entry's batch ends at or below the offset that led to it. One past it would skip all that lies between."""
        place = self.batch_at(position)
        return self.base_offset <= place.last_offset <= offset and place.end_position <= self.size

    def know_position(self, offset: int, position: int) -> None:
        """Somebody will read from `offset` on, and the batch that begins with it is or will be at `position`."""
        if len(self._known_positions) >= _KNOWN_POSITIONS_MAX:
            self._known_positions.clear()
        self._known_positions[offset] = position

    def batch_at(self, position: int) -> BatchPlace:
        return batch_at(self.log, position)

    def slice(self, position: int, size: int) -> FileSlice:
        return FileSlice(self.log, position, size)

    def read_end(self) -> LogOffset:
        """Where the last whole batch ends, by walking those after the last index entry. Nothing is read when empty."""
        next_offset, position = self.base_offset, self.offset_index.last_position() if self.size else 0
        for place in walk_batches(self.log, position, self.size):
            next_offset, position = place.last_offset + 1, place.end_position
        return LogOffset(next_offset, self.base_offset, position)

    # -- change -------------------------------------------------------------------------------------------------------

    def activate(self) -> None:
        """Make an opened segment ready for appends."""
        if self.offset_index.is_active:
            return
        self.offset_index.activate()
        self.time_index.activate()
        self._bytes_since_entry = 0
        self._load_max_timestamp()
        self._set_offset_max()

    def _set_offset_max(self) -> None:
        is_full = self.offset_index.is_full or self.time_index.is_full
        self.offset_max = NO_OFFSET if is_full else self.base_offset + RELATIVE_OFFSET_MAX

    def prepare_to_close(self) -> None:
        """Write what closing needs room for. When there is none, the segment can still be appended to."""
        if self.time_index.is_active:
            self.time_index.maybe_append(self.max_timestamp, self.offset_of_max_timestamp)
            self.write_indexes()

    def deactivate(self) -> None:
        """No more appends: finish the time index, shrink the index files, give back preallocated room."""
        self.prepare_to_close()
        if self.time_index.is_active:
            self.log.give_back_room()
        self.offset_index.deactivate()
        self.time_index.deactivate()
        self._known_positions.clear()

    def truncate_to(self, offset: int) -> int:
        """Drop every batch that ends at or past `offset`; the offset after what is left.

        A batch goes whole, so the answer may be below `offset`: better a record fetched again than a hole.
        """
        place = self.find(offset)
        if place is None:
            return offset
        self.offset_index.truncate_to(place.position)
        self.time_index.truncate_to(place.base_offset)
        self.txn_index.truncate_to(place.base_offset)
        self.log.truncate(place.position)
        self._known_positions.clear()
        self._recount()
        self._set_offset_max()
        return min(offset, place.base_offset)

    def _recount(self) -> None:
        """After a truncation: timestamps and index distance, from the last index entry to the end."""
        self._first_timestamp = None
        self._load_max_timestamp()
        self._bytes_since_entry = 0
        for place in walk_batches(self.log, self.offset_index.last_position(), self.size):
            if place.max_timestamp > self.max_timestamp:
                self._max_timestamp, self.offset_of_max_timestamp = place.max_timestamp, place.last_offset
            self._bytes_since_entry += place.size

    def reset_indexes(self) -> None:
        """Before recovery: forget all indexes; `note_batch` for each batch then builds them anew."""
        self.offset_index.reset()
        self.time_index.reset()
        self.txn_index.truncate_to(self.base_offset)
        self._max_timestamp, self.offset_of_max_timestamp = NO_TIMESTAMP, NO_OFFSET
        self._first_timestamp = None
        self._bytes_since_entry = 0
        self._known_positions.clear()
        self._set_offset_max()

    # -- files --------------------------------------------------------------------------------------------------------

    def write_indexes(self) -> None:
        """Bring the index files up to date, before a sync."""
        self.offset_index.write_pending()
        self.time_index.write_pending()

    def flush(self) -> None:
        """Make everything durable. Blocks; the flusher does the same with `files` in a thread."""
        self.write_indexes()
        for file in self.files:
            file.sync()

    def close(self) -> None:
        self.deactivate()
        for file in self.files:
            file.close()

    def mark_deleted(self) -> None:
        """Rename the files out of the way; readers that hold slices go on.

        Where there is no room for another name they go at once, which needs none.
        """
        for file in self.files:
            try:
                file.rename(file.path + DELETED_SUFFIX, missing_ok=file is not self.log)
            except KafkaStorageError:
                file.delete()

    def delete_files(self) -> None:
        for file in self.files:
            file.delete()

    def moved(self, path: str) -> None:
        """The partition's directory was renamed."""
        for file in self.files:
            file.moved(path)
        self.txn_index.renamed(file_path(path, self.base_offset, TXN_INDEX_SUFFIX))

    def check_invariants(self) -> None:
        self.offset_index.check_invariants()
        self.time_index.check_invariants()
        places = list(walk_batches(self.log, 0, self.size))
        assert sum(place.size for place in places) == self.size, "bytes after the last whole batch"
        next_offset = self.base_offset
        for place in places:
            assert next_offset <= place.base_offset <= place.last_offset <= self.base_offset + RELATIVE_OFFSET_MAX
            next_offset = place.last_offset + 1
        assert self.max_timestamp >= max((place.max_timestamp for place in places), default=NO_TIMESTAMP)
        self._check_entries({place.position: place for place in places})

    def _check_entries(self, places: dict[int, BatchPlace]) -> None:
        for number in range(self.offset_index.entries):
            relative_offset, position = self.offset_index.entry(number)
            assert places[position].last_offset == self.base_offset + relative_offset, (number, relative_offset)
        for number in range(self.time_index.entries):
            timestamp, relative_offset = self.time_index.entry(number)
            below = [p for p in places.values() if p.last_offset <= self.base_offset + relative_offset]
            assert all(place.max_timestamp <= timestamp for place in below), (timestamp, relative_offset)
