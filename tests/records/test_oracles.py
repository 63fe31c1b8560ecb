"""Format v2 against the record builders and parsers of aiokafka (all codecs) and kafka-python (those it has here)."""

from typing import Any

import aiokafka.record.default_records as aiokafka_records
import kafka.record.default_records as kafka_records
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.records.attributes import Codec
from ottla.records.batch import check_crc, decode_header, iterate_batches
from ottla.records.record import Record, decode_batch, encode_batch
from ottla.records.scan import scan_batches

KAFKA_CODECS = [Codec.NONE, Codec.GZIP]
ORACLES = [(aiokafka_records, codec) for codec in Codec] + [(kafka_records, codec) for codec in KAFKA_CODECS]
CODEC_ORACLES = pytest.mark.parametrize(
    ("oracle", "codec"), ORACLES, ids=[f"{oracle.__name__.split('.')[0]}-{codec.name}" for oracle, codec in ORACLES]
)

nullable_bytes = st.none() | st.binary(max_size=200)
headers = st.lists(st.tuples(st.text(max_size=8), st.binary(max_size=20)), max_size=3)
rows = st.lists(st.tuples(st.integers(0, 2**45), nullable_bytes, nullable_bytes, headers), min_size=1, max_size=8)


@CODEC_ORACLES
@given(drawn=rows)
@settings(max_examples=30)
def test_batches_of_other_clients_are_read(oracle: Any, codec: Codec, drawn: list[Any]) -> None:
    builder = oracle.DefaultRecordBatchBuilder(
        magic=2,
        compression_type=int(codec),
        is_transactional=True,
        producer_id=12,
        producer_epoch=3,
        base_sequence=99,
        batch_size=1 << 20,
    )
    for offset, (timestamp, key, value, header) in enumerate(drawn):
        assert builder.append(offset, timestamp, key, value, header) is not None
    batch = bytes(builder.build())
    header = decode_header(batch)
    check_crc(batch, 0, header)
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (12, 3, 99)
    assert header.is_transactional
    assert decode_batch(batch) == [
        Record(offset, timestamp, key, value, tuple(found))
        for offset, (timestamp, key, value, found) in enumerate(drawn)
    ]
    assert scan_batches(batch).is_whole


@CODEC_ORACLES
@given(drawn=rows, base_offset=st.integers(0, 2**40))
@settings(max_examples=30)
def test_our_batches_are_read_by_other_clients(oracle: Any, codec: Codec, drawn: list[Any], base_offset: int) -> None:
    records = [
        Record(base_offset + 2 * index, timestamp, key, value, tuple(found))
        for index, (timestamp, key, value, found) in enumerate(drawn)
    ]
    batch = encode_batch(records, compression=codec, producer_id=1, producer_epoch=0, base_sequence=4)
    theirs = oracle.DefaultRecordBatch(batch)
    assert theirs.validate_crc()
    assert (theirs.base_offset, theirs.next_offset) == (records[0].offset, records[-1].offset + 1)
    assert [(r.offset, r.timestamp, r.key, r.value, tuple(r.headers)) for r in theirs] == records


def test_positions_of_many_batches_are_those_of_the_parsers() -> None:
    batches = b"".join(encode_batch([Record(index, 1, None, bytes(index))]) for index in range(30))
    parser = aiokafka_records.DefaultRecordBatch
    for position, header in iterate_batches(batches):
        theirs = parser(batches[position : position + header.size_bytes])
        assert theirs.base_offset == header.base_offset
