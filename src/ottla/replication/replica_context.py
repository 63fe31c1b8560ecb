"""What all partitions of a broker share: who and when it is, which brokers are alive, where ISR proposals go."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.clock import Clock

if TYPE_CHECKING:
    from ottla.replication.leadership import IsrProposal
    from ottla.replication.partition import Partition

LAG_TIME_MAX_MS_DEFAULT = 30_000


class ReplicaContext:
    """The callables are set when the broker is wired; the defaults are those of a broker that is alone."""

    __slots__ = (
        "broker_epoch",
        "broker_id",
        "clock",
        "heard_at",
        "is_alive",
        "lag_time_max_s",
        "may_acknowledge",
        "propose_isr",
    )

    def __init__(self, broker_id: int, clock: Clock, lag_time_max_ms: int = LAG_TIME_MAX_MS_DEFAULT) -> None:
        self.broker_id = broker_id
        self.clock = clock
        self.lag_time_max_s = lag_time_max_ms / 1000
        self.heard_at: dict[int, float] = {}
        """When each follower broker last fetched anything."""
        self.broker_epoch: Callable[[], int] = lambda: -1
        self.is_alive: Callable[[int], bool] = lambda broker_id: True
        self.may_acknowledge: Callable[[], bool] = lambda: True
        """False while this broker cannot know whether it still leads: its ZooKeeper session may be over."""
        self.propose_isr: Callable[[Partition, IsrProposal], None] | None = None

    def caught_up_since(self) -> float:
        """A follower that was caught up at this time or later keeps up."""
        return self.clock.monotonic() - self.lag_time_max_s
