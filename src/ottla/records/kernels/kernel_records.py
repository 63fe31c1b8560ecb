"""Kernel: walks the records of one batch (format v2, decompressed) and says where everything lies, or what is wrong.

    record: length varint | attributes int8 | timestamp_delta varlong | offset_delta varint
            | key_length varint, key | value_length varint, value | headers_count varint, headers
    header: key_length varint, key | value_length varint, value          (length -1: null; a header key never is)
    varint: zigzag, 7 bits a byte, low bits first, high bit = more; at most 5 bytes (varlong 10)

What it finds goes into *spans*: rows of ten int64 per record, the one thing that all other kernels work from.

    COLUMN  MEANING                             COLUMN  MEANING
    0       offset                              5       value length, -1: null
    1       timestamp                           6       headers position (after their count)
    2       key position                        7       headers count
    3       key length, -1: null                8       record position (of its length)
    4       value position                      9       record end

The bytes come from outside: `_parse_record` compares every position with the end before it reads there, which is why
the generated C needs no bounds checks of its own. Arithmetic that could pass 64 bits is checked by comparison first,
so that C's wrapping integers and Python's endless ones never differ. The problem numbers are named in `problems`.
"""

from __future__ import annotations

from array import array

try:
    import cython
except ImportError:  # only the interpreted form gets here
    from ottla.records.kernels import cython_shim as cython

_STRIDE = cython.declare(cython.Py_ssize_t, 10)
_OFFSET = cython.declare(cython.Py_ssize_t, 0)
_TIMESTAMP = cython.declare(cython.Py_ssize_t, 1)
_KEY = cython.declare(cython.Py_ssize_t, 2)
_KEY_LENGTH = cython.declare(cython.Py_ssize_t, 3)
_VALUE = cython.declare(cython.Py_ssize_t, 4)
_HEADERS = cython.declare(cython.Py_ssize_t, 6)
_HEADERS_COUNT = cython.declare(cython.Py_ssize_t, 7)
_RECORD = cython.declare(cython.Py_ssize_t, 8)
_RECORD_END = cython.declare(cython.Py_ssize_t, 9)
# Validation works in one row of spans; behind that is room for what it found.
_AT = cython.declare(cython.Py_ssize_t, 10)
_MAX_TIMESTAMP = cython.declare(cython.Py_ssize_t, 11)
_MAX_TIMESTAMP_AT = cython.declare(cython.Py_ssize_t, 12)
# And for a number that is looked at once.
_SHORT = cython.declare(cython.Py_ssize_t, 13)
_NOTHING_FOUND = (-1,) * 14

_UINT32_MAX = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_INT64_MAX = cython.declare(cython.longlong, 0x7FFFFFFFFFFFFFFF)
_INT64_MIN = cython.declare(cython.longlong, -0x7FFFFFFFFFFFFFFF - 1)

