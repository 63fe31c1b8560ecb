"""Fetch sessions (KIP-227): what is named in each request, and that a broker keeps one for the consumer."""

import uuid

import pytest

import ottla
from ottla.clients.fetch_session_handler import FetchKey, FetchPosition, FetchSessionHandler
from ottla.errors import ErrorCode
from ottla.protocol.messages.fetch import FetchRequest
from ottla.testing import EmbeddedBroker
from support.eventually import eventually
from support.librdkafka import write_topic

A, B = FetchKey("a", 0), FetchKey("b", 1)


def request(session, **offsets):
    """What a request says: its session, the partitions that are named, those that are given up."""
    filled = FetchRequest()
    positions = {{"a": A, "b": B}[name]: FetchPosition(offset, 0) for name, offset in offsets.items()}
    session.fill(filled, positions, uses_topic_ids=False)
    named = {topic.topic: [(part.partition, part.fetch_offset) for part in topic.partitions] for topic in filled.topics}
    forgotten = {topic.topic: topic.partitions for topic in filled.forgotten_topics_data}
    return (filled.session_id, filled.session_epoch), named, forgotten


@pytest.fixture
def established():
    session = FetchSessionHandler(100)
    assert request(session, a=5, b=7) == ((0, 0), {"a": [(0, 5)], "b": [(1, 7)]}, {})
    session.handle_response(42)
    return session


def test_only_what_changed_is_named_again(established):
    assert request(established, a=5, b=8) == ((42, 1), {"b": [(1, 8)]}, {})
    established.handle_response(42)
    assert request(established, a=5, b=8) == ((42, 2), {}, {})


def test_what_is_not_wanted_any_more_is_given_up(established):
    assert request(established, a=5) == ((42, 1), {}, {"b": [1]})
    established.handle_response(42)
    assert request(established, a=5, b=7) == ((42, 2), {"b": [(1, 7)]}, {})


def test_a_session_that_the_broker_forgot_is_begun_anew(established):
    request(established, a=5, b=7)
    established.handle_error(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
    assert request(established, a=5) == ((0, 0), {"a": [(0, 5)]}, {})


@pytest.mark.parametrize("code", [ErrorCode.NONE, ErrorCode.INVALID_FETCH_SESSION_EPOCH])
def test_a_session_that_may_still_be_there_is_ended_by_the_next_request(established, code):
    established.handle_error(code)
    assert request(established, a=5) == ((42, 0), {"a": [(0, 5)]}, {})


def test_a_broker_without_room_for_a_session_gets_everything_every_time():
    session = FetchSessionHandler(100)
    for _ in range(3):
        assert request(session, a=5) == ((0, 0), {"a": [(0, 5)]}, {})
        session.handle_response(0)


def test_the_epoch_begins_again_at_one():
    session = FetchSessionHandler(100, epoch_max=2)
    epochs = []
    for _ in range(5):
        epochs.append(request(session, a=5)[0][1])
        session.handle_response(42)
    assert epochs == [0, 1, 2, 1, 2]


TOPIC = uuid.UUID(int=1)


def test_topics_are_named_by_id_where_their_keys_are():
    session, filled = FetchSessionHandler(100), FetchRequest()
    session.fill(filled, {FetchKey(TOPIC, 3): FetchPosition(5, 0)}, uses_topic_ids=True)
    (topic,) = filled.topics
    assert (topic.topic_id, topic.topic, topic.partitions[0].partition) == (TOPIC, "", 3)
    session.handle_response(42)
    session.fill(filled, {}, uses_topic_ids=True)
    assert [(topic.topic_id, topic.partitions) for topic in filled.forgotten_topics_data] == [(TOPIC, [3])]


def test_another_way_to_name_topics_begins_a_new_session(established):
    filled = FetchRequest()
    session = established
    session.fill(filled, {FetchKey(TOPIC, 0): FetchPosition(5, 0)}, uses_topic_ids=True)
    assert (filled.session_id, filled.session_epoch) == (42, 0)
    assert filled.forgotten_topics_data == []
    session.handle_response(43)
    assert request(session, a=5) == ((43, 0), {"a": [(0, 5)]}, {})


# As followers use it: they know themselves what has changed.

FIRST, SECOND = FetchKey(TOPIC, 0), FetchKey(TOPIC, 1)


def named(session: FetchSessionHandler, **offsets: int) -> list[int]:
    positions = {
        {"first": FIRST, "second": SECOND}[name]: FetchPosition(offset, 3, 2, 0) for name, offset in offsets.items()
    }
    return [part.partition for topic in session.topics(positions) for part in topic.partitions]


def test_only_changed_positions_of_a_follower_are_named_again():
    session = FetchSessionHandler(1000)
    assert named(session, first=0, second=0) == [0, 1]
    session.handle_response(77)
    assert (session.session_id, session.epoch, session.is_full) == (77, 1, False)
    assert named(session, first=0, second=5) == [1]


def test_after_an_error_everything_is_named_in_a_new_session():
    session = FetchSessionHandler(1000)
    named(session, first=0)
    session.handle_response(77)
    session.handle_error()
    assert (session.session_id, session.epoch, session.is_full) == (77, 0, True)
    assert named(session, first=0) == [0]


def test_a_leader_without_a_slot_is_told_everything_each_time():
    session = FetchSessionHandler(1000)
    named(session, first=0)
    session.handle_response(0)
    assert session.is_full
    assert named(session, first=0) == [0]


def test_only_what_the_leader_knows_is_forgotten():
    session = FetchSessionHandler(1000)
    named(session, first=0)
    session.handle_response(77)
    assert [topic.partitions for topic in session.forgotten([FIRST, SECOND])] == [[0]]
    assert session.forgotten([FIRST]) == []


# Over the network


def test_a_broker_keeps_a_session_for_a_consumer(broker_address, wide_topic):
    with ottla.Consumer(broker_address, auto_offset_reset="earliest", fetch_max_wait_ms=20) as consumer:
        consumer.assign([(wide_topic, partition) for partition in range(4)])
        for value in (b"1", b"2", b"3"):
            write_topic(broker_address, wide_topic, [{"value": value, "partition": 2}])
            assert [record.value for record in consumer.poll(20_000)] == [value]
        sessions = consumer._inner.fetcher._sessions.values()
        eventually(lambda: any(not session.is_full for session in sessions))


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
