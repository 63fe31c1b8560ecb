"""Codecs: round trips, foreign framings, damage, and sections that would swell past their bound."""

import contextlib
import resource
import struct

import cramjam
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.errors.kafka import InvalidRecordError
from ottla.records.attributes import Codec
from ottla.records.compression import XERIAL_HEADER, compress, decompress

COMPRESSING = [codec for codec in Codec if codec is not Codec.NONE]
MEBIBYTE = 1024 * 1024


@given(st.binary(max_size=2000), st.integers(1, 200), st.sampled_from(Codec))
@settings(max_examples=100)
def test_what_was_compressed_comes_back(data: bytes, times: int, codec: Codec) -> None:
    data *= times
    assert decompress(codec, compress(codec, data), len(data)) == data


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("codec", list(Codec))
def test_any_buffer_can_be_compressed_and_decompressed(codec: Codec, kind: type) -> None:
    assert decompress(codec, kind(compress(codec, kind(b"data" * 100))), 1000) == b"data" * 100


@pytest.mark.parametrize(("codec", "low", "high"), [(Codec.GZIP, 1, 9), (Codec.LZ4, 1, 12), (Codec.ZSTD, 1, 19)])
def test_levels_reach_the_codec(codec: Codec, low: int, high: int) -> None:
    data = b"".join(struct.pack(">I", index * index) for index in range(20_000))
    assert len(compress(codec, data, high)) < len(compress(codec, data, low))


def test_snappy_is_written_in_the_framing_of_java_and_read_in_both() -> None:
    data = b"0123456789" * 10_000
    framed = compress(Codec.SNAPPY, data)
    assert framed.startswith(XERIAL_HEADER)
    (size,) = struct.unpack_from(">i", framed, 16)
    assert cramjam.snappy.decompress_raw_len(framed[20 : 20 + size]) == 32 * 1024
    assert decompress(Codec.SNAPPY, framed, MEBIBYTE) == data
    assert decompress(Codec.SNAPPY, bytes(cramjam.snappy.compress_raw(data)), MEBIBYTE) == data


def test_lz4_frame_has_independent_blocks_and_no_content_checksum() -> None:
    flags = compress(Codec.LZ4, b"data" * 100_000)[4]
    assert flags & 0b0010_0000
    assert not flags & 0b0000_0100


@pytest.mark.parametrize("codec", COMPRESSING)
def test_exactly_the_bound_is_allowed_and_one_byte_more_is_not(codec: Codec) -> None:
    compressed = compress(codec, b"x" * 100_000)
    assert len(decompress(codec, compressed, 100_000)) == 100_000
    with pytest.raises(InvalidRecordError, match="larger than 99999 bytes"):
        decompress(codec, compressed, 99_999)


def bomb(codec: Codec) -> bytes:
    """A section that would be 300 MB."""
    if codec is Codec.SNAPPY:
        block = bytes(cramjam.snappy.compress_raw(bytes(10_000_000)))
        return XERIAL_HEADER + 30 * (struct.pack(">i", len(block)) + block)
    return compress(codec, bytes(300_000_000))


@pytest.mark.parametrize("codec", COMPRESSING)
def test_bomb_is_refused_within_little_memory(codec: Codec) -> None:
    section = bomb(codec)
    before = _resident_bytes()
    for _ in range(5):
        with pytest.raises(InvalidRecordError, match="larger than"):
            decompress(codec, section, 16 * MEBIBYTE)
    assert _resident_bytes() - before < 64 * MEBIBYTE


def _resident_bytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("size", [2**31 - 1, 2**32 - 1, 2**35])
def test_snappy_block_that_lies_about_its_size_is_refused(size: int) -> None:
    varint = bytearray()
    while size > 0x7F:
        varint.append(size & 0x7F | 0x80)
        size >>= 7
    varint.append(size)
    with pytest.raises(InvalidRecordError):
        decompress(Codec.SNAPPY, bytes(varint) + b"\x00a", 16 * MEBIBYTE)


@pytest.mark.parametrize(
    "tail",
    [b"\x00", b"\x00\x00\x00\x05ab", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x00\x00\x00\x00"],
)
def test_xerial_blocks_that_cannot_be_are_refused(tail: bytes) -> None:
    with pytest.raises(InvalidRecordError):
        decompress(Codec.SNAPPY, XERIAL_HEADER + tail, MEBIBYTE)
    with pytest.raises(InvalidRecordError):
        decompress(Codec.SNAPPY, XERIAL_HEADER[:12], MEBIBYTE)


@pytest.mark.parametrize("codec", COMPRESSING)
@given(data=st.data())
@settings(max_examples=60)
def test_damaged_section_is_decompressed_or_invalid(codec: Codec, data: st.DataObject) -> None:
    section = bytearray(compress(codec, data.draw(st.binary(max_size=300))))
    for _ in range(data.draw(st.integers(0, 3))):
        section[data.draw(st.integers(0, len(section) - 1))] = data.draw(st.integers(0, 255))
    del section[data.draw(st.integers(0, len(section))) :]
    with contextlib.suppress(InvalidRecordError):
        assert len(decompress(codec, section, 5000)) <= 5000


@pytest.mark.parametrize("codec", COMPRESSING)
@given(data=st.binary(max_size=100))
def test_any_bytes_are_decompressed_or_invalid(codec: Codec, data: bytes) -> None:
    with contextlib.suppress(InvalidRecordError):
        assert len(decompress(codec, data, 5000)) <= 5000
