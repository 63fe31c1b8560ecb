"""Runs one step of a group and does what it asks for: appends, answers, the timer."""

from collections.abc import Callable
from functools import partial

from ottla.clock import Clock, TimerWheel
from ottla.coordinators.group.appending import commit_error, encode_records, member_error
from ottla.coordinators.group.coordinator_metrics import CoordinatorMetrics
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.joining import static_member_stored
from ottla.coordinators.group.liveness import tick
from ottla.coordinators.group.member import NEVER
from ottla.coordinators.group.offsets import offsets_stored, tombstones_stored
from ottla.coordinators.group.offsets_log import OffsetsLog
from ottla.coordinators.group.owned_partition import HostedGroup
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.states import GroupState
from ottla.coordinators.group.step import (
    AssignmentStored,
    OffsetsStored,
    StaticMemberStored,
    Step,
    StoredEvent,
    TombstonesStored,
)
from ottla.coordinators.group.syncing import assignment_stored
from ottla.coordinators.group.waiter import Waiter
from ottla.errors import ErrorCode

Action = Callable[[Group, Step], object]


class GroupRunner:
    """`forget` is called with a group that has died."""

    def __init__(
        self,
        settings: GroupSettings,
        log: OffsetsLog,
        clock: Clock,
        timers: TimerWheel,
        metrics: CoordinatorMetrics,
        forget: Callable[[HostedGroup], None],
    ) -> None:
        self._settings = settings
        self._log = log
        self._clock = clock
        self._timers = timers
        self._metrics = metrics
        self._forget = forget

    def run(self, hosted: HostedGroup, action: Action) -> None:
        step = Step(self._clock.monotonic() * 1000, self._clock.wall_ms())
        action(hosted.group, step)
        for records, event in step.appends:
            batch = encode_records(records, step.wall_ms, self._settings.compression)
            stored = partial(self._stored, hosted, event)
            self._log.append(hosted.partition.index, batch, self._settings.commit_timeout_ms, stored)
        for waiter, result in step.answers:
            assert isinstance(waiter, Waiter)
            waiter.resolve(result)
        if hosted.group.state is GroupState.DEAD:
            hosted.cancel_timer()
            self._forget(hosted)
        else:
            self.maybe_arm(hosted)

    # What was appended is replicated, or may not be

    def _stored(self, hosted: HostedGroup, event: StoredEvent | None, error: ErrorCode, record_offset: int) -> None:
        """The group may be DEAD by now: then only those are answered that wait for their own records."""
        if isinstance(event, OffsetsStored):
            if error is ErrorCode.NONE:
                self._metrics.commits.value += len(event.offsets)
            self.run(hosted, lambda g, step: offsets_stored(g, event, commit_error(error), record_offset, step))
        elif isinstance(event, AssignmentStored):
            self._metrics.completed_rebalances.value += error is ErrorCode.NONE
            self.run(hosted, lambda group, step: assignment_stored(group, event, member_error(error), step))
        elif isinstance(event, StaticMemberStored):
            self.run(hosted, lambda group, step: static_member_stored(group, event, member_error(error), step))
        elif isinstance(event, TombstonesStored):
            self.run(hosted, lambda group, step: tombstones_stored(event, commit_error(error), step))

    # The timer

    def maybe_arm(self, hosted: HostedGroup) -> None:
        """Make sure that the group is woken at its earliest deadline. Earlier does no harm."""
        wake_at_ms = hosted.group.wake_at_ms
        if wake_at_ms < hosted.timer_at_ms:
            hosted.cancel_timer()
            hosted.timer_at_ms = wake_at_ms
            delay_ms = max(0.0, wake_at_ms - self._clock.monotonic() * 1000)
            hosted.timer = self._timers.schedule(delay_ms, partial(self._wake, hosted))

    def _wake(self, hosted: HostedGroup) -> None:
        hosted.timer = None
        hosted.timer_at_ms = NEVER
        self.run(hosted, tick)
