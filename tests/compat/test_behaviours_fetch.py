"""Fetch as clients rely on it, by hand-made requests: behaviours 27 to 32 and 35 to 38."""

import uuid
from typing import Any

import pytest

from ottla.errors import ErrorCode
from ottla.protocol.messages.fetch import FetchTopic
from ottla.records.attributes import Codec
from ottla.records.legacy import decode_messages
from support.broker import ON_BOTH_BROKERS, BrokerProcess
from support.raw_kafka import RawKafka, topic_metadata
from support.raw_requests import (
    batch,
    fetch,
    fetch_partition,
    fetch_request,
    headers_in,
    produce,
    records_in,
)

pytestmark = ON_BOTH_BROKERS

LONG_WAIT_MS = 120_000


@pytest.fixture
def filled(raw: RawKafka, make_topic) -> str:
    """Four batches of two records of 1,000 bytes."""
    topic: str = make_topic()
    for _ in range(4):
        produce(raw, topic, batch([b"x" * 1000] * 2))
    return topic


def offsets(records: Any) -> list[int]:
    return [record.offset for record in records_in(records)]


@pytest.mark.parametrize("limits", [{"max_bytes": 1}, {"max_bytes": 1_000_000}], ids=str)
def test_27_first_batch_comes_whole_however_small_the_limit(raw: RawKafka, filled: str, limits: dict[str, int]):
    (header, *_) = headers_in(fetch(raw, filled, 0, **limits).records)
    assert (header.base_offset, header.records_count) == (0, 2)
    request = fetch_request(filled, [fetch_partition(0)], max_bytes=1)
    records = raw.ask(request, 12).responses[0].partitions[0].records
    assert offsets(records) == [0, 1]


def test_27_partition_limit_bounds_what_follows(raw: RawKafka, filled: str):
    records = fetch(raw, filled, 0, max_bytes=5000).records
    assert offsets(records) == [0, 1, 2, 3]
    assert len(records) <= 5000


def test_27_later_partitions_obey_the_limit_of_the_request(raw: RawKafka, make_topic):
    topic = make_topic(2)
    for partition in (0, 1):
        produce(raw, topic, batch([b"x" * 3000]), partition=partition)
    request = fetch_request(topic, [fetch_partition(0, partition) for partition in (1, 0)], max_bytes=100)
    first, second = raw.ask(request, 12).responses[0].partitions
    assert (first.partition_index, offsets(first.records)) == (1, [0])
    assert (second.partition_index, len(second.records)) == (0, 0)


def test_29_batch_is_returned_whole_from_below_the_offset(raw: RawKafka, filled: str):
    assert offsets(fetch(raw, filled, 3).records)[0] == 2


def test_30_nothing_new_and_no_wait_answers_at_once(raw: RawKafka, filled: str):
    data = fetch(raw, filled, 8, wait_ms=0)
    assert (data.error_code, len(data.records), data.high_watermark) == (ErrorCode.NONE, 0, 8)
    assert len(fetch(raw, filled, 8, wait_ms=LONG_WAIT_MS, min_bytes=0).records) == 0


def test_30_wait_ends_empty_when_the_time_is_over(raw: RawKafka, filled: str):
    data = fetch(raw, filled, 8, wait_ms=100)
    assert (data.error_code, len(data.records)) == (ErrorCode.NONE, 0)


def test_30_new_data_wakes_the_wait(raw: RawKafka, broker: BrokerProcess, filled: str):
    raw.send(fetch_request(filled, [fetch_partition(8)], wait_ms=LONG_WAIT_MS), 12)
    with RawKafka(broker.address) as other:
        produce(other, filled, batch([b"new"]))
    (data,) = raw.receive().responses[0].partitions
    assert [record.value for record in records_in(data.records)] == [b"new"]


def test_30_wait_goes_on_until_enough_bytes_are_there(raw: RawKafka, broker: BrokerProcess, filled: str):
    raw.send(fetch_request(filled, [fetch_partition(8)], wait_ms=LONG_WAIT_MS, min_bytes=2000), 12)
    with RawKafka(broker.address) as other:
        for number in range(3):
            produce(other, filled, batch([bytes([number]) * 900]))
    (data,) = raw.receive().responses[0].partitions
    assert offsets(data.records) == [8, 9, 10]


