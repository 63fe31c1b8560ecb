import asyncio

import pytest

from ottla.controller.event_queue import REQUESTS_WAITING_MAX, EventQueue
from ottla.errors.kafka import RequestTimedOutError
from support.coroutines import on_event_loop


@on_event_loop
async def test_events_are_done_one_at_a_time_in_order() -> None:
    queue, trace = EventQueue(), []

    def work(name: str):
        async def run() -> None:
            trace.append(f"{name} begins")
            await asyncio.sleep(0)
            trace.append(f"{name} ends")

        return run

    queue.put_trigger("a", work("a"))
    await queue.put_request(work("b"))
    assert trace == ["a begins", "a ends", "b begins", "b ends"]


@on_event_loop
async def test_same_trigger_waits_only_once_but_comes_again_while_it_is_being_done() -> None:
    queue, count = EventQueue(), 0

    async def look() -> None:
        nonlocal count
        count += 1
        if count == 1:
            queue.put_trigger("brokers", look)

    for _ in range(100):
        queue.put_trigger("brokers", look)
    assert len(queue) == 1
    while queue.is_busy:  # noqa: ASYNC110 - that it becomes idle is the claim
        await asyncio.sleep(0)
    assert count == 2


@on_event_loop
async def test_failure_of_one_event_does_not_end_the_queue() -> None:
    queue = EventQueue()

    async def fail() -> None:
        raise ValueError("a bug")

    async def succeed() -> int:
        return 7

    queue.put_trigger("bad", fail)
    failed = queue.put_request(fail)
    assert await queue.put_request(succeed) == 7
    with pytest.raises(ValueError, match="a bug"):
        await failed


@on_event_loop
async def test_requests_are_bounded() -> None:
    queue = EventQueue()

    async def nothing() -> None:
        pass

    waiting = [queue.put_request(nothing) for _ in range(REQUESTS_WAITING_MAX)]
    with pytest.raises(RequestTimedOutError):
        await queue.put_request(nothing)
    await asyncio.gather(*waiting)


@on_event_loop
async def test_stopping_fails_what_waits_and_cancels_what_runs() -> None:
    queue, running = EventQueue(), asyncio.Event()

    async def hang() -> None:
        running.set()
        await asyncio.Event().wait()

    queue.put_trigger("hang", hang)
    waiting = queue.put_request(hang)
    await running.wait()
    await queue.stop()
    with pytest.raises(RequestTimedOutError):
        await waiting
    with pytest.raises(RequestTimedOutError):
        await queue.put_request(hang)


@on_event_loop
async def test_request_that_is_being_done_when_the_queue_stops_is_answered() -> None:
    queue, begun = EventQueue(), asyncio.Event()

    async def wait_for_ever() -> None:
        begun.set()
        await asyncio.get_running_loop().create_future()

    answer = queue.put_request(wait_for_ever)
    await begun.wait()
    await queue.stop()
    with pytest.raises(RequestTimedOutError):
        await answer
