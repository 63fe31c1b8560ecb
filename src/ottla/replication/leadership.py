"""What a leader knows in one epoch: where that epoch began, its followers' progress, the ISR change in flight.

Two sets of in-sync replicas (KIP-497):

    persisted   what the controller has written: `Partition.isr`; min.insync.replicas counts these
    maximal     those, and everybody in a proposal of ours whose outcome we do not know

The high watermark waits for all of the maximal set: whichever of the two states the controller has written, and
elects from, each member of it has every acknowledged record. A proposal is never taken back by itself; what it
added stays in the maximal set until a newer state is known to stand.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ottla.replication.follower_progress import NEVER, FollowerProgress
from ottla.storage.log.log_results import LogOffset


class IsrProposal(NamedTuple):
    """An ISR that the leader asks the controller for, and the state that it wants to replace."""

    leader_epoch: int
    partition_epoch: int
    isr: tuple[tuple[int, int], ...]
    """Broker ids with the broker epochs in which they were last heard of (KIP-903); -1: not known."""

    @property
    def broker_ids(self) -> tuple[int, ...]:
        return tuple(broker_id for broker_id, _ in self.isr)


class Leadership:
    __slots__ = ("epoch_start_offset", "followers", "maximal_isr", "proposal")

    def __init__(self, epoch_start_offset: int) -> None:
        self.epoch_start_offset = epoch_start_offset
        self.followers: dict[int, FollowerProgress] = {}
        self.maximal_isr: frozenset[int] = frozenset()
        self.proposal: IsrProposal | None = None

    def set_replicas(self, followers: Iterable[int], isr: tuple[int, ...], now: float) -> None:
        """Members of the ISR have a whole lag time to fetch for the first time; the others must show up first."""
        self.followers = {
            broker_id: self.followers.get(broker_id) or FollowerProgress(now if broker_id in isr else NEVER)
            for broker_id in followers
        }
        self.settle(isr)

    def settle(self, isr: tuple[int, ...]) -> None:
        """`isr` is what stands: nothing is in flight any more."""
        self.maximal_isr = frozenset(isr)
        self.proposal = None

    def propose(self, proposal: IsrProposal) -> None:
        self.proposal = proposal
        self.maximal_isr |= frozenset(proposal.broker_ids)

    def high_watermark(self, own_end: LogOffset, caught_up_since: float, is_alive: Callable[[int], bool]) -> LogOffset:
        """The smallest end of those who must have a record before it counts as committed.

        A live follower outside the ISR that has caught up is waited for as well: under a steady stream of records
        it would otherwise never reach the high watermark, and could never join.
        """
        smallest = own_end
        for broker_id, follower in self.followers.items():
            if follower.end.offset < smallest.offset and (
                broker_id in self.maximal_isr or (follower.keeps_up(caught_up_since) and is_alive(broker_id))
            ):
                smallest = follower.end
        return smallest

    def may_join(self, broker_id: int, high_watermark: int) -> bool:
        """It has all that is committed, and has followed this epoch from its beginning (KIP-101)."""
        follower = self.followers[broker_id]
        return (
            broker_id not in self.maximal_isr
            and follower.end.offset >= high_watermark
            and follower.end.offset >= self.epoch_start_offset
        )

    def lagging(
        self, isr: Iterable[int], leader_end_offset: int, caught_up_since: float, heard_at: Mapping[int, float]
    ) -> set[int]:
        """In-sync followers that have been behind for too long."""
        return {
            broker_id
            for broker_id in isr
            if (follower := self.followers.get(broker_id)) is not None
            and not follower.is_caught_up(leader_end_offset, caught_up_since, heard_at.get(broker_id, NEVER))
        }

    def broker_epoch(self, broker_id: int) -> int:
        follower = self.followers.get(broker_id)
        return -1 if follower is None else follower.broker_epoch