def test_30_error_in_one_partition_answers_at_once(raw: RawKafka, make_topic):
    topic = make_topic(2)
    request = fetch_request(topic, [fetch_partition(0), fetch_partition(7, 1)], wait_ms=LONG_WAIT_MS)
    answers = raw.ask(request, 12).responses[0].partitions
    assert {part.partition_index: part.error_code for part in answers} == {
        0: ErrorCode.NONE,
        1: ErrorCode.OFFSET_OUT_OF_RANGE,
    }


def test_30_empty_request_answers_at_once(raw: RawKafka):
    response = raw.ask(fetch_request("unused", [], wait_ms=LONG_WAIT_MS), 12)
    assert (response.error_code, response.responses) == (ErrorCode.NONE, [])


@pytest.mark.parametrize(
    ("offset", "error"),
    [(8, ErrorCode.NONE), (9, ErrorCode.OFFSET_OUT_OF_RANGE), (-1, ErrorCode.OFFSET_OUT_OF_RANGE)],
)
def test_31_offset_outside_the_log_is_out_of_range(raw: RawKafka, filled: str, offset: int, error: ErrorCode):
    data = fetch(raw, filled, offset, wait_ms=LONG_WAIT_MS if error else 0)
    assert data.error_code == error
    assert len(data.records) == 0


@pytest.mark.parametrize("version", range(4, 13))
def test_32_empty_records_are_empty_and_not_null(raw: RawKafka, filled: str, version: int):
    data = fetch(raw, filled, 8, version=version)
    assert data.records is not None
    assert len(data.records) == 0
    assert (data.high_watermark, data.last_stable_offset) == (8, 8)


@pytest.mark.parametrize(("isolation_level", "aborted"), [(0, None), (1, [])])
def test_32_aborted_transactions_are_null_or_a_list(raw: RawKafka, filled: str, isolation_level: int, aborted: Any):
    data = fetch(raw, filled, 0, isolation_level=isolation_level)
    assert data.aborted_transactions == aborted
    assert (data.high_watermark, data.last_stable_offset, data.log_start_offset) == (8, 8, 0)


def test_35_leader_epoch_is_compared_with_ours(raw: RawKafka, filled: str):
    assert fetch(raw, filled, 0, current_leader_epoch=0).error_code == ErrorCode.NONE
    assert fetch(raw, filled, 0, current_leader_epoch=-1).error_code == ErrorCode.NONE
    data = fetch(raw, filled, 0, current_leader_epoch=1)
    assert (data.error_code, len(data.records)) == (ErrorCode.UNKNOWN_LEADER_EPOCH, 0)


def test_36_no_divergence_where_the_epoch_is_ours(raw: RawKafka, filled: str):
    data = fetch(raw, filled, 4, last_fetched_epoch=0)
    assert (data.error_code, data.diverging_epoch.epoch, data.diverging_epoch.end_offset) == (ErrorCode.NONE, -1, -1)
    assert offsets(data.records)[0] == 4


def test_37_without_a_selector_no_replica_is_preferred(raw: RawKafka, filled: str):
    data = fetch(raw, filled, 0, rack_id="anywhere")
    assert data.preferred_read_replica == -1
    assert len(data.records) > 0


@pytest.mark.parametrize(("version", "magic"), [(0, 0), (1, 0), (2, 1), (3, 1)])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4], ids=lambda codec: codec.name)
def test_38_old_versions_get_old_formats(raw: RawKafka, make_topic, version: int, magic: int, codec: Codec):
    topic = make_topic()
    produce(raw, topic, batch(5, compression=codec))
    records = memoryview(fetch(raw, topic, 2, version=version).records)
    assert records[16] == magic
    found = [record for record in decode_messages(records, partial_tail=True) if record.offset >= 2]
    assert [(record.offset, record.value) for record in found] == [(n, b"value %d" % n) for n in (2, 3, 4)]


