"""The parts of a broker to stop, the last one started first, each within its bound.

A part may wait for what will not come: a ZooKeeper that is full or away, a request that nobody answers. What is not
stopped in time, or fails, is left: it is told, and the rest is stopped all the same.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from ottla.errors import OttlaError

logger = logging.getLogger(__name__)

STEP_SECONDS_MAX = 3.0
FLUSH_SECONDS_MAX = 60.0  # A slow disk with much to write is no fault.


class _Step(NamedTuple):
    name: str
    stop: Callable[[], Awaitable[None]]
    seconds_max: float


class StopSequence:
    """`left` has the names of the parts that were not stopped."""

    def __init__(self) -> None:
        self._steps: list[_Step] = []
        self._current: _Step | None = None
        self.left: list[str] = []

    def push(self, name: str, stop: Callable[[], Awaitable[None]], seconds_max: float = STEP_SECONDS_MAX) -> None:
        """Have it stopped in its turn, whatever becomes of the start."""
        self._steps.append(_Step(name, stop, seconds_max))

    def push_callback(self, name: str, stop: Callable[[], object]) -> None:
        async def call() -> None:
            stop()

        self.push(name, call)

    @property
    def undone(self) -> list[str]:
        """What is left by now if nothing more is done. May be asked by another thread."""
        current = [self._current.name] if self._current else []
        return self.left + current + [step.name for step in reversed(list(self._steps))]

    @property
    def is_flushing(self) -> bool:
        """Whether the part that is being stopped may take longer than the others. May be asked by another thread."""
        current = self._current
        return current is not None and current.seconds_max > STEP_SECONDS_MAX

    async def run(self) -> None:
        while self._steps:
            step = self._current = self._steps.pop()
            await self._stop(step)
        self._current = None

    async def _stop(self, step: _Step) -> None:
        try:
            await asyncio.wait_for(step.stop(), step.seconds_max)
        except TimeoutError:
            logger.warning("stop: %s did not end within %g s and is left", step.name, step.seconds_max)
            self.left.append(step.name)
        except OttlaError as error:
            logger.error("stop: %s: %s", step.name, error)
            self.left.append(step.name)
        except Exception:
            logger.exception("stop: %s failed", step.name)
            self.left.append(step.name)
