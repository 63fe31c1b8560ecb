"""What is asked of a produced batch before it may enter the log, and the few changes that are made to it.

One pass: frame and size, CRC, count, then the records: uncompressed ones are walked by the kernel,
compressed ones are believed on their header, and decompressed only where the topic needs it (compacted,
`ottla.validate.compressed`, another codec forced by `compression.type`). In the usual case the bytes are not touched at
all. They are changed

    to stamp LogAppendTime, or to right a wrong max_timestamp    in place, with a new CRC
    where `compression.type` names another codec                 the section is recompressed
    where they come in format v0 or v1 (Produce 0 to 2)          converted to v2, then validated

How much a batch may open to is bounded, and the same bound (plus its size) holds for all that is in a message set.

The answer to a bad batch, in the order of the checks: not exactly one batch of format v2 INVALID_RECORD; too large
MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE; CRC or length CORRUPT_MESSAGE; count, offsets, control bit, records
INVALID_RECORD; of a transaction that nobody knows INVALID_TXN_STATE;
zstd before Produce 7 UNSUPPORTED_COMPRESSION_TYPE; timestamps INVALID_TIMESTAMP; a record without key
on a compacted topic INVALID_RECORD with the numbers of such records; too large in the codec that is forced, again
MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE. One bad record refuses the whole batch.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from itertools import islice
from time import perf_counter
from typing import NamedTuple

from ottla.config.topic_config import TopicConfig
from ottla.errors.kafka import (
    CorruptMessageError,
    InvalidRecordError,
    InvalidTimestampError,
    InvalidTxnStateError,
    KafkaError,
    MessageTooLargeError,
    RecordListTooLargeError,
    UnsupportedCompressionTypeError,
)
from ottla.observability.conversion_metrics import Conversion
from ottla.records.attributes import (
    COMPRESSION_MASK,
    CONTROL_MASK,
    NO_TIMESTAMP,
    TIMESTAMP_TYPE_MASK,
    TRANSACTIONAL_MASK,
    Codec,
    TimestampType,
)
from ottla.records.batch import (
    ATTRIBUTES_POSITION,
    BATCH_LENGTH_MIN,
    HEADER_SIZE,
    LOG_OVERHEAD,
    MAGIC,
    MAGIC_POSITION,
    BatchHeader,
    Buffer,
    assemble_batch,
    peek_header,
    rewrite_timestamp_type,
)
from ottla.records.checksum import crc32c
from ottla.records.compression import compress
from ottla.records.kernels import validate_records
from ottla.records.kernels.validation_codes import Problem, error_for
from ottla.records.legacy import has_wrapper, is_legacy, up_convert
from ottla.records.record import Record, RecordsSection, decode_rows, open_section

PRODUCE_VERSION_LATEST = 11
PRODUCE_VERSION_LEGACY_MAX = 2  # up to it clients may send message sets of format v0 and v1
_FIRST_VERSION_WITH_ZSTD = 7
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
# They are appended in one turn of the loop. Producers put what they compress into one wrapper.
BATCHES_OF_A_SET_MAX = 4096
# Of a batch without any keys all records are wrong, and each would take 60 bytes of the answer.
RECORD_ERRORS_MAX = 1000
_NAMED = (Problem.NULL_KEY, Problem.TIMESTAMP)


class Origin(Enum):
    """Who wants to append.

    A transaction that its coordinator does not know of is never ended, and would hold back read_committed consumers for
    ever: so a client's batch may belong to one only where that has been asked (Kafka's verification, KIP-890), which
    nobody can until there is a coordinator.
    """

    CLIENT = "client"
    TRANSACTION = "a client whose transaction is known to have this partition"
    COORDINATOR = "a coordinator: it writes control batches and has no sequences"


_CLIENT = Origin.CLIENT  # looking it up in the enum costs as much as a CRC
_COORDINATOR = Origin.COORDINATOR


class RecordError(NamedTuple):
    """One bad record of a refused batch (KIP-467)."""

    batch_index: int
    message: str


class PreparedBatch(NamedTuple):
    """A batch as it is to be stored, but for offset and epoch, and its header."""

    batch: Buffer
    header: BatchHeader


class RefusedRecords:
    """What an error has that can name the records."""

    record_errors: tuple[RecordError, ...]


class InvalidMagicError(InvalidRecordError):
    """Records of a format that is unknown, or not allowed in this version of Produce."""


class InvalidOffsetsError(InvalidRecordError):
    """Offsets or sequence numbers in a batch's header that no producer has."""


