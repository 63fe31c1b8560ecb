from typing import Any

import pytest
from crc32c import crc32c

from ottla.errors.kafka import (
    CorruptMessageError,
    InvalidRecordError,
    InvalidTimestampError,
    KafkaError,
    MessageTooLargeError,
    RecordListTooLargeError,
    UnsupportedCompressionTypeError,
)
from ottla.observability.conversion_metrics import Conversion
from ottla.records.attributes import Codec, TimestampType
from ottla.records.batch import peek_header, rewrite_crc
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.records.record import decode_batch
from ottla.storage.log.batch_validation import (
    RECORD_ERRORS_MAX,
    BadTimestampsError,
    BatchValidation,
    Origin,
    RecordsWithoutKeyError,
)
from support.logs import NOW_MS, batch, topic_config

CODECS = [Codec.GZIP, Codec.SNAPPY, Codec.LZ4, Codec.ZSTD]


def validate(records: Any, *, validate_compressed: bool = False, version: int = 11, **config: Any) -> Any:
    validation = BatchValidation(topic_config(**config), validate_compressed=validate_compressed)
    return validation.validate(memoryview(records), NOW_MS, Origin.CLIENT, version)


def altered(records: memoryview, position: int, data: bytes) -> memoryview:
    """With other bytes somewhere and a CRC that fits them."""
    records[position : position + len(data)] = data
    rewrite_crc(records, 0)
    return records


@pytest.mark.parametrize("codec", [Codec.NONE, *CODECS])
def test_a_good_batch_is_stored_as_it_came(codec: Codec) -> None:
    records = batch(10, compression=codec)
    before = bytes(records)
    stored, header = validate(records)
    assert stored is records or stored == records
    assert bytes(stored) == before
    assert header == peek_header(before)


@pytest.mark.parametrize(
    "records",
    [
        b"",
        b"\0" * 16,
        bytes(batch(1))[:60],
        bytes(batch(1)) + bytes(batch(1)),
        bytes(batch(1)) + b"\0",
        bytes(batch(1))[:-1],
    ],
    ids=["nothing", "too short", "part of a header", "two batches", "a byte more", "a byte less"],
)
def test_anything_but_exactly_one_batch_is_an_invalid_record(records: bytes) -> None:
    with pytest.raises(InvalidRecordError):
        validate(records)


@pytest.mark.parametrize("magic", [0, 1, 3, 255])
def test_produce_3_and_up_wants_magic_2(magic: int) -> None:
    records = batch(1)
    records[16] = magic
    with pytest.raises(InvalidRecordError):
        validate(records, version=3)


@pytest.mark.parametrize("position", [17, 21, 40, 60, 70])
def test_one_flipped_bit_is_a_corrupt_message(position: int) -> None:
    records = batch(1)
    records[position] ^= 1
    with pytest.raises(CorruptMessageError):
        validate(records)


@pytest.mark.parametrize("length", [-1, 0, 48, -(2**31)])
def test_an_impossible_length_is_a_corrupt_message(length: int) -> None:
    records = batch(1)
    records[8:12] = length.to_bytes(4, "big", signed=True)
    with pytest.raises(CorruptMessageError):
        validate(records)


def test_sizes_count_the_batch_as_received() -> None:
    records = batch([b"x" * 1000], compression=Codec.ZSTD)
    validate(records, max_message_bytes=len(records))
    with pytest.raises(MessageTooLargeError):
        validate(records, max_message_bytes=len(records) - 1)
    with pytest.raises(RecordListTooLargeError):
        validate(records, segment_bytes=len(records) - 1)


@pytest.mark.parametrize(
    ("position", "data"),
    [
        (0, (1).to_bytes(8, "big")),
        (23, (0).to_bytes(4, "big")),
        (23, (5).to_bytes(4, "big")),
        (23, (-1).to_bytes(4, "big", signed=True)),
        (57, (0).to_bytes(4, "big")),
        (57, (3).to_bytes(4, "big")),
    ],
    ids=["base offset", "delta too small", "delta too large", "negative delta", "no records", "more records"],
)
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
def test_offsets_and_counts_must_agree(position: int, data: bytes, codec: Codec) -> None:
    with pytest.raises(InvalidRecordError):
        validate(altered(batch(2, compression=codec), position, data))


