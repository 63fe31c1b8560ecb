"""Sessions: only news travels, idle entries are not read, slots are bounded."""

import asyncio
from pathlib import Path

import pytest

from ottla.clock import ManualClock
from ottla.errors.kafka import FetchSessionIdNotFoundError, FetchSessionTopicIdError, InvalidFetchSessionEpochError
from ottla.handlers.fetch.wait import DelayedFetch
from ottla.model import ZERO_UUID
from ottla.replication.fetch_reader import FetchEntry, FetchParams, FetchReader, FetchResult, Reads, close_reads
from ottla.replication.fetch_session import EntryKey, FetchSession, next_epoch
from ottla.replication.fetch_session_cache import FetchSessionCache
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, replicas_in, turn

NO_WAIT = FetchParams(-1, 0, 1, 1 << 20, 0)


class CountingReader(FetchReader):
    """Remembers which partitions were read."""

    def __init__(self, replicas: Replicas) -> None:
        super().__init__(replicas.manager)
        self.reads: list[list[int]] = []

    def read(self, entries: list[FetchEntry], params: FetchParams) -> FetchResult:
        self.reads.append([entry.partition_index for entry in entries])
        return super().read(entries, params)


def put(session: FetchSession, index: int, offset: int) -> None:
    entry = FetchEntry("t", ZERO_UUID, index)
    entry.fetch_offset, entry.max_bytes = offset, 1 << 20
    session.put(EntryKey("t", index), entry)


def poll(
    replicas: Replicas, reader: FetchReader, session: FetchSession, *, full: bool = False, params: FetchParams = NO_WAIT
) -> list[int]:
    """Which partitions an answer at once names."""
    delayed: DelayedFetch[Reads] = DelayedFetch(reader, session, params, lambda answers: answers, full=full)
    answers = delayed.start(replicas.purgatory)
    assert isinstance(answers, list)
    close_reads(answers)
    return [entry.partition_index for entry, _answer in answers]


def wait(replicas: Replicas, reader: FetchReader, session: FetchSession) -> asyncio.Future[Reads]:
    """What an answer will name that waits for news."""
    params = FetchParams(-1, 500, 1, 1 << 20, 0)
    delayed: DelayedFetch[Reads] = DelayedFetch(reader, session, params, lambda answers: answers, full=False)
    waiting = delayed.start(replicas.purgatory)
    assert isinstance(waiting, asyncio.Future)
    return waiting


@on_loop
async def test_idle_session_reads_nothing_however_many_partitions_it_has(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=20)
        session, reader = FetchSession(5), CountingReader(replicas)
        for index in range(20):
            put(session, index, 0)
        assert poll(replicas, reader, session, full=True) == list(range(20))
        assert poll(replicas, reader, session) == []
        assert reader.reads[1] == []


@on_loop
async def test_only_the_partition_with_news_is_read_and_named(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=3)
        session, reader = FetchSession(5), CountingReader(replicas)
        for index in range(3):
            put(session, index, 0)
        poll(replicas, reader, session, full=True)
        replicas.append(replicas.manager.partition("t", 1))
        await turn()
        assert poll(replicas, reader, session) == [1]
        assert reader.reads[1] == [1]


