"""Kernel: columns of records, in Arrow's layout, from spans and back to them.

    variable-size column   offsets int32 (rows + 1), data, validity bitmap (bit 1: not null, low bit first)
    fixed-size column      int64 per row
    list column            offsets int32 (rows + 1) into the rows of the child columns

A column grows run by run: each call takes rows of one buffer and goes on where the call before stopped. Everything is
checked against the rooms that were given before bounds checks go off; nothing here holds the GIL while it copies.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # only the interpreted form gets here
    from ottla.records.kernels import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy

_INT32_MAX = cython.declare(cython.longlong, 0x7FFFFFFF)


@cython.boundscheck(False)
@cython.wraparound(False)
def rows_within(
    spans: cython.const[cython.longlong][::1],
    stride: cython.Py_ssize_t,
    offset_min: cython.longlong,
    offset_end: cython.longlong,
):
    """(first, end) of the rows with offset_min <= offset < offset_end; offsets rise."""
    first: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = len(spans) // stride
    while first < end and spans[first * stride] < offset_min:
        first += 1
    while end > first and spans[(end - 1) * stride] >= offset_end:
        end -= 1
    return first, end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _sum_positive(
    spans: cython.const[cython.longlong][::1],
    stride: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.longlong:
    total: cython.longlong = 0
    at: cython.Py_ssize_t = first * stride + column
    while first < end:
        if spans[at] > 0:
            total += spans[at]
        at += stride
        first += 1
    return total


def sum_positive(
    spans: cython.const[cython.longlong][::1],
    stride: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
):
    """The sum of a column of lengths or counts; a negative length (null) counts nothing."""
    total: cython.longlong
    if not (0 <= first <= end <= len(spans) // stride and 0 <= column < stride):
        raise ValueError("sum_positive: rows outside of the spans")
    with cython.nogil:
        total = _sum_positive(spans, stride, column, first, end)
    return total


@cython.boundscheck(False)
@cython.wraparound(False)
def copy_numbers(
    spans: cython.const[cython.longlong][::1],
    stride: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    out: cython.longlong[::1],
    row: cython.Py_ssize_t,
):
    """Rows first to end of a column into `out`, from `row` on."""
    if not (
        0 <= first <= end <= len(spans) // stride and 0 <= column < stride and 0 <= row <= len(out) - (end - first)
    ):
        raise ValueError("copy_numbers: rows outside of the spans or of the column")
    with cython.nogil:
        while first < end:
            out[row] = spans[first * stride + column]
            row += 1
            first += 1


@cython.boundscheck(False)
@cython.wraparound(False)
def copy_counts(
    spans: cython.const[cython.longlong][::1],
    stride: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    offsets: cython.int[::1],
    row: cython.Py_ssize_t,
):
    """Counts of a column as list offsets: offsets[row + 1] = offsets[row] + count, from `row` on."""
    total: cython.longlong
    if not (0 <= first <= end <= len(spans) // stride and 0 <= column < stride):
        raise ValueError("copy_counts: rows outside of the spans")
    if not 0 <= row < len(offsets) - (end - first):
        raise ValueError("copy_counts: rows outside of the column")
    with cython.nogil:
        total = offsets[row]
        while first < end:
            total += spans[first * stride + column]
            if total > _INT32_MAX:
                break
            row += 1
            offsets[row] = total
            first += 1
    if first < end:
        raise ValueError("copy_counts: more entries than an int32 counts")


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _copy_bytes(
    buffer: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    at: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
    rows: cython.Py_ssize_t,
    offsets: cython.int[::1],
    data: cython.uchar[::1],
    validity: cython.uchar[::1],
    row: cython.Py_ssize_t,
) -> cython.longlong:
    """How many rows were null; -1: a field lies outside of the buffer, or the data is full."""
    nulls: cython.longlong = 0
    position: cython.longlong = offsets[row]
    start: cython.longlong
    size: cython.longlong
    if position < 0:
        return -1
    while rows > 0:
        start = spans[at]
        size = spans[at + 1]
        if size < 0:
            nulls += 1
        else:
            if start < 0 or start > len(buffer) or size > len(buffer) - start or size > len(data) - position:
                return -1
            if size > 0:
                if cython.compiled:
                    memcpy(cython.address(data[position]), cython.address(buffer[start]), size)
                else:
                    data[position : position + size] = buffer[start : start + size]
                position += size
            validity[row >> 3] |= 1 << (row & 7)
        row += 1
        offsets[row] = position
        at += stride
        rows -= 1
    return nulls


def copy_bytes(
    buffer: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    stride: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
    first: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    offsets: cython.int[::1],
    data: cython.uchar[::1],
    validity: cython.uchar[::1],
    row: cython.Py_ssize_t,
):
    """The fields whose position and length stand in `column`, copied into a variable-size column from `row` on.

    Answers the number of nulls. `validity` must be zeroed before the first call.
    """
    nulls: cython.longlong
    if not (0 <= first <= end <= len(spans) // stride and 0 <= column < stride - 1):
        raise ValueError("copy_bytes: rows outside of the spans")
    if not 0 <= row < len(offsets) - (end - first) or (row + end - first + 7) >> 3 > len(validity):
        raise ValueError("copy_bytes: rows outside of the column")
    if len(data) > _INT32_MAX:
        raise ValueError("copy_bytes: more data than an int32 counts")
    with cython.nogil:
        nulls = _copy_bytes(buffer, spans, first * stride + column, stride, end - first, offsets, data, validity, row)
    if nulls < 0:
        raise ValueError("copy_bytes: spans of another buffer, or a column that is too small")
    return nulls


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _little_endian(
    buffer: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, width: cython.Py_ssize_t
) -> cython.longlong:
    """A non-negative number of 4 or 8 bytes, -1 for a negative one."""
    value: cython.longlong = buffer[position + width - 1]
    index: cython.Py_ssize_t
    if value > 0x7F:
        return -1
    for index in range(2, width + 1):
        value = value * 256 + buffer[position + width - index]
    return value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _take_fields(
    offsets: cython.const[cython.uchar][::1],
    width: cython.Py_ssize_t,
    validity: cython.const[cython.uchar][::1],
    row: cython.Py_ssize_t,
    data_size: cython.longlong,
    spans: cython.longlong[::1],
    at: cython.Py_ssize_t,
    stride: cython.Py_ssize_t,
) -> cython.bint:
    start: cython.longlong
    end: cython.longlong = _little_endian(offsets, row * width, width)
    while at + 1 < len(spans):
        start = end
        end = _little_endian(offsets, (row + 1) * width, width)
        if start < 0 or end < start or end > data_size:
            return False
        spans[at] = start
        spans[at + 1] = end - start
        if len(validity) > 0 and not (validity[row >> 3] >> (row & 7)) & 1:
            spans[at + 1] = -1
        row += 1
        at += stride
    return True


def take_fields(
    offsets: cython.const[cython.uchar][::1],
    width: cython.Py_ssize_t,
    validity: cython.const[cython.uchar][::1],
    first: cython.Py_ssize_t,
    data_size: cython.longlong,
    spans: cython.longlong[::1],
    stride: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
):
    """The other way: positions and lengths of a variable-size column, from its row `first` on, into `column` of spans.

    `offsets` are the bytes of little-endian integers of `width` 4 or 8; an empty `validity` means no nulls.
    """
    rows: cython.Py_ssize_t = len(spans) // stride
    fits: cython.bint
    if width not in (4, 8) or first < 0 or len(offsets) // width < first + rows + 1:
        raise ValueError("take_fields: rows outside of the column")
    if (len(validity) > 0 and len(validity) < (first + rows + 7) >> 3) or not 0 <= column < stride - 1:
        raise ValueError("take_fields: validity of fewer rows, or a column outside of the spans")
    if len(spans) % stride:
        raise ValueError("take_fields: not whole rows of spans")
    with cython.nogil:
        fits = _take_fields(offsets, width, validity, first, data_size, spans, column, stride)
    if not fits:
        raise ValueError("take_fields: offsets that fall or pass the data")


@cython.boundscheck(False)
@cython.wraparound(False)
def take_numbers(
    numbers: cython.const[cython.longlong][::1],
    spans: cython.longlong[::1],
    stride: cython.Py_ssize_t,
    column: cython.Py_ssize_t,
):
    """A column of int64 into `column` of spans."""
    row: cython.Py_ssize_t
    if len(numbers) != len(spans) // stride or not 0 <= column < stride:
        raise ValueError("take_numbers: as many numbers as rows are needed")
    with cython.nogil:
        for row in range(len(numbers)):
            spans[row * stride + column] = numbers[row]


@cython.boundscheck(False)
@cython.wraparound(False)
def group_rows(
    spans: cython.const[cython.longlong][::1],
    stride: cython.Py_ssize_t,
    groups: cython.const[cython.int][::1],
    starts: cython.longlong[::1],
    out: cython.longlong[::1],
):
    """Rows of spans by their group, in order: group g ends up in rows starts[g] to starts[g + 1] of `out`.

    `starts` has one more entry than there are groups and begins as zeros.
    """
    row: cython.Py_ssize_t
    group: cython.Py_ssize_t
    column: cython.Py_ssize_t
    target: cython.Py_ssize_t
    rows: cython.Py_ssize_t = len(groups)
    if rows * stride != len(spans) or len(out) != len(spans):
        raise ValueError("group_rows: as many groups as rows are needed")
    for row in range(rows):
        group = groups[row]
        if group < 0 or group >= len(starts) - 1:
            raise ValueError(f"group_rows: no group {group}")
        starts[group] += 1
    with cython.nogil:
        # Counts become ends; walking backwards then turns every end into its start.
        for group in range(1, len(starts)):
            starts[group] += starts[group - 1]
        for row in range(rows - 1, -1, -1):
            group = groups[row]
            starts[group] -= 1
            target = starts[group] * stride
            for column in range(stride):
                out[target + column] = spans[row * stride + column]
