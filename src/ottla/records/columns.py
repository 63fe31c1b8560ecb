"""Records as columns, in Arrow's memory layout, for readers and writers that never want single records.

`decode_columns` turns the batches of a whole fetch into plain buffers; `encode_columns` turns columns into the records
section of a batch. Both go through spans (`kernels.kernel_records`): decoding copies every byte once, into its column.
pyarrow is not needed here: who has it wraps the buffers.

    keys, values      offsets int32, data, validity           header_offsets   rows of the header columns, per record
    offsets           int64                                   header_keys, header_values
    timestamps        int64, milliseconds
    timestamp_types   one byte each: 0 CreateTime, 1 LogAppendTime
"""

from array import array
from collections.abc import Iterable
from typing import NamedTuple

from ottla.errors.kafka import InvalidRecordError
from ottla.records.batch import BatchHeader, Buffer
from ottla.records.kernels import encode_headers, kernel_columns, kernel_encode
from ottla.records.kernels.spans import (
    HEADER_SPAN_COLUMNS,
    HEADERS,
    HEADERS_COUNT,
    KEY,
    NO_HEADER_SPANS,
    OFFSET,
    RECORD_END,
    SPAN_COLUMNS,
    TIMESTAMP,
    VALUE,
    IntArray,
    Spans,
    new_spans,
)
from ottla.records.record import OFFSET_MIN, RecordsSection, index_section, index_section_headers

OFFSET_END = 2**63 - 1
DATA_MAX = 2**31 - 1


