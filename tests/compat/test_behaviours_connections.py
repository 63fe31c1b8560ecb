"""Connections: behaviours 1, 2 and 4, with the data path behind them."""

import struct
from typing import Any

import pytest

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.api_versions import ApiVersionsRequest
from support.broker import ON_BOTH_BROKERS, BrokerProcess
from support.raw_kafka import RawKafka
from support.raw_requests import batch, fetch, fetch_partition, fetch_request, produce, produce_request, records_in

pytestmark = ON_BOTH_BROKERS

INT32_MAX = 2**31 - 1


def test_01_pipelined_requests_are_answered_in_their_order(raw: RawKafka, make_topic):
    topic = make_topic()
    for number in range(20):
        raw.send(produce_request(topic, batch([b"%d" % number])), 9)
        raw.send(fetch_request(topic, [fetch_partition(0)]), 12)
    for number in range(20):
        answer: Any = raw.receive().responses[0].partition_responses[0]
        assert answer.base_offset == number
        values = [record.value for record in records_in(raw.receive().responses[0].partitions[0].records)]
        assert values[: number + 1] == [b"%d" % before for before in range(number + 1)]


@pytest.mark.parametrize("version", [-1, 99])
def test_02_version_that_is_not_served_ends_the_connection(raw: RawKafka, version: int):
    raw.send_body(ApiKey.PRODUCE, version, b"")
    assert raw.is_closed_by_broker()


def test_02_body_that_cannot_be_read_ends_the_connection(raw: RawKafka):
    raw.send_body(ApiKey.PRODUCE, 7, b"\x00\x00\xff")
    assert raw.is_closed_by_broker()


@pytest.mark.parametrize("size", [-1, INT32_MAX])
def test_02_frame_of_an_impossible_size_ends_the_connection(raw: RawKafka, size: int):
    raw.sock.sendall(struct.pack(">i", size))
    assert raw.is_closed_by_broker()


def test_02_api_versions_too_new_is_answered_in_the_oldest_form(raw: RawKafka):
    raw.send_body(ApiKey.API_VERSIONS, 99, b"")
    frame = raw.receive_frame()
    assert struct.unpack_from(">ih", frame) == (0, 35)
    (count,) = struct.unpack_from(">i", frame, 6)
    keys = [struct.unpack_from(">hhh", frame, 10 + 6 * index) for index in range(count)]
    assert [key for key, _, _ in keys] == [ApiKey.API_VERSIONS]


def test_04_acks_of_none_have_no_answer(raw: RawKafka, make_topic):
    topic = make_topic()
    raw.send(produce_request(topic, batch(), acks=0), 9)
    raw.expect_nothing()
    assert raw.ask(ApiVersionsRequest(), 0).error_code == 0
    assert len(records_in(fetch(raw, topic, 0).records)) == 1


def test_04_error_with_acks_of_none_ends_the_connection(broker: BrokerProcess, raw: RawKafka, make_topic):
    topic = make_topic()
    raw.send(produce_request(topic, batch(), acks=0, partition=9), 9)
    assert raw.is_closed_by_broker()
    with RawKafka(broker.address) as another:
        assert produce(another, topic, batch()).error_code == 0
