"""Formats v0 and v1: against kafka-python's and aiokafka's builders and parsers, there and back, and damaged."""

import contextlib
import struct
import zlib
from typing import Any

import aiokafka.record.legacy_records as aiokafka_legacy
import cramjam
import kafka.record.legacy_records as kafka_legacy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.errors.kafka import CorruptMessageError, InvalidRecordError, UnsupportedCompressionTypeError
from ottla.records.attributes import TIMESTAMP_TYPE_MASK, Codec, TimestampType
from ottla.records.batch import check_crc, decode_header, rewrite_timestamp_type
from ottla.records.compression import compress
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.records.legacy import decode_messages, down_convert, down_convert_counted, is_legacy, up_convert
from ottla.records.legacy.lz4_header import break_header, mend_header, xxhash32_short
from ottla.records.record import Record, decode_batch, encode_batch

MESSAGES = [(b"key", b"value" * 50), (None, b"no key"), (b"no value", None), (b"", b"")]
LEGACY_CODECS = [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4]


def built_by(module: Any, magic: int, codec: Codec) -> bytes:
    builder = module.LegacyRecordBatchBuilder(magic=magic, compression_type=int(codec), batch_size=1 << 20)
    for offset, (key, value) in enumerate(MESSAGES):
        builder.append(offset=offset, timestamp=1000 + offset, key=key, value=value)
    return bytes(builder.build())


def message(
    offset: int, magic: int, attributes: int, key: bytes | None, value: bytes | None, timestamp: int = 5
) -> bytes:
    """One message, put together by hand."""
    body = struct.pack(">bb", magic, attributes) + (struct.pack(">q", timestamp) if magic else b"")
    for field in (key, value):
        body += struct.pack(">i", -1) if field is None else struct.pack(">i", len(field)) + field
    return struct.pack(">qiI", offset, len(body) + 4, zlib.crc32(body)) + body


def records_of(batches: list[bytearray]) -> list[Record]:
    return [record for batch in batches for record in decode_batch(batch)]


# aiokafka does not speak LZ4 in v0; Java's own files (test_java) do.
KINDS = [(magic, codec) for magic in (0, 1) for codec in LEGACY_CODECS if (magic, codec) != (0, Codec.LZ4)]


@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_message_sets_of_aiokafka_become_one_batch(magic: int, codec: Codec) -> None:
    (batch,) = up_convert(built_by(aiokafka_legacy, magic, codec))
    header = decode_header(batch)
    check_crc(batch, 0, header)
    assert header.compression is codec
    assert (header.base_offset, header.last_offset, header.records_count) == (0, 3, 4)
    assert decode_batch(batch) == [
        Record(offset, 1000 + offset if magic else -1, key, value) for offset, (key, value) in enumerate(MESSAGES)
    ]


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_message_sets_of_kafka_python_become_one_batch(magic: int, codec: Codec) -> None:
    records = records_of(up_convert(built_by(kafka_legacy, magic, codec)))
    assert [(record.key, record.value) for record in records] == MESSAGES


@pytest.mark.parametrize(("magic", "codec"), KINDS)
def test_aiokafka_reads_what_was_converted_down(magic: int, codec: Codec) -> None:
    records = [Record(70 + 3 * index, 1000 - index, *pair) for index, pair in enumerate(MESSAGES)]
    message_set = down_convert(encode_batch(records, compression=codec), magic)
    assert is_legacy(message_set)
    found = []
    position = 0
    while position < len(message_set):
        (size,) = struct.unpack_from(">i", message_set, position + 8)
        batch = aiokafka_legacy.LegacyRecordBatch(message_set[position : position + 12 + size], magic)
        assert batch.validate_crc()
        found += [(record.offset, record.timestamp, record.key, record.value) for record in batch]
        position += 12 + size
    expected_time = [record.timestamp if magic else None for record in records]
    assert found == [(r.offset, t, r.key, r.value) for r, t in zip(records, expected_time, strict=True)]


nullable_bytes = st.none() | st.binary(max_size=100)


@given(
    st.lists(st.tuples(nullable_bytes, nullable_bytes, st.integers(0, 2**40), st.integers(1, 9)), max_size=12),
    st.sampled_from(LEGACY_CODECS),
    st.sampled_from([0, 1]),
)
@settings(max_examples=100)
def test_records_survive_down_and_up_conversion(rows: list[Any], codec: Codec, magic: int) -> None:
    offset, records = 100, []
    for key, value, timestamp, gap in rows:
        offset += gap
        records.append(Record(offset, timestamp, key, value))
    message_set = down_convert(encode_batch(records, compression=codec), magic)
    expected = [record if magic else record._replace(timestamp=-1) for record in records]
    assert decode_messages(message_set) == expected
    batches = up_convert(message_set, keep_offsets=True)
    assert records_of(batches) == expected
    assert all(decode_header(batch).compression is codec for batch in batches)


