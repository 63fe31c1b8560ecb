"""How often others have their turn while something is done on the event loop."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

Result = TypeVar("Result")


async def counting_turns(work: Awaitable[Result]) -> tuple[Result, int]:
    """What came of the work, and the turns that the loop had meanwhile."""
    loop = asyncio.get_running_loop()
    turns = 0
    handle: asyncio.Handle

    def turn() -> None:
        nonlocal turns, handle
        turns += 1
        handle = loop.call_soon(turn)

    handle = loop.call_soon(turn)
    try:
        return await work, turns
    finally:
        handle.cancel()
