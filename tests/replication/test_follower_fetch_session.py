"""The fetcher names only what changed, and everything again after an error."""

import uuid

from ottla.replication.follower_fetch_session import FetcherSession, FetchKey, FetchPosition

TOPIC = uuid.UUID(int=1)
FIRST, SECOND = FetchKey(TOPIC, 0), FetchKey(TOPIC, 1)


def position(offset: int) -> FetchPosition:
    return FetchPosition(offset, 3, 2, 0)


def named(session: FetcherSession, **offsets: int) -> list[int]:
    positions = {{"first": FIRST, "second": SECOND}[name]: position(offset) for name, offset in offsets.items()}
    return [part.partition for topic in session.topics(positions) for part in topic.partitions]


def test_only_changed_positions_are_named_again() -> None:
    session = FetcherSession(1000)
    assert named(session, first=0, second=0) == [0, 1]
    session.answered(77)
    assert (session.session_id, session.epoch, session.is_full) == (77, 1, False)
    assert named(session, first=0, second=5) == [1]


def test_after_a_reset_everything_is_named_in_a_new_session() -> None:
    session = FetcherSession(1000)
    named(session, first=0)
    session.answered(77)
    session.reset()
    assert (session.session_id, session.epoch, session.is_full) == (0, 0, True)
    assert named(session, first=0) == [0]


def test_a_leader_without_a_slot_is_told_everything_each_time() -> None:
    session = FetcherSession(1000)
    named(session, first=0)
    session.answered(0)
    assert session.is_full
    assert named(session, first=0) == [0]


def test_only_what_the_leader_knows_is_forgotten() -> None:
    session = FetcherSession(1000)
    named(session, first=0)
    session.answered(77)
    assert [topic.partitions for topic in session.forgotten([FIRST, SECOND])] == [[0]]
    assert session.forgotten([FIRST]) == []
