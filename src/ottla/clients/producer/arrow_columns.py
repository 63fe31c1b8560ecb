"""Arrow's columns as the buffers that the kernels take. The only module of the producer that imports pyarrow."""

from array import array
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ottla.clients.errors import SerializationError
from ottla.records.columns import ArrowBytes
from ottla.records.kernels.spans import IntArray
from ottla.records.partitioning import NO_PARTITION


def bytes_column(column: Any) -> ArrowBytes:
    """A column of binary or string, of either width, without a copy."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if pa.types.is_null(column.type):
        column = column.cast(pa.binary())
    elif pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    is_large = pa.types.is_large_binary(kind) or pa.types.is_large_string(kind)
    if not (is_large or pa.types.is_binary(kind) or pa.types.is_string(kind)):
        raise SerializationError(f"keys and values are binary or string columns, not {kind}")
    validity, offsets, data = column.buffers()
    return ArrowBytes(
        b"\0" * 8 if offsets is None else _view(offsets),
        _view(data),
        _view(validity),
        column.offset,
        8 if is_large else 4,
    )


def _view(buffer: Any) -> memoryview:
    """A buffer as unsigned bytes; none at all where Arrow left it out."""
    return memoryview(b"" if buffer is None else buffer).cast("B")


def partitions_column(column: Any) -> IntArray:
    """The partition that each row is for, NO_PARTITION where it is null."""
    lowest = pc.min(column).as_py()
    if lowest is not None and lowest < 0:
        raise SerializationError(f"a partition is not negative: {lowest}")
    return numbers_column(pc.fill_null(column, pa.scalar(NO_PARTITION, column.type)), "i")


def numbers_column(column: Any, kind: str) -> IntArray:
    """A column of integers or timestamps (as milliseconds), as an array. Nulls are not allowed."""
    if column.null_count:
        raise SerializationError("a column of timestamps has nulls")
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("ms", tz=column.type.tz), safe=False)
    column = column.cast(pa.int32() if kind == "i" else pa.int64())
    numbers = array(kind)
    width = numbers.itemsize
    _, data = column.buffers()
    numbers.frombytes(memoryview(data)[column.offset * width : (column.offset + len(column)) * width])
    return numbers
