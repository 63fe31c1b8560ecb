"""The last step of a fetch: its records made ready to leave.

The tail of a log is in the page cache and leaves as it is; a few kilobytes are read and leave with the bytes around
them, in one packet and by one call instead of three. Older ranges are probed, and where they are cold a thread
of their log directory reads ahead before the loop sends. Clients of Fetch 0-3 get their records converted down, off the
loop too, since the bytes must be read; what cannot be converted, zstd, is refused.

Whatever cannot be read before it is sent becomes the error of its partition alone. Once the length of a response is
promised a disk error can only end the connection.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TypeVar

from ottla.disk.file_slice import FileSlice
from ottla.errors import ErrorCode, KafkaError, LogDirError, OttlaError
from ottla.handlers.fetch.cold_reads import ColdReads
from ottla.handlers.fetch.refusals import FIRST_UNREFUSED_VERSION, MAGIC_1_VERSION, MAGIC_2_VERSION, refuse
from ottla.observability.conversion_metrics import Conversion, ConversionMetrics
from ottla.observability.metrics import Metrics
from ottla.records.legacy import down_convert_counted
from ottla.replication.fetch_reader import SMALL_BYTES_MAX, FetchEntry, PartitionRead, Reads, close_reads

WARM_TAIL_BYTES = 8 * 1024 * 1024

Response = TypeVar("Response")
Found = tuple[FetchEntry, PartitionRead, FileSlice | bytes]


class FetchDelivery:
    def __init__(self, loop: asyncio.AbstractEventLoop, metrics: Metrics) -> None:
        self._loop = loop
        self._waits = metrics.counter("ottla_fetch_cold_reads_total")
        self._conversions = ConversionMetrics(metrics, "Fetch")
        self._cold_reads = ColdReads(loop)

    def deliver(
        self, version: int, respond: Callable[[Reads], Response], reads: Reads
    ) -> Response | asyncio.Future[Response]:
        """What `respond` makes of the reads, when all of them can be sent.

        A future that is cancelled gives back the slices.
        """
        if version < FIRST_UNREFUSED_VERSION:
            refuse(version, reads)
        if version < MAGIC_2_VERSION:
            return self._convert(version, respond, reads)
        for _entry, read in reads:
            if type(read.records) is not bytes:
                return self._deliver_slices(reads, respond)
        return respond(reads)

    def _deliver_slices(
        self, reads: Reads, respond: Callable[[Reads], Response]
    ) -> Response | asyncio.Future[Response]:
        cold = [
            (read, piece)
            for entry, read in reads
            if (piece := old_slice(entry, read)) is not None and not self._cold_reads.is_ready(piece)
        ]
        if cold:
            return self._bring_in(cold, reads, respond)
        for _entry, read in reads:
            read_small(read)
        return respond(reads)

    def close(self) -> None:
        self._cold_reads.close()

    def _bring_in(
        self, cold: list[tuple[PartitionRead, FileSlice]], reads: Reads, respond: Callable[[Reads], Response]
    ) -> asyncio.Future[Response]:
        self._waits.value += 1
        future: asyncio.Future[Response] = self._loop.create_future()
        waiting = len(cold)

        def one_ready(read: PartitionRead, error: OttlaError | None) -> None:
            nonlocal waiting
            if future.done():  # Cancelled: the slices have been given back.
                return
            if error is not None:
                read.refuse(ErrorCode.KAFKA_STORAGE_ERROR)
            waiting -= 1
            if waiting == 0:
                future.set_result(respond(reads))

        for read, piece in cold:
            self._cold_reads.bring_in(piece, partial(one_ready, read))
        future.add_done_callback(lambda ended: close_reads(reads) if ended.cancelled() else None)
        return future

    def _convert(
        self, version: int, respond: Callable[[Reads], Response], reads: Reads
    ) -> Response | asyncio.Future[Response]:
        found = [(entry, read, read.records) for entry, read in reads if read.records]
        if not found:
            return respond(reads)
        for _entry, read, _records in found:
            read.records = b""
        future: asyncio.Future[Response] = self._loop.create_future()

        def finish(converted: asyncio.Future[None]) -> None:
            close_slices(found)
            error = converted.exception()
            if future.done():  # Cancelled. The thread read from the slices, so they stayed open until now.
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(respond(reads))

        self._loop.run_in_executor(None, self._convert_all, version, found).add_done_callback(finish)
        return future

    def _convert_all(self, version: int, found: list[Found]) -> None:
        """In a thread."""
        for entry, read, records in found:
            conversion = convert(version, entry, read, records)
            if conversion is not None:
                self._loop.call_soon_threadsafe(self._conversions.note, entry.topic, conversion)


def close_slices(found: list[Found]) -> None:
    for _entry, _read, records in found:
        if isinstance(records, FileSlice):
            records.close()


def old_slice(entry: FetchEntry, read: PartitionRead) -> FileSlice | None:
    """The records, if sending them might wait for the disk. The last megabytes were written a moment ago."""
    records = read.records
    if not isinstance(records, FileSlice) or entry.partition is None or entry.start is None:
        return None
    end = entry.partition.log.end_position
    if entry.start.segment_base == end.segment_base and end.position - records.position <= WARM_TAIL_BYTES:
        return None
    return records


def read_small(read: PartitionRead) -> None:
    """Put the bytes in the place of a slice that is not worth a sendfile. What was truncated stays one, and fails."""
    piece = read.records
    if not isinstance(piece, FileSlice) or len(piece) > SMALL_BYTES_MAX:
        return
    try:
        data = piece.read(0, len(piece))
    except OttlaError:
        read.refuse(ErrorCode.KAFKA_STORAGE_ERROR)
        return
    if len(data) == len(piece):
        read.records = data
        piece.close()


def convert(version: int, entry: FetchEntry, read: PartitionRead, found: FileSlice | bytes) -> Conversion | None:
    """Put the records into the read, converted for this version; None when they cannot be, or need not be."""
    started_at = perf_counter()
    assert entry.partition is not None  # These records were read from it.
    size_max = entry.partition.log.config.decompressed_bytes_max
    try:
        records = found if isinstance(found, bytes) else found.read(0, len(found))
        converted, count = down_convert_counted(records, 1 if version >= MAGIC_1_VERSION else 0, size_max=size_max)
    except KafkaError as error:
        read.error_code = error.code
        return None
    except LogDirError:
        read.refuse(ErrorCode.KAFKA_STORAGE_ERROR)
        return None
    read.records = converted
    if not count:  # All of it was stored in a format that the client knows.
        return None
    return Conversion(count, (perf_counter() - started_at) * 1000, len(converted))
