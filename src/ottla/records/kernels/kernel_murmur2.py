"""Kernel: murmur2 as Java's default partitioner computes it, so that a key finds the same partition from any client.

The sum is kept in 64 bits and cut to 32 after every step: products of two 32-bit numbers fit, so C and Python agree.
"""

from __future__ import annotations

try:
    import cython
except ImportError:  # only the interpreted form gets here
    from ottla.records.kernels import cython_shim as cython

_SEED = cython.declare(cython.ulonglong, 0x9747B28C)
_M = cython.declare(cython.ulonglong, 0x5BD1E995)
_UINT32_MAX = cython.declare(cython.ulonglong, 0xFFFFFFFF)
_INT32_MAX = cython.declare(cython.ulonglong, 0x7FFFFFFF)
# The columns of spans; the table is in kernel_records.
_STRIDE = cython.declare(cython.Py_ssize_t, 10)
_KEY = cython.declare(cython.Py_ssize_t, 2)
_KEY_LENGTH = cython.declare(cython.Py_ssize_t, 3)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
@cython.boundscheck(False)
@cython.wraparound(False)
def _murmur2(
    data: cython.const[cython.uchar][::1], position: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.ulonglong:
    size_word: cython.ulonglong = size
    h: cython.ulonglong = _SEED ^ (size_word & _UINT32_MAX)
    k: cython.ulonglong
    byte: cython.ulonglong
    while size >= 4:
        byte = data[position + 3]
        k = data[position] | (data[position + 1] << 8) | (data[position + 2] << 16) | (byte << 24)
        k = (k * _M) & _UINT32_MAX
        k = ((k ^ (k >> 24)) * _M) & _UINT32_MAX
        h = ((h * _M) & _UINT32_MAX) ^ k
        position += 4
        size -= 4
    if size == 3:
        h ^= data[position + 2] << 16
    if size >= 2:
        h ^= data[position + 1] << 8
    if size >= 1:
        h = ((h ^ data[position]) * _M) & _UINT32_MAX
    h = ((h ^ (h >> 13)) * _M) & _UINT32_MAX
    return h ^ (h >> 15)


def murmur2(data: cython.const[cython.uchar][::1]):
    """The 32-bit hash, unsigned."""
    return _murmur2(data, 0, len(data))


def partition_for_key(key: cython.const[cython.uchar][::1], partitions_count: cython.longlong):
    """The partition of a key: the hash without its sign bit, modulo the number of partitions."""
    hashed: cython.longlong = _murmur2(key, 0, len(key)) & _INT32_MAX
    if partitions_count < 1:
        raise ValueError("a topic has at least one partition")
    return hashed % partitions_count


@cython.boundscheck(False)
@cython.wraparound(False)
def partition_spans(
    keys: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    partitions_count: cython.longlong,
    partitions: cython.int[::1],
):
    """The partition of every row's key; -1 for a row without one, whose partition is the producer's choice."""
    row: cython.Py_ssize_t
    at: cython.Py_ssize_t
    hashed: cython.longlong
    whole: cython.bint = True
    if partitions_count < 1 or len(spans) != _STRIDE * len(partitions):
        raise ValueError("partition_spans: as many partitions as rows are needed")
    with cython.nogil:
        for row in range(len(partitions)):
            at = row * _STRIDE + _KEY
            if spans[at + 1] < 0:
                partitions[row] = -1
            elif spans[at] < 0 or spans[at] > len(keys) or spans[at + 1] > len(keys) - spans[at]:
                whole = False
                break
            else:
                hashed = _murmur2(keys, spans[at], spans[at + 1]) & _INT32_MAX
                partitions[row] = hashed % partitions_count
    if not whole:
        raise ValueError("partition_spans: spans of another buffer")
