"""A segment being written by the cleaner: a log file and its two indexes, all with the suffix `.cleaned`.

The files are made with what is there removed first: a cleaner that was killed may have left some. Index entries follow
the rules of `storage.segment.segment`: one every `index.interval.bytes`, and the largest timestamp at the end.
"""

import os
from struct import Struct
from typing import NamedTuple

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.model import NO_OFFSET, NO_TIMESTAMP
from ottla.records.batch import BatchHeader, Buffer
from ottla.storage.segment.segment_files import (
    CLEANED_SUFFIX,
    LOG_SUFFIX,
    OFFSET_INDEX_SUFFIX,
    TIME_INDEX_SUFFIX,
    file_path,
)

RELATIVE_OFFSET_MAX = 2**31 - 1
_OFFSET_ENTRY = Struct(">ii")
_TIME_ENTRY = Struct(">qi")
_WRITE_BYTES = 1 << 20


class Place(NamedTuple):
    """How far a cleaned segment had come."""

    size: int
    offset_entries: int
    time_entries: int
    max_timestamp: int
    offset_of_max_timestamp: int
    bytes_since_entry: int


class CleanedSegment:
    """`replaces`: the base offsets of the segments whose records it has."""

    def __init__(self, path: str, base_offset: int, directory: LogDirectory, *, index_interval_bytes: int) -> None:
        self._path = path
        self._directory = directory
        self._index_interval_bytes = index_interval_bytes
        self._offset_index = bytearray()
        self._time_index = bytearray()
        self._pending = bytearray()
        self._max_timestamp: int = NO_TIMESTAMP
        self._offset_of_max_timestamp: int = NO_OFFSET
        self._bytes_since_entry = 0
        self.base_offset = base_offset
        self.replaces: list[int] = []
        self._log = self._create(LOG_SUFFIX)

    def _create(self, suffix: str) -> LogFile:
        path = file_path(self._path, self.base_offset, suffix) + CLEANED_SUFFIX
        self._directory.unlink(path)
        return LogFile.create(path, self._directory)

    @property
    def size(self) -> int:
        return self._log.size + len(self._pending)

    @property
    def index_bytes(self) -> int:
        """The larger of the two, and the entry that closing adds."""
        return max(len(self._offset_index), len(self._time_index) + _TIME_ENTRY.size)

    def append(self, batch: Buffer, header: BatchHeader) -> None:
        """One batch. Offsets, timestamps and size are those of `header`."""
        position = self.size
        if header.max_timestamp > self._max_timestamp:
            self._max_timestamp = header.max_timestamp
            self._offset_of_max_timestamp = header.last_offset
        if self._bytes_since_entry > self._index_interval_bytes:
            self._offset_index += _OFFSET_ENTRY.pack(header.last_offset - self.base_offset, position)
            self._add_time_entry()
            self._bytes_since_entry = 0
        self._bytes_since_entry += len(batch)
        self._pending += batch
        if len(self._pending) >= _WRITE_BYTES:
            self._write()

    def _add_time_entry(self) -> None:
        """Note the largest timestamp so far, unless it is noted already."""
        entries = self._time_index
        noted = _TIME_ENTRY.unpack_from(entries, len(entries) - _TIME_ENTRY.size)[0] if entries else NO_TIMESTAMP
        if self._max_timestamp > noted:
            entries += _TIME_ENTRY.pack(self._max_timestamp, self._offset_of_max_timestamp - self.base_offset)

    def _write(self) -> None:
        if self._pending:
            self._log.append(self._pending)
            self._pending = bytearray()

    # Back to an earlier place, when what came since belongs into a segment of its own

    def place(self) -> Place:
        return Place(
            self.size,
            len(self._offset_index),
            len(self._time_index),
            self._max_timestamp,
            self._offset_of_max_timestamp,
            self._bytes_since_entry,
        )

    def cut_back(self, place: Place) -> bytes:
        """Forget what was appended since, and hand it back."""
        self._write()
        tail = self._log.read_at(place.size, self._log.size - place.size)
        self._log.truncate(place.size)
        del self._offset_index[place.offset_entries :]
        del self._time_index[place.time_entries :]
        self._max_timestamp, self._offset_of_max_timestamp = place.max_timestamp, place.offset_of_max_timestamp
        self._bytes_since_entry = place.bytes_since_entry
        return tail

    # The end

    def finish(self, modified_ns: int) -> None:
        """Write everything and make it durable. The time of the file is that of the newest segment it replaces."""
        self._write()
        self._add_time_entry()
        for suffix, entries in ((OFFSET_INDEX_SUFFIX, self._offset_index), (TIME_INDEX_SUFFIX, self._time_index)):
            file = self._create(suffix)
            file.append(entries)
            file.sync()
            file.close()
        os.utime(self._log.path, ns=(modified_ns, modified_ns))
        self._log.sync()
        self._log.close()
