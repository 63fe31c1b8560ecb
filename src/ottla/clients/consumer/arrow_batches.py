"""Fetched data as Arrow record batches, with the columns of Spark's Kafka source. Imports pyarrow when first used.

    key, value       binary, null where there is none
    topic            string
    partition        int32
    offset           int64
    timestamp        timestamp in milliseconds, UTC
    timestampType    int32: 0 CreateTime, 1 LogAppendTime
    headers          list<struct<key: string, value: binary>>, only where asked for

The bytes of keys and values are copied once, by a kernel, from the fetched batches into the columns.
"""

from array import array
from typing import Any

import pyarrow as pa

from ottla.clients.consumer.fetched import FetchedPartition
from ottla.records.columns import BytesColumn, RecordColumns

_HEADER = pa.struct([pa.field("key", pa.string(), nullable=False), pa.field("value", pa.binary())])
_FIELDS = [
    pa.field("key", pa.binary()),
    pa.field("value", pa.binary()),
    pa.field("topic", pa.string()),
    pa.field("partition", pa.int32()),
    pa.field("offset", pa.int64()),
    pa.field("timestamp", pa.timestamp("ms", tz="UTC")),
    pa.field("timestampType", pa.int32()),
]


def schema(*, with_headers: bool) -> pa.Schema:
    return pa.schema([*_FIELDS, pa.field("headers", pa.list_(_HEADER))] if with_headers else _FIELDS)


def record_batch(fetched: list[FetchedPartition], *, with_headers: bool) -> pa.RecordBatch:
    """One batch of everything, in the order of the data."""
    batches = [_partition_batch(data, with_headers) for data in fetched]
    batches = [batch for batch in batches if batch.num_rows]
    if len(batches) == 1:
        return batches[0]
    table = pa.Table.from_batches(batches, schema(with_headers=with_headers)).combine_chunks()
    combined = table.to_batches()
    return combined[0] if combined else pa.RecordBatch.from_pylist([], schema(with_headers=with_headers))


def _partition_batch(fetched: FetchedPartition, with_headers: bool) -> pa.RecordBatch:
    columns = fetched.take_columns(with_headers=with_headers)
    fetched.state.position = fetched.position
    rows = columns.rows
    topic, partition = fetched.state.partition
    arrays = [
        bytes_array(columns.keys, rows, pa.binary()),
        bytes_array(columns.values, rows, pa.binary()),
        pa.repeat(pa.scalar(topic, pa.string()), rows),
        number_array(array("i", [partition]) * rows, pa.int32()),
        number_array(columns.offsets, pa.int64()),
        number_array(columns.timestamps, pa.timestamp("ms", tz="UTC")),
        number_array(columns.timestamp_types, pa.int8()).cast(pa.int32()),
    ]
    if with_headers:
        arrays.append(_headers(columns))
    return pa.RecordBatch.from_arrays(arrays, schema=schema(with_headers=with_headers))


def _headers(columns: RecordColumns) -> pa.Array:
    count = columns.header_offsets[columns.rows]
    pairs = pa.StructArray.from_arrays(
        [bytes_array(columns.header_keys, count, pa.string()), bytes_array(columns.header_values, count, pa.binary())],
        fields=[_HEADER.field("key"), _HEADER.field("value")],
    )
    offsets = number_array(columns.header_offsets, pa.int32())
    return pa.ListArray.from_arrays(offsets, pairs)


# What the kernels laid out as Arrow does, wrapped as arrays: nothing is copied.


def bytes_array(column: BytesColumn, rows: int, kind: pa.DataType) -> pa.Array:
    validity = pa.py_buffer(column.validity) if column.null_count else None
    buffers = [validity, pa.py_buffer(column.offsets), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(kind, rows, buffers, column.null_count)


def number_array(numbers: Any, kind: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)], 0)
