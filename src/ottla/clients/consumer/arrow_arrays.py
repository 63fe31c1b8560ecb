"""What the kernels laid out as Arrow does, wrapped as Arrow arrays: nothing is copied."""

from typing import Any

import pyarrow as pa

from ottla.records.columns import BytesColumn


def bytes_array(column: BytesColumn, rows: int, kind: pa.DataType) -> pa.Array:
    validity = pa.py_buffer(column.validity) if column.null_count else None
    buffers = [validity, pa.py_buffer(column.offsets), pa.py_buffer(column.data)]
    return pa.Array.from_buffers(kind, rows, buffers, column.null_count)


def number_array(numbers: Any, kind: pa.DataType) -> pa.Array:
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)], 0)