def test_down_conversion_drops_headers_control_batches_and_what_lies_before_the_fetch_offset() -> None:
    first = encode_batch([Record(0, 1, None, b"a"), Record(1, 2, None, b"b", (("h", b"x"),))])
    marker = encode_end_txn_batch(
        ControlType.COMMIT, producer_id=1, producer_epoch=0, coordinator_epoch=0, timestamp=3, base_offset=2
    )
    last = encode_batch([Record(3, 4, None, b"c")])
    batches = first + marker + last + first[:30]
    assert decode_messages(down_convert(batches, 1, first_offset=1)) == [
        Record(1, 2, None, b"b"),
        Record(3, 4, None, b"c"),
    ]
    assert down_convert(marker, 1) == b""


def test_zstd_is_refused_both_ways() -> None:
    with pytest.raises(UnsupportedCompressionTypeError):
        down_convert(encode_batch([Record(0, 1, None, b"a")], compression=Codec.ZSTD), 1)
    with pytest.raises(UnsupportedCompressionTypeError):
        up_convert(message(0, 1, 4, None, bytes(cramjam.zstd.compress(message(0, 1, 0, None, b"a")))))


@pytest.mark.parametrize("codec", LEGACY_CODECS)
def test_log_append_time_goes_both_ways(codec: Codec) -> None:
    batch = bytearray(encode_batch([Record(0, 1, None, b"a"), Record(1, 2, None, b"b")], compression=codec))
    rewrite_timestamp_type(batch, 0, TimestampType.LOG_APPEND_TIME, 777)
    message_set = down_convert(batch, 1)
    assert [record.timestamp for record in decode_messages(message_set)] == [777, 777]
    (stored,) = up_convert(message_set, keep_offsets=True)
    assert decode_header(stored).timestamp_type is TimestampType.LOG_APPEND_TIME
    assert [record.timestamp for record in decode_batch(stored)] == [777, 777]


def test_wrapper_with_log_append_time_gives_its_timestamp_to_all() -> None:
    inner = message(0, 1, 0, None, b"a", 1) + message(1, 1, 0, None, b"b", 2)
    wrapper = message(41, 1, 8 | Codec.GZIP, None, bytes(cramjam.gzip.compress(inner)), 99)
    assert decode_messages(wrapper) == [Record(40, 99, None, b"a"), Record(41, 99, None, b"b")]


def test_messages_of_different_kinds_become_batches_of_their_own() -> None:
    inner = message(0, 1, 0, None, b"c", 1)
    message_set = (
        message(0, 1, 0, None, b"a")
        + message(1, 1, 0, None, b"b")
        + message(2, 1, Codec.GZIP, None, bytes(cramjam.gzip.compress(inner)))
        + message(3, 0, 0, None, b"d")
    )
    batches = up_convert(message_set, keep_offsets=True)
    assert [decode_header(batch).base_offset for batch in batches] == [0, 2, 3]
    assert [record.value for record in records_of(batches)] == [b"a", b"b", b"c", b"d"]


@pytest.mark.parametrize("magic", [0, 1])
def test_attribute_bits_that_mean_nothing_begin_no_batch(magic: int) -> None:
    bits = [0, 16, 32, 64, -128, 0]
    message_set = b"".join(message(index, magic, bit, None, b"%d" % bit) for index, bit in enumerate(bits))
    [batch] = up_convert(message_set)
    assert decode_header(batch).attributes == 0
    assert [record.value for record in decode_batch(batch)] == [b"%d" % bit for bit in bits]


def test_messages_of_different_kinds_part_whatever_their_other_bits_are() -> None:
    wrapped = bytes(cramjam.gzip.compress(message(0, 1, 0, None, b"c")))
    message_set = (
        message(0, 1, 16, None, b"a")
        + message(1, 1, 32, None, b"a")
        + message(2, 1, 16 | TIMESTAMP_TYPE_MASK, None, b"b")
        + message(3, 1, TIMESTAMP_TYPE_MASK, None, b"b")
        + message(4, 1, 16 | Codec.GZIP, None, wrapped)
        + message(5, 1, 16, None, b"d")
        + message(6, 0, 16, None, b"e")
        + message(7, 0, 32, None, b"e")
    )
    headers = [decode_header(batch) for batch in up_convert(message_set, keep_offsets=True)]
    assert [header.base_offset for header in headers] == [0, 2, 4, 5, 6]
    assert [header.attributes for header in headers] == [0, TIMESTAMP_TYPE_MASK, Codec.GZIP, 0, 0]


