"""Arrow's columns as the buffers that the kernels take. The only module of the producer that imports pyarrow."""

from array import array
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ottla.clients.errors import SerializationError
from ottla.records.columns import ArrowBytes
from ottla.records.kernels.spans import IntArray
from ottla.records.partitioning import NO_PARTITION


def bytes_column(column: Any) -> ArrowBytes:
    """A column of binary or string, of either width, without a copy."""
    column = _plain(column)
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


def _plain(column: Any) -> Any:
    """The same column, laid out as offsets and data where Arrow has another layout for it."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_null(kind) or pa.types.is_fixed_size_binary(kind):
        return column.cast(pa.binary())
    if pa.types.is_binary_view(kind) or pa.types.is_string_view(kind):
        return column.cast(pa.large_binary() if pa.types.is_binary_view(kind) else pa.large_string())
    return column


def _view(buffer: Any) -> memoryview:
    """A buffer as unsigned bytes; none at all where Arrow left it out."""
    return memoryview(b"" if buffer is None else buffer).cast("B")


def partitions_column(column: Any) -> IntArray:
    """The partition that each row is for, NO_PARTITION where it is null."""
    lowest = pc.min(column).as_py()
    if lowest is not None and lowest < 0:
        raise SerializationError(f"a partition is not negative: {lowest}")
    return numbers_column(column, "i", NO_PARTITION)


def numbers_column(column: Any, kind: str, default: int) -> IntArray:
    """A column of integers or timestamps (as milliseconds), as an array; nulls are `default`."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("ms", tz=column.type.tz), safe=False)
    column = column.cast(pa.int32() if kind == "i" else pa.int64()).fill_null(default)
    numbers = array(kind)
    width = numbers.itemsize
    _, data = column.buffers()
    if data is not None:
        numbers.frombytes(memoryview(data)[column.offset * width : (column.offset + len(column)) * width])
    return numbers


def header_rows(column: Any) -> Iterator[list[tuple[bytes, bytes | None]]]:
    """The headers of each row of a list<struct<key, value>>, as Spark has them; a null list is no headers."""
    kind = column.type
    is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if pa.types.is_null(kind):
        yield from ([] for _ in range(len(column)))
        return
    if not (is_list and pa.types.is_struct(kind.value_type) and kind.value_type.num_fields == 2):
        raise SerializationError(f"headers are a column of list<struct<key: string, value: binary>>, not {kind}")
    offsets = column.offsets.to_pylist()
    entries = column.values.slice(offsets[0], offsets[-1] - offsets[0])
    keys, values = (_plain(entries.field(index)).cast(pa.large_binary()).to_pylist() for index in (0, 1))
    if entries.null_count or None in keys:
        raise SerializationError("a header without a key")
    first = offsets[0]
    for start, end, is_there in zip(offsets, offsets[1:], column.is_valid().to_pylist(), strict=False):
        entries_range = slice(start - first, end - first) if is_there else slice(0)
        yield list(zip(keys[entries_range], values[entries_range], strict=True))


def by_topic(batch: Any, topic: str | None) -> Iterator[tuple[str, Any]]:
    """Rows with the topic that they go to: the one that is given, else that of their column `topic`."""
    if topic is not None:
        yield topic, batch
        return
    if "topic" not in batch.schema.names:
        raise SerializationError("no topic: give one, or a batch with a column topic")
    topics = batch.column("topic").cast(pa.string())
    if topics.null_count:
        raise SerializationError("a row has no topic: null in the column topic")
    for name in pc.unique(topics).to_pylist():
        yield name, batch.filter(pc.equal(topics, name))
