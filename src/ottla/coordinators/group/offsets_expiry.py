"""Looks for expired offsets every `offsets.retention.check.interval.ms`, some groups at a time."""

from collections.abc import Iterator, Mapping
from itertools import islice

from ottla.clock import Timer, TimerWheel
from ottla.coordinators.group.coordinator_metrics import CoordinatorMetrics
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.group_runner import GroupRunner
from ottla.coordinators.group.offsets import expire_offsets
from ottla.coordinators.group.owned_partition import HostedGroup
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.states import GroupState
from ottla.coordinators.group.step import Step

GROUPS_AT_A_TIME = 200


class OffsetsExpiry:
    def __init__(
        self,
        settings: GroupSettings,
        timers: TimerWheel,
        runner: GroupRunner,
        metrics: CoordinatorMetrics,
        groups: Mapping[str, HostedGroup],
    ) -> None:
        self._interval_ms = settings.retention_check_interval_ms
        self._timers = timers
        self._runner = runner
        self._metrics = metrics
        self._groups = groups
        self._timer: Timer | None = None

    def start(self) -> None:
        self._timer = self._timers.schedule(self._interval_ms, self._begin)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _begin(self) -> None:
        self._sweep(iter(list(self._groups.values())))

    def _sweep(self, groups: Iterator[HostedGroup]) -> None:
        some = list(islice(groups, GROUPS_AT_A_TIME))
        for hosted in some:
            if hosted.group.state is not GroupState.DEAD:
                self._runner.run(hosted, self._expire)
        if len(some) == GROUPS_AT_A_TIME:
            self._timer = self._timers.schedule(0, lambda: self._sweep(groups))
        else:
            self.start()

    def _expire(self, group: Group, step: Step) -> None:
        self._metrics.expirations.value += expire_offsets(group, step)