def test_records_that_are_not_what_the_header_says_are_refused() -> None:
    with pytest.raises(InvalidRecordError):
        validate(altered(batch(2), 61, b"\x7f"))


def test_clients_may_not_write_control_batches_and_coordinators_may() -> None:
    records = memoryview(
        bytearray(
            encode_end_txn_batch(
                ControlType.COMMIT, producer_id=1, producer_epoch=0, coordinator_epoch=0, timestamp=NOW_MS
            )
        )
    )
    with pytest.raises(InvalidRecordError):
        validate(records)
    BatchValidation(topic_config(cleanup_policy="compact")).validate(records, NOW_MS, Origin.COORDINATOR)


def test_a_producer_id_needs_a_sequence() -> None:
    with pytest.raises(InvalidRecordError):
        validate(batch(1, producer_id=5, producer_epoch=0, base_sequence=-1))


def test_zstd_needs_produce_7() -> None:
    with pytest.raises(UnsupportedCompressionTypeError):
        validate(batch(1, compression=Codec.ZSTD), version=6)
    validate(batch(1, compression=Codec.ZSTD), version=7)
    validate(batch(1, compression=Codec.GZIP), version=3)


def test_a_codec_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnsupportedCompressionTypeError):
        validate(altered(batch(1), 21, b"\0\x07"))


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4])
def test_timestamps_too_far_from_now_are_refused(codec: Codec) -> None:
    limits = {"message_timestamp_before_max_ms": 1000, "message_timestamp_after_max_ms": 2000}
    for timestamp in (NOW_MS - 1000, NOW_MS + 2000):
        validate(batch(2, timestamp=timestamp, compression=codec), **limits)
    for timestamp in (NOW_MS - 1001, NOW_MS + 2001):
        with pytest.raises(InvalidTimestampError):
            validate(batch(2, timestamp=timestamp, compression=codec), **limits)


def test_records_with_a_timestamp_out_of_range_are_named() -> None:
    timestamps = [NOW_MS, NOW_MS - 1001, NOW_MS, NOW_MS + 5000]
    with pytest.raises(BadTimestampsError) as raised:
        validate(
            batch(4, timestamps=timestamps),
            message_timestamp_before_max_ms=1000,
            message_timestamp_after_max_ms=2000,
        )
    assert [error.batch_index for error in raised.value.record_errors] == [1, 3]
    assert f"within [{NOW_MS - 1000}, {NOW_MS + 2000}]" in raised.value.record_errors[0].message


def test_of_many_records_with_a_timestamp_out_of_range_only_the_first_are_named() -> None:
    timestamps = [NOW_MS] + [NOW_MS + 5000] * (RECORD_ERRORS_MAX + 1)
    with pytest.raises(BadTimestampsError) as raised:
        validate(batch(len(timestamps), timestamps=timestamps), message_timestamp_after_max_ms=2000)
    assert [error.batch_index for error in raised.value.record_errors] == list(range(1, RECORD_ERRORS_MAX + 1))


def test_records_without_timestamp_have_no_limits() -> None:
    validate(batch(2, timestamp=-1), message_timestamp_before_max_ms=1000)


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
def test_records_without_key_are_refused_on_a_compacted_topic_by_their_number(codec: Codec) -> None:
    keys = [b"a", None, b"b", None]
    with pytest.raises(RecordsWithoutKeyError) as raised:
        validate(batch(4, keys=keys, compression=codec), cleanup_policy="compact")
    assert [error.batch_index for error in raised.value.record_errors] == [1, 3]
    validate(batch(4, keys=[b"a", b"b", b"", b"c"], compression=codec), cleanup_policy="compact,delete")


def test_of_many_records_without_key_on_a_compacted_topic_only_the_first_are_named() -> None:
    keys = [b"key"] + [None] * (RECORD_ERRORS_MAX + 1)
    with pytest.raises(RecordsWithoutKeyError) as raised:
        validate(batch(len(keys), keys=keys), cleanup_policy="compact")
    assert [error.batch_index for error in raised.value.record_errors] == list(range(1, RECORD_ERRORS_MAX + 1))


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
def test_log_append_time_sets_type_and_time_and_a_new_crc(codec: Codec) -> None:
    stored, header = validate(batch(3, timestamp=5, compression=codec), message_timestamp_type="LogAppendTime")
    assert header.timestamp_type is TimestampType.LOG_APPEND_TIME
    assert header.max_timestamp == NOW_MS
    assert header.crc == crc32c(stored[21:])
    assert [record.timestamp for record in decode_batch(stored)] == [NOW_MS] * 3


