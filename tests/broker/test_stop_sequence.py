import asyncio

import pytest

from ottla.broker.stop_sequence import StopSequence
from ottla.errors.tree import LogDirError
from support.coroutines import on_event_loop


@on_event_loop
async def test_what_does_not_end_or_fails_is_left_and_told_and_the_rest_is_stopped(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stops, stopped = StopSequence(), []

    async def hang() -> None:
        await asyncio.get_running_loop().create_future()

    async def fail() -> None:
        raise LogDirError("/data", "no room")

    stops.push_callback("the first", lambda: stopped.append("the first"))
    stops.push("the disk", fail)
    stops.push("the hanging one", hang, 0.01)
    stops.push_callback("the last", lambda: stopped.append("the last"))
    assert stops.undone == ["the last", "the hanging one", "the disk", "the first"]
    await stops.run()
    assert stopped == ["the last", "the first"]
    assert stops.left == stops.undone == ["the hanging one", "the disk"]
    assert "the hanging one did not end within 0.01 s" in caplog.text
    assert "no room" in caplog.text
