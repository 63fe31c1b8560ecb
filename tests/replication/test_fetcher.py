"""A follower tells its leader of records only when they are as safe as the topic promises."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ottla.model import TopicPartition
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse, PartitionData
from ottla.replication.fetcher import FetcherSettings, FetcherSurroundings, ReplicaFetcher
from ottla.replication.partition import PartitionState
from support.coroutines import on_event_loop
from support.replicas import BROKER_ID, TOPIC_ID, Replicas, batch, replicas_in

LEADER_ID = 2


class Leader:
    """Answers the first fetch with a record, and holds every later one."""

    def __init__(self) -> None:
        self.fetches: list[FetchRequest] = []

    async def request(self, broker_id: int, request: FetchRequest, **_options: Any) -> FetchResponse:
        self.fetches.append(request)
        if len(self.fetches) > 1:
            await asyncio.Event().wait()
        data = PartitionData(partition_index=0, high_watermark=0, log_start_offset=0, records=bytes(batch()))
        return FetchResponse(session_id=5, responses=[FetchableTopicResponse(topic_id=TOPIC_ID, partitions=[data])])

    def fetched_offsets(self, number: int) -> list[int]:
        return [part.fetch_offset for topic in self.fetches[number].topics for part in topic.partitions]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - what happens in a log has no event
        await asyncio.sleep(0.001)


def follow(replicas: Replicas, leader: Leader, settings: FetcherSettings) -> ReplicaFetcher:
    name = TopicPartition("t", 0)
    replicas.lead(isr=(BROKER_ID, LEADER_ID))
    state = PartitionState(LEADER_ID, 1, (BROKER_ID, LEADER_ID), (BROKER_ID, LEADER_ID), 1)
    replicas.manager.apply(name, TOPIC_ID, state)
    surroundings = FetcherSurroundings(replicas.manager, leader, replicas.clock, replicas.wheel, settings)  # type: ignore[arg-type]
    fetcher = ReplicaFetcher(LEADER_ID, 0, surroundings)
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
