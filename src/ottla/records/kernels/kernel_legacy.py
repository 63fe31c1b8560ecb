"""Kernel: message sets of formats v0 and v1, to spans and from spans.

    OFFSET  SIZE  FIELD
    0       8     offset
    8       4     size            of what follows
    12      4     crc             CRC-32 of everything behind it (`kernel_scan` checks and stamps it)
    16      1     magic           0 or 1
    17      1     attributes
    18      8     timestamp       only magic 1
    18/26   4     key length      -1: null
            ...   key
            4     value length    -1: null
            ...   value

A row of spans is that of `kernel_records`, with no headers (count 0, an empty range) and, for want of a record
position, magic * 256 + attributes in column 8. A v0 message has timestamp -1.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # only the interpreted form gets here
    from ottla.records.kernels import cython_shim as cython

if cython.compiled:
    from cython.cimports.libc.string import memcpy

_LOG_OVERHEAD = cython.declare(cython.Py_ssize_t, 12)
_SIZE_MIN = cython.declare(cython.Py_ssize_t, 14)
_SET_MAX = cython.declare(cython.longlong, 0x7FFFFFFF)
_STRIDE = cython.declare(cython.Py_ssize_t, 10)
_TIMESTAMP = cython.declare(cython.Py_ssize_t, 1)
_KEY = cython.declare(cython.Py_ssize_t, 2)
_KEY_LENGTH = cython.declare(cython.Py_ssize_t, 3)
_VALUE = cython.declare(cython.Py_ssize_t, 4)
_VALUE_LENGTH = cython.declare(cython.Py_ssize_t, 5)
_HEADERS = cython.declare(cython.Py_ssize_t, 6)
_HEADERS_COUNT = cython.declare(cython.Py_ssize_t, 7)
_KIND = cython.declare(cython.Py_ssize_t, 8)
_RECORD_END = cython.declare(cython.Py_ssize_t, 9)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _signed(
    buffer: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.longlong:
    """The big-endian signed integer of `size` bytes."""
    value: cython.longlong = buffer[position]
    index: cython.Py_ssize_t
    if value > 0x7F:
        value -= 0x100
    for index in range(1, size):
        value = value * 256 + buffer[position + index]
    return value


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _message_end(
    buffer: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where the message at `position` ends; -1: it is cut short; -2: it cannot be one."""
    size: cython.longlong
    if end - position < _LOG_OVERHEAD:
        return -1
    size = _signed(buffer, position + 8, 4)
    if size < _SIZE_MIN:
        return -2
    if size > end - position - _LOG_OVERHEAD:
        return -1
    if buffer[position + 16] > 1:
        return -2
    return position + _LOG_OVERHEAD + size


