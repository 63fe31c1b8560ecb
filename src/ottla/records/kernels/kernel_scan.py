"""Kernel: walks the batches of a log file and checks their checksums, without the GIL; those of old messages too.

This is recovery after a crash: every byte past the recovery point is read once, and the first batch that cannot be
trusted is where the log ends. A table CRC (slicing by 8, about 2 GB/s) is slower than the `crc32c` package with its
CPU instructions, but it needs no Python object and so lets the event loop go on. Interpreted, the package is used.

    COLUMN  of a scan (int64 each, one block of `capacity` per column)
    0 position    1 size            2 base_offset     3 last_offset   4 base_timestamp  5 max_timestamp
    6 producer_id 7 producer_epoch  8 base_sequence   9 leader_epoch  10 attributes     11 records_count

The offsets within a batch header are those of the table in `records.batch`.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # only the interpreted form gets here
    from ottla.records.kernels import cython_shim as cython

if not cython.compiled:
    from zlib import crc32

    from crc32c import crc32c

_HEADER_SIZE = cython.declare(cython.Py_ssize_t, 61)
_LOG_OVERHEAD = cython.declare(cython.Py_ssize_t, 12)
_MESSAGE_SIZE_MIN = cython.declare(cython.Py_ssize_t, 14)
_MAGIC = cython.declare(cython.longlong, 2)
_CASTAGNOLI = cython.declare(cython.Py_ssize_t, 1)
_IEEE = cython.declare(cython.Py_ssize_t, 0)
_ALL_ONES = cython.declare(cython.uint, 0xFFFFFFFF)
_UINT32_MAX = cython.declare(cython.longlong, 0xFFFFFFFF)
_OFFSET_MAX = cython.declare(cython.longlong, 0x7FFFFFFFFFFFFFFF - 0x7FFFFFFF)

# Why a scan stopped: named in records.scan.
_END = cython.declare(cython.Py_ssize_t, 0)
_SHORT = cython.declare(cython.Py_ssize_t, 1)
_BAD_LENGTH = cython.declare(cython.Py_ssize_t, 2)
_BAD_MAGIC = cython.declare(cython.Py_ssize_t, 3)
_BAD_CRC = cython.declare(cython.Py_ssize_t, 4)
_BAD_OFFSETS = cython.declare(cython.Py_ssize_t, 5)


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
def _checksum(
    table: cython.const[cython.uint][::1],
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    polynomial: cython.Py_ssize_t,
) -> cython.uint:
    """The reflected CRC of buffer[position:end] by `table`, which belongs to `polynomial`."""
    if cython.compiled:
        crc: cython.uint = _ALL_ONES
        while end - position >= 8:
            crc ^= (
                buffer[position]
                | (cython.cast(cython.uint, buffer[position + 1]) << 8)
                | (cython.cast(cython.uint, buffer[position + 2]) << 16)
                | (cython.cast(cython.uint, buffer[position + 3]) << 24)
            )
            crc = (
                table[1792 + (crc & 0xFF)]
                ^ table[1536 + ((crc >> 8) & 0xFF)]
                ^ table[1280 + ((crc >> 16) & 0xFF)]
                ^ table[1024 + (crc >> 24)]
                ^ table[768 + buffer[position + 4]]
                ^ table[512 + buffer[position + 5]]
                ^ table[256 + buffer[position + 6]]
                ^ table[buffer[position + 7]]
            )
            position += 8
        while position < end:
            crc = table[(crc ^ buffer[position]) & 0xFF] ^ (crc >> 8)
            position += 1
        return crc ^ _ALL_ONES
    else:  # noqa: RET505 (the compiler drops this branch; after a return it would warn)
        return (crc32c if polynomial == _CASTAGNOLI else crc32)(buffer[position:end])


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _frame_problem(
    buffer: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Whether a whole batch of format v2 can lie at `position`, by its length and magic."""
    length: cython.longlong
    if position == end:
        return _END
    if end - position <= 16:
        return _SHORT
    if buffer[position + 16] != _MAGIC:
        return _BAD_MAGIC
    if end - position < _HEADER_SIZE:
        return _SHORT
    length = _signed(buffer, position + 8, 4)
    if length < _HEADER_SIZE - _LOG_OVERHEAD:
        return _BAD_LENGTH
    if length > end - position - _LOG_OVERHEAD:
        return _SHORT
    return -1


