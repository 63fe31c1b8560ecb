"""Records in and out of one batch, as Python objects.

The broker's data path never comes here: it passes batches on as bytes. This is for clients, coordinators (which read
and write their own topics) and tools. The layout of a record is in `kernels.kernel_records`, that of the batch in
`batch`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ottla.errors.kafka import InvalidRecordError
from ottla.records.attributes import (
    CONTROL_MASK,
    NO_LEADER_EPOCH,
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    TIMESTAMP_TYPE_MASK,
    TRANSACTIONAL_MASK,
    Codec,
    TimestampType,
)
from ottla.records.batch import HEADER_SIZE, BatchHeader, Buffer, assemble_batch, decode_header, empty_header
from ottla.records.compression import compress, decompress
from ottla.records.kernels import count_headers, encode_headers, encode_records, index_headers, index_records, make_rows
from ottla.records.kernels.spans import HEADER_SPAN_COLUMNS, Spans, new_spans
from ottla.records.kernels.validation_codes import error_for

Headers: TypeAlias = Sequence[tuple[str, bytes | None]]
Row = TypeVar("Row", bound=tuple[Any, ...])

DECOMPRESSED_MAX = 16 * 1024 * 1024
RECORD_SIZE_MIN = 7  # one byte for each of its fields
OFFSET_MIN = -(2**63)


class Record(NamedTuple):
    """One record. A None key is no key, a None value a tombstone; headers keep their order and may repeat."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...] = ()


class RecordsSection(NamedTuple):
    """Where the decompressed records of a batch are: in the batch itself, or in a buffer of their own."""

    buffer: Buffer
    start: int
    end: int


def open_section(
    buffer: Buffer, position: int, header: BatchHeader, size_max: int = DECOMPRESSED_MAX
) -> RecordsSection:
    """The records section of a batch, decompressed (up to `size_max`) where it has to be."""
    start, end = position + HEADER_SIZE, position + header.size_bytes
    codec = header.compression
    if codec is Codec.NONE:
        return RecordsSection(buffer, start, end)
    section = decompress(codec, memoryview(buffer)[start:end], size_max)
    return RecordsSection(section, 0, len(section))


def index_section(section: RecordsSection, header: BatchHeader, room_for: Callable[[int], Spans] = new_spans) -> Spans:
    """The spans of every record (`kernels.kernel_records`). InvalidRecordError: they are not what the header says.

    `room_for` gives the array for so many records; it is asked only when the section can hold them.
    """
    if header.records_count > (section.end - section.start) // RECORD_SIZE_MIN:
        raise InvalidRecordError(f"{header.records_count} records in {section.end - section.start} bytes")
    spans = room_for(header.records_count)
    problem = index_records(
        section.buffer,
        section.start,
        section.end,
        header.records_count,
        header.base_offset,
        header.base_timestamp,
        header.timestamp_type is TimestampType.LOG_APPEND_TIME,
        header.max_timestamp,
        spans,
    )
    if problem:
        raise error_for(problem)
    return spans


def index_section_headers(section: RecordsSection, spans: Spans) -> Spans:
    header_spans = new_spans(count_headers(spans), HEADER_SPAN_COLUMNS)
    index_headers(section.buffer, spans, header_spans)
    return header_spans


def decode_rows(
    section: RecordsSection,
    header: BatchHeader,
    row_class: type[Row],
    prefix: tuple[Any, ...] = (),
    offset_min: int = OFFSET_MIN,
) -> list[Row]:
    """A `row_class` of (*prefix, offset, timestamp, key, value, headers) for each record from `offset_min` on."""
    spans = index_section(section, header)
    header_spans = index_section_headers(section, spans)
    return make_rows(section.buffer, spans, header_spans, offset_min, prefix, row_class)


def decode_batch(buffer: Buffer, position: int = 0, *, size_max: int = DECOMPRESSED_MAX) -> list[Record]:
    """All records of the batch at `position`. The CRC is the caller's to check (`batch.check_crc`)."""
    header = decode_header(buffer, position)
    return decode_rows(open_section(buffer, position, header, size_max), header, Record)


def encode_batch(
    records: Iterable[Record],
    *,
    compression: Codec = Codec.NONE,
    level: int | None = None,
    base_offset: int | None = None,
    last_offset: int | None = None,
    leader_epoch: int = NO_LEADER_EPOCH,
    producer_id: int = NO_PRODUCER_ID,
    producer_epoch: int = NO_PRODUCER_EPOCH,
    base_sequence: int = NO_SEQUENCE,
    timestamp_type: TimestampType = TimestampType.CREATE_TIME,
    is_transactional: bool = False,
    is_control: bool = False,
) -> bytes:
    """One batch of `records`, whose offsets must rise.

    `base_offset` and `last_offset` default to those of the first and last record. With LogAppendTime the largest
    timestamp becomes that of all records, as readers will see it.
    """
    rows = list(records)
    first = base_offset if base_offset is not None else _first_offset(rows)
    last = last_offset if last_offset is not None else (rows[-1].offset if rows else first)
    attributes = int(compression)
    attributes |= TIMESTAMP_TYPE_MASK if timestamp_type is TimestampType.LOG_APPEND_TIME else 0
    attributes |= TRANSACTIONAL_MASK if is_transactional else 0
    attributes |= CONTROL_MASK if is_control else 0
    header = empty_header(
        base_offset=first, last_offset_delta=last - first, records_count=len(rows), attributes=attributes
    )._replace(
        partition_leader_epoch=leader_epoch,
        base_timestamp=rows[0].timestamp if rows else NO_TIMESTAMP,
        max_timestamp=max((row.timestamp for row in rows), default=NO_TIMESTAMP),
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        base_sequence=base_sequence,
    )
    section = _encode_section(rows, first, header.base_timestamp)
    return bytes(assemble_batch(header, compress(compression, section, level)))


def _first_offset(rows: list[Record]) -> int:
    return rows[0].offset if rows else 0


def _encode_section(rows: list[Record], base_offset: int, base_timestamp: int) -> bytearray:
    return encode_records(
        [row.key for row in rows],
        [row.value for row in rows],
        [row.timestamp for row in rows],
        base_timestamp,
        [encode_record_headers(row.headers) for row in rows],
        [row.offset - base_offset for row in rows],
    )


def encode_record_headers(headers: Headers) -> bytes | None:
    """The headers of one record as `encode_records` takes them; None where there are none."""
    if not headers:
        return None
    return encode_headers([(key.encode(), value) for key, value in headers])
