"""Retries: how long to wait before the next attempt, and attempts that are repeated until the caller's time is over."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from ottla.clients.errors import ClientTimeoutError
from ottla.errors import RetriableError

T = TypeVar("T")
_JITTER = 0.2


class Backoff:
    """`delay_ms(n)` is the pause after the n-th failure in a row, n from 1 on (KIP-144, KIP-580)."""

    __slots__ = ("_first_ms", "_max_ms", "_random")

    def __init__(self, first_ms: float, max_ms: float, randomness: random.Random | None = None) -> None:
        self._first_ms = first_ms
        self._max_ms = max(first_ms, max_ms)
        self._random = randomness or random.Random()

    def delay_ms(self, failures: int) -> float:
        if failures < 1:
            return 0.0
        # 2 to the 30th is past every bound, and a larger exponent would only make a float too large to multiply.
        delay = min(self._max_ms, self._first_ms * float(1 << min(failures - 1, 30)))
        return delay * self._random.uniform(1 - _JITTER, 1 + _JITTER)


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