class BytesColumn:
    """A column of nullable bytes. `offsets` has rows + 1 entries; bit n of `validity` is 1 where row n is not null."""

    __slots__ = ("data", "null_count", "offsets", "validity")

    def __init__(self, rows: int, data_size: int) -> None:
        if data_size > DATA_MAX:
            raise InvalidRecordError(f"{data_size} bytes are too much for one column: take fewer batches")
        self.offsets = array("i", (0,)) * (rows + 1)
        self.data = bytearray(data_size)
        self.validity = bytearray((rows + 7) // 8)
        self.null_count = 0

    def __getitem__(self, row: int) -> bytes | None:
        """One entry, for tests and small reads."""
        if not self.validity[row >> 3] >> (row & 7) & 1:
            return None
        return bytes(self.data[self.offsets[row] : self.offsets[row + 1]])


class RecordColumns(NamedTuple):
    """The columns of `rows` records. The header columns have no rows where headers were not asked for."""

    rows: int
    keys: BytesColumn
    values: BytesColumn
    offsets: IntArray
    timestamps: IntArray
    timestamp_types: bytearray
    header_offsets: IntArray
    header_keys: BytesColumn
    header_values: BytesColumn


class _Run(NamedTuple):
    """Rows [first, end) of the spans of one section, and the header spans that belong to them."""

    buffer: Buffer
    spans: Spans
    first: int
    end: int
    header_spans: Spans
    header_first: int
    header_end: int
    timestamp_type: int

    def size_of(self, column: int) -> int:
        return kernel_columns.sum_positive(self.spans, SPAN_COLUMNS, column + 1, self.first, self.end)

    def header_size_of(self, column: int) -> int:
        return kernel_columns.sum_positive(
            self.header_spans, HEADER_SPAN_COLUMNS, column + 1, self.header_first, self.header_end
        )


def decode_columns(
    batches: Iterable[tuple[BatchHeader, RecordsSection]],
    *,
    offset_min: int = OFFSET_MIN,
    offset_end: int = OFFSET_END,
    with_headers: bool = True,
) -> RecordColumns:
    """All records with offset_min <= offset < offset_end, in the order of the batches.

    The sections are decompressed ones (`record.open_section`). The caller leaves out what is not for it: control
    batches, aborted transactions.
    """
    runs = [_index_run(header, section, offset_min, offset_end, with_headers) for header, section in batches]
    columns = _allocate(runs)
    row = header_row = 0
    for run in runs:
        _copy_run(run, columns, row)
        _copy_headers(run, columns, row, header_row)
        row += run.end - run.first
        header_row += run.header_end - run.header_first
    return columns


def _index_run(
    header: BatchHeader, section: RecordsSection, offset_min: int, offset_end: int, with_headers: bool
) -> _Run:
    spans = index_section(section, header)
    first, end = kernel_columns.rows_within(spans, SPAN_COLUMNS, offset_min, offset_end)
    header_spans, header_first, header_end = NO_HEADER_SPANS, 0, 0
    if with_headers:
        header_spans = index_section_headers(section, spans)
        header_first = kernel_columns.sum_positive(spans, SPAN_COLUMNS, HEADERS_COUNT, 0, first)
        header_end = header_first + kernel_columns.sum_positive(spans, SPAN_COLUMNS, HEADERS_COUNT, first, end)
    return _Run(section.buffer, spans, first, end, header_spans, header_first, header_end, header.timestamp_type)


def _allocate(runs: list[_Run]) -> RecordColumns:
    rows = sum(run.end - run.first for run in runs)
    header_rows = sum(run.header_end - run.header_first for run in runs)
    return RecordColumns(
        rows=rows,
        keys=BytesColumn(rows, sum(run.size_of(KEY) for run in runs)),
        values=BytesColumn(rows, sum(run.size_of(VALUE) for run in runs)),
        offsets=array("q", (0,)) * rows,
        timestamps=array("q", (0,)) * rows,
        timestamp_types=bytearray(),
        header_offsets=array("i", (0,)) * (rows + 1),
        header_keys=BytesColumn(header_rows, sum(run.header_size_of(0) for run in runs)),
        header_values=BytesColumn(header_rows, sum(run.header_size_of(2) for run in runs)),
    )


def _copy_run(run: _Run, columns: RecordColumns, row: int) -> None:
    for column, target in ((KEY, columns.keys), (VALUE, columns.values)):
        target.null_count += kernel_columns.copy_bytes(
            run.buffer,
            run.spans,
            SPAN_COLUMNS,
            column,
            run.first,
            run.end,
            target.offsets,
            target.data,
            target.validity,
            row,
        )
    for column, numbers in ((OFFSET, columns.offsets), (TIMESTAMP, columns.timestamps)):
        kernel_columns.copy_numbers(run.spans, SPAN_COLUMNS, column, run.first, run.end, numbers, row)
    columns.timestamp_types.extend(bytes((run.timestamp_type,)) * (run.end - run.first))


def _copy_headers(run: _Run, columns: RecordColumns, row: int, header_row: int) -> None:
    if run.header_end == run.header_first:
        _repeat_last(columns.header_offsets, row, run.end - run.first)
        return
    kernel_columns.copy_counts(run.spans, SPAN_COLUMNS, HEADERS_COUNT, run.first, run.end, columns.header_offsets, row)
    for column, target in ((0, columns.header_keys), (2, columns.header_values)):
        target.null_count += kernel_columns.copy_bytes(
            run.buffer,
            run.header_spans,
            HEADER_SPAN_COLUMNS,
            column,
            run.header_first,
            run.header_end,
            target.offsets,
            target.data,
            target.validity,
            header_row,
        )


def _repeat_last(offsets: IntArray, row: int, count: int) -> None:
    """No headers in these rows: their lists are empty."""
    offsets[row + 1 : row + 1 + count] = offsets[row : row + 1] * count


class ArrowBytes(NamedTuple):
    """A variable-size column as Arrow hands it over: little-endian offsets of `width` bytes, from row `first` on."""

    offsets: Buffer
    data: Buffer
    validity: Buffer = b""
    first: int = 0
    width: int = 4


def spans_of_columns(
    rows: int, keys: ArrowBytes | None, values: ArrowBytes, timestamps: IntArray | memoryview | int
) -> Spans:
    """Spans for `encode_columns` and `partitioning`: positions of keys are in keys.data, of values in values.data.

    `timestamps` is a column of int64 or one number for all rows.
    """
    spans = new_spans(rows)
    if keys is None:
        spans[KEY + 1 :: SPAN_COLUMNS] = array("q", [-1]) * rows
    for column, field in ((KEY, keys), (VALUE, values)):
        if field is not None:
            size = len(field.data)
            kernel_columns.take_fields(
                field.offsets, field.width, field.validity, field.first, size, spans, SPAN_COLUMNS, column
            )
    if isinstance(timestamps, int):
        timestamps = array("q", [timestamps]) * rows
    kernel_columns.take_numbers(timestamps, spans, SPAN_COLUMNS, TIMESTAMP)
    return spans


def put_headers(spans: Spans, rows: Iterable[list[tuple[bytes, bytes | None]]]) -> bytes:
    """Encode each row's headers and note in the spans where they lie: in the bytes that are returned."""
    counts, starts, ends, parts, end = array("q"), array("q"), array("q"), [], 0
    for headers in rows:
        encoded = encode_headers(headers) if headers else b"\0"
        counts.append(len(headers))
        starts.append(end + _count_size(len(headers)))
        end += len(encoded)
        ends.append(end)
        parts.append(encoded)
    for column, numbers in ((HEADERS_COUNT, counts), (HEADERS, starts), (RECORD_END, ends)):
        spans[column::SPAN_COLUMNS] = numbers
    return b"".join(parts)


def _count_size(count: int) -> int:
    """The bytes of the count that `encode_headers` begins with: a zigzag varint."""
    return max(1, (count.bit_length() + 7) // 7)


def encode_columns(
    spans: Spans | memoryview, keys: Buffer, values: Buffer, base_timestamp: int, headers: Buffer = b""
) -> bytearray:
    """The records section of rows whose keys and values lie in two buffers; offset deltas are 0, 1, 2 ..."""
    return kernel_encode.encode_spans(keys, values, headers, spans, 0, base_timestamp, True)