_OK = cython.declare(cython.Py_ssize_t, 0)
_LENGTH = cython.declare(cython.Py_ssize_t, 1)
_FIELD = cython.declare(cython.Py_ssize_t, 2)
_HEADER = cython.declare(cython.Py_ssize_t, 3)
_UNFILLED = cython.declare(cython.Py_ssize_t, 4)
_COUNT = cython.declare(cython.Py_ssize_t, 5)
_REMAINDER = cython.declare(cython.Py_ssize_t, 6)
_OVERFLOW = cython.declare(cython.Py_ssize_t, 7)
_OFFSET_DELTA = cython.declare(cython.Py_ssize_t, 8)
_NULL_KEY = cython.declare(cython.Py_ssize_t, 9)
_TIMESTAMP_RANGE = cython.declare(cython.Py_ssize_t, 10)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _read_varint(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    size_max: cython.Py_ssize_t,
    fields: cython.longlong[::1],
    slot: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Puts the varint (`size_max` 5) or varlong (10) into fields[slot]; answers the position behind it, or -1."""
    raw: cython.ulonglong = 0
    part: cython.ulonglong
    shift: cython.Py_ssize_t = 0
    half: cython.longlong
    sign: cython.longlong
    if end - position > size_max:
        end = position + size_max
    while position < end:
        part = buffer[position]
        position += 1
        if part < 0x80:
            if shift == 63:
                part &= 1  # the tenth byte has one bit left to give
            raw |= part << shift
            if size_max == 5:
                raw &= _UINT32_MAX
            half = raw >> 1
            sign = raw & 1
            fields[slot] = half ^ -sign
            return position
        raw |= (part & 0x7F) << shift
        shift += 7
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _read_field(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    fields: cython.longlong[::1],
    slot: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Puts position and length of a nullable field into two slots; answers the position behind it, or -1."""
    length: cython.longlong
    position = _read_varint(buffer, position, end, 5, fields, slot + 1)
    if position < 0:
        return -1
    fields[slot] = position
    length = fields[slot + 1]
    if length < -1 or length > end - position:
        return -1
    if length > 0:
        position += length
    return position


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _skip_headers(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    fields: cython.longlong[::1],
    row: cython.Py_ssize_t,
    count: cython.longlong,
) -> cython.Py_ssize_t:
    """The position behind `count` headers, or -1. Borrows the slots of the record's own bounds, which are set after."""
    while count > 0:
        position = _read_field(buffer, position, end, fields, row + _RECORD)
        if position < 0 or fields[row + _RECORD + 1] < 0:
            return -1
        position = _read_field(buffer, position, end, fields, row + _RECORD)
        if position < 0:
            return -1
        count -= 1
    return position


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _parse_record(
    buffer: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    fields: cython.longlong[::1],
    row: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """One row of spans, offset and timestamp still as deltas. Answers the problem, 0 for none."""
    position: cython.Py_ssize_t = _read_varint(buffer, start, end, 5, fields, row + _RECORD)
    record_end: cython.Py_ssize_t
    if position < 0 or fields[row + _RECORD] < 1 or fields[row + _RECORD] > end - position:
        return _LENGTH
    record_end = position + fields[row + _RECORD]
    position = _read_varint(buffer, position + 1, record_end, 10, fields, row + _TIMESTAMP)
    if position < 0:
        return _FIELD
    position = _read_varint(buffer, position, record_end, 5, fields, row + _OFFSET)
    if position < 0:
        return _FIELD
    position = _read_field(buffer, position, record_end, fields, row + _KEY)
    if position < 0:
        return _FIELD
    position = _read_field(buffer, position, record_end, fields, row + _VALUE)
    if position < 0:
        return _FIELD
    position = _read_varint(buffer, position, record_end, 5, fields, row + _HEADERS_COUNT)
    if position < 0 or fields[row + _HEADERS_COUNT] < 0:
        return _HEADER
    fields[row + _HEADERS] = position
    position = _skip_headers(buffer, position, record_end, fields, row, fields[row + _HEADERS_COUNT])
    if position < 0:
        return _HEADER
    fields[row + _RECORD] = start
    fields[row + _RECORD_END] = record_end
    return _OK if position == record_end else _UNFILLED


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _read_short(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    fields: cython.longlong[::1],
    slot: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Puts a varint of up to three bytes, all of which can be read, into fields[slot], zigzag as it is.

    Answers the position behind it, -1 when it is longer. The position comes of the branches that are taken, not of the
    bytes: so the processor is at the next field before it has read this one.
    """
    first: cython.longlong = buffer[position]
    second: cython.longlong
    third: cython.longlong
    if first < 0x80:
        fields[slot] = first
        return position + 1
    second = buffer[position + 1]
    if second < 0x80:
        fields[slot] = first & 0x7F | second << 7
        return position + 2
    third = buffer[position + 2]
    if third < 0x80:
        fields[slot] = first & 0x7F | (second & 0x7F) << 7 | third << 14
        return position + 3
    return -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _skip_short_field(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    allow_null: cython.bint,
    fields: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """The position behind a nullable field, or -1: look closer."""
    length: cython.longlong
    if end - position < 3:
        return -1
    position = _read_short(buffer, position, fields, _SHORT)
    if position < 0:
        return -1
    if fields[_SHORT] & 1:  # negative: null, or wrong
        return position if fields[_SHORT] == 1 and allow_null else -1
    length = fields[_SHORT] >> 1
    return position + length if length <= end - position else -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _skip_plain_record(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    index: cython.longlong,
    need_key: cython.bint,
    fields: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """The end of a record as nearly all are: sound, short numbers, no headers; its timestamp delta is in `fields`.

    -1: look closer, with `_parse_record`. Twice as fast as that, since next to nothing is written down.
    """
    record_end: cython.Py_ssize_t
    if end - position < 10:  # length, attributes, two deltas: three times three bytes and one
        return -1
    position = _read_short(buffer, position, fields, _SHORT)
    if position < 0 or fields[_SHORT] & 1:
        return -1
    record_end = position + (fields[_SHORT] >> 1)
    if record_end > end:
        return -1
    position = _read_short(buffer, position + 1, fields, _SHORT)
    if position < 0:
        return -1
    fields[_TIMESTAMP] = (fields[_SHORT] >> 1) ^ -(fields[_SHORT] & 1)
    position = _read_short(buffer, position, fields, _SHORT)
    if position < 0 or fields[_SHORT] != index << 1:
        return -1
    position = _skip_short_field(buffer, position, end, not need_key, fields)
    if position < 0:
        return -1
    position = _skip_short_field(buffer, position, end, True, fields)
    if position < 0 or position >= end or buffer[position] != 0:
        return -1
    return record_end if position + 1 == record_end else -1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _overflows(base: cython.longlong, delta: cython.longlong) -> cython.bint:
    if delta > 0:
        return base > _INT64_MAX - delta
    return base < _INT64_MIN - delta


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _validate(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    records_count: cython.longlong,
    base_timestamp: cython.longlong,
    need_key: cython.bint,
    timestamp_min: cython.longlong,
    timestamp_max: cython.longlong,
    fields: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Walks all records. fields[10:13]: index of the record in hand, max timestamp, index of the first that has it."""
    index: cython.longlong = 0
    problem: cython.Py_ssize_t
    plain_end: cython.Py_ssize_t
    timestamp: cython.longlong
    if records_count < 0:
        return _COUNT
    while index < records_count:
        fields[_AT] = index
        if position >= end:
            return _COUNT
        plain_end = _skip_plain_record(buffer, position, end, index, need_key, fields)
        if plain_end >= 0:
            position = plain_end
        else:
            problem = _parse_record(buffer, position, end, fields, 0)
            if problem != _OK:
                return problem
            position = fields[_RECORD_END]
            if fields[_OFFSET] != index:
                return _OFFSET_DELTA
            if need_key and fields[_KEY_LENGTH] < 0:
                return _NULL_KEY
        if _overflows(base_timestamp, fields[_TIMESTAMP]):
            return _OVERFLOW
        timestamp = base_timestamp + fields[_TIMESTAMP]
        if timestamp < timestamp_min or timestamp > timestamp_max:
            return _TIMESTAMP_RANGE
        if index == 0 or timestamp > fields[_MAX_TIMESTAMP]:
            fields[_MAX_TIMESTAMP] = timestamp
            fields[_MAX_TIMESTAMP_AT] = index
        index += 1
    return _OK if position == end else _REMAINDER


def validate_records(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    records_count: cython.longlong,
    base_timestamp: cython.longlong,
    need_key: cython.bint,
    timestamp_min: cython.longlong,
    timestamp_max: cython.longlong,
):
    """(problem, index of the bad record, max timestamp, index of the first record that has it) of a records section.

    Offsets must be 0, 1, 2 ...; timestamps within `timestamp_min` and `timestamp_max`.
    """
    problem: cython.Py_ssize_t
    scratch: cython.longlong[::1] = array("q", _NOTHING_FOUND)
    if position < 0 or end > len(buffer) or position > end:
        raise ValueError("validate_records: section outside of the buffer")
    with cython.nogil:
        problem = _validate(
            buffer, position, end, records_count, base_timestamp, need_key, timestamp_min, timestamp_max, scratch
        )
    return problem, scratch[_AT], scratch[_MAX_TIMESTAMP], scratch[_MAX_TIMESTAMP_AT]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _index(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    records_count: cython.longlong,
    base_offset: cython.longlong,
    base_timestamp: cython.longlong,
    is_append_time: cython.bint,
    append_time: cython.longlong,
    spans: cython.longlong[::1],
) -> cython.Py_ssize_t:
    index: cython.longlong = 0
    row: cython.Py_ssize_t = 0
    problem: cython.Py_ssize_t
    if records_count < 0:
        return _COUNT
    while index < records_count:
        if position >= end:
            return _COUNT
        problem = _parse_record(buffer, position, end, spans, row)
        if problem != _OK:
            return problem
        position = spans[row + _RECORD_END]
        if _overflows(base_offset, spans[row + _OFFSET]):
            return _OVERFLOW
        spans[row + _OFFSET] += base_offset
        if is_append_time:
            spans[row + _TIMESTAMP] = append_time
        elif _overflows(base_timestamp, spans[row + _TIMESTAMP]):
            return _OVERFLOW
        else:
            spans[row + _TIMESTAMP] += base_timestamp
        row += _STRIDE
        index += 1
    return _OK if position == end else _REMAINDER


def index_records(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    records_count: cython.longlong,
    base_offset: cython.longlong,
    base_timestamp: cython.longlong,
    is_append_time: cython.bint,
    append_time: cython.longlong,
    spans: cython.longlong[::1],
):
    """Fills `spans` (ten int64 for each of `records_count` records); answers the problem, 0 for none.

    With `is_append_time` every record gets `append_time` for its timestamp, as LogAppendTime wants it.
    """
    problem: cython.Py_ssize_t
    if position < 0 or end > len(buffer) or position > end or len(spans) // _STRIDE < records_count:
        raise ValueError("index_records: section outside of the buffer, or too little room for its spans")
    with cython.nogil:
        problem = _index(
            buffer, position, end, records_count, base_offset, base_timestamp, is_append_time, append_time, spans
        )
    return problem


def count_headers(spans: cython.longlong[::1]):
    """How many headers the records of `spans` have together."""
    total: cython.longlong = 0
    row: cython.Py_ssize_t
    for row in range(_HEADERS_COUNT, len(spans), _STRIDE):
        total += spans[row]
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _index_headers(
    buffer: cython.const[cython.uchar][::1], spans: cython.longlong[::1], header_spans: cython.longlong[::1]
) -> cython.bint:
    row: cython.Py_ssize_t = 0
    slot: cython.Py_ssize_t = 0
    position: cython.Py_ssize_t
    end: cython.Py_ssize_t
    count: cython.longlong
    while row + _STRIDE <= len(spans):
        position = spans[row + _HEADERS]
        end = spans[row + _RECORD_END]
        count = spans[row + _HEADERS_COUNT]
        if position < 0 or end > len(buffer):
            return False
        while count > 0:
            if slot + 4 > len(header_spans):
                return False
            position = _read_field(buffer, position, end, header_spans, slot)
            if position < 0:
                return False
            position = _read_field(buffer, position, end, header_spans, slot + 2)
            if position < 0:
                return False
            slot += 4
            count -= 1
        row += _STRIDE
    return slot == len(header_spans)


def index_headers(
    buffer: cython.const[cython.uchar][::1], spans: cython.longlong[::1], header_spans: cython.longlong[::1]
):
    """Fills `header_spans`: key position, key length, value position, value length of each header, in order."""
    whole: cython.bint
    with cython.nogil:
        whole = _index_headers(buffer, spans, header_spans)
    if not whole:
        raise ValueError("index_headers: spans of another buffer")