class RecordsWithoutKeyError(InvalidRecordError, RefusedRecords):
    """A compacted topic needs a key in every record."""

    def __init__(self, record_errors: Iterable[RecordError]) -> None:
        super().__init__("One or more records have been rejected")
        self.record_errors = tuple(record_errors)


class BadTimestampsError(InvalidTimestampError, RefusedRecords):
    def __init__(self, record_errors: Iterable[RecordError]) -> None:
        super().__init__("One or more records have been rejected due to invalid timestamp")
        self.record_errors = tuple(record_errors)


class BatchValidation:
    """The rules of one topic, made from its configuration once and used for every batch."""

    __slots__ = (
        "_after_ms_max",
        "_before_ms_max",
        "_checks_timestamps",
        "_codec",
        "_level",
        "_needs_key",
        "_opened_bytes_max",
        "_opens_compressed",
        "_size_max",
        "is_append_time",
        "message_bytes_max",
        "on_converted",
        "segment_bytes_max",
    )

    def __init__(
        self,
        config: TopicConfig,
        *,
        validate_compressed: bool = False,
        on_converted: Callable[[Conversion], None] = lambda conversion: None,
    ) -> None:
        self.on_converted = on_converted
        self.message_bytes_max = config.max_message_bytes
        self.segment_bytes_max = config.segment_bytes
        self._size_max = min(config.max_message_bytes, config.segment_bytes)
        self.is_append_time = config.message_timestamp_type == "LogAppendTime"
        self._before_ms_max = config.message_timestamp_before_max_ms
        self._after_ms_max = config.message_timestamp_after_max_ms
        self._checks_timestamps = not self.is_append_time and (
            min(self._before_ms_max, self._after_ms_max) < _INT64_MAX
        )
        self._needs_key = "compact" in config.cleanup_policy
        self._codec, self._level = _forced_codec(config)
        self._opens_compressed = self._needs_key or validate_compressed
        self._opened_bytes_max = config.decompressed_bytes_max

    def is_heavy(self, records: Buffer) -> bool:
        """Whether it must be decompressed or converted: the caller may want to run `prepare` in a thread."""
        if len(records) < HEADER_SIZE or records[MAGIC_POSITION] != MAGIC:
            return len(records) > MAGIC_POSITION and records[MAGIC_POSITION] < MAGIC
        codec = records[ATTRIBUTES_POSITION + 1] & COMPRESSION_MASK
        return (codec != 0 and self._opens_compressed) or (self._codec is not None and self._codec != codec)

    def prepare(
        self,
        records: memoryview,
        now_ms: int,
        origin: Origin = Origin.CLIENT,
        produce_version: int = PRODUCE_VERSION_LATEST,
    ) -> list[PreparedBatch]:
        """`validate` for all that a client may send, message sets too. Touches nothing shared: fit for a thread."""
        if produce_version > PRODUCE_VERSION_LEGACY_MAX or not is_legacy(records):
            return [PreparedBatch(*self.validate(records, now_ms, origin, produce_version))]
        started_at = perf_counter()
        # Each wrapper may open to as much as a batch, and all of the set to no more: what is made of it is kept until
        # it is appended. Its own size comes on top, for wrappers that open to little more than what they are.
        batches = up_convert(
            records,
            batch_bytes_max=self._size_max,
            size_max=self._opened_bytes_max,
            total_max=self._opened_bytes_max + len(records),
            batches_max=BATCHES_OF_A_SET_MAX,
        )
        if not batches:
            raise InvalidRecordError("a message set without a message")
        views = [memoryview(batch) for batch in batches]
        prepared = [PreparedBatch(*self.validate(view, now_ms, origin)) for view in views]
        # Those that were recompressed as well have been noted.
        self._note_conversion(
            [made for made, view in zip(prepared, views, strict=True) if made.batch is view], started_at
        )
        return prepared

    def validate(
        self,
        records: memoryview,
        now_ms: int,
        origin: Origin = Origin.CLIENT,
        produce_version: int = PRODUCE_VERSION_LATEST,
    ) -> tuple[Buffer, BatchHeader]:
        """The batch as it is to be stored, not yet stamped, and its header. Raises what the module's docstring says."""
        length = len(records)
        if length < HEADER_SIZE or records[MAGIC_POSITION] != MAGIC:
            raise InvalidMagicError(
                f"Produce requests with version {produce_version} must have exactly one record batch of magic 2 "
                "per partition"
            )
        header = peek_header(records)
        base_offset, batch_length, _, _, crc, attributes, delta, _, max_timestamp, producer, _, sequence, count = header
        if batch_length + LOG_OVERHEAD != length:
            raise _frame_error(batch_length, length)
        if length > self._size_max:
            raise self._size_error(length)
        if crc32c(records[ATTRIBUTES_POSITION:]) != crc:
            raise CorruptMessageError(f"Record is corrupt (stored crc = {crc})")
        if delta + 1 != count or delta < 0 or base_offset != 0:
            raise _count_error(header)
        if origin is not _COORDINATOR and (
            attributes & CONTROL_MASK
            or sequence < 0 <= producer
            or (attributes & TRANSACTIONAL_MASK and origin is _CLIENT)
        ):
            raise _client_error(header)
        if attributes & COMPRESSION_MASK or self._codec is not None:
            return self._validate_compressed(records, header, now_ms, produce_version)
        true_max_timestamp = self._walk(records, HEADER_SIZE, length, header, now_ms)
        if self.is_append_time or true_max_timestamp != max_timestamp or attributes & TIMESTAMP_TYPE_MASK:
            return self._set_timestamps(records, header, true_max_timestamp, now_ms)
        return records, header

    def _walk(self, buffer: Buffer, start: int, end: int, header: BatchHeader, now_ms: int) -> int:
        """Every record is well formed and allowed here; answers the largest timestamp."""
        timestamp_min, timestamp_max = _INT64_MIN, _INT64_MAX
        if self._checks_timestamps:
            timestamp_min, timestamp_max = self._timestamp_range(header, now_ms)
        needs_key = self._needs_key and not header.attributes & CONTROL_MASK
        problem, index, max_timestamp, _ = validate_records(
            buffer,
            start,
            end,
            header.records_count,
            header.base_timestamp,
            needs_key,
            timestamp_min,
            timestamp_max,
        )
        if problem:
            rows = decode_rows(RecordsSection(buffer, start, end), header, Record) if problem in _NAMED else []
            raise _records_error(problem, index, rows, (timestamp_min, timestamp_max))
        return max_timestamp

    def _timestamp_range(self, header: BatchHeader, now_ms: int) -> tuple[int, int]:
        """What a record's timestamp must lie in. Records without one, then all of the batch, have no limits."""
        if header.max_timestamp == NO_TIMESTAMP:
            return _INT64_MIN, NO_TIMESTAMP
        earliest = now_ms - self._before_ms_max
        return max(earliest, _INT64_MIN), min(now_ms + self._after_ms_max, _INT64_MAX)

    def _validate_compressed(
        self, records: memoryview, header: BatchHeader, now_ms: int, produce_version: int
    ) -> tuple[Buffer, BatchHeader]:
        codec = header.compression
        if codec is Codec.ZSTD and produce_version < _FIRST_VERSION_WITH_ZSTD:
            raise UnsupportedCompressionTypeError(
                f"Produce requests with version {produce_version} are not allowed to use ZStandard compression"
            )
        max_timestamp = header.max_timestamp
        stored: Buffer = records
        if self._opens_compressed or (self._codec is not None and codec is not self._codec) or codec is Codec.NONE:
            section = open_section(records, 0, header, self._opened_bytes_max)
            max_timestamp = self._walk(*section, header, now_ms)
            stored, header = self._recompress(records, header, section)
        elif self._checks_timestamps:
            self._check_header_timestamps(header, now_ms)
        if self.is_append_time or max_timestamp != header.max_timestamp or header.attributes & TIMESTAMP_TYPE_MASK:
            return self._set_timestamps(stored, header, max_timestamp, now_ms)
        return stored, header

    def _check_header_timestamps(self, header: BatchHeader, now_ms: int) -> None:
        """What can be said without opening the batch: its first and its largest timestamp."""
        earliest, latest = self._timestamp_range(header, now_ms)
        if header.base_timestamp < earliest or header.max_timestamp > latest:
            raise InvalidTimestampError(
                f"Timestamps {header.base_timestamp} to {header.max_timestamp} of the batch are out of range. "
                f"The timestamp should be within [{earliest}, {latest}]"
            )

    def _recompress(
        self, records: memoryview, header: BatchHeader, section: RecordsSection
    ) -> tuple[Buffer, BatchHeader]:
        if self._codec is None or header.compression is self._codec:
            return records, header
        started_at = perf_counter()
        plain = memoryview(section.buffer)[section.start : section.end]
        attributes = header.attributes & ~COMPRESSION_MASK | self._codec
        batch = assemble_batch(header._replace(attributes=attributes), compress(self._codec, plain, self._level))
        if len(batch) > self._size_max:
            raise self._size_error(len(batch))
        header = peek_header(batch)
        self._note_conversion([PreparedBatch(batch, header)], started_at)
        return batch, header

    def _note_conversion(self, batches: list[PreparedBatch], started_at: float) -> None:
        if not batches:
            return
        self.on_converted(
            Conversion(
                records=sum(header.records_count for _, header in batches),
                elapsed_ms=(perf_counter() - started_at) * 1000,
                size_bytes=sum(len(batch) for batch, _ in batches),
            )
        )

    def _set_timestamps(
        self, records: Buffer, header: BatchHeader, max_timestamp: int, now_ms: int
    ) -> tuple[Buffer, BatchHeader]:
        if not self.is_append_time and header.attributes & TIMESTAMP_TYPE_MASK:
            raise InvalidTimestampError(
                "Invalid timestamp type in message. Producer should not set timestamp type to LogAppendTime."
            )
        writable = records if isinstance(records, bytearray) else _writable(records)
        if self.is_append_time:
            return writable, rewrite_timestamp_type(writable, 0, TimestampType.LOG_APPEND_TIME, now_ms)
        return writable, rewrite_timestamp_type(writable, 0, TimestampType.CREATE_TIME, max_timestamp)

    def _size_error(self, length: int) -> KafkaError:
        if length > self.message_bytes_max:
            return MessageTooLargeError(
                f"The record batch size is {length} bytes which exceeds the maximum configured value of "
                f"{self.message_bytes_max}."
            )
        return RecordListTooLargeError(
            f"Message batch size is {length} bytes, which exceeds the maximum configured segment size of "
            f"{self.segment_bytes_max}."
        )


