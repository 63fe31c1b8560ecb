"""Decoded columns as Arrow record batches with the columns of Spark's Kafka source (`schema`).

The kernels have laid keys, values, offsets and headers out as Arrow has them, so wrapping them costs nothing. What
is the same in every row (topic, partition, timestamp type) is made once and cut to size. Timestamps alone are copied:
Kafka counts milliseconds, Spark microseconds.
"""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ottla.clients.consumer.arrow_batches import bytes_array, number_array
from ottla.clients.consumer.fetched import DecompressedBatch
from ottla.records.columns import RecordColumns, decode_columns
from ottla.spark.errors import TimestampError
from ottla.spark.plain_columns import PlainColumns, SpanScratch
from ottla.spark.schema import HEADER, HEADERS_LIST, TIMESTAMP, arrow_schema

_MILLISECONDS = pa.timestamp("ms", tz="UTC")
# What 64 bits of microseconds hold.
MILLISECONDS_MAX = (2**63 - 1) // 1000


class RecordBatchBuilder:
    """Makes the batches of one partition."""

    def __init__(self, topic: str, partition: int, *, include_headers: bool) -> None:
        self._schema = arrow_schema(include_headers=include_headers)
        self._include_headers = include_headers
        self._scratch = SpanScratch()
        self._topic = _Constant(pa.scalar(topic, pa.string()))
        self._partition = _Constant(pa.scalar(partition, pa.int32()))
        self._timestamp_types = [_Constant(pa.scalar(number, pa.int32())) for number in (0, 1)]

    def build(self, group: list[DecompressedBatch], offset_min: int, offset_end: int) -> pa.RecordBatch:
        """The records with offset_min <= offset < offset_end; there may be none."""
        if self._include_headers:
            return self._build_with_headers(group, offset_min, offset_end)
        plain = PlainColumns(group, offset_min, offset_end, self._scratch)
        arrays = [plain.keys(), plain.values(), plain.offsets(), plain.timestamps()]
        return self._batch(*arrays, plain.timestamp_types)

    def _build_with_headers(self, group: list[DecompressedBatch], offset_min: int, offset_end: int) -> pa.RecordBatch:
        columns = decode_columns(group, offset_min=offset_min, offset_end=offset_end)
        return self._batch(
            bytes_array(columns.keys, columns.rows, pa.binary()),
            bytes_array(columns.values, columns.rows, pa.binary()),
            number_array(columns.offsets, pa.int64()),
            number_array(columns.timestamps, _MILLISECONDS),
            columns.timestamp_types,
            _headers(columns),
        )

    def _batch(
        self, keys: pa.Array, values: pa.Array, offsets: pa.Array, times: pa.Array, types: bytearray, *headers: pa.Array
    ) -> pa.RecordBatch:
        rows = len(types)
        topic, partition = self._topic.rows(rows), self._partition.rows(rows)
        times = self._microseconds(times, offsets)
        arrays = [keys, values, topic, partition, offsets, times, self._timestamp_type(types), *headers]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _microseconds(self, times: pa.Array, offsets: pa.Array) -> pa.Array:
        try:
            return times.cast(TIMESTAMP)
        except pa.ArrowInvalid:
            pairs = zip(times.cast(pa.int64()).to_pylist(), offsets.to_pylist(), strict=True)
            time, offset = next((time, offset) for time, offset in pairs if abs(time) > MILLISECONDS_MAX)
            raise TimestampError(self._topic.value, self._partition.value, offset, time) from None

    def _timestamp_type(self, types: bytearray) -> pa.Array:
        first = types[0] if types else 0
        if types.count(first) == len(types):
            return self._timestamp_types[first].rows(len(types))
        return number_array(types, pa.int8()).cast(pa.int32())


class _Constant:
    """A column that has the same value in all rows."""

    def __init__(self, value: pa.Scalar) -> None:
        self._scalar = value
        self._rows = pa.repeat(value, 0)

    @property
    def value(self) -> Any:
        return self._scalar.as_py()

    def rows(self, count: int) -> pa.Array:
        if len(self._rows) < count:
            self._rows = pa.repeat(self._scalar, count)
        return self._rows.slice(0, count)


def _headers(columns: RecordColumns) -> pa.Array:
    """A record without headers has null, as with Spark's source."""
    count = columns.header_offsets[columns.rows]
    pairs = pa.StructArray.from_arrays(
        [bytes_array(columns.header_keys, count, pa.string()), bytes_array(columns.header_values, count, pa.binary())],
        fields=list(HEADER),
    )
    offsets = number_array(columns.header_offsets, pa.int32())
    starts, ends = offsets.slice(0, columns.rows), offsets.slice(1)
    is_empty = pc.equal(starts, ends)
    return pa.ListArray.from_arrays(offsets, pairs, type=HEADERS_LIST, mask=is_empty)
