"""A follower tells its leader of records only when they are as safe as the topic promises."""

import asyncio
import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ottla.errors.kafka import NotLeaderOrFollowerError
from ottla.model import TopicPartition
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from ottla.replication.fetcher import FetcherDependencies, FetcherSettings, ReplicaFetcher
from ottla.replication.partition import Partition, PartitionAssignment
from support.coroutines import on_event_loop
from support.disks import FaultyDisk, os_error
from support.replicas import BROKER_ID, TOPIC_ID, Replicas, batch, replicas_in

LEADER_ID = 2


class Leader:
    """Answers the first fetches with a record (or these bytes), or only a high watermark, and holds every later one."""

    def __init__(self, high_watermark: int = 0, records: bytes | None = None, answers: int = 1) -> None:
        self.fetches: list[FetchRequest] = []
        self.answers = answers
        self.high_watermark = high_watermark
        self.records = bytes(batch()) if records is None and not high_watermark else records or b""

    async def request(self, broker_id: int, request: FetchRequest, **_options: Any) -> FetchResponse:
        self.fetches.append(request)
        if len(self.fetches) > self.answers:
            await asyncio.Event().wait()
        data = PartitionData(
            partition_index=0, high_watermark=self.high_watermark, log_start_offset=0, records=self.records
        )
        return FetchResponse(session_id=5, responses=[FetchableTopicResponse(topic_id=TOPIC_ID, partitions=[data])])

    def fetched_offsets(self, number: int) -> list[int]:
        return [part.fetch_offset for topic in self.fetches[number].topics for part in topic.partitions]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what happens in a log has no event
        await asyncio.sleep(0.001)


def follow_in(replicas: Replicas, epoch: int) -> Partition:
    state = PartitionAssignment(LEADER_ID, epoch, (BROKER_ID, LEADER_ID), (BROKER_ID, LEADER_ID), epoch)
    replicas.manager.apply(TopicPartition("t", 0), TOPIC_ID, state)
    return replicas.manager.partition("t", 0)


def follow(replicas: Replicas, leader: Leader, settings: FetcherSettings, records: int = 0) -> ReplicaFetcher:
    """After `records` of our own."""
    partition = replicas.lead(isr=(BROKER_ID, LEADER_ID))
    for _ in range(records):
        replicas.append(partition)
    follow_in(replicas, 1)
    dependencies = FetcherDependencies(replicas.manager, leader, replicas.clock, replicas.wheel, settings)  # type: ignore[arg-type]
    fetcher = ReplicaFetcher(LEADER_ID, 0, dependencies)
    fetcher.follow(replicas.manager.partition("t", 0))
    return fetcher


@on_event_loop
async def test_a_follower_flushes_what_the_topic_promises_before_it_tells_the_leader(tmp_path: Path) -> None:
    with replicas_in(tmp_path, flush_messages="1") as replicas:
        replicas.background.held = True
        leader = Leader()
        fetcher = follow(replicas, leader, FetcherSettings())
        log = replicas.manager.partition("t", 0).log
        await until(lambda: log.log_end_offset == 1)
        for _ in range(10):
            await asyncio.sleep(0)
        assert (len(leader.fetches), log.recovery_point) == (1, 0)
        replicas.background.run()
        await until(lambda: len(leader.fetches) == 2)
        assert (leader.fetched_offsets(1), log.recovery_point) == ([1], 1)
        fetcher.stop()


@on_event_loop
async def test_what_cannot_be_flushed_is_not_fetched_and_holds_up_nobody(tmp_path: Path) -> None:
    with replicas_in(tmp_path, flush_messages="1") as replicas:
        replicas.background.held = True
        leader = Leader()
        fetcher = follow(replicas, leader, FetcherSettings(backoff_ms=1))
        await until(lambda: fetcher.followed.keys() <= fetcher._paused)
        replicas.background.run()
        await until(lambda: len(leader.fetches) == 2)
        assert leader.fetched_offsets(1) == [1]
        fetcher.stop()


@on_event_loop
async def test_a_follower_of_an_ordinary_topic_waits_for_no_flush(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.background.held = True
        leader = Leader()
        fetcher = follow(replicas, leader, FetcherSettings())
        await until(lambda: len(leader.fetches) == 2)
        assert leader.fetched_offsets(1) == [1]
        fetcher.stop()


@on_event_loop
async def test_a_new_leader_is_not_told_of_what_is_not_flushed_yet(tmp_path: Path) -> None:
    with replicas_in(tmp_path, flush_messages="1") as replicas:
        replicas.background.held = True
        leader = Leader()
        fetcher = follow(replicas, leader, FetcherSettings(), records=3)
        for _ in range(10):
            await asyncio.sleep(0)
        assert not leader.fetches
        replicas.background.run()
        await until(lambda: len(leader.fetches) == 1)
        assert leader.fetched_offsets(0) == [3]
        fetcher.stop()


@on_event_loop
async def test_what_becomes_of_one_epoch_pauses_nobody_in_the_next(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        fetcher = follow(replicas, Leader(), FetcherSettings())
        (before,) = fetcher.followed.values()
        fetcher.follow(follow_in(replicas, 2))
        fetcher._pause(before, NotLeaderOrFollowerError("of the epoch before"))
        fetcher._pause_until(asyncio.get_running_loop().create_future(), before)
        assert not fetcher._paused
        fetcher.stop()


@on_event_loop
async def test_a_disk_that_fails_under_an_answer_ends_its_directory_and_not_the_fetcher(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        leader = Leader(high_watermark=1)
        fetcher = follow(replicas, leader, FetcherSettings(backoff_ms=1), records=3)
        disk = replicas.manager.partition("t", 0).log.log_directory.disk = FaultyDisk()
        disk.faults["pread"] = os_error(errno.EIO)  # Where the high watermark lies must be read from the log.
        await until(lambda: not replicas.logs.dirs.online())
        for _ in range(10):
            await asyncio.sleep(0)
        assert fetcher._task is not None
        assert not fetcher._task.done()
        fetcher.stop()


@on_event_loop
async def test_a_follower_does_not_ask_on_and_on_for_a_batch_that_is_cut_short_at_its_leader(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        leader = Leader(records=bytes(batch())[:-1])
        fetcher = follow(replicas, leader, FetcherSettings())
        await until(lambda: bool(fetcher._paused))
        assert len(leader.fetches) == 1
        fetcher.stop()


@on_event_loop
async def test_a_partition_that_cannot_be_copied_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with replicas_in(tmp_path) as replicas:
        leader = Leader(records=bytes(batch())[:-1], answers=8)
        fetcher = follow(replicas, leader, FetcherSettings())
        for _ in range(leader.answers):
            await until(lambda: bool(fetcher._paused))
            await replicas.advance_ms(2000)
        fetcher.stop()
    assert "cannot copy t-0, 8 times in a row" in caplog.records[0].getMessage()
