"""Runs long work in parts, so that other work of the same event loop comes in between."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

ELEMENTS_PER_TURN = 500
"""Of a request's elements: so many take a few milliseconds."""

Element = TypeVar("Element")


async def in_turns(elements: Iterable[Element]) -> AsyncIterator[Element]:
    """The elements, with a turn of the loop after every so many."""
    for number, element in enumerate(elements, 1):
        yield element
        if number % ELEMENTS_PER_TURN == 0:
            await asyncio.sleep(0)
