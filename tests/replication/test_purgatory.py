"""The end of a wait: told at once to whoever answers, without a turn of the loop, and without harm to others."""

import asyncio
from pathlib import Path

from ottla.replication.purgatory import PromptFuture, Wait
from support.loops import on_loop
from support.replicas import Replicas, replicas_in, turn


def waiting(replicas: Replicas) -> Wait[str]:
    return Wait(replicas.purgatory, "Fetch", 60_000, lambda: None)


@on_loop
async def test_a_result_is_told_as_it_comes(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        told: list[str] = []
        wait = waiting(replicas)
        wait.future.prompt = lambda future: told.append(future.result())
        wait.complete("done")
        assert told == ["done"]
        await turn()
        assert told == ["done"]


@on_loop
async def test_an_error_of_the_future_that_a_wait_ends_with_is_told_too(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        told: list[BaseException | None] = []
        wait = waiting(replicas)
        wait.future.prompt = lambda future: told.append(future.exception())
        source: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        error = RuntimeError("no")
        source.set_exception(error)
        wait.complete_from(source)
        assert told == [error]


@on_loop
async def test_who_fails_to_answer_harms_nobody_else(tmp_path: Path) -> None:
    def fail(future: PromptFuture[str]) -> None:
        raise RuntimeError("cannot answer")

    with replicas_in(tmp_path) as replicas:
        reported: list[object] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _loop, context: reported.append(context["exception"]))
        wait = waiting(replicas)
        wait.future.prompt = fail
        wait.complete("done")
        assert [str(error) for error in reported] == ["cannot answer"]
        assert replicas.purgatory.waiting["Fetch"] == 0


@on_loop
async def test_a_cancelled_wait_tells_nothing_and_keeps_nobody(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        told: list[object] = []
        wait = waiting(replicas)
        wait.future.prompt = told.append
        wait.future.cancel()
        wait.complete("too late")
        await turn()
        assert told == []
        assert wait.future.prompt is None
        assert replicas.purgatory.waiting["Fetch"] == 0
