"""Kernel: Python objects for records, from the spans that `kernel_records` found.

This is the loop behind every record that a client iterates over, so it makes each row once, in its final class. It
works on objects and keeps the GIL. Spans are checked against the buffer before bounds checks are switched off.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # only the interpreted form gets here
    from ottla.records.kernels import cython_shim as cython

# The columns of spans that are used here; the table is in kernel_records.
_STRIDE = cython.declare(cython.Py_ssize_t, 10)
_TIMESTAMP = cython.declare(cython.Py_ssize_t, 1)
_KEY = cython.declare(cython.Py_ssize_t, 2)
_VALUE = cython.declare(cython.Py_ssize_t, 4)
_HEADERS_COUNT = cython.declare(cython.Py_ssize_t, 7)


@cython.cfunc
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _fits(
    spans: cython.longlong[::1], first: cython.Py_ssize_t, stride: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.bint:
    """Whether the field whose position and length are in column `first` lies within `size` bytes, for every row."""
    at: cython.Py_ssize_t = first
    while at + 1 < len(spans):
        if spans[at] < 0 or spans[at] > size or spans[at + 1] > size - spans[at]:
            return False
        at += stride
    return True


@cython.cfunc
@cython.inline
@cython.boundscheck(False)
@cython.wraparound(False)
def _bytes_at(buffer: cython.const[cython.uchar][::1], position: cython.longlong, length: cython.longlong) -> object:
    if length < 0:
        return None
    if cython.compiled:
        return cython.cast(cython.p_char, cython.address(buffer[position]))[:length]
    else:  # noqa: RET505 (the compiler drops this branch; after a return it would warn)
        return bytes(buffer[position : position + length])


@cython.cfunc
@cython.boundscheck(False)
@cython.wraparound(False)
def _headers_at(
    buffer: cython.const[cython.uchar][::1],
    header_spans: cython.longlong[::1],
    at: cython.Py_ssize_t,
    count: cython.longlong,
) -> tuple:
    headers: list = []
    end: cython.Py_ssize_t = at + 4 * count
    while at < end:
        key: bytes = _bytes_at(buffer, header_spans[at], header_spans[at + 1])
        headers.append((key.decode("utf-8", "replace"), _bytes_at(buffer, header_spans[at + 2], header_spans[at + 3])))
        at += 4
    return tuple(headers)


@cython.boundscheck(False)
@cython.wraparound(False)
def make_rows(
    buffer: cython.const[cython.uchar][::1],
    spans: cython.longlong[::1],
    header_spans: cython.longlong[::1],
    offset_min: cython.longlong,
    prefix: tuple,
    row_class: type,
):
    """`row_class` of (*prefix, offset, timestamp, key, value, headers) for each record from `offset_min` on.

    A header key that is not UTF-8 gets replacement characters, as Java reads it.
    """
    rows: list = []
    row: cython.Py_ssize_t = 0
    header_at: cython.Py_ssize_t = 0
    headers: tuple
    size: cython.Py_ssize_t = len(buffer)
    if len(spans) % _STRIDE or not (_fits(spans, _KEY, _STRIDE, size) and _fits(spans, _VALUE, _STRIDE, size)):
        raise ValueError("make_rows: spans of another buffer")
    if not (_fits(header_spans, 0, 4, size) and _fits(header_spans, 2, 4, size)):
        raise ValueError("make_rows: header spans of another buffer")
    new = tuple.__new__
    while row < len(spans):
        headers = ()
        if spans[row + _HEADERS_COUNT] > 0:
            if spans[row + _HEADERS_COUNT] > (len(header_spans) - header_at) // 4:
                raise ValueError("make_rows: header spans of other records")
            if spans[row] >= offset_min:
                headers = _headers_at(buffer, header_spans, header_at, spans[row + _HEADERS_COUNT])
            header_at += 4 * spans[row + _HEADERS_COUNT]
        if spans[row] >= offset_min:
            fields = (
                spans[row],
                spans[row + _TIMESTAMP],
                _bytes_at(buffer, spans[row + _KEY], spans[row + _KEY + 1]),
                _bytes_at(buffer, spans[row + _VALUE], spans[row + _VALUE + 1]),
                headers,
            )
            rows.append(new(row_class, prefix + fields if prefix else fields))
        row += _STRIDE
    return rows