def count_messages(buffer: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, end: cython.Py_ssize_t):
    """(count, end position, whether a message cut short is what follows), by sizes and magics alone."""
    count: cython.longlong = 0
    message_end: cython.Py_ssize_t = 0
    if position < 0 or position > end or end > len(buffer):
        raise ValueError("count_messages: outside of the buffer")
    with cython.nogil:
        while position < end:
            message_end = _message_end(buffer, position, end)
            if message_end < 0:
                break
            position = message_end
            count += 1
    return count, position, message_end == -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _read_field(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    spans: cython.longlong[::1],
    slot: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Position and length of a field into two slots; the position behind it, or -1."""
    length: cython.longlong
    if end - position < 4:
        return -1
    length = _signed(buffer, position, 4)
    position += 4
    if length < -1 or length > end - position:
        return -1
    spans[slot] = position
    spans[slot + 1] = length
    if length > 0:
        position += length
    return position


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _index_message(
    buffer: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    spans: cython.longlong[::1],
    row: cython.Py_ssize_t,
) -> cython.bint:
    position: cython.Py_ssize_t = start + 18
    spans[row] = _signed(buffer, start, 8)
    spans[row + _TIMESTAMP] = -1
    spans[row + _KIND] = _signed(buffer, start + 16, 1) * 256 + buffer[start + 17]
    spans[row + _HEADERS] = start
    spans[row + _HEADERS_COUNT] = 0
    spans[row + _RECORD_END] = start
    if buffer[start + 16] == 1:
        if end - position < 8:
            return False
        spans[row + _TIMESTAMP] = _signed(buffer, position, 8)
        position += 8
    position = _read_field(buffer, position, end, spans, row + _KEY)
    if position < 0:
        return False
    return _read_field(buffer, position, end, spans, row + _VALUE) == end


def index_messages(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    spans: cython.longlong[::1],
):
    """Fills `spans` for as many messages as there is room for; answers the index of the first bad one, or -1."""
    row: cython.Py_ssize_t = 0
    message_end: cython.Py_ssize_t
    whole: cython.bint = True
    if position < 0 or position > end or end > len(buffer):
        raise ValueError("index_messages: outside of the buffer")
    with cython.nogil:
        while row + _STRIDE <= len(spans):
            message_end = _message_end(buffer, position, end)
            whole = message_end > 0 and _index_message(buffer, position, message_end, spans, row)
            if not whole:
                break
            position = message_end
            row += _STRIDE
    return -1 if whole else row // _STRIDE


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _write_signed(
    out: cython.uchar[::1], position: cython.Py_ssize_t, value: cython.longlong, size: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    index: cython.Py_ssize_t
    for index in range(size):
        out[position + index] = (value >> (8 * (size - 1 - index))) & 0xFF
    return position + size


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _write_field(
    out: cython.uchar[::1],
    position: cython.Py_ssize_t,
    source: cython.const[cython.uchar][::1],
    start: cython.longlong,
    size: cython.longlong,
) -> cython.Py_ssize_t:
    position = _write_signed(out, position, size, 4)
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
def _messages_size(
    spans: cython.const[cython.longlong][::1], buffer_size: cython.longlong, fixed: cython.longlong
) -> cython.longlong:
    """What the messages take, -1 if a field lies outside of the buffer or it is too much."""
    row: cython.Py_ssize_t = 0
    slot: cython.Py_ssize_t
    total: cython.longlong = 0
    while row < len(spans):
        total += fixed
        for slot in range(row + _KEY, row + _VALUE_LENGTH, 2):
            if spans[slot] < 0 or spans[slot] > buffer_size:
                return -1
            if spans[slot + 1] < -1 or spans[slot + 1] > buffer_size - spans[slot]:
                return -1
            if spans[slot + 1] > 0:
                total += spans[slot + 1]
        if total > _SET_MAX:
            return -1
        row += _STRIDE
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _write_messages(
    out: cython.uchar[::1],
    buffer: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    magic: cython.longlong,
    attributes: cython.longlong,
    offset_base: cython.longlong,
) -> cython.Py_ssize_t:
    row: cython.Py_ssize_t = 0
    position: cython.Py_ssize_t = 0
    size_at: cython.Py_ssize_t
    while row < len(spans):
        size_at = _write_signed(out, position, spans[row] - offset_base, 8)
        position = _write_signed(out, size_at + 8, magic, 1)
        position = _write_signed(out, position, attributes, 1)
        if magic == 1:
            position = _write_signed(out, position, spans[row + _TIMESTAMP], 8)
        position = _write_field(out, position, buffer, spans[row + _KEY], spans[row + _KEY_LENGTH])
        position = _write_field(out, position, buffer, spans[row + _VALUE], spans[row + _VALUE_LENGTH])
        _write_signed(out, size_at, position - size_at - 4, 4)
        row += _STRIDE
    return position


def encode_messages(
    buffer: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    magic: cython.longlong,
    attributes: cython.longlong,
    offset_base: cython.longlong,
):
    """A message set of the records in `spans`, offsets less `offset_base`, all of one kind, CRCs still zero."""
    size: cython.longlong
    if magic not in (0, 1) or len(spans) % _STRIDE:
        raise ValueError("encode_messages: magic 0 or 1, and whole rows of spans")
    if offset_base < 0:
        raise ValueError("encode_messages: a negative offset")
    with cython.nogil:
        size = _messages_size(spans, len(buffer), 34 if magic == 1 else 26)
    if size < 0:
        raise ValueError("encode_messages: spans of another buffer, or more than 2 GiB")
    message_set = bytearray(size)
    out: cython.uchar[::1] = message_set
    with cython.nogil:
        _write_messages(out, buffer, spans, magic, attributes, offset_base)
    return message_set