def test_batches_stay_below_their_size_and_offset_range() -> None:
    large = b"".join(message(index, 1, 0, None, b"x" * 100) for index in range(50))
    batches = up_convert(large, batch_bytes_max=1000)
    assert len(batches) > 5
    assert all(len(batch) <= 1000 + 61 for batch in batches)
    assert [decode_header(batch).base_offset for batch in batches] == [0] * len(batches)
    far = message(0, 1, 0, None, b"a") + message(2**31, 1, 0, None, b"b")
    assert [record.offset for record in records_of(up_convert(far, keep_offsets=True))] == [0, 2**31]


def test_more_batches_than_are_asked_for_are_refused_whether_kind_or_size_parts_them() -> None:
    kinds = message(0, 0, 0, None, b"a") + message(1, 1, 0, None, b"b") + message(2, 0, 0, None, b"c")
    sizes = b"".join(message(index, 1, 0, None, b"x" * 100) for index in range(3))
    for message_set in (kinds, sizes):
        assert len(up_convert(message_set, batch_bytes_max=100, batches_max=3)) == 3
        with pytest.raises(InvalidRecordError, match="more than 2 batches"):
            up_convert(message_set, batch_bytes_max=100, batches_max=2)


def test_partial_tail_is_ignored_only_where_it_is_expected() -> None:
    whole = message(0, 1, 0, None, b"a")
    for cut in range(1, len(whole)):
        assert len(decode_messages(whole + whole[:cut], partial_tail=True)) == 1
        with pytest.raises(CorruptMessageError):
            decode_messages(whole + whole[:cut])


def gzipped(inner: bytes, magic: int = 1) -> bytes:
    return message(0, magic, Codec.GZIP, None, bytes(cramjam.gzip.compress(inner)))


@pytest.mark.parametrize(
    ("message_set", "error"),
    [
        (message(0, 1, 0, None, b"a")[:-1] + b"b", CorruptMessageError),
        (message(0, 2, 0, None, b"a"), CorruptMessageError),
        (message(0, 1, Codec.GZIP, None, None), InvalidRecordError),
        (message(0, 1, Codec.GZIP, None, b"garbage"), InvalidRecordError),
        (message(0, 1, Codec.LZ4, None, b"garbage"), InvalidRecordError),
        (message(0, 1, Codec.LZ4, None, b"\x04\x22\x4d\x18\x7f"), InvalidRecordError),
        (message(0, 1, 7, None, b"a"), UnsupportedCompressionTypeError),
        (gzipped(b""), InvalidRecordError),
        (gzipped(message(0, 0, 0, None, b"a")), InvalidRecordError),
        (gzipped(gzipped(message(0, 1, 0, None, b"a"))), InvalidRecordError),
        (gzipped(message(-1, 1, 0, None, b"a")), InvalidRecordError),
        (gzipped(message(0, 1, 0, None, b"a")[:-1]), CorruptMessageError),
    ],
)
def test_message_set_that_cannot_be_is_refused(message_set: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        up_convert(message_set)


def test_offsets_that_do_not_rise_are_refused_where_they_are_kept() -> None:
    message_set = message(1, 1, 0, None, b"a") + message(1, 1, 0, None, b"b")
    assert len(records_of(up_convert(message_set))) == 2
    with pytest.raises(InvalidRecordError, match="rise"):
        up_convert(message_set, keep_offsets=True)


def test_gzip_bomb_in_a_wrapper_is_refused() -> None:
    with pytest.raises(InvalidRecordError, match="larger than"):
        up_convert(gzipped(bytes(50_000_000)))


PROTOCOL_ERRORS = (CorruptMessageError, InvalidRecordError, UnsupportedCompressionTypeError)


@given(st.binary(max_size=120), st.booleans())
def test_any_bytes_give_messages_or_an_error_of_the_protocol(data: bytes, partial_tail: bool) -> None:
    with contextlib.suppress(*PROTOCOL_ERRORS):
        up_convert(data, partial_tail=partial_tail)


@given(
    st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1)), min_size=1, max_size=4),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from(LEGACY_CODECS),
    st.booleans(),
)
def test_whole_messages_with_any_numbers_give_batches_or_an_error_of_the_protocol(
    numbers: list[tuple[int, int]], wrapper_offset: int, codec: Codec, keep_offsets: bool
) -> None:
    message_set = b"".join(message(offset, 1, 0, b"k", b"v", timestamp) for offset, timestamp in numbers)
    if codec is not Codec.NONE:
        message_set = message(wrapper_offset, 1, int(codec), None, compress(codec, message_set))
    with contextlib.suppress(*PROTOCOL_ERRORS):
        up_convert(message_set, keep_offsets=keep_offsets)