@pytest.mark.parametrize("version", [1, 3, 4, 9])
def test_38_zstd_is_refused_to_clients_too_old_for_it(raw: RawKafka, make_topic, version: int):
    """Kafka looks at the topic's setting from version 4 on, and at the batch only where it converts anyway."""
    topic = make_topic(**{"compression.type": "zstd"} if version >= 4 else {})
    produce(raw, topic, batch(5, compression=Codec.ZSTD))
    assert fetch(raw, topic, 0, version=version).error_code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert len(fetch(raw, topic, 0, version=10).records) > 0


@pytest.mark.parametrize("version", [4, 9])
def test_38_zstd_in_a_topic_of_no_codec_is_the_clients_affair(raw: RawKafka, make_topic, version: int):
    topic = make_topic()
    produce(raw, topic, batch(5, compression=Codec.ZSTD))
    data = fetch(raw, topic, 0, version=version)
    assert (data.error_code, headers_in(data.records)[0].compression) == (ErrorCode.NONE, Codec.ZSTD)


@pytest.mark.parametrize(("version", "code"), [(1, ErrorCode.UNSUPPORTED_VERSION), (4, ErrorCode.NONE)])
def test_38_topic_without_down_conversion_refuses_old_versions(
    raw: RawKafka, make_topic, version: int, code: ErrorCode
):
    topic = make_topic(**{"message.downconversion.enable": "false"})
    produce(raw, topic, batch(5))
    data = fetch(raw, topic, 0, version=version)
    assert (data.error_code, bool(data.records)) == (code, code == ErrorCode.NONE)


def test_unknown_partition_beside_a_known_one_does_not_end_the_wait(raw: RawKafka, broker: BrokerProcess, make_topic):
    """It is told of when the others have something, or their time is over."""
    topic = make_topic()
    request = fetch_request(topic, [fetch_partition(0, partition) for partition in (0, 99)], wait_ms=LONG_WAIT_MS)
    raw.send(request, 12)
    with RawKafka(broker.address) as other:
        produce(other, topic, batch(3))
    known, unknown = sorted(raw.receive().responses[0].partitions, key=lambda part: part.partition_index)
    assert len(records_in(known.records)) == 3
    assert unknown.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("version", range(13))
def test_every_version_by_name_returns_the_records(raw: RawKafka, filled: str, version: int):
    data = fetch(raw, filled, 0, version=version)
    assert (data.error_code, data.high_watermark) == (ErrorCode.NONE, 8)
    assert len(data.records) > 8000


@pytest.mark.parametrize("version", range(13, 18))
def test_every_version_by_topic_id_returns_the_records(raw: RawKafka, broker: BrokerProcess, filled: str, version: int):
    topic_id = topic_metadata(broker.address, filled).topic_id
    data = fetch(raw, topic_id, 0, version=version)
    assert (data.error_code, data.high_watermark) == (ErrorCode.NONE, 8)
    assert offsets(data.records) == list(range(8))


def test_unknown_topic_id_is_told(raw: RawKafka):
    data = fetch(raw, uuid.uuid4(), 0, version=13, wait_ms=LONG_WAIT_MS)
    assert data.error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_28_every_partition_has_its_turn_though_the_first_is_always_full(raw: RawKafka, make_topic):
    """Without a session the client rotates: the broker serves partitions in the order of the request."""
    topic = make_topic(3)
    for partition in range(3):
        produce(raw, topic, batch([b"x" * 3000]), partition=partition)
    for first in range(3):
        order = [(first + step) % 3 for step in range(3)]
        request = fetch_request(topic, [fetch_partition(0, partition) for partition in order], max_bytes=3000)
        answers = raw.ask(request, 12).responses[0].partitions
        assert [part.partition_index for part in answers if len(part.records)] == [first]


def test_two_topics_in_one_request_are_answered_in_order(raw: RawKafka, make_topic):
    topics = [make_topic(), make_topic()]
    for topic in topics:
        produce(raw, topic, batch())
    request = fetch_request("unused", [])
    request.topics = [FetchTopic(topic=topic, partitions=[fetch_partition(0)]) for topic in topics]
    response = raw.ask(request, 12)
    assert [answer.topic for answer in response.responses] == topics
