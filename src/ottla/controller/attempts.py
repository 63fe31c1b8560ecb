"""How often a write to ZooKeeper is tried again: where its answer was lost, or somebody else wrote first.

Neither may go on for ever. An answer is lost each time where a server closes the connection at this very request
(larger than its `jute.maxbuffer`), and a version is wrong each time where a server that lags behind is read from. The
pauses leave ZooKeeper, and whoever waits behind the writer, room to breathe.
"""

import asyncio

from ottla.coordination.errors import CoordinationError

ATTEMPTS_MAX = 5
OUTRUN_MAX = 30
PAUSE_SECONDS = 0.01
PAUSE_SECONDS_MAX = 0.5


class Attempts:
    """`failed` after each failure: it pauses, or raises the error when there were enough."""

    __slots__ = ("_attempts_max", "_failures")

    def __init__(self, attempts_max: int = ATTEMPTS_MAX) -> None:
        self._attempts_max = attempts_max
        self._failures = 0

    async def failed(self, error: CoordinationError) -> None:
        self._failures += 1
        if self._failures >= self._attempts_max:
            raise error
        if self._failures > 1:  # The first time it was most likely chance.
            await asyncio.sleep(min(PAUSE_SECONDS * 2**self._failures, PAUSE_SECONDS_MAX))
