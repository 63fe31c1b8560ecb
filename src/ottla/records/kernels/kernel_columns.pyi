from ottla.records.batch import Buffer
from ottla.records.kernels.spans import IntArray, Spans

def rows_within(spans: Spans, stride: int, offset_min: int, offset_end: int) -> tuple[int, int]: ...
def sum_positive(spans: Spans, stride: int, column: int, first: int, end: int) -> int: ...
def copy_numbers(spans: Spans, stride: int, column: int, first: int, end: int, out: IntArray, row: int) -> None: ...
def copy_counts(spans: Spans, stride: int, column: int, first: int, end: int, offsets: IntArray, row: int) -> None: ...
def copy_bytes(
    buffer: Buffer,
    spans: Spans,
    stride: int,
    column: int,
    first: int,
    end: int,
    offsets: IntArray,
    data: bytearray,
    validity: bytearray,
    row: int,
) -> int: ...
def take_fields(
    offsets: Buffer,
    width: int,
    validity: Buffer,
    first: int,
    data_size: int,
    spans: Spans,
    stride: int,
    column: int,
) -> None: ...
def take_numbers(numbers: IntArray | memoryview, spans: Spans, stride: int, column: int) -> None: ...
def group_rows(spans: Spans, stride: int, groups: IntArray, starts: IntArray, out: Spans) -> None: ...