@on_loop
async def test_partitions_with_data_take_turns(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        session, reader = FetchSession(5), CountingReader(replicas)
        for index in range(2):
            replicas.append(replicas.manager.partition("t", index))
            put(session, index, 0)
        poll(replicas, reader, session, full=True)
        put(session, 0, 0)  # The fetcher moved on in partition 0 only.
        assert poll(replicas, reader, session) == [1, 0]


@on_loop
async def test_partition_that_had_no_room_is_read_first_the_next_time(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=3)
        session, reader = FetchSession(5), FetchReader(replicas.manager)
        for index in range(3):
            replicas.append(replicas.manager.partition("t", index))
            put(session, index, 0)
        room_for_one = NO_WAIT._replace(max_bytes=1)
        poll(replicas, reader, session, full=True, params=room_for_one)
        assert [poll(replicas, reader, session, params=room_for_one) for _ in range(3)] == [[1], [2], [0]]


@on_loop
async def test_forgotten_partition_is_not_watched_any_more(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        session, reader = FetchSession(5), CountingReader(replicas)
        put(session, 0, 0)
        poll(replicas, reader, session, full=True)
        assert session in partition.watchers
        session.forget([EntryKey("t", 0)])
        assert session not in partition.watchers


@on_loop
async def test_closed_session_answers_who_waits_and_watches_and_reads_nothing_more(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(count=2)
        session, reader = FetchSession(5), CountingReader(replicas)
        for index in (0, 1):
            put(session, index, 0)
        poll(replicas, reader, session, full=True)
        waiting = wait(replicas, reader, session)
        session.close()
        assert waiting.result() == []
        assert replicas.purgatory.waiting["Fetch"] == 0
        replicas.append(partition)
        await replicas.advance_ms(600)
        assert not partition.watchers
        assert reader.reads == [[0, 1], []]


@on_loop
async def test_append_of_the_turn_in_which_a_session_is_closed_is_not_read(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        session, reader = FetchSession(5), CountingReader(replicas)
        put(session, 0, 0)
        waiting = wait(replicas, reader, session)
        replicas.append(partition)
        session.close()
        await turn()
        assert waiting.result() == []
        assert reader.reads == [[0]]


@on_loop
async def test_session_that_nobody_polls_is_woken_once_and_then_left_alone(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        session, reader = FetchSession(5), CountingReader(replicas)
        put(session, 0, 0)
        poll(replicas, reader, session, full=True)
        replicas.append(partition)
        await turn()
        assert not partition.watchers
        assert list(session.ready) == list(session.entries.values())


@on_loop
async def test_waiting_session_is_answered_with_the_news(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(count=2)
        session, reader = FetchSession(5), CountingReader(replicas)
        for index in (0, 1):
            put(session, index, 0)
        poll(replicas, reader, session, full=True)
        waiting = wait(replicas, reader, session)
        replicas.append(partition)
        await turn()
        [(entry, answer)] = waiting.result()
        assert entry.partition_index == 0
        assert answer.high_watermark == 1
        answer.close()


@on_loop
async def test_offset_above_the_high_watermark_is_waited_for_until_the_watermark_passes_it(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        for _ in range(3):
            replicas.append(partition)
        session, reader = FetchSession(5), CountingReader(replicas)
        put(session, 0, 2)
        poll(replicas, reader, session, full=True)
        waiting = wait(replicas, reader, session)
        for watermark in (1, 2):
            partition.follow_high_watermark(watermark)
            await turn()
            assert not waiting.done()
        partition.follow_high_watermark(3)
        await turn()
        [(entry, answer)] = waiting.result()
        assert entry.read_bytes > 0
        answer.close()


@on_loop
async def test_partition_whose_new_epoch_ended_a_wait_with_nothing_is_watched_again(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        session, reader = FetchSession(5), CountingReader(replicas)
        put(session, 0, 0)
        poll(replicas, reader, session, full=True)
        waiting = wait(replicas, reader, session)
        replicas.lead(epoch=1)
        await turn()
        assert waiting.result() == []
        replicas.append(partition)
        await turn()
        assert poll(replicas, reader, session) == [0]


def test_epochs_count_requests_and_wrap_to_one() -> None:
    cache = FetchSessionCache(ManualClock(), 10)
    session = cache.create(privileged=False, uses_topic_ids=True)
    assert cache.resume(session.session_id, 1, uses_topic_ids=True) is session
    assert cache.resume(session.session_id, 2, uses_topic_ids=True) is session
    assert next_epoch(2**31 - 1) == 1


def test_wrong_session_epoch_and_naming_are_told_apart() -> None:
    cache = FetchSessionCache(ManualClock(), 10)
    session = cache.create(privileged=False, uses_topic_ids=True)
    with pytest.raises(InvalidFetchSessionEpochError):
        cache.resume(session.session_id, 7, uses_topic_ids=True)
    with pytest.raises(FetchSessionIdNotFoundError):
        cache.resume(session.session_id + 1, 1, uses_topic_ids=True)
    with pytest.raises(FetchSessionTopicIdError):
        cache.resume(session.session_id, 1, uses_topic_ids=False)


def test_full_cache_declines_until_a_session_is_old() -> None:
    clock = ManualClock()
    cache = FetchSessionCache(clock, 1)
    assert cache.create(privileged=False, uses_topic_ids=True).session_id != 0
    assert cache.create(privileged=False, uses_topic_ids=True).session_id == 0
    clock.advance_ms(121_000)
    assert cache.create(privileged=False, uses_topic_ids=True).session_id != 0
    assert len(cache) == 1


def test_follower_takes_the_slot_of_a_consumer_but_not_of_a_follower() -> None:
    cache = FetchSessionCache(ManualClock(), 1)
    cache.create(privileged=False, uses_topic_ids=True)
    assert cache.create(privileged=True, uses_topic_ids=True).session_id != 0
    assert cache.create(privileged=True, uses_topic_ids=True).session_id == 0
