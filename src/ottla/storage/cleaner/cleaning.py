"""One cleaning job, in the child: the dirty part is mapped, then the log below the end of the map is copied.

Sources are copied one after the other into a growing cleaned segment. When one more source makes it larger than
`segment.bytes` (or than an index allows), that source begins the next. So segments that shrank are merged, and a
cleaned segment replaces a whole number of sources.
"""

import os
from collections.abc import Iterator
from typing import NamedTuple

from ottla.disk.directory import LogDirectory
from ottla.disk.log_file import LogFile
from ottla.errors.kafka import CorruptMessageError
from ottla.records.batch import MAGIC, BatchHeader, Buffer, check_crc, iterate_batches, peek_header
from ottla.records.legacy import is_legacy, up_convert
from ottla.storage.cleaner.batch_filter import AbortedTransactions, BatchFilter, decode_records
from ottla.storage.cleaner.cleaned_segment import RELATIVE_OFFSET_MAX, CleanedSegment
from ottla.storage.cleaner.job import CleanedGroup, CleaningJob, CleaningResult, SourceSegment
from ottla.storage.cleaner.offset_map import OffsetMap
from ottla.storage.segment.batch_scan import walk_batches
from ottla.storage.segment.segment_files import LOG_SUFFIX, file_path

READ_BYTES = 1 << 20


class SourceBatch(NamedTuple):
    buffer: Buffer
    position: int
    header: BatchHeader


def clean(job: CleaningJob) -> CleaningResult:
    directory = LogDirectory(os.path.dirname(job.directory))
    return _Cleaning(job, directory).run()


class _Cleaning:
    def __init__(self, job: CleaningJob, directory: LogDirectory) -> None:
        self._job = job
        self._directory = directory
        self._aborted = AbortedTransactions(job.aborted)
        self._finished: list[CleanedSegment] = []
        self._bytes_read = 0

    def run(self) -> CleaningResult:
        offset_map = self._map_dirty_part()
        batch_filter = BatchFilter(
            offset_map,
            self._aborted,
            self._job.last_offsets,
            now_ms=self._job.now_ms,
            delete_retention_ms=self._job.delete_retention_ms,
        )
        output: CleanedSegment | None = None
        for source in self._job.segments:
            if source.base_offset >= offset_map.end_offset:
                break
            output = self._copy(source, output, batch_filter)
        if output is not None:
            self._finish(output)
        return self._result(offset_map)

    # The map

    def _map_dirty_part(self) -> OffsetMap:
        job = self._job
        offset_map = OffsetMap(job.map_entries_max, job.first_dirty_offset)
        for source in _from_offset(job.segments, job.first_dirty_offset):
            for batch in self._batches(source):
                header = batch.header
                if header.next_offset <= job.first_dirty_offset:
                    continue
                if not offset_map.has_room_for(header.records_count):
                    return offset_map
                if not header.is_control and not self._aborted.covers(header):
                    offset_map.add(decode_records(*batch))
                offset_map.end_offset = header.next_offset
        offset_map.end_offset = job.end_offset
        return offset_map

    # The copy

    def _copy(self, source: SourceSegment, output: CleanedSegment | None, batch_filter: BatchFilter) -> CleanedSegment:
        """Append what is left of a source to `output`, or to a new one where it does not fit; which it was."""
        job = self._job
        if output is not None and self._end_of(source) - output.base_offset > RELATIVE_OFFSET_MAX:
            self._finish(output)
            output = None
        if output is None:
            output = self._new_segment(source)
        before = output.place()
        for batch in self._batches(source):
            kept = batch_filter.filter(*batch)
            if kept is not None:
                output.append(kept, peek_header(kept))
        is_too_large = output.size > job.segment_bytes or output.index_bytes > job.index_bytes_max
        if is_too_large and output.replaces:
            output = self._split(output, output.cut_back(before), source)
        output.replaces.append(source.base_offset)
        return output

    def _split(self, full: CleanedSegment, tail: bytes, source: SourceSegment) -> CleanedSegment:
        self._finish(full)
        output = self._new_segment(source)
        view = memoryview(tail)
        for position, header in iterate_batches(tail):
            output.append(view[position : position + header.size_bytes], header)
        return output

    def _new_segment(self, source: SourceSegment) -> CleanedSegment:
        job = self._job
        return CleanedSegment(
            job.directory, source.base_offset, self._directory, index_interval_bytes=job.index_interval_bytes
        )

    def _end_of(self, source: SourceSegment) -> int:
        later = (other.base_offset for other in self._job.segments if other.base_offset > source.base_offset)
        return min(later, default=self._job.end_offset)

    def _finish(self, output: CleanedSegment) -> None:
        newest = file_path(self._job.directory, output.replaces[-1], LOG_SUFFIX)
        output.finish(os.stat(newest).st_mtime_ns)
        self._finished.append(output)

    def _result(self, offset_map: OffsetMap) -> CleaningResult:
        groups = [CleanedGroup(output.base_offset, output.replaces, output.size) for output in self._finished]
        bytes_written = sum(group.size for group in groups)
        return CleaningResult(groups, offset_map.end_offset, self._bytes_read, bytes_written, len(offset_map))

    # Reading

    def _batches(self, source: SourceSegment) -> Iterator[SourceBatch]:
        """Every batch of a source, whole and with its CRC checked: what is copied must not be damaged already."""
        file = LogFile.open(file_path(self._job.directory, source.base_offset, LOG_SUFFIX), self._directory)
        try:
            for buffer in _chunks(file, source.size):
                self._bytes_read += len(buffer)
                batches = b"".join(up_convert(buffer, keep_offsets=True)) if is_legacy(buffer) else buffer
                for position, header in iterate_batches(batches):
                    check_crc(batches, position, header)
                    yield SourceBatch(batches, position, header)
        finally:
            file.close()


def _from_offset(segments: list[SourceSegment], offset: int) -> list[SourceSegment]:
    """The sources that may hold records from `offset` on."""
    first = max((number for number, source in enumerate(segments) if source.base_offset <= offset), default=0)
    return segments[first:]


def _chunks(file: LogFile, end: int) -> Iterator[bytes]:
    """The file in pieces of whole batches, or of messages that an old Kafka left: as many as fit into `READ_BYTES`,
    or one that is larger.
    """
    start = position = 0
    magic = MAGIC
    for place in walk_batches(file, 0, end):
        is_other = (place.magic == MAGIC) != (magic == MAGIC)
        if position > start and (is_other or place.end_position - start > READ_BYTES):
            yield file.read_at(start, position - start)
            start = position
        position, magic = place.end_position, place.magic
    if position != end:
        raise CorruptMessageError(f"{file.path} ends in a torn batch at {position}, before {end}")
    if position > start:
        yield file.read_at(start, position - start)
