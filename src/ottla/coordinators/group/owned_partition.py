"""A partition of `__consumer_offsets` that this broker leads, and the groups in it as the driver holds them."""

from ottla.clock import Timer
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.member import NEVER


class OwnedPartition:
    """`is_lost`: led by another broker by now. Whatever still refers to it must change nothing."""

    __slots__ = ("epoch", "groups", "index", "is_loading", "is_lost")

    def __init__(self, index: int, epoch: int) -> None:
        self.index = index
        self.epoch = epoch
        self.is_loading = True
        self.is_lost = False
        self.groups: dict[str, HostedGroup] = {}

    def __repr__(self) -> str:
        return f"__consumer_offsets-{self.index} (epoch {self.epoch})"


class HostedGroup:
    """A group with the one timer that it has: at `timer_at_ms`, not later than the group must be woken."""

    __slots__ = ("group", "partition", "timer", "timer_at_ms")

    def __init__(self, group: Group, partition: OwnedPartition) -> None:
        self.group = group
        self.partition = partition
        self.timer: Timer | None = None
        self.timer_at_ms = NEVER

    def cancel_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
            self.timer_at_ms = NEVER
