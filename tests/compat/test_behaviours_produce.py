"""Produce as clients rely on it, by hand-made requests: behaviours 16 to 22 of the list that Kafka's sources gave."""

import struct
import time

import pytest

from ottla.errors import ErrorCode
from ottla.protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from ottla.records.attributes import Codec, TimestampType
from ottla.records.batch import HEADER_SIZE, assemble_batch, decode_header, rewrite_crc
from ottla.records.legacy import down_convert
from support.broker import ON_BOTH_BROKERS
from support.raw_kafka import RawKafka
from support.raw_requests import (
    LATEST,
    NOW_MS,
    batch,
    fetch,
    headers_in,
    list_offsets,
    produce,
    produce_request,
    records_in,
)

pytestmark = ON_BOTH_BROKERS


def end_offset(raw: RawKafka, topic: str) -> int:
    offset: int = list_offsets(raw, topic, LATEST).offset
    return offset


def test_16_acks_other_than_all_none_or_one_are_refused(raw: RawKafka, make_topic):
    topic = make_topic()
    assert produce(raw, topic, batch(), acks=2).error_code == ErrorCode.INVALID_REQUIRED_ACKS
    assert end_offset(raw, topic) == 0


def test_16_no_more_in_sync_replicas_are_wanted_than_there_are_replicas(raw: RawKafka, make_topic):
    topic = make_topic(**{"min.insync.replicas": "2"})
    assert produce(raw, topic, batch()).error_code == ErrorCode.NONE
    assert end_offset(raw, topic) == 1


def wrong_crc() -> bytes:
    records = bytearray(batch())
    records[-1] ^= 1
    return bytes(records)


def with_header(**fields: int) -> bytes:
    """A batch of two records whose header says something else, with a right CRC."""
    records = batch(2)
    return bytes(assemble_batch(decode_header(records)._replace(**fields), records[HEADER_SIZE:]))


REFUSED_BATCHES = {
    "two batches": (batch() + batch(), ErrorCode.INVALID_RECORD),
    "message format v1": (down_convert(batch(), 1), ErrorCode.INVALID_RECORD),
    "base offset of 1": (with_header(base_offset=1), ErrorCode.INVALID_RECORD),
    "count below the offsets": (with_header(records_count=1), ErrorCode.INVALID_RECORD),
    "count above the offsets": (with_header(records_count=3), ErrorCode.INVALID_RECORD),
    "offsets above the count": (with_header(last_offset_delta=4), ErrorCode.INVALID_RECORD),
    "negative last offset": (with_header(last_offset_delta=-1), ErrorCode.INVALID_RECORD),
    "control batch": (with_header(attributes=0x20), ErrorCode.INVALID_RECORD),
    "wrong checksum": (wrong_crc(), ErrorCode.CORRUPT_MESSAGE),
}


def test_17_records_of_a_transaction_without_its_id_refuse_the_whole_request(raw: RawKafka, make_topic):
    topic, other = make_topic(), make_topic()
    in_transaction = batch(2, producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True)
    for records in ([in_transaction], [batch(), in_transaction]):
        request = produce_request(topic, records[0])
        request.topic_data += [produce_request(other, more).topic_data[0] for more in records[1:]]
        answers = [part for each in raw.ask(request, 9).responses for part in each.partition_responses]
        refused = (ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, -1)
        assert [(answer.error_code, answer.base_offset) for answer in answers] == [refused] * len(records)
    assert (end_offset(raw, topic), end_offset(raw, other)) == (0, 0)


@pytest.mark.parametrize("case", REFUSED_BATCHES)
def test_17_batch_is_refused(raw: RawKafka, make_topic, case: str):
    topic = make_topic()
    records, error = REFUSED_BATCHES[case]
    assert produce(raw, topic, records).error_code == error
    assert end_offset(raw, topic) == 0


def test_17_zstd_needs_version_7(raw: RawKafka, make_topic):
    topic = make_topic()
    records = batch(3, compression=Codec.ZSTD)
    assert produce(raw, topic, records, version=6).error_code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert produce(raw, topic, records, version=7).error_code == ErrorCode.NONE
    assert end_offset(raw, topic) == 3


def test_18_size_is_that_of_the_batch_as_it_came(raw: RawKafka, make_topic):
    topic = make_topic(**{"max.message.bytes": "1000"})
    assert produce(raw, topic, batch([b"x" * 2000])).error_code == ErrorCode.MESSAGE_TOO_LARGE
    assert produce(raw, topic, batch([b"x" * 2000], compression=Codec.GZIP)).error_code == ErrorCode.NONE
    assert end_offset(raw, topic) == 1


def test_18_batch_larger_than_a_segment_is_refused(raw: RawKafka, make_topic):
    topic = make_topic(**{"segment.bytes": "1000", "max.message.bytes": "10000"})
    assert produce(raw, topic, batch([b"x" * 2000])).error_code == ErrorCode.RECORD_LIST_TOO_LARGE
    assert end_offset(raw, topic) == 0


def test_19_null_key_on_a_compacted_topic_is_named_and_fails_the_whole_batch(raw: RawKafka, make_topic):
    topic = make_topic(**{"cleanup.policy": "compact"})
    answer = produce(raw, topic, batch(3, keys=[b"a", None, b"c"]))
    assert answer.error_code == ErrorCode.INVALID_RECORD
    assert [error.batch_index for error in answer.record_errors] == [1]
    assert answer.error_message
    assert end_offset(raw, topic) == 0
    compressed = produce(raw, topic, batch(2, keys=[None, b"b"], compression=Codec.LZ4))
    assert compressed.error_code == ErrorCode.INVALID_RECORD
    assert produce(raw, topic, batch(2)).error_code == ErrorCode.NONE


