"""Trying again: an attempt is repeated while it fails with a RetriableError, until the caller's time is over."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ottla.clients.backoff import Backoff
from ottla.clients.errors import ClientTimeoutError
from ottla.errors import RetriableError

T = TypeVar("T")


async def retried(attempt: Callable[[], Awaitable[T]], *, backoff: Backoff, timeout_ms: float, what: str) -> T:
    """The outcome of the first attempt that does not fail retriably. ClientTimeoutError names the last failure."""
    last: RetriableError | None = None
    failures = 0
    try:
        async with asyncio.timeout(timeout_ms / 1000):
            while True:
                try:
                    return await attempt()
                except RetriableError as error:
                    last = error
                failures += 1
                await asyncio.sleep(backoff.delay_ms(failures) / 1000)
    except TimeoutError as error:
        reason = f": {type(last).__name__}: {last}" if last is not None else ""
        raise ClientTimeoutError(f"{what} took longer than {timeout_ms:.0f} ms{reason}") from (last or error)
