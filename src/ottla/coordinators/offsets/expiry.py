"""Looks for expired offsets every `offsets.retention.check.interval.ms`, some groups at a time."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Generic

from ottla.clock import Timer, TimerWheel
from ottla.coordinators.runtime.owned_partition import OwnedPartition
from ottla.coordinators.runtime.shard import ShardT

GROUPS_AT_A_TIME = 200


class OffsetsExpiry(Generic[ShardT]):
    """`expire` is called with each of `groups`, which may have gone by then."""

    def __init__(
        self,
        interval_ms: int,
        timers: TimerWheel,
        groups: Callable[[], Iterator[tuple[OwnedPartition[ShardT], str]]],
        expire: Callable[[OwnedPartition[ShardT], str], None],
    ) -> None:
        self._interval_ms = interval_ms
        self._timers = timers
        self._groups = groups
        self._expire = expire
        self._timer: Timer | None = None

    def start(self) -> None:
        self._timer = self._timers.schedule(self._interval_ms, self._begin)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self) -> None:
        self._sweep(self._groups())

    def _sweep(self, groups: Iterator[tuple[OwnedPartition[ShardT], str]]) -> None:
        some = list(islice(groups, GROUPS_AT_A_TIME))
        for owned, group_id in some:
            self._expire(owned, group_id)
        if len(some) == GROUPS_AT_A_TIME:
            self._timer = self._timers.schedule(0, lambda: self._sweep(groups))
        else:
            self.start()
