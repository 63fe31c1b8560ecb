"""Reading a log file again after a crash: which of its bytes are batches, and what they say.

The scan goes from the front, in chunks, and stops at the first thing that is not a whole and sound batch: torn, of an
impossible length or magic, with a checksum that does not match, with offsets that do not follow. What lies behind
that point belongs to nobody: without the length of this one the next batch cannot be found. `valid_bytes` is where
the scan stopped, `problem` says why, None at the end of the file. Only bytes are looked at; nothing is changed.

The work is done by `records.scan` without the GIL. Files are read, not mapped: an error of the disk is then an OSError
and not the end of the process. Messages of the formats v0 and v1 that an old Kafka left are checked one by one here.
"""

import zlib
from collections.abc import Iterator
from typing import NamedTuple

from ottla.disk.system_disk import Disk
from ottla.records.batch import LOG_OVERHEAD
from ottla.records.scan import ScanEnd, scan_batches

CHUNK_BYTES = 8 << 20
_RELATIVE_OFFSET_MAX = 2**31 - 1
_LEGACY_LENGTH_MIN = 14
_MAGIC_POSITION = 16


class ScannedBatch(NamedTuple):
    """One sound batch: where it lies in the file, what places it, and its bytes for whoever wants more."""

    position: int
    size: int
    base_offset: int
    last_offset: int
    max_timestamp: int
    producer_id: int
    leader_epoch: int
    chunk: memoryview
    chunk_position: int

    @property
    def data(self) -> memoryview:
        return self.chunk[self.chunk_position : self.chunk_position + self.size]


class SegmentScan:
    """One pass over the first `size` bytes of the file at `path`. Safe in a thread: it has a descriptor of its own."""

    __slots__ = ("_disk", "_next_offset", "_offset_max", "_path", "problem", "size", "valid_bytes")

    def __init__(self, disk: Disk, path: str, size: int, base_offset: int) -> None:
        self._disk = disk
        self._path = path
        self._next_offset = base_offset
        self._offset_max = base_offset + _RELATIVE_OFFSET_MAX
        self.size = size
        self.valid_bytes = 0
        self.problem: str | None = None

    def __iter__(self) -> Iterator[ScannedBatch]:
        descriptor = self._disk.open(self._path, 0)
        try:
            while self.valid_bytes < self.size and self.problem is None:
                chunk = self._read_chunk(descriptor)
                if not len(chunk):
                    self.problem = f"the file is shorter than {self.size} bytes"
                    return
                yield from self._scan_chunk(chunk, self.valid_bytes)
        finally:
            self._disk.close(descriptor)

    def _read_chunk(self, descriptor: int) -> memoryview:
        """The next bytes; more than a chunk where one batch is larger than that."""
        start, left = self.valid_bytes, self.size - self.valid_bytes
        chunk = self._read(descriptor, min(CHUNK_BYTES, left), start)
        needed = _batch_size(chunk, 0)
        if len(chunk) < needed <= left:
            chunk = self._read(descriptor, needed, start)
        return memoryview(chunk)

    def _read(self, descriptor: int, count: int, start: int) -> bytes:
        try:
            return self._disk.pread(descriptor, count, start)
        except OSError as error:
            error.filename = self._path  # which a descriptor's error does not know
            raise

    def _scan_chunk(self, chunk: memoryview, start: int) -> Iterator[ScannedBatch]:
        """The batches that lie in the chunk as a whole; one that its end cuts begins the next chunk."""
        position = 0
        while position < len(chunk):
            scan = scan_batches(chunk, position, self._next_offset)
            columns = zip(
                scan.position,
                scan.size_bytes,
                scan.base_offset,
                scan.last_offset,
                scan.max_timestamp,
                scan.producer_id,
                scan.leader_epoch,
                strict=True,
            )
            for at, size, base_offset, last_offset, timestamp, producer_id, epoch in columns:
                batch = ScannedBatch(
                    start + at, size, base_offset, last_offset, timestamp, producer_id, epoch, chunk, at
                )
                if not self._accept(batch):
                    return
                yield batch
            position = scan.end_position
            if scan.end is ScanEnd.MAGIC and (message := self._legacy_message(chunk, position, start)):
                if not self._accept(message):
                    return
                yield message
                position += message.size
            elif scan.end is not ScanEnd.END:
                self._note_end(scan.reason, scan.end, chunk, position, start)
                return

    def _accept(self, batch: ScannedBatch) -> bool:
        if not self._next_offset <= batch.base_offset <= batch.last_offset <= self._offset_max:
            self.problem = f"offsets {batch.base_offset} to {batch.last_offset} do not follow {self._next_offset - 1}"
            return False
        self._next_offset = batch.last_offset + 1
        self.valid_bytes = batch.position + batch.size
        return True

    def _note_end(self, reason: str, end: ScanEnd, chunk: memoryview, position: int, start: int) -> None:
        """A batch that is short only because the chunk ends is no problem."""
        has_more = start + len(chunk) < self.size
        is_cut = end is ScanEnd.SHORT or (end is ScanEnd.MAGIC and position + _batch_size(chunk, position) > len(chunk))
        if is_cut and has_more and position > 0:
            return
        self.problem = f"{reason} of the part read from {start} on" if start else reason

    def _legacy_message(self, chunk: memoryview, position: int, start: int) -> ScannedBatch | None:
        """A sound message of v0 or v1, or a wrapper of compressed ones, whose offset is that of its last message."""
        size = _batch_size(chunk, position)
        data = chunk[position : position + size]
        if size < LOG_OVERHEAD + _LEGACY_LENGTH_MIN or len(data) < size or data[_MAGIC_POSITION] > 1:
            return None
        if zlib.crc32(data[_MAGIC_POSITION:]) != int.from_bytes(data[12:16], "big"):
            return None
        offset = int.from_bytes(data[:8], "big", signed=True)
        timestamp = int.from_bytes(data[18:26], "big", signed=True) if data[_MAGIC_POSITION] == 1 else -1
        return ScannedBatch(start + position, size, offset, offset, timestamp, -1, -1, chunk, position)


def _batch_size(chunk: bytes | memoryview, position: int) -> int:
    """What the length field says; 0 where there is no whole field."""
    if len(chunk) < position + LOG_OVERHEAD:
        return 0
    return LOG_OVERHEAD + int.from_bytes(chunk[position + 8 : position + LOG_OVERHEAD], "big", signed=True)