def old_messages(magic: int, codec: Codec, first_offset: int = 0) -> bytes:
    """As an old Kafka stored them."""
    records = [Record(first_offset + index, 1000 + index, *pair) for index, pair in enumerate(MESSAGES)]
    return down_convert(encode_batch(records, compression=codec), magic)


@pytest.mark.parametrize("codec", LEGACY_CODECS)
@pytest.mark.parametrize(("stored", "magic"), [(0, 0), (0, 1), (1, 1)])
def test_stored_messages_that_the_client_can_read_are_passed_on_as_they_are(
    stored: int, magic: int, codec: Codec
) -> None:
    message_set = old_messages(stored, codec, 40) + old_messages(stored, codec, 50)
    damaged = message_set[:-1] + bytes([message_set[-1] ^ 1]) if magic else message_set
    assert down_convert_counted(damaged, magic) == (damaged, 0), "with the checksum that shows the damage"


@pytest.mark.parametrize("codec", LEGACY_CODECS)
@pytest.mark.parametrize("is_append_time", [False, True])
def test_stored_v1_messages_become_v0_for_the_oldest_clients(codec: Codec, is_append_time: bool) -> None:
    batch = bytearray(encode_batch([Record(40, 1, b"k", b"a"), Record(43, 2, None, None)], compression=codec))
    if is_append_time:
        rewrite_timestamp_type(batch, 0, TimestampType.LOG_APPEND_TIME, 777)
    converted = down_convert_counted(down_convert(batch, 1), 0)
    assert converted == (down_convert(batch, 0), 2)
    assert decode_messages(converted.message_set) == [Record(40, -1, b"k", b"a"), Record(43, -1, None, None)]


@pytest.mark.parametrize("codec", LEGACY_CODECS)
@pytest.mark.parametrize(("magic", "converted_count"), [(0, 8), (1, 4)])
def test_a_log_of_all_formats_is_converted_where_it_must_be(codec: Codec, magic: int, converted_count: int) -> None:
    batch = encode_batch([Record(8 + index, 2000, *pair) for index, pair in enumerate(MESSAGES)], compression=codec)
    messages = old_messages(0, codec) + old_messages(1, codec, 4)
    message_set, count = down_convert_counted(messages + batch + old_messages(0, codec, 12), magic)
    assert count == converted_count
    found = decode_messages(message_set)
    assert [(record.offset, record.key, record.value) for record in found] == [
        (offset, *MESSAGES[offset % 4]) for offset in range(16)
    ]
    new = [2000] * 4 if magic else [-1] * 4
    old = [1000, 1001, 1002, 1003] if magic else [-1] * 4
    assert [record.timestamp for record in found] == [-1] * 4 + old + new + [-1] * 4


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("stored", [0, 1, 2])
def test_what_is_cut_short_at_the_end_is_not_converted(stored: int, magic: int) -> None:
    first = old_messages(1, Codec.NONE)
    tail = encode_batch([Record(4, 1, None, b"a")]) if stored == 2 else message(4, stored, 0, None, b"a")
    for cut in range(len(tail)):
        assert down_convert(first + tail[:cut], magic) == down_convert(first, magic)


def test_damaged_v1_messages_get_no_new_checksum() -> None:
    whole = message(0, 1, 0, None, b"a")
    with pytest.raises(CorruptMessageError):
        down_convert(whole + whole[:-1] + b"b", 0)
    with pytest.raises(CorruptMessageError):
        down_convert(whole + message(1, 1, 0, None, b"a")[:8] + bytes(40), 1)


@given(st.binary(max_size=120), st.sampled_from([0, 1]))
def test_any_bytes_are_converted_down_or_an_error_of_the_protocol(data: bytes, magic: int) -> None:
    with contextlib.suppress(*PROTOCOL_ERRORS):
        down_convert(data, magic)
        down_convert(message(0, 1, 0, None, b"a") + data, magic)


def test_header_checksum_is_broken_and_mended_as_v0_wants_it() -> None:
    assert xxhash32_short(b"") == 0x02CC5D05
    assert xxhash32_short(b"a") == 0x550D7456
    assert xxhash32_short(b"abc") == 0x32D153FF
    good = built_by(aiokafka_legacy, 1, Codec.LZ4)[34:]
    assert mend_header(good) == good
    broken = break_header(good)
    assert broken != good
    assert mend_header(broken) == good
