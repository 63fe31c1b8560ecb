"""Fetch sessions (KIP-227): what is named in each request, and that a broker keeps one for the consumer."""

import pytest

import ottla
from ottla.clients.consumer.fetch_session import EPOCH_MAX, FetchSession, Wanted
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.protocol.messages.fetch import FetchRequest
from ottla.testing import EmbeddedBroker
from support.eventually import eventually
from support.librdkafka import write_topic

A, B = TopicPartition("a", 0), TopicPartition("b", 1)


def request(session, **offsets):
    """What a request says: its session, the partitions that are named, those that are given up."""
    filled = FetchRequest()
    session.fill(filled, {{"a": A, "b": B}[name]: Wanted(offset, 0, 100) for name, offset in offsets.items()})
    named = {topic.topic: [(part.partition, part.fetch_offset) for part in topic.partitions] for topic in filled.topics}
    forgotten = {topic.topic: topic.partitions for topic in filled.forgotten_topics_data}
    return (filled.session_id, filled.session_epoch), named, forgotten


@pytest.fixture
def established():
    session = FetchSession()
    assert request(session, a=5, b=7) == ((0, 0), {"a": [(0, 5)], "b": [(1, 7)]}, {})
    session.take_answer(42)
    return session


def test_only_what_changed_is_named_again(established):
    assert request(established, a=5, b=8) == ((42, 1), {"b": [(1, 8)]}, {})
    established.take_answer(42)
    assert request(established, a=5, b=8) == ((42, 2), {}, {})


def test_what_is_not_wanted_any_more_is_given_up(established):
    assert request(established, a=5) == ((42, 1), {}, {"b": [1]})
    established.take_answer(42)
    assert request(established, a=5, b=7) == ((42, 2), {"b": [(1, 7)]}, {})


def test_a_session_that_the_broker_forgot_is_begun_anew(established):
    request(established, a=5, b=7)
    established.give_up(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    assert request(established, a=5) == ((0, 0), {"a": [(0, 5)]}, {})


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.INVALID_FETCH_SESSION_EPOCH])
def test_a_session_that_may_still_be_there_is_ended_by_the_next_request(established, code):
    established.give_up(code)
    assert request(established, a=5) == ((42, 0), {"a": [(0, 5)]}, {})


def test_a_broker_without_room_for_a_session_gets_everything_every_time():
    session = FetchSession()
    for _ in range(3):
        assert request(session, a=5) == ((0, 0), {"a": [(0, 5)]}, {})
        session.take_answer(0)


def test_the_epoch_begins_again_at_one(established):
    established._epoch = EPOCH_MAX
    request(established, a=5)
    established.take_answer(42)
    assert request(established, a=5)[0] == (42, 1)


def test_a_broker_keeps_a_session_for_a_consumer(broker_address, wide_topic):
    with ottla.Consumer(broker_address, auto_offset_reset="earliest", fetch_max_wait_ms=20) as consumer:
        consumer.assign([(wide_topic, partition) for partition in range(4)])
        for value in (b"1", b"2", b"3"):
            write_topic(broker_address, wide_topic, [{"value": value, "partition": 2}])
            assert [record.value for record in consumer.poll(20_000)] == [value]
        sessions = consumer._inner.fetcher._sessions.values()
        eventually(lambda: any(session.is_incremental for session in sessions))


def test_reading_goes_on_after_a_restart_that_forgot_the_session():
    with EmbeddedBroker(process=True) as broker:
        broker.create_topic("t")
        with ottla.Consumer(broker.address, auto_offset_reset="earliest", fetch_max_wait_ms=20) as consumer:
            consumer.assign([("t", 0)])
            write_topic(broker.address, "t", [{"value": b"before"}])
            assert [record.value for record in consumer.poll(20_000)] == [b"before"]
            broker.brokers[0].kill()
            broker.brokers[0].start()
            write_topic(broker.address, "t", [{"value": b"after"}])
            assert [record.value for record in consumer.poll(20_000)] == [b"after"]
