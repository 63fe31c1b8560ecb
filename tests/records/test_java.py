"""Java's own bytes (tests/data/records, written by WriteRecords.java with Kafka 3.9.1), and ours read by Java."""

from pathlib import Path

import pytest
from tests.support.peers import run_kafka_class

from ottla.records.attributes import Codec
from ottla.records.batch import check_crc, decode_header
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.records.legacy import decode_messages, down_convert, up_convert
from ottla.records.record import Record, decode_batch, encode_batch
from ottla.records.scan import scan_batches

DATA = Path(__file__).parents[1] / "data" / "records"
HEADERS = (("h", b"\x01\x02"), ("null", None))
WRITTEN = [
    Record(100, 1000, b"key", b"value" * 100, HEADERS),
    Record(101, 999, None, b"no key"),
    Record(102, 1001, b"no value", None),
]
LEGACY_CODECS = [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4]


def java_bytes(magic: int, codec: Codec) -> bytes:
    return (DATA / f"kafka-3.9.1-v{magic}-{codec.name.lower()}.bin").read_bytes()


@pytest.mark.parametrize("codec", list(Codec))
def test_batches_of_java_are_read(codec: Codec) -> None:
    batch = java_bytes(2, codec)
    header = decode_header(batch)
    check_crc(batch, 0, header)
    assert header.compression is codec
    assert decode_batch(batch) == WRITTEN


def test_plain_batch_is_byte_for_byte_what_java_writes() -> None:
    assert encode_batch(WRITTEN) == java_bytes(2, Codec.NONE)


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", LEGACY_CODECS)
def test_message_sets_of_java_are_read_and_converted(magic: int, codec: Codec) -> None:
    expected = [record._replace(headers=(), timestamp=record.timestamp if magic else -1) for record in WRITTEN]
    message_set = java_bytes(magic, codec)
    assert decode_messages(message_set) == expected
    assert [
        record for batch in up_convert(message_set, keep_offsets=True) for record in decode_batch(batch)
    ] == expected


@pytest.mark.parametrize("magic", [0, 1])
def test_plain_message_set_is_byte_for_byte_what_java_writes(magic: int) -> None:
    assert down_convert(encode_batch(WRITTEN), magic) == java_bytes(magic, Codec.NONE)


def records_from(offset: int) -> list[Record]:
    return [Record(offset + index, 1000 + index, b"k%d" % index, b"v" * 40_000, HEADERS) for index in range(3)]


def dump(path: Path) -> str:
    result = run_kafka_class("3.9.1", "kafka.tools.DumpLogSegments", "--deep-iteration", "--files", str(path))
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_dump_log_segments_reads_every_codec_and_control_records(tmp_path: Path) -> None:
    parts = [encode_batch(records_from(3 * codec), compression=codec, leader_epoch=4) for codec in Codec]
    parts.append(
        encode_end_txn_batch(
            ControlType.ABORT, producer_id=7, producer_epoch=1, coordinator_epoch=12, timestamp=5, base_offset=15
        )
    )
    segment = tmp_path / "00000000000000000000.log"
    segment.write_bytes(b"".join(parts))
    printed = dump(segment)
    assert printed.count("isvalid: true") == len(parts) == scan_batches(b"".join(parts)).batches_count
    assert [f"| offset: {offset} " in printed for offset in range(16)] == [True] * 16
    for codec in Codec:
        assert f"compresscodec: {codec.name.lower()} " in printed
    assert "endTxnMarker: ABORT coordinatorEpoch: 12" in printed
    assert printed.count("headerKeys: [h,null]") == 15


def test_dump_log_segments_reads_what_was_converted_down(tmp_path: Path) -> None:
    batches = b"".join(encode_batch(records_from(3 * codec), compression=codec) for codec in LEGACY_CODECS)
    for magic in (0, 1):
        segment = tmp_path / str(magic) / "00000000000000000000.log"
        segment.parent.mkdir()
        segment.write_bytes(down_convert(batches, magic))
        printed = dump(segment)
        assert [f"offset: {offset} " in printed for offset in range(12)] == [True] * 12
        assert "isvalid: false" not in printed
        assert "Exception" not in printed
