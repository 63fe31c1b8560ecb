"""Spans: where the parts of each record lie, as one flat array of int64 rows. The table is in `kernel_records`."""

from array import array
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    IntArray: TypeAlias = array[int]
else:
    IntArray = array  # can be subscripted only from Python 3.12 on

Spans: TypeAlias = IntArray

SPAN_COLUMNS = 10
OFFSET = 0
TIMESTAMP = 1
KEY = 2
KEY_LENGTH = 3
VALUE = 4
VALUE_LENGTH = 5
HEADERS = 6
HEADERS_COUNT = 7
RECORD = 8
RECORD_END = 9
KIND = 8  # instead of RECORD in a row of `kernel_legacy`: magic * 256 + attributes

HEADER_SPAN_COLUMNS = 4  # key position, key length, value position, value length
NO_HEADER_SPANS: Spans = array("q")
# Repeated it is one allocation, where zeroed bytes made into an array are two: these are megabytes.
_ZERO: Spans = array("q", (0,))


def new_spans(rows: int, columns: int = SPAN_COLUMNS) -> Spans:
    """Room for `rows` rows, zeroed."""
    return _ZERO * (columns * rows)
