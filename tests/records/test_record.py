"""Records in and out of a batch, against the builders and parsers of kafka-python and aiokafka."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.errors.kafka import CorruptMessageError, InvalidRecordError, UnsupportedCompressionTypeError
from ottla.records.attributes import Codec, TimestampType
from ottla.records.batch import assemble_batch, decode_header, rewrite_crc
from ottla.records.record import Record, decode_batch, encode_batch

nullable_bytes = st.none() | st.binary(max_size=300)
headers = st.lists(st.tuples(st.text(max_size=10), nullable_bytes), max_size=3).map(tuple)
int64 = st.integers(-(2**63), 2**63 - 1)


@st.composite
def record_lists(draw: st.DrawFn) -> list[Record]:
    """Records with rising offsets that may have gaps, as compaction leaves them."""
    base = draw(st.integers(0, 2**62))
    deltas = sorted(draw(st.sets(st.integers(0, 2**31 - 1), max_size=8)))
    timestamps = st.integers(-1, 2**62)
    return [
        Record(base + delta, draw(timestamps), draw(nullable_bytes), draw(nullable_bytes), draw(headers))
        for delta in deltas
    ]


@given(record_lists(), st.sampled_from(Codec))
@settings(max_examples=150)
def test_records_round_trip_in_every_codec(records: list[Record], codec: Codec) -> None:
    batch = encode_batch(records, compression=codec)
    assert decode_batch(batch) == records
    header = decode_header(batch)
    assert header.compression is codec
    assert header.max_timestamp == max((record.timestamp for record in records), default=-1)


def test_batch_without_records_keeps_the_offsets_it_stands_for() -> None:
    batch = encode_batch([], base_offset=10, last_offset=19, producer_id=1, producer_epoch=0, base_sequence=5)
    header = decode_header(batch)
    assert (header.base_offset, header.last_offset, header.records_count) == (10, 19, 0)
    assert decode_batch(batch) == []


def test_log_append_time_batch_gives_every_record_the_largest_timestamp() -> None:
    records = [Record(0, 5, None, b"a"), Record(1, 9, None, b"b")]
    batch = encode_batch(records, timestamp_type=TimestampType.LOG_APPEND_TIME)
    assert [record.timestamp for record in decode_batch(batch)] == [9, 9]


def test_header_key_that_is_not_utf8_is_read_with_replacement_characters() -> None:
    batch = bytearray(encode_batch([Record(0, 0, None, None, (("ab", b""),))]))
    at = batch.rindex(b"ab")
    batch[at] = 0xFF
    assert decode_batch(batch)[0].headers == (("�b", b""),)


@given(st.binary(max_size=150), st.integers(-1, 30), int64, int64, st.integers(0, 0x7F))
def test_any_section_gives_records_or_an_error_of_the_protocol(
    section: bytes, count: int, base_offset: int, base_timestamp: int, attributes: int
) -> None:
    header = decode_header(encode_batch([]))._replace(
        records_count=count, base_offset=base_offset, base_timestamp=base_timestamp, attributes=attributes
    )
    try:
        records = decode_batch(assemble_batch(header, section))
    except (InvalidRecordError, UnsupportedCompressionTypeError):
        return
    assert len(records) == count


@given(record_lists(), st.data())
@settings(max_examples=150)
def test_damaged_batch_gives_records_or_an_error_of_the_protocol(records: list[Record], data: st.DataObject) -> None:
    batch = bytearray(encode_batch(records, compression=data.draw(st.sampled_from(Codec))))
    for _ in range(data.draw(st.integers(1, 4))):
        batch[data.draw(st.integers(0, len(batch) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(CorruptMessageError, InvalidRecordError, UnsupportedCompressionTypeError):
        decode_batch(batch)


@pytest.mark.parametrize("count", [2**31 - 1, 3, 1, 0, -1])
def test_records_count_that_is_not_the_number_of_records_is_invalid(count: int) -> None:
    batch = bytearray(encode_batch([Record(0, 0, b"k", b"v"), Record(1, 0, b"k", b"v")]))
    batch[57:61] = count.to_bytes(4, "big", signed=True)
    rewrite_crc(batch, 0)
    with pytest.raises(InvalidRecordError):
        decode_batch(batch)
