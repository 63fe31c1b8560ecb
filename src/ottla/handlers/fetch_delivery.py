"""The last step of a fetch: its records made ready to leave.

The tail of a log is in the page cache and leaves as it is; a few kilobytes are read and leave with the bytes around
them, in one packet and by one call instead of three. Older ranges are probed, and where they are cold a thread
of their log directory reads ahead before the loop sends. Clients of Fetch 0-3 get their records converted down, off the
loop too, since the bytes must be read; what cannot be converted, zstd, is refused.

Whatever cannot be read before it is sent becomes the error of its partition alone. Once the length of an answer is
promised a disk error can only end the connection.

Before Fetch 10 Kafka goes by the topic: one whose `compression.type` is zstd is refused as a whole, and of any other
the batches leave as they are.
"""

import asyncio
from functools import partial
from time import perf_counter

from ottla.disk.file_slice import FileSlice
from ottla.errors import ErrorCode, KafkaError, LogDirError, OttlaError
from ottla.handlers.cold_reads import ColdReads
from ottla.observability.conversion_metrics import Conversion, ConversionMetrics
from ottla.observability.metrics import Metrics
from ottla.protocol.messages.fetch import FetchResponse, PartitionData
from ottla.records.legacy import down_convert_counted
from ottla.replication.delayed_fetch import Answers, discard
from ottla.replication.fetching import SMALL_BYTES_MAX, FetchEntry

WARM_TAIL_BYTES = 8 * 1024 * 1024
_ZSTD_VERSION = 10
_MAGIC_2_VERSION = 4
_MAGIC_1_VERSION = 2

Found = tuple[FetchEntry, PartitionData, FileSlice]


class FetchDelivery:
    def __init__(self, loop: asyncio.AbstractEventLoop, metrics: Metrics) -> None:
        self._loop = loop
        self._waits = metrics.counter("ottla_fetch_cold_reads_total")
        self._conversions = ConversionMetrics(metrics, "Fetch")
        self._cold_reads = ColdReads(loop)

    def prepare(
        self, version: int, answers: Answers, response: FetchResponse
    ) -> FetchResponse | asyncio.Future[FetchResponse]:
        if version < _ZSTD_VERSION:
            for entry, answer in answers:
                refuse_too_old(version, entry, answer)
        if version < _MAGIC_2_VERSION:
            return self._convert(version, answers, response)
        ready = self._bring_in(answers, response)
        if ready is response:
            for _entry, answer in answers:
                read_small(answer)
        return ready

    def close(self) -> None:
        self._cold_reads.close()

    def _bring_in(self, answers: Answers, response: FetchResponse) -> FetchResponse | asyncio.Future[FetchResponse]:
        """The response, when all of it can be sent. A future that is cancelled gives back the slices."""
        cold = [
            (answer, piece)
            for entry, answer in answers
            if (piece := old_slice(entry, answer)) is not None and not self._cold_reads.is_ready(piece)
        ]
        if not cold:
            return response
        self._waits.value += 1
        future: asyncio.Future[FetchResponse] = self._loop.create_future()
        waiting = len(cold)

        def one_ready(answer: PartitionData, error: OttlaError | None) -> None:
            nonlocal waiting
            if future.done():  # Cancelled: the slices have been given back.
                return
            if error is not None:
                refuse(answer, ErrorCode.KAFKA_STORAGE_ERROR)
            waiting -= 1
            if waiting == 0:
                future.set_result(response)

        for answer, piece in cold:
            self._cold_reads.bring_in(piece, partial(one_ready, answer))
        future.add_done_callback(lambda ended: discard(answers) if ended.cancelled() else None)
        return future

    def _convert(
        self, version: int, answers: Answers, response: FetchResponse
    ) -> FetchResponse | asyncio.Future[FetchResponse]:
        found = [(entry, answer, answer.records) for entry, answer in answers if isinstance(answer.records, FileSlice)]
        if not found:
            return response
        for _entry, answer, _piece in found:
            answer.records = b""
        converted = self._loop.run_in_executor(None, self._convert_all, version, found, response)
        converted.add_done_callback(lambda _: close_slices(found))
        # Shielded: the thread reads from the slices, so they stay open even when nobody waits for it any more.
        return asyncio.shield(converted)

    def _convert_all(self, version: int, found: list[Found], response: FetchResponse) -> FetchResponse:
        """In a thread."""
        for entry, answer, piece in found:
            conversion = convert(version, entry, answer, piece)
            if conversion is not None:
                self._loop.call_soon_threadsafe(self._conversions.note, entry.topic, conversion)
        return response


def close_slices(found: list[Found]) -> None:
    for _entry, _answer, piece in found:
        piece.close()


def old_slice(entry: FetchEntry, answer: PartitionData) -> FileSlice | None:
    """The records, if sending them might wait for the disk. The last megabytes were written a moment ago."""
    records = answer.records
    if not isinstance(records, FileSlice) or entry.partition is None or entry.start is None:
        return None
    end = entry.partition.log.end_position
    if entry.start.segment_base == end.segment_base and end.position - records.position <= WARM_TAIL_BYTES:
        return None
    return records


def read_small(answer: PartitionData) -> None:
    """Put the bytes in the place of a slice that is not worth a sendfile. What was truncated stays one, and fails."""
    piece = answer.records
    if not isinstance(piece, FileSlice) or len(piece) > SMALL_BYTES_MAX:
        return
    try:
        data = piece.read(0, len(piece))
    except OttlaError:
        refuse(answer, ErrorCode.KAFKA_STORAGE_ERROR)
        return
    if len(data) == len(piece):
        answer.records = data
        piece.close()


def convert(version: int, entry: FetchEntry, answer: PartitionData, piece: FileSlice) -> Conversion | None:
    """Put the records into the answer, converted for this version; None when they cannot be, or need not be."""
    started_at = perf_counter()
    assert entry.partition is not None  # These records were read from it.
    size_max = entry.partition.log.config.decompressed_bytes_max
    try:
        records = piece.read(0, len(piece))
        converted, count = down_convert_counted(records, 1 if version >= _MAGIC_1_VERSION else 0, size_max=size_max)
    except KafkaError as error:
        answer.error_code = error.code
        return None
    except LogDirError:
        refuse(answer, ErrorCode.KAFKA_STORAGE_ERROR)
        return None
    answer.records = converted
    if not count:  # All of it was stored in a format that the client knows.
        return None
    return Conversion(count, (perf_counter() - started_at) * 1000, len(converted))


def refuse_too_old(version: int, entry: FetchEntry, answer: PartitionData) -> None:
    """Put an error in the place of records that a client of this version may not have."""
    if answer.error_code or entry.partition is None:
        return
    config = entry.partition.log.config
    if config.compression_type == "zstd":
        refuse(answer, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)
    elif version < _MAGIC_2_VERSION and not config.message_downconversion_enable:
        refuse(answer, ErrorCode.UNSUPPORTED_VERSION)


def refuse(answer: PartitionData, code: ErrorCode) -> None:
    if isinstance(answer.records, FileSlice):
        answer.records.close()
    answer.records = b""
    answer.error_code = code
    answer.high_watermark = -1
