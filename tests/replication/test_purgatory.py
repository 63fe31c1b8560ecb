"""Who is told of a change, and when; the end of a wait: told at once to whoever answers, and without harm to others."""

import asyncio
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from ottla.replication.partition import Partition
from ottla.replication.purgatory import FEW_MAX, PromptFuture, Wait
from support.loops import on_loop
from support.replicas import Replicas, replicas_in, turn


def waiting(replicas: Replicas) -> Wait[str]:
    return Wait(replicas.purgatory, "Fetch", 60_000, lambda: None)


@on_loop
async def test_a_result_is_told_as_it_comes(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        told: list[str] = []
        wait = waiting(replicas)
        wait.future.on_result_now(lambda future: told.append(future.result()))
        wait.complete("done")
        assert told == ["done"]
        await turn()
        assert told == ["done"]


@on_loop
async def test_an_error_of_the_future_that_a_wait_ends_with_is_told_too(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        told: list[BaseException | None] = []
        wait = waiting(replicas)
        wait.future.on_result_now(lambda future: told.append(future.exception()))
        source: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        error = RuntimeError("no")
        source.set_exception(error)
        wait.complete_from(source)
        assert told == [error]


def reported_errors() -> list[BaseException]:
    """What the loop is told of from now on."""
    reported: list[BaseException] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: reported.append(context["exception"]))
    return reported


@on_loop
async def test_who_fails_to_answer_harms_nobody_else(tmp_path: Path) -> None:
    def fail(future: PromptFuture[str]) -> None:
        raise RuntimeError("cannot answer")

    with replicas_in(tmp_path) as replicas:
        reported = reported_errors()
        wait = waiting(replicas)
        wait.future.on_result_now(fail)
        wait.complete("done")
        assert [str(error) for error in reported] == ["cannot answer"]
        assert replicas.purgatory.waiting["Fetch"] == 0


@on_loop
async def test_a_cancelled_wait_tells_nothing_and_keeps_nobody(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        told: list[object] = []

        def tell(future: PromptFuture[str]) -> None:
            told.append(future)

        wait, kept = waiting(replicas), weakref.ref(tell)
        wait.future.on_result_now(tell)
        del tell
        wait.future.cancel()
        assert kept() is None
        wait.complete("too late")
        await turn()
        assert told == []
        assert replicas.purgatory.waiting["Fetch"] == 0


class CountingWatcher:
    def __init__(self, error: Exception | None = None) -> None:
        self.told = 0
        self.error = error

    def partition_changed(self, partition: object) -> None:
        self.told += 1
        if self.error is not None:
            raise self.error


def cancel(wait: Wait[str], source: asyncio.Future[str]) -> None:
    wait.future.cancel()


def complete_with_an_error(wait: Wait[str], source: asyncio.Future[str]) -> None:
    source.set_exception(RuntimeError("no"))
    wait.complete_from(source)
    assert wait.future.exception() is source.exception()


@pytest.mark.parametrize("end", [cancel, complete_with_an_error])
def test_a_wait_ends_as_it_is_cancelled_or_fails_and_not_a_turn_later(
    tmp_path: Path, end: Callable[[Wait[str], asyncio.Future[str]], None]
) -> None:
    @on_loop
    async def run() -> None:
        with replicas_in(tmp_path) as replicas:
            partition, watcher, ends = replicas.lead(), CountingWatcher(), list[str]()
            wait: Wait[str] = Wait(replicas.purgatory, "Fetch", 60_000, lambda: None, lambda: ends.append("end"))
            wait.watch(partition, watcher)
            replicas.append(partition)
            end(wait, asyncio.get_running_loop().create_future())
            found = (ends, len(partition.watchers), replicas.purgatory.waiting["Fetch"], len(replicas.wheel))
            assert found == (["end"], 0, 0, 0)
            await turn()
            assert (ends, watcher.told) == (["end"], 0)

    run()


def watchers_of(replicas: Replicas, partition: Partition, count: int) -> list[CountingWatcher]:
    watchers = [CountingWatcher() for _ in range(count)]
    for watcher in watchers:
        waiting(replicas).watch(partition, watcher)
    return watchers


@on_loop
async def test_a_few_who_wait_are_told_at_once_and_only_once(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        watchers = watchers_of(replicas, partition, FEW_MAX)
        replicas.append(partition)
        assert [watcher.told for watcher in watchers] == [0] * FEW_MAX
        replicas.purgatory.notify_if_few()
        assert [watcher.told for watcher in watchers] == [1] * FEW_MAX
        await turn()
        assert [watcher.told for watcher in watchers] == [1] * FEW_MAX


@on_loop
async def test_a_watcher_that_fails_does_not_keep_the_others_from_being_told(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead(count=2)
        first, second = (replicas.manager.partition("t", index) for index in (0, 1))
        reported, failing = reported_errors(), CountingWatcher(RuntimeError("cannot read"))
        waiting(replicas).watch(first, failing)
        others = [*watchers_of(replicas, first, 1), *watchers_of(replicas, second, 1)]
        for partition in (first, second):
            replicas.append(partition)
        await turn()
        assert [watcher.told for watcher in (failing, *others)] == [1, 1, 1]
        assert reported == [failing.error]


@on_loop
async def test_many_who_wait_are_told_in_the_next_turn(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        watchers = watchers_of(replicas, partition, FEW_MAX + 1)
        replicas.append(partition)
        replicas.purgatory.notify_if_few()
        assert {watcher.told for watcher in watchers} == {0}
        await turn()
        assert {watcher.told for watcher in watchers} == {1}
