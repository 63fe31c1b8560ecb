"""A partition of an internal topic that this broker leads, with its shard and the timers of the shard's units."""

import asyncio
from typing import Generic, NamedTuple

from ottla.clock import Timer
from ottla.coordinators.runtime.coordinator_log import Appended
from ottla.coordinators.runtime.shard import ShardT


class UnitTimer(NamedTuple):
    """Due at `at_ms`, which is not later than the unit wants to be woken."""

    timer: Timer
    at_ms: float


class OwnedPartition(Generic[ShardT]):
    """`is_lost`: led by another broker by now. Whatever still refers to it appends nothing.

    `last_append`: the last batch of this owner, if any. `loaded` is done when the partition is loaded or lost: it is
    where a request that meets loading may wait.
    """

    __slots__ = ("epoch", "index", "is_loading", "is_lost", "last_append", "loaded", "shard", "timers", "topic")

    def __init__(self, topic: str, index: int, epoch: int, shard: ShardT) -> None:
        self.topic = topic
        self.index = index
        self.epoch = epoch
        self.shard = shard
        self.is_loading = True
        self.is_lost = False
        self.last_append: Appended | None = None
        self.loaded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.timers: dict[str, UnitTimer] = {}

    def __repr__(self) -> str:
        return f"{self.topic}-{self.index} (epoch {self.epoch})"

    def finish_loading(self) -> None:
        self.is_loading = False
        self._no_longer_loading()

    def lose(self) -> None:
        self.is_lost = True
        self._no_longer_loading()
        for unit in list(self.timers):
            self.cancel_timer(unit)

    def cancel_timer(self, unit: str) -> None:
        known = self.timers.pop(unit, None)
        if known is not None:
            known.timer.cancel()

    def _no_longer_loading(self) -> None:
        if not self.loaded.done():
            self.loaded.set_result(None)
