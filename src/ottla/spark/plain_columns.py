"""Records without headers as Arrow arrays, one record batch after the other: the quick way through `records.columns`.

`decode_columns` finds all records first, makes columns of exactly their size, and then copies. Here the columns are as
large as they can become (no value is longer than the section that holds it), so that a batch is found and copied while
it is in the CPU's caches; the memory comes from Arrow, not zeroed, and what stays unused is never touched. Where the
records lie (spans) goes into one array that every batch uses again.
"""

from array import array
from typing import cast

import pyarrow as pa

from ottla.clients.consumer.fetched import DecompressedBatch
from ottla.records.kernels import kernel_columns
from ottla.records.kernels.spans import KEY, OFFSET, SPAN_COLUMNS, TIMESTAMP, VALUE, IntArray, Spans, new_spans
from ottla.records.record import index_section

_INT32_BYTES, _INT64_BYTES = 4, 8


class _BytesColumn:
    def __init__(self, rows_max: int, size_max: int) -> None:
        self._offsets = pa.allocate_buffer(_INT32_BYTES * (rows_max + 1))
        self._data = pa.allocate_buffer(size_max)
        self._validity = bytearray((rows_max + 7) // 8)
        self._null_count = 0
        self._offset_view = cast(IntArray, memoryview(self._offsets).cast("B").cast("i"))
        self._data_view = cast(bytearray, memoryview(self._data).cast("B"))
        self._offset_view[0] = 0

    def add(self, batch: DecompressedBatch, spans: Spans, column: int, first: int, end: int, row: int) -> None:
        self._null_count += kernel_columns.copy_bytes(
            batch.section.buffer,
            spans,
            SPAN_COLUMNS,
            column,
            first,
            end,
            self._offset_view,
            self._data_view,
            self._validity,
            row,
        )

    def array(self, rows: int) -> pa.Array:
        validity = pa.py_buffer(self._validity) if self._null_count else None
        data = self._data.slice(0, self._offset_view[rows])
        return pa.Array.from_buffers(pa.binary(), rows, [validity, self._offsets, data], self._null_count)


class _NumberColumn:
    def __init__(self, rows_max: int) -> None:
        self._data = pa.allocate_buffer(_INT64_BYTES * rows_max)
        self._view = cast(IntArray, memoryview(self._data).cast("B").cast("q"))

    def add(self, spans: Spans, column: int, first: int, end: int, row: int) -> None:
        kernel_columns.copy_numbers(spans, SPAN_COLUMNS, column, first, end, self._view, row)

    def array(self, rows: int, kind: pa.DataType) -> pa.Array:
        return pa.Array.from_buffers(kind, rows, [None, self._data], 0)


class PlainColumns:
    """The columns of some record batches; rows outside of the offsets asked for are left out."""

    def __init__(
        self, group: list[DecompressedBatch], offset_min: int, offset_end: int, scratch: "SpanScratch"
    ) -> None:
        rows_max = sum(batch.header.records_count for batch in group)
        size_max = sum(batch.section.end - batch.section.start for batch in group)
        self.rows = 0
        self.timestamp_types = bytearray()
        self._keys = _BytesColumn(rows_max, size_max)
        self._values = _BytesColumn(rows_max, size_max)
        self._offsets = _NumberColumn(rows_max)
        self._timestamps = _NumberColumn(rows_max)
        for batch in group:
            self._add(batch, scratch.index(batch), offset_min, offset_end)

    def _add(self, batch: DecompressedBatch, spans: Spans, offset_min: int, offset_end: int) -> None:
        first, end = kernel_columns.rows_within(spans, SPAN_COLUMNS, offset_min, offset_end)
        self._keys.add(batch, spans, KEY, first, end, self.rows)
        self._values.add(batch, spans, VALUE, first, end, self.rows)
        self._offsets.add(spans, OFFSET, first, end, self.rows)
        self._timestamps.add(spans, TIMESTAMP, first, end, self.rows)
        self.timestamp_types.extend(bytes((batch.header.timestamp_type,)) * (end - first))
        self.rows += end - first

    def keys(self) -> pa.Array:
        return self._keys.array(self.rows)

    def values(self) -> pa.Array:
        return self._values.array(self.rows)

    def offsets(self) -> pa.Array:
        return self._offsets.array(self.rows, pa.int64())

    def timestamps(self) -> pa.Array:
        return self._timestamps.array(self.rows, pa.timestamp("ms", tz="UTC"))


class SpanScratch:
    """The spans of one record batch at a time."""

    def __init__(self) -> None:
        self._spans: Spans = array("q")

    def index(self, batch: DecompressedBatch) -> Spans:
        """Valid until the next call. InvalidRecordError: the records are not what the header says."""
        return index_section(batch.section, batch.header, self._room_for)

    def _room_for(self, records_count: int) -> Spans:
        if len(self._spans) < records_count * SPAN_COLUMNS:
            self._spans = new_spans(records_count)
        return cast(Spans, memoryview(self._spans)[: records_count * SPAN_COLUMNS])
