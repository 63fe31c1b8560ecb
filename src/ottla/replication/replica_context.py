"""What all partitions of a broker share: who and when it is, which brokers are alive, where ISR proposals go."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.clock import Clock

if TYPE_CHECKING:
    from ottla.replication.leadership import IsrProposal
    from ottla.replication.partition import Partition

    ProposeIsr = Callable[[Partition, IsrProposal], None]

LAG_TIME_MAX_MS_DEFAULT = 30_000


class ReplicaContext:
    """`may_acknowledge` is False while this broker cannot know whether it still leads: its session may be over.

    `propose_isr` takes an ISR to the controller; without it nobody is there who could change one. The defaults are
    those of a broker that is alone.
    """

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

    def __init__(
        self,
        broker_id: int,
        clock: Clock,
        lag_time_max_ms: int = LAG_TIME_MAX_MS_DEFAULT,
        *,
        broker_epoch: Callable[[], int] = lambda: -1,
        is_alive: Callable[[int], bool] = lambda broker_id: True,
        may_acknowledge: Callable[[], bool] = lambda: True,
        propose_isr: "ProposeIsr | None" = None,
    ) -> None:
        self.broker_id = broker_id
        self.clock = clock
        self.lag_time_max_s = lag_time_max_ms / 1000
        self.heard_at: dict[int, float] = {}
        """When each follower broker last fetched anything."""
        self.broker_epoch = broker_epoch
        self.is_alive = is_alive
        self.may_acknowledge = may_acknowledge
        self.propose_isr = propose_isr

    def heard_from(self, broker_id: int) -> None:
        """That broker fetches as a follower, whatever partitions its request names."""
        self.heard_at[broker_id] = self.clock.monotonic()

    def caught_up_since(self) -> float:
        """A follower that was caught up at this time or later keeps up."""
        return self.clock.monotonic() - self.lag_time_max_s