def opens_to_at_most(records: memoryview, size_max: int) -> bool:
    """Whether records are known not to be larger when they are decompressed. Damaged ones and old wrappers are not."""
    try:
        if is_legacy(records):
            return not has_wrapper(records)
        open_section(records, 0, peek_header(records), size_max)
    except KafkaError:
        return False
    return True


def _forced_codec(config: TopicConfig) -> tuple[Codec | None, int | None]:
    """The codec that every batch must have, and its level; None: that of the producer."""
    if config.compression_type == "producer":
        return None, None
    codec = Codec.named(config.compression_type)
    levels = {
        Codec.GZIP: config.compression_gzip_level if config.compression_gzip_level != -1 else None,
        Codec.LZ4: config.compression_lz4_level,
        Codec.ZSTD: config.compression_zstd_level,
    }
    return codec, levels.get(codec)


def _writable(records: Buffer) -> bytearray | memoryview:
    if isinstance(records, memoryview) and not records.readonly:
        return records
    return bytearray(records)


def _frame_error(batch_length: int, length: int) -> KafkaError:
    if batch_length < BATCH_LENGTH_MIN:
        return CorruptMessageError(f"batch length {batch_length} is less than a header ({BATCH_LENGTH_MIN})")
    return InvalidRecordError(
        f"exactly one record batch is wanted per partition, not {length} bytes with a batch of "
        f"{batch_length + LOG_OVERHEAD}"
    )


