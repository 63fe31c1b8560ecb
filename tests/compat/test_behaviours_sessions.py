"""Fetch sessions (KIP-227): behaviours 28 and 34."""

from typing import Any

import pytest

from ottla.errors import ErrorCode
from support.broker import ON_BOTH_BROKERS
from support.raw_kafka import RawKafka
from support.raw_requests import batch, fetch_partition, produce, session_request

pytestmark = ON_BOTH_BROKERS

NEW, CLOSE = 0, -1


@pytest.fixture
def topic(raw: RawKafka, make_topic) -> str:
    """Three partitions of one record each."""
    name: str = make_topic(3)
    for partition in range(3):
        produce(raw, name, batch([b"x" * 3000]), partition=partition)
    return name


def served(response: Any) -> list[int]:
    return [part.partition_index for topic in response.responses for part in topic.partitions]


def with_data(response: Any) -> list[int]:
    return [part.partition_index for topic in response.responses for part in topic.partitions if len(part.records)]


@pytest.fixture
def session(raw: RawKafka, topic: str) -> int:
    """A session over all three partitions, read to their end."""
    request = session_request(topic, [fetch_partition(1, partition) for partition in range(3)], (0, NEW))
    response = raw.ask(request, 12)
    assert (response.error_code, served(response)) == (ErrorCode.NONE, [0, 1, 2])
    assert response.session_id > 0
    session_id: int = response.session_id
    return session_id


def test_34_without_a_session_none_is_given(raw: RawKafka, topic: str):
    response = raw.ask(session_request(topic, [fetch_partition(0)], (0, CLOSE)), 12)
    assert (response.session_id, with_data(response)) == (0, [0])


def test_34_incremental_answer_leaves_out_what_did_not_change(raw: RawKafka, topic: str, session: int):
    response = raw.ask(session_request(topic, [], (session, 1)), 12)
    assert (response.session_id, response.error_code, response.responses) == (session, ErrorCode.NONE, [])
    produce(raw, topic, batch(), partition=1)
    assert with_data(raw.ask(session_request(topic, [], (session, 2)), 12)) == [1]


def test_34_partition_is_added_changed_and_forgotten(raw: RawKafka, topic: str, session: int):
    response = raw.ask(session_request(topic, [fetch_partition(0, 2)], (session, 1)), 12)
    assert with_data(response) == [2]
    response = raw.ask(session_request(topic, [], (session, 2), forgotten=[2]), 12)
    assert with_data(response) == []
    produce(raw, topic, batch(), partition=2)
    assert served(raw.ask(session_request(topic, [], (session, 3)), 12)) == []


def test_34_wrong_epoch_and_unknown_id_are_told_at_the_top(raw: RawKafka, topic: str, session: int):
    response = raw.ask(session_request(topic, [], (session, 7)), 12)
    assert (response.error_code, response.responses) == (ErrorCode.INVALID_FETCH_SESSION_EPOCH, [])
    response = raw.ask(session_request(topic, [], (session ^ 0x5555, 1)), 12)
    assert (response.error_code, response.responses) == (ErrorCode.FETCH_SESSION_ID_NOT_FOUND, [])


def test_34_closed_session_is_gone(raw: RawKafka, topic: str, session: int):
    response = raw.ask(session_request(topic, [fetch_partition(0)], (session, CLOSE)), 12)
    assert (response.session_id, with_data(response)) == (0, [0])
    response = raw.ask(session_request(topic, [], (session, 1)), 12)
    assert response.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_34_error_of_a_partition_is_repeated_in_every_answer(raw: RawKafka, topic: str):
    request = session_request(topic, [fetch_partition(1), fetch_partition(99, 1)], (0, NEW))
    session_id = raw.ask(request, 12).session_id
    for epoch in (1, 2):
        response = raw.ask(session_request(topic, [], (session_id, epoch)), 12)
        assert served(response) == [1]
        assert response.responses[0].partitions[0].error_code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_28_session_serves_all_partitions_in_turn(raw: RawKafka, topic: str):
    """Each answer has room for one partition's record; no partition waits for ever."""
    request = session_request(topic, [fetch_partition(0, partition) for partition in range(3)], (0, NEW))
    request.max_bytes = 3000
    response = raw.ask(request, 12)
    session_id, seen = response.session_id, with_data(response)
    for epoch in range(1, 4):
        request = session_request(topic, [], (session_id, epoch))
        request.max_bytes = 3000
        seen += with_data(raw.ask(request, 12))
    assert set(seen) == {0, 1, 2}
