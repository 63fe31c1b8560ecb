"""Requests that waited are freed when they are answered, without the garbage collector: it comes by hardly ever."""

import asyncio
import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.handlers.fetch.wait import DelayedFetch
from ottla.model import ZERO_UUID
from ottla.replication.delayed_produce import DelayedProduce, Unacknowledged
from ottla.replication.fetch_reader import FetchEntry, FetchParams, FetchReader, Reads, close_reads
from ottla.replication.fetch_session import EntryKey, FetchSession
from ottla.replication.purgatory import Wait
from ottla.storage.log.log_results import AppendInfo
from support.loops import on_loop
from support.replicas import Replicas, replicas_in, turn

WAITING = FetchParams(-1, 500, 1, 1 << 20, 0)


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive() -> int:
    return sum(isinstance(found, DelayedFetch | DelayedProduce | Wait) for found in gc.get_objects())


def start_fetch(replicas: Replicas, offset: int) -> asyncio.Future[Reads]:
    session = FetchSession(0)
    entry = FetchEntry("t", ZERO_UUID, 0)
    entry.fetch_offset, entry.max_bytes = offset, 1 << 20
    session.put(EntryKey("t", 0), entry)
    delayed: DelayedFetch[Reads] = DelayedFetch(
        FetchReader(replicas.manager), session, WAITING, lambda answers: answers, full=True
    )
    waiting = delayed.start(replicas.purgatory)
    assert isinstance(waiting, asyncio.Future)
    return waiting


@pytest.mark.usefixtures("no_collector")
@on_loop
async def test_fetches_that_waited(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        waiting = [start_fetch(replicas, 0) for _ in range(3)]
        assert alive() == 6
        waiting.pop().cancel()
        await turn()
        assert alive() == 4
        replicas.append(partition)
        await turn()
        for future in waiting:
            close_reads(future.result())
        del future, waiting
        assert alive() == 0


@pytest.mark.usefixtures("no_collector")
@on_loop
async def test_produces_that_waited(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        info = AppendInfo(0, 0, -1, -1, 0, partition.leader_epoch)
        part = Unacknowledged(partition, info, 1, 0)
        delayed: DelayedProduce[str] = DelayedProduce([part], lambda codes: "answered")
        waiting = delayed.start(replicas.purgatory, 500)
        assert isinstance(waiting, asyncio.Future)
        del delayed
        assert alive() == 2
        replicas.append(partition)
        await turn()
        assert waiting.result() == "answered"
        assert alive() == 0