def test_19_timestamp_beyond_the_limit_is_refused(raw: RawKafka, make_topic):
    topic = make_topic(**{"message.timestamp.after.max.ms": "60000", "message.timestamp.before.max.ms": "3600000"})
    now = int(time.time() * 1000)
    for timestamp, error in (
        (now + 600_000, ErrorCode.INVALID_TIMESTAMP),
        (now - 7_200_000, ErrorCode.INVALID_TIMESTAMP),
        (now - 60_000, ErrorCode.NONE),
    ):
        answer = produce(raw, topic, batch(2, timestamps=[now, timestamp]))
        assert answer.error_code == error
        assert [bad.batch_index for bad in answer.record_errors] == ([1] if error else [])


def test_20_create_time_answers_no_append_time(raw: RawKafka, make_topic):
    topic = make_topic()
    produce(raw, topic, batch(3))
    answer = produce(raw, topic, batch(2))
    assert (answer.base_offset, answer.log_append_time_ms, answer.log_start_offset) == (3, -1, 0)


@pytest.mark.parametrize("codec", list(Codec))
def test_20_log_append_time_is_written_into_the_batch(raw: RawKafka, make_topic, codec: Codec):
    topic = make_topic(**{"message.timestamp.type": "LogAppendTime"})
    before = int(time.time() * 1000)
    answer = produce(raw, topic, batch(3, compression=codec))
    (header,) = headers_in(fetch(raw, topic, 0).records)
    assert before <= answer.log_append_time_ms <= int(time.time() * 1000)
    assert header.max_timestamp == answer.log_append_time_ms
    assert header.timestamp_type is TimestampType.LOG_APPEND_TIME


def test_20_every_partition_has_an_entry_even_on_error(raw: RawKafka, make_topic):
    topic = make_topic(2)
    data = [PartitionProduceData(index=index, records=batch()) for index in (0, 7, 1)]
    absent = TopicProduceData(name="absent-" + topic, partition_data=[PartitionProduceData(index=0, records=batch())])
    request = ProduceRequest(
        acks=-1, timeout_ms=1000, topic_data=[TopicProduceData(name=topic, partition_data=data), absent]
    )
    response = raw.ask(request, 9)
    found = {
        (answer.name, part.index): (part.error_code, part.base_offset)
        for answer in response.responses
        for part in answer.partition_responses
    }
    unknown = (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert found == {(topic, 0): (0, 0), (topic, 1): (0, 0), (topic, 7): unknown, (absent.name, 0): unknown}


@pytest.mark.parametrize("codec", list(Codec))
def test_21_batch_is_kept_as_it_came_but_for_offset_and_epoch(raw: RawKafka, make_topic, codec: Codec):
    topic = make_topic()
    sent = batch([b"x" * 100] * 5, compression=codec)
    produce(raw, topic, batch())
    produce(raw, topic, sent)
    stored = bytes(fetch(raw, topic, 1).records)
    assert struct.unpack_from(">q", stored) == (1,)
    assert struct.unpack_from(">i", stored, 12) == (0,)
    assert stored[8:12] == sent[8:12]
    assert stored[16:] == sent[16:]


def test_21_topic_with_a_codec_of_its_own_recompresses(raw: RawKafka, make_topic):
    topic = make_topic(**{"compression.type": "gzip"})
    produce(raw, topic, batch([b"x" * 100] * 5, compression=Codec.LZ4))
    produce(raw, topic, batch([b"y" * 100] * 5))
    data = fetch(raw, topic, 0)
    assert {header.compression for header in headers_in(data.records)} == {Codec.GZIP}
    assert [record.value for record in records_in(data.records)] == [b"x" * 100] * 5 + [b"y" * 100] * 5
    assert [record.timestamp for record in records_in(data.records)] == [NOW_MS + number for number in range(5)] * 2


def test_21_uncompressed_topic_opens_what_was_compressed(raw: RawKafka, make_topic):
    topic = make_topic(**{"compression.type": "uncompressed"})
    produce(raw, topic, batch([b"x" * 100] * 5, compression=Codec.ZSTD))
    data = fetch(raw, topic, 0)
    assert {header.compression for header in headers_in(data.records)} == {Codec.NONE}
    assert len(records_in(data.records)) == 5


def test_22_unknown_topic_and_partition_are_told(raw: RawKafka, make_topic):
    topic = make_topic()
    assert produce(raw, topic, batch(), partition=3).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert produce(raw, "no-" + topic, batch()).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("version", range(12))
def test_every_version_appends_and_answers(raw: RawKafka, make_topic, version: int):
    topic = make_topic()
    magic = 0 if version < 2 else 1
    records = batch(3) if version >= 3 else down_convert(batch(3), magic)
    answer = raw.ask(produce_request(topic, records), version).responses[0].partition_responses[0]
    assert (answer.error_code, answer.base_offset) == (0, 0)
    assert [record.value for record in records_in(fetch(raw, topic, 0).records)] == [b"value 0", b"value 1", b"value 2"]


def test_stored_batch_is_what_rewriting_the_crc_would_give(raw: RawKafka, make_topic):
    topic = make_topic(**{"message.timestamp.type": "LogAppendTime"})
    produce(raw, topic, batch(3))
    stored = bytearray(fetch(raw, topic, 0).records)
    before = bytes(stored)
    rewrite_crc(stored, 0)
    assert bytes(stored) == before
