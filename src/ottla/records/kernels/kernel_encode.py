"""Kernel: writes the records section of a batch (format v2) from lists of keys and values, or from spans.

The layout of a record is in `kernel_records`. Two walks: the first adds up sizes, so that the section is allocated
once and exactly; the second writes. A record's own length comes before its fields, so its size is computed again on
the way. Zigzag is written as comparisons instead of shifts of negative numbers: so C and Python agree on every int64.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # only the interpreted form gets here
    from ottla.records.kernels import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy

# The columns of spans; the table is in kernel_records.
_STRIDE = cython.declare(cython.Py_ssize_t, 10)
_TIMESTAMP = cython.declare(cython.Py_ssize_t, 1)
_KEY = cython.declare(cython.Py_ssize_t, 2)
_KEY_LENGTH = cython.declare(cython.Py_ssize_t, 3)
_VALUE = cython.declare(cython.Py_ssize_t, 4)
_VALUE_LENGTH = cython.declare(cython.Py_ssize_t, 5)
_HEADERS = cython.declare(cython.Py_ssize_t, 6)
_HEADERS_COUNT = cython.declare(cython.Py_ssize_t, 7)
_RECORD_END = cython.declare(cython.Py_ssize_t, 9)

_SECTION_MAX = cython.declare(cython.longlong, 0x7FFFFFFF)
_INT64_MAX = cython.declare(cython.longlong, 0x7FFFFFFFFFFFFFFF)
_INT64_MIN = cython.declare(cython.longlong, -0x7FFFFFFFFFFFFFFF - 1)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _zigzag(value: cython.longlong) -> cython.ulonglong:
    raw: cython.ulonglong
    if value >= 0:
        raw = value
        return raw << 1
    raw = -(value + 1)
    return (raw << 1) | 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _varint_size(value: cython.longlong) -> cython.Py_ssize_t:
    raw: cython.ulonglong = _zigzag(value)
    size: cython.Py_ssize_t = 1
    while raw > 0x7F:
        raw >>= 7
        size += 1
    return size


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _write_varint(out: cython.uchar[::1], position: cython.Py_ssize_t, value: cython.longlong) -> cython.Py_ssize_t:
    """Answers the position behind it. The room was counted before, by `_varint_size`."""
    raw: cython.ulonglong = _zigzag(value)
    while raw > 0x7F:
        out[position] = (raw & 0x7F) | 0x80
        raw >>= 7
        position += 1
    out[position] = raw
    return position + 1


@cython.cfunc
@cython.inline
@cython.boundscheck(False)
@cython.wraparound(False)
def _write_bytes(out: cython.uchar[::1], position: cython.Py_ssize_t, data: bytes | None) -> cython.Py_ssize_t:
    size: cython.Py_ssize_t = len(data)
    if cython.compiled:
        memcpy(cython.address(out[position]), cython.cast(cython.p_char, data), size)
    else:
        out[position : position + size] = data
    return position + size


@cython.cfunc
@cython.inline
def _field_size(data: bytes | None) -> cython.longlong:
    if data is None:
        return 1
    return _varint_size(len(data)) + len(data)


@cython.cfunc
@cython.inline
def _write_field(out: cython.uchar[::1], position: cython.Py_ssize_t, data: bytes | None) -> cython.Py_ssize_t:
    if data is None:
        return _write_varint(out, position, -1)
    return _write_bytes(out, _write_varint(out, position, len(data)), data)


def encode_headers(headers: list):
    """Count and headers, as they end a record. Keys and values are bytes; a value may be None."""
    size: cython.longlong = _varint_size(len(headers))
    position: cython.Py_ssize_t
    for key, value in headers:
        size += _field_size(key) + _field_size(value)
    section = bytearray(size)
    out: cython.uchar[::1] = section
    position = _write_varint(out, 0, len(headers))
    for key, value in headers:
        position = _write_field(out, position, key)
        position = _write_field(out, position, value)
    return bytes(section)


@cython.cfunc
def _check_rows(
    keys: list | None, values: list, timestamps: list | None, headers: list | None, offset_deltas: list | None
):
    """Every list has the length of `values`, keys and values are bytes or None, encoded headers are bytes."""
    count = len(values)
    for column in (keys, timestamps, headers, offset_deltas):
        if column is not None and len(column) != count:
            raise ValueError(f"encode_records: {len(column)} entries for {count} values")
    for column in (keys, values, headers):
        if column is not None:
            for data in column:
                if data is not None and type(data) is not bytes:
                    raise TypeError(f"encode_records: bytes expected, not {type(data).__name__}")


@cython.cfunc
@cython.inline
def _delta_of(timestamps: list | None, index: cython.Py_ssize_t, base_timestamp: cython.longlong) -> cython.longlong:
    timestamp: cython.longlong
    if timestamps is None:
        return 0
    timestamp = timestamps[index]
    if base_timestamp < 0 and timestamp > _INT64_MAX + base_timestamp:
        raise ValueError("encode_records: a timestamp too far from the base timestamp")
    if base_timestamp > 0 and timestamp < _INT64_MIN + base_timestamp:
        raise ValueError("encode_records: a timestamp too far from the base timestamp")
    return timestamp - base_timestamp


@cython.cfunc
@cython.inline
def _body_size(
    key: bytes | None,
    value: bytes | None,
    header: bytes | None,
    timestamp_delta: cython.longlong,
    offset_delta: cython.longlong,
) -> cython.longlong:
    """What the record's length says: everything behind the length."""
    size: cython.longlong = 1 + _varint_size(timestamp_delta) + _varint_size(offset_delta)
    size += _field_size(key) + _field_size(value)
    return size + (1 if header is None else len(header))