def test_log_append_time_works_on_a_read_only_buffer() -> None:
    stored, _ = validate(bytes(batch(3)), message_timestamp_type="LogAppendTime")
    assert [record.timestamp for record in decode_batch(stored)] == [NOW_MS] * 3


def test_a_producer_may_not_claim_log_append_time() -> None:
    with pytest.raises(InvalidTimestampError):
        validate(batch(1, timestamp_type=TimestampType.LOG_APPEND_TIME))


def test_a_wrong_max_timestamp_is_put_right() -> None:
    records = altered(batch(2, timestamps=[10, 20]), 35, (99).to_bytes(8, "big"))
    stored, header = validate(records)
    assert header.max_timestamp == 20
    assert header.crc == crc32c(stored[21:])


@pytest.mark.parametrize("forced", ["gzip", "snappy", "lz4", "zstd", "uncompressed"])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.LZ4, Codec.ZSTD])
def test_a_forced_codec_is_what_is_stored(forced: str, codec: Codec) -> None:
    records = batch(20, compression=codec, producer_id=7, producer_epoch=2, base_sequence=40)
    expected = decode_batch(records)
    stored, header = validate(records, compression_type=forced)
    assert header.compression is Codec.named(forced)
    assert decode_batch(stored) == expected
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (7, 2, 40)
    assert header == peek_header(stored)
    assert header.crc == crc32c(memoryview(stored)[21:])


def test_compressed_records_are_believed_unless_asked_otherwise() -> None:
    records = altered(batch(3, compression=Codec.ZSTD), 70, b"\xff\xff\xff\xff")
    validate(records)
    with pytest.raises(KafkaError):
        validate(records, validate_compressed=True)
    with pytest.raises(KafkaError):
        validate(records, cleanup_policy="compact")


@pytest.mark.parametrize("codec", CODECS)
def test_compressed_batches_are_heavy_only_where_they_are_opened(codec: Codec) -> None:
    records = batch(3, compression=codec)
    assert not BatchValidation(topic_config()).is_heavy(records)
    assert not BatchValidation(topic_config(compression_type=codec.name.lower())).is_heavy(records)
    assert BatchValidation(topic_config(compression_type="uncompressed")).is_heavy(records)
    assert BatchValidation(topic_config(cleanup_policy="compact")).is_heavy(records)
    assert BatchValidation(topic_config(), validate_compressed=True).is_heavy(records)
    assert not BatchValidation(topic_config(), validate_compressed=True).is_heavy(batch(3))


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize(
    ("limits", "error"),
    [
        ({"max_message_bytes": 2000}, MessageTooLargeError),
        ({"max_message_bytes": 2000, "segment_bytes": 1000}, MessageTooLargeError),
        ({"max_message_bytes": 100_000, "segment_bytes": 2000}, RecordListTooLargeError),
    ],
)
def test_what_becomes_too_large_in_a_forced_codec_is_refused(
    codec: Codec, limits: dict[str, int], error: type[KafkaError]
) -> None:
    records = batch([b"x" * 5000], compression=codec)
    assert len(records) < 1000
    validate(records, **limits)
    converted: list[Conversion] = []
    config = topic_config(compression_type="uncompressed", **limits)
    with pytest.raises(error):
        BatchValidation(config, on_converted=converted.append).validate(records, NOW_MS)
    assert converted == []


def test_what_fits_in_its_forced_codec_is_stored() -> None:
    plain_size = len(batch([b"x" * 5000]))
    records = batch([b"x" * 5000], compression=Codec.ZSTD)
    stored, _ = validate(records, compression_type="uncompressed", max_message_bytes=plain_size)
    assert len(stored) == plain_size
    with pytest.raises(MessageTooLargeError):
        validate(records, compression_type="uncompressed", max_message_bytes=plain_size - 1)
