"""The four codecs of a records section, through cramjam; decompression never gives more than it was allowed to.

    gzip     RFC 1952
    snappy   written in the framing of xerial's snappy-java, as Java's client does; that and one bare block are read
    lz4      LZ4 frame, blocks independent, no content checksum (Java refuses linked blocks)
    zstd     Zstandard frame, which may or may not name its content size

A compressed section says little that can be trusted about its size, and 9 KB of zstd can hold 300 MB. So output goes
only into a buffer that is there (`decompress_into`), which begins small and doubles up to `size_max`; past that the
section is refused, after at most twice the work of `size_max` bytes. cramjam's output_len is a hint and bounds
nothing.

cramjam lets go of the GIL in all of these but one (measured: another Python thread is held up no longer than the switch
interval while 120 MB go through). The exception is LZ4 compression, whose streaming object holds it, for about 0.3 ms
per MB. So large sections may be decompressed in a thread.
"""

from collections.abc import Callable
from struct import Struct
from typing import Any

import cramjam

from ottla.errors.kafka import InvalidRecordError
from ottla.records.attributes import Codec
from ottla.records.batch import Buffer

FIRST_SIZE_MIN = 16 * 1024
XERIAL_MAGIC = b"\x82SNAPPY\x00"
XERIAL_HEADER_SIZE = 16
XERIAL_HEADER = XERIAL_MAGIC + b"\x00\x00\x00\x01\x00\x00\x00\x01"
XERIAL_BLOCK_SIZE = 32 * 1024
OUTPUT_FULL = "failed to write whole buffer"

_INT32 = Struct(">i")

DEFAULT_LEVELS = {Codec.GZIP: 6, Codec.LZ4: None, Codec.ZSTD: 3}


def compress(codec: Codec, data: Buffer, level: int | None = None) -> bytes:
    """`data` as one section. `level` is the codec's own scale; None: its default."""
    if codec is Codec.NONE:
        return bytes(data)
    if codec is Codec.SNAPPY:
        return _compress_xerial(data)
    if codec is Codec.LZ4:
        return _compress_lz4(data, level)
    module = cramjam.gzip if codec is Codec.GZIP else cramjam.zstd
    return bytes(module.compress(data, DEFAULT_LEVELS[codec] if level is None else level))


def _compress_lz4(data: Buffer, level: int | None) -> bytes:
    compressor = cramjam.lz4.Compressor(level=level, content_checksum=False, block_linked=False)
    compressor.compress(bytes(data))  # unlike its siblings it takes nothing else
    return bytes(compressor.finish())


def _compress_xerial(data: Buffer) -> bytes:
    """Magic, version and compatible version, then blocks of 32 KiB with their compressed sizes before them."""
    out = bytearray(XERIAL_HEADER)
    with memoryview(data) as view:
        for start in range(0, len(view), XERIAL_BLOCK_SIZE):
            block = cramjam.snappy.compress_raw(view[start : start + XERIAL_BLOCK_SIZE])
            out += _INT32.pack(len(block))
            out += memoryview(block)
    return bytes(out)


def decompress(codec: Codec, data: Buffer, size_max: int) -> bytes:
    """The section that `data` was made of. InvalidRecordError: it is damaged, or larger than `size_max`."""
    if codec is Codec.NONE:
        if len(data) > size_max:
            raise _too_large(size_max)
        return bytes(data)
    try:
        if codec is Codec.SNAPPY:
            return _decompress_snappy(data, size_max)
        return _decompress_growing(_INTO[codec], data, size_max)
    except cramjam.DecompressionError as error:
        raise InvalidRecordError(f"{codec.name.lower()} section cannot be decompressed: {error}") from error


def _decompress_growing(into: Callable[[Any, Any], int], data: Buffer, size_max: int) -> bytes:
    size = min(size_max, max(FIRST_SIZE_MIN, 4 * len(data)))
    while True:
        out = bytearray(size)
        try:
            written = into(data, out)
        except cramjam.DecompressionError as error:
            if str(error) != OUTPUT_FULL:
                raise
            if size >= size_max:
                raise _too_large(size_max) from error
            size = min(size_max, 2 * size)
        else:
            return bytes(memoryview(out)[:written])


_INTO: dict[Codec, Callable[[Any, Any], int]] = {
    Codec.GZIP: cramjam.gzip.decompress_into,
    Codec.LZ4: cramjam.lz4.decompress_into,
    Codec.ZSTD: cramjam.zstd.decompress_into,
}


def _decompress_snappy(data: Buffer, size_max: int) -> bytes:
    view = memoryview(data)
    if bytes(view[: len(XERIAL_MAGIC)]) != XERIAL_MAGIC:
        return bytes(_decompress_block(view, size_max, 0))
    return _decompress_xerial(view, size_max)


def _decompress_xerial(view: memoryview, size_max: int) -> bytes:
    out = bytearray()
    position = XERIAL_HEADER_SIZE
    if len(view) < position:
        raise InvalidRecordError("snappy section ends within its header")
    while position < len(view):
        block = _xerial_block(view, position)
        position += _INT32.size + len(block)
        out += _decompress_block(block, size_max, len(out))
    return bytes(out)


def _xerial_block(view: memoryview, position: int) -> memoryview:
    start = position + _INT32.size
    if start > len(view):
        raise InvalidRecordError("snappy section ends within the size of a block")
    (size,) = _INT32.unpack_from(view, position)
    if not 0 <= size <= len(view) - start:
        raise InvalidRecordError(f"snappy block of {size} bytes in {len(view) - start}")
    return view[start : start + size]


def _decompress_block(block: memoryview, size_max: int, size_before: int) -> bytearray:
    """One bare snappy block. It begins with its size, which is only believed within what is left of `size_max`."""
    size = cramjam.snappy.decompress_raw_len(block)
    if size > size_max - size_before:
        raise _too_large(size_max)
    out = bytearray(size)
    written = cramjam.snappy.decompress_raw_into(block, out)
    if written != size:
        raise InvalidRecordError(f"snappy block of {written} bytes that said {size}")
    return out


def _too_large(size_max: int) -> InvalidRecordError:
    return InvalidRecordError(f"records are larger than {size_max} bytes when decompressed")