def encode_records(
    keys: list | None,
    values: list,
    timestamps: list | None,
    base_timestamp: cython.longlong,
    headers: list | None,
    offset_deltas: list | None,
):
    """The records section, as a bytearray. `keys`, `timestamps`, `headers`, `offset_deltas` may be None.

    Without timestamps every record has the base timestamp, without offset deltas they are 0, 1, 2 ... An entry of
    `headers` is the outcome of `encode_headers`, or None for no headers.
    """
    count: cython.Py_ssize_t = len(values)
    index: cython.Py_ssize_t
    position: cython.Py_ssize_t = 0
    size: cython.longlong = 0
    body: cython.longlong
    timestamp_delta: cython.longlong
    offset_delta: cython.longlong
    _check_rows(keys, values, timestamps, headers, offset_deltas)
    for index in range(count):
        timestamp_delta = _delta_of(timestamps, index, base_timestamp)
        offset_delta = index if offset_deltas is None else offset_deltas[index]
        body = _body_size(
            None if keys is None else keys[index],
            values[index],
            None if headers is None else headers[index],
            timestamp_delta,
            offset_delta,
        )
        size += _varint_size(body) + body
        if size > _SECTION_MAX:
            raise ValueError("encode_records: more than 2 GiB in one batch")
    section = bytearray(size)
    out: cython.uchar[::1] = section
    for index in range(count):
        key: bytes | None = None if keys is None else keys[index]
        value: bytes | None = values[index]
        header: bytes | None = None if headers is None else headers[index]
        timestamp_delta = _delta_of(timestamps, index, base_timestamp)
        offset_delta = index if offset_deltas is None else offset_deltas[index]
        body = _body_size(key, value, header, timestamp_delta, offset_delta)
        position = _write_varint(out, position, body)
        out[position] = 0
        position = _write_varint(out, position + 1, timestamp_delta)
        position = _write_varint(out, position, offset_delta)
        position = _write_field(out, position, key)
        position = _write_field(out, position, value)
        position = _write_bytes(out, position, b"\x00" if header is None else header)
    return section


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _fits(spans: cython.const[cython.longlong][::1], column: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.bint:
    """Whether the field whose position and length stand in `column` lies within `size` bytes, for every row."""
    at: cython.Py_ssize_t = column
    while at + 1 < len(spans):
        if spans[at] < 0 or spans[at] > size or spans[at + 1] < -1 or spans[at + 1] > size - spans[at]:
            return False
        at += _STRIDE
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _deltas_fit(
    spans: cython.const[cython.longlong][::1],
    size: cython.Py_ssize_t,
    base_offset: cython.longlong,
    base_timestamp: cython.longlong,
) -> cython.bint:
    """Whether headers lie within `size` bytes and offsets and timestamps close enough to their bases."""
    row: cython.Py_ssize_t = 0
    while row < len(spans):
        if spans[row + _HEADERS_COUNT] < 0 or spans[row + _HEADERS] < 0 or spans[row + _RECORD_END] > size:
            return False
        if spans[row + _HEADERS] > spans[row + _RECORD_END]:
            return False
        if spans[row] < base_offset or (base_offset >= 0 and spans[row] - base_offset > _SECTION_MAX):
            return False
        if base_timestamp < 0 and spans[row + _TIMESTAMP] > _INT64_MAX + base_timestamp:
            return False
        if base_timestamp > 0 and spans[row + _TIMESTAMP] < _INT64_MIN + base_timestamp:
            return False
        row += _STRIDE
    return True


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _span_body_size(
    spans: cython.const[cython.longlong][::1],
    row: cython.Py_ssize_t,
    offset_delta: cython.longlong,
    base_timestamp: cython.longlong,
) -> cython.longlong:
    size: cython.longlong = 1 + _varint_size(spans[row + _TIMESTAMP] - base_timestamp) + _varint_size(offset_delta)
    size += _varint_size(spans[row + _KEY_LENGTH]) + _varint_size(spans[row + _VALUE_LENGTH])
    if spans[row + _KEY_LENGTH] > 0:
        size += spans[row + _KEY_LENGTH]
    if spans[row + _VALUE_LENGTH] > 0:
        size += spans[row + _VALUE_LENGTH]
    size += _varint_size(spans[row + _HEADERS_COUNT])
    if spans[row + _HEADERS_COUNT] > 0:
        size += spans[row + _RECORD_END] - spans[row + _HEADERS]
    return size


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _copy(
    out: cython.uchar[::1],
    position: cython.Py_ssize_t,
    source: cython.const[cython.uchar][::1],
    start: cython.longlong,
    size: cython.longlong,
) -> cython.Py_ssize_t:
    if size <= 0:
        return position
    if cython.compiled:
        memcpy(cython.address(out[position]), cython.address(source[start]), size)
    else:
        out[position : position + size] = source[start : start + size]
    return position + size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _spans_size(
    spans: cython.const[cython.longlong][::1],
    base_offset: cython.longlong,
    base_timestamp: cython.longlong,
    is_sequential: cython.bint,
) -> cython.longlong:
    """What all records of `spans` take, -1 if that is more than a batch can hold."""
    row: cython.Py_ssize_t = 0
    size: cython.longlong = 0
    body: cython.longlong
    offset_delta: cython.longlong = 0
    while row < len(spans):
        if not is_sequential:
            offset_delta = spans[row] - base_offset
        body = _span_body_size(spans, row, offset_delta, base_timestamp)
        size += _varint_size(body) + body
        if size > _SECTION_MAX:
            return -1
        offset_delta += 1
        row += _STRIDE
    return size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _write_spans(
    out: cython.uchar[::1],
    keys: cython.const[cython.uchar][::1],
    values: cython.const[cython.uchar][::1],
    headers: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    base_offset: cython.longlong,
    base_timestamp: cython.longlong,
    is_sequential: cython.bint,
) -> cython.Py_ssize_t:
    row: cython.Py_ssize_t = 0
    position: cython.Py_ssize_t = 0
    offset_delta: cython.longlong = 0
    while row < len(spans):
        if not is_sequential:
            offset_delta = spans[row] - base_offset
        position = _write_varint(out, position, _span_body_size(spans, row, offset_delta, base_timestamp))
        out[position] = 0
        position = _write_varint(out, position + 1, spans[row + _TIMESTAMP] - base_timestamp)
        position = _write_varint(out, position, offset_delta)
        position = _write_varint(out, position, spans[row + _KEY_LENGTH])
        position = _copy(out, position, keys, spans[row + _KEY], spans[row + _KEY_LENGTH])
        position = _write_varint(out, position, spans[row + _VALUE_LENGTH])
        position = _copy(out, position, values, spans[row + _VALUE], spans[row + _VALUE_LENGTH])
        position = _write_varint(out, position, spans[row + _HEADERS_COUNT])
        if spans[row + _HEADERS_COUNT] > 0:
            position = _copy(
                out, position, headers, spans[row + _HEADERS], spans[row + _RECORD_END] - spans[row + _HEADERS]
            )
        offset_delta += 1
        row += _STRIDE
    return position


def encode_spans(
    keys: cython.const[cython.uchar][::1],
    values: cython.const[cython.uchar][::1],
    headers: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    base_offset: cython.longlong,
    base_timestamp: cython.longlong,
    is_sequential: cython.bint,
):
    """The records section of the records in `spans`, whose parts lie in the three buffers (or in one and the same).

    Offset deltas are 0, 1, 2 ... with `is_sequential`, otherwise those of the spans' offsets to `base_offset`.
    """
    size: cython.longlong
    fits: cython.bint
    with cython.nogil:
        fits = len(spans) % _STRIDE == 0 and (is_sequential or base_offset >= 0)
        fits = fits and _fits(spans, _KEY, len(keys)) and _fits(spans, _VALUE, len(values))
        fits = fits and _deltas_fit(spans, len(headers), _INT64_MIN if is_sequential else base_offset, base_timestamp)
        size = _spans_size(spans, base_offset, base_timestamp, is_sequential) if fits else -1
    if size < 0:
        raise ValueError("encode_spans: spans of another buffer, too far apart, or more than 2 GiB")
    section = bytearray(size)
    out: cython.uchar[::1] = section
    with cython.nogil:
        _write_spans(out, keys, values, headers, spans, base_offset, base_timestamp, is_sequential)
    return section
