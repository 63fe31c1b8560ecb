"""Spans: where the parts of each record lie, as one flat array of int64 rows. The table is in `kernel_records`."""

from array import array
from typing import TypeAlias

Spans: TypeAlias = "array[int]"

SPAN_COLUMNS = 10
HEADER_SPAN_COLUMNS = 4  # key position, key length, value position, value length


def new_spans(rows: int, columns: int = SPAN_COLUMNS) -> Spans:
    """Room for `rows` rows, zeroed."""
    return array("q", bytes(8 * columns * max(0, rows)))
