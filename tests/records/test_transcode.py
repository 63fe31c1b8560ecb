"""Batches made anew in another codec, and compressed batches opened and validated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors.kafka import InvalidRecordError, InvalidTimestampError, UnsupportedCompressionTypeError
from ottla.records.attributes import Codec
from ottla.records.batch import assemble_batch, check_crc, decode_header, rewrite_crc
from ottla.records.compression import compress
from ottla.records.record import Record, decode_batch, encode_batch
from ottla.records.transcode import RecordProblem, SectionFacts, recompress, validate_compressed

RECORDS = [Record(index, 1000 - index, b"k%d" % index, b"value" * 20, (("h", None),)) for index in range(5)]


@given(st.sampled_from(Codec), st.sampled_from(Codec))
def test_recompressed_batch_has_the_same_header_fields_and_records(before: Codec, after: Codec) -> None:
    batch = encode_batch(
        RECORDS,
        compression=before,
        leader_epoch=3,
        producer_id=9,
        producer_epoch=1,
        base_sequence=77,
        is_transactional=True,
    )
    made = recompress(b"before" + batch, 6, after)
    old, new = decode_header(batch), decode_header(made)
    check_crc(made, 0, new)
    assert new.compression is after
    assert old._replace(attributes=0, batch_length=0, crc=0) == new._replace(attributes=0, batch_length=0, crc=0)
    assert new.is_transactional
    assert decode_batch(made) == RECORDS


@pytest.mark.parametrize("codec", list(Codec))
def test_good_batch_gives_its_largest_timestamp_and_where_it_is(codec: Codec) -> None:
    records = [Record(index, timestamp, b"k", b"v") for index, timestamp in enumerate((5, 9, 9, 1))]
    batch = encode_batch(records, compression=codec)
    assert validate_compressed(batch, 0, decode_header(batch), need_key=True) == SectionFacts(9, 1)


def problem_of(records: list[Record], codec: Codec, **options: int) -> RecordProblem:
    batch = encode_batch(records, compression=codec, base_offset=0)
    found = validate_compressed(batch, 0, decode_header(batch), **options)  # type: ignore[arg-type]
    assert isinstance(found, RecordProblem)
    return found


@pytest.mark.parametrize("codec", list(Codec))
def test_bad_record_is_named_by_its_index(codec: Codec) -> None:
    keyed = Record(0, 10, b"k", b"v")
    no_key = problem_of([keyed, Record(1, 10, None, b"v")], codec, need_key=True)
    assert (no_key.batch_index, type(no_key.error)) == (1, InvalidRecordError)
    assert "without key" in str(no_key.error)
    gap = problem_of([keyed, keyed._replace(offset=2)], codec)
    assert (gap.batch_index, type(gap.error)) == (1, InvalidRecordError)
    late = problem_of([keyed, keyed._replace(offset=1, timestamp=11)], codec, timestamp_max=10)
    assert (late.batch_index, type(late.error)) == (1, InvalidTimestampError)
    early = problem_of([keyed], codec, timestamp_min=11)
    assert (early.batch_index, type(early.error)) == (0, InvalidTimestampError)


@pytest.mark.parametrize("count", [2**31 - 1, 6, 4, 0, -1])
@pytest.mark.parametrize("codec", list(Codec))
def test_count_that_is_not_that_of_the_records_is_invalid(codec: Codec, count: int) -> None:
    batch = bytearray(encode_batch(RECORDS, compression=codec))
    batch[57:61] = count.to_bytes(4, "big", signed=True)
    header = rewrite_crc(batch, 0)
    found = validate_compressed(batch, 0, header)
    assert isinstance(found, RecordProblem)
    assert isinstance(found.error, InvalidRecordError)


def test_bomb_and_unknown_codec_are_refused() -> None:
    header = decode_header(encode_batch(RECORDS))
    swollen = assemble_batch(header._replace(attributes=int(Codec.ZSTD)), compress(Codec.ZSTD, bytes(50_000_000)))
    with pytest.raises(InvalidRecordError, match="larger than"):
        validate_compressed(swollen, 0, decode_header(swollen))
    unknown = assemble_batch(header._replace(attributes=6), b"")
    with pytest.raises(UnsupportedCompressionTypeError):
        recompress(unknown, 0, Codec.GZIP)


def test_record_with_very_many_headers_is_walked() -> None:
    batch = encode_batch([Record(0, 1, b"k", b"v", tuple(("", None) for _ in range(100_000)))])
    assert validate_compressed(batch, 0, decode_header(batch)) == SectionFacts(1, 0)
