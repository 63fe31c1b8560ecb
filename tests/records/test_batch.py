"""The batch header: decoding, bounds, stamping, the CRC."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors.kafka import CorruptMessageError, UnsupportedCompressionTypeError
from ottla.records.attributes import Codec, TimestampType, next_sequence
from ottla.records.batch import (
    HEADER_SIZE,
    MAGIC,
    check_crc,
    decode_header,
    encode_header,
    iterate_batches,
    rewrite_timestamp_type,
    stamp,
)
from ottla.records.record import Record, decode_batch, encode_batch


def batch_of(*values: bytes, base_offset: int = 0, **options: object) -> bytes:
    records = [Record(base_offset + index, 1000 + index, None, value) for index, value in enumerate(values)]
    return encode_batch(records, **options)  # type: ignore[arg-type]


def test_header_of_an_encoded_batch_says_what_was_put_in() -> None:
    header = decode_header(
        batch_of(b"a", b"b", base_offset=7, producer_id=5, producer_epoch=1, base_sequence=2**31 - 1, leader_epoch=3)
    )
    assert (header.base_offset, header.last_offset, header.next_offset) == (7, 8, 9)
    assert (header.producer_id, header.producer_epoch, header.base_sequence, header.last_sequence) == (
        5,
        1,
        2**31 - 1,
        0,
    )
    assert (header.base_timestamp, header.max_timestamp, header.records_count) == (1000, 1001, 2)
    assert header.partition_leader_epoch == 3
    assert not header.is_control
    assert not header.is_transactional
    assert header.compression is Codec.NONE
    assert header.timestamp_type is TimestampType.CREATE_TIME


def test_header_round_trips() -> None:
    batch = batch_of(b"a")
    assert encode_header(decode_header(batch)) == batch[:HEADER_SIZE]


def test_sequence_wraps_to_zero_after_the_largest_int32() -> None:
    assert next_sequence(2**31 - 1, 1) == 0
    assert next_sequence(2**31 - 2, 3) == 1


def test_batches_are_iterated_with_their_positions() -> None:
    first, second = batch_of(b"a"), batch_of(b"bb", b"c", base_offset=1)
    found = [(position, header.base_offset) for position, header in iterate_batches(b"xx" + first + second, 2)]
    assert found == [(2, 0), (2 + len(first), 1)]


@pytest.mark.parametrize("cut", [1, 11, 12, 17, 60, 61, 65])
def test_partial_tail_ends_the_iteration_only_where_it_is_expected(cut: int) -> None:
    whole = batch_of(b"a")
    cut_batches = whole + batch_of(b"some value")[:cut]
    assert len(list(iterate_batches(cut_batches, partial_tail=True))) == 1
    with pytest.raises(CorruptMessageError):
        list(iterate_batches(cut_batches))


@pytest.mark.parametrize(
    ("position", "layout", "value", "reason"),
    [
        (16, ">b", 3, "magic 3"),
        (16, ">b", -1, "magic -1"),
        (8, ">i", 48, "less than a header"),
        (8, ">i", -1, "less than a header"),
        (8, ">i", 2**31 - 1, "bytes in"),
    ],
)
def test_header_that_cannot_be_is_corrupt(position: int, layout: str, value: int, reason: str) -> None:
    batch = bytearray(batch_of(b"a"))
    struct.pack_into(layout, batch, position, value)
    with pytest.raises(CorruptMessageError, match=reason):
        decode_header(batch)


@pytest.mark.parametrize("position", [-1, 1, 10**6])
def test_header_outside_of_the_buffer_is_corrupt(position: int) -> None:
    with pytest.raises(CorruptMessageError):
        decode_header(batch_of(b"a"), position)


@given(st.binary(max_size=200), st.integers(0, 220))
def test_any_bytes_give_batches_or_corrupt_message(data: bytes, start: int) -> None:
    for partial_tail in (False, True):
        try:
            for position, header in iterate_batches(data, start, partial_tail=partial_tail):
                assert position + header.size_bytes <= len(data)
        except CorruptMessageError:
            pass


def test_every_bit_from_the_attributes_on_is_covered_by_the_crc() -> None:
    batch = bytearray(batch_of(b"value"))
    header = decode_header(batch)
    check_crc(batch, 0, header)
    for position in range(21, len(batch)):
        batch[position] ^= 0x10
        with pytest.raises(CorruptMessageError, match="corrupt"):
            check_crc(batch, 0, header)
        batch[position] ^= 0x10


def test_stamp_sets_offset_and_epoch_and_leaves_the_crc_valid() -> None:
    buffer = bytearray(b"xyz" + batch_of(b"a", b"b"))
    stamp(memoryview(buffer), 3, 123456789012, 42)
    header = decode_header(buffer, 3)
    assert (header.base_offset, header.partition_leader_epoch, header.magic) == (123456789012, 42, MAGIC)
    check_crc(buffer, 3, header)
    assert [record.offset for record in decode_batch(buffer, 3)] == [123456789012, 123456789013]


def test_log_append_time_becomes_the_timestamp_of_every_record() -> None:
    buffer = bytearray(batch_of(b"a", b"b"))
    header = rewrite_timestamp_type(buffer, 0, TimestampType.LOG_APPEND_TIME, 5_000_000)
    assert header == decode_header(buffer)
    assert header.timestamp_type is TimestampType.LOG_APPEND_TIME
    check_crc(buffer, 0, header)
    assert [record.timestamp for record in decode_batch(buffer)] == [5_000_000, 5_000_000]
    rewrite_timestamp_type(buffer, 0, TimestampType.CREATE_TIME, 1001)
    assert bytes(buffer) == batch_of(b"a", b"b")


@pytest.mark.parametrize("number", [5, 6, 7])
def test_codec_number_without_a_codec_is_unsupported(number: int) -> None:
    header = decode_header(batch_of(b"a"))._replace(attributes=number)
    with pytest.raises(UnsupportedCompressionTypeError):
        _ = header.compression


def test_delete_horizon_is_the_base_timestamp_where_bit_6_is_set() -> None:
    header = decode_header(batch_of(b"a"))
    assert header.delete_horizon_ms is None
    assert header._replace(attributes=0x40).delete_horizon_ms == header.base_timestamp