def _count_error(header: BatchHeader) -> InvalidRecordError:
    if header.base_offset != 0:
        return InvalidOffsetsError(f"The baseOffset of the record batch should be 0, but it is {header.base_offset}")
    return InvalidOffsetsError(
        f"Inconsistency between number of records {header.records_count} and last offset delta "
        f"{header.last_offset_delta}"
    )


def _client_error(header: BatchHeader) -> KafkaError:
    if header.is_control:
        return InvalidRecordError("Clients are not allowed to write control records")
    if header.base_sequence < 0 <= header.producer_id:
        return InvalidOffsetsError(
            f"Invalid sequence number {header.base_sequence} in record batch with producerId {header.producer_id}"
        )
    return InvalidTxnStateError("Record was not part of an ongoing transaction")


def _records_error(problem: int, index: int, rows: list[Record], timestamps: tuple[int, int]) -> KafkaError:
    """The first problem that was found; where the records are well formed, those that have it are named."""
    if problem == Problem.NULL_KEY:
        message = "Compacted topic cannot accept message without key."
        keyless = (RecordError(number, message) for number, row in enumerate(rows) if row.key is None)
        return RecordsWithoutKeyError(islice(keyless, RECORD_ERRORS_MAX))
    if problem == Problem.TIMESTAMP:
        earliest, latest = timestamps
        bad = (
            RecordError(
                number,
                f"Timestamp {row.timestamp} of message with offset {row.offset} is out of range. "
                f"The timestamp should be within [{earliest}, {latest}]",
            )
            for number, row in enumerate(rows)
            if not earliest <= row.timestamp <= latest
        )
        return BadTimestampsError(islice(bad, RECORD_ERRORS_MAX))
    return error_for(problem, index)