def count_batches(buffer: cython.const[cython.uchar][::1], start: cython.Py_ssize_t):
    """How many batches follow one another from `start` on, by their lengths alone."""
    count: cython.longlong = 0
    position: cython.Py_ssize_t = start
    end: cython.Py_ssize_t = len(buffer)
    if start < 0 or start > end:
        raise ValueError("count_batches: start outside of the buffer")
    with cython.nogil:
        while _frame_problem(buffer, position, end) == -1:
            position += _LOG_OVERHEAD + _signed(buffer, position + 8, 4)
            count += 1
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _take_batch(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    columns: cython.longlong[::1],
    row: cython.Py_ssize_t,
    capacity: cython.Py_ssize_t,
) -> cython.bint:
    """The header at `position` into row `row`; False where its offsets cannot be."""
    base_offset: cython.longlong = _signed(buffer, position, 8)
    last_offset_delta: cython.longlong = _signed(buffer, position + 23, 4)
    if base_offset < 0 or last_offset_delta < 0 or base_offset > _OFFSET_MAX:
        return False
    columns[row] = position
    columns[row + capacity] = _LOG_OVERHEAD + _signed(buffer, position + 8, 4)
    columns[row + 2 * capacity] = base_offset
    columns[row + 3 * capacity] = base_offset + last_offset_delta
    columns[row + 4 * capacity] = _signed(buffer, position + 27, 8)
    columns[row + 5 * capacity] = _signed(buffer, position + 35, 8)
    columns[row + 6 * capacity] = _signed(buffer, position + 43, 8)
    columns[row + 7 * capacity] = _signed(buffer, position + 51, 2)
    columns[row + 8 * capacity] = _signed(buffer, position + 53, 4)
    columns[row + 9 * capacity] = _signed(buffer, position + 12, 4)
    columns[row + 10 * capacity] = _signed(buffer, position + 21, 2)
    columns[row + 11 * capacity] = _signed(buffer, position + 57, 4)
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _scan(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    offset_min: cython.longlong,
    table: cython.const[cython.uint][::1],
    columns: cython.longlong[::1],
    capacity: cython.Py_ssize_t,
    outcome: cython.longlong[::1],
) -> cython.Py_ssize_t:
    """Fills `columns`. outcome: number of rows, position where it stopped. Answers why it did."""
    row: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = len(buffer)
    batch_end: cython.Py_ssize_t
    problem: cython.Py_ssize_t
    stored: cython.longlong
    while True:
        outcome[0] = row
        outcome[1] = position
        problem = _frame_problem(buffer, position, end)
        if problem != -1:
            return problem
        if row == capacity:
            return _END
        batch_end = position + _LOG_OVERHEAD + _signed(buffer, position + 8, 4)
        stored = _signed(buffer, position + 17, 4) & _UINT32_MAX
        if _checksum(table, buffer, position + 21, batch_end, _CASTAGNOLI) != stored:
            return _BAD_CRC
        if not _take_batch(buffer, position, columns, row, capacity) or columns[row + 2 * capacity] < offset_min:
            return _BAD_OFFSETS
        offset_min = columns[row + 3 * capacity] + 1
        position = batch_end
        row += 1


def scan_batches(
    buffer: cython.const[cython.uchar][::1],
    start: cython.Py_ssize_t,
    offset_min: cython.longlong,
    table: cython.const[cython.uint][::1],
    columns: cython.longlong[::1],
    outcome: cython.longlong[::1],
):
    """Scans from `start` to the first batch that cannot be trusted; answers why it stopped there, 0 for the end.

    Offsets must rise, from `offset_min` on. `columns` has 12 blocks; `outcome` gets the rows and the end position.
    """
    reason: cython.Py_ssize_t
    capacity: cython.Py_ssize_t = len(columns) // 12
    if start < 0 or start > len(buffer) or len(table) != 2048 or len(outcome) < 2:
        raise ValueError("scan_batches: start outside of the buffer, or no room for the outcome")
    with cython.nogil:
        reason = _scan(buffer, start, offset_min, table, columns, capacity, outcome)
    return reason


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _message_end(
    buffer: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Where the v0/v1 message at `position` ends, -1 if it does not fit or cannot be one."""
    size: cython.longlong
    if end - position < _LOG_OVERHEAD + _MESSAGE_SIZE_MIN:
        return -1
    size = _signed(buffer, position + 8, 4)
    if size < _MESSAGE_SIZE_MIN or size > end - position - _LOG_OVERHEAD:
        return -1
    return position + _LOG_OVERHEAD + size


def check_messages(
    buffer: cython.const[cython.uchar][::1],
    position: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    table: cython.const[cython.uint][::1],
):
    """The position of the first v0/v1 message whose frame or CRC-32 is wrong; `end` if all are right."""
    message_end: cython.Py_ssize_t
    stored: cython.longlong
    if position < 0 or position > end or end > len(buffer) or len(table) != 2048:
        raise ValueError("check_messages: outside of the buffer")
    with cython.nogil:
        while position < end:
            message_end = _message_end(buffer, position, end)
            if message_end < 0:
                break
            stored = _signed(buffer, position + 12, 4) & _UINT32_MAX
            if _checksum(table, buffer, position + 16, message_end, _IEEE) != stored:
                break
            position = message_end
    return position


@cython.boundscheck(False)
@cython.wraparound(False)
def stamp_messages(buffer: cython.uchar[::1], table: cython.const[cython.uint][::1]):
    """Sets the CRC-32 of every v0/v1 message in the buffer."""
    position: cython.Py_ssize_t = 0
    message_end: cython.Py_ssize_t
    crc: cython.uint
    if len(table) != 2048:
        raise ValueError("stamp_messages: no table")
    with cython.nogil:
        while position < len(buffer):
            message_end = _message_end(buffer, position, len(buffer))
            if message_end < 0:
                break
            crc = _checksum(table, buffer, position + 16, message_end, _IEEE)
            buffer[position + 12] = crc >> 24
            buffer[position + 13] = (crc >> 16) & 0xFF
            buffer[position + 14] = (crc >> 8) & 0xFF
            buffer[position + 15] = crc & 0xFF
            position = message_end
    if position != len(buffer):
        raise ValueError("stamp_messages: not a message set")
