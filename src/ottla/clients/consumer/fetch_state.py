"""What a consumer knows about one partition that it reads.

`position` is the next offset that the user gets, `fetch_offset` the next one to be fetched: fetching runs ahead. A seek
changes both and raises `generation`, so that data fetched for the old position is known to be stale.

`leader_epoch` is the epoch of the last record that the user got, `fetch_epoch` that of the last one fetched;
`validated_epoch` is the leader epoch for which the leader has confirmed that this record is in its log
(`position_validation`).
"""

from typing import NamedTuple

from ottla.errors import OttlaError
from ottla.model import TopicPartition

NO_REPLICA = -1
NOT_FETCHING = -1


class Divergence(NamedTuple):
    """Where the leader's log and what was read part: the end of the last epoch that both have; -1: not known."""

    end_offset: int
    leader_epoch: int


class FetchState:
    __slots__ = (
        "buffered_bytes",
        "divergence",
        "error",
        "fetch_epoch",
        "fetch_offset",
        "fetching_generation",
        "generation",
        "high_watermark",
        "is_paused",
        "last_stable_offset",
        "leader_epoch",
        "log_start_offset",
        "partition",
        "position",
        "preferred_replica",
        "preferred_until",
        "reset_to",
        "retry_at",
        "validated_epoch",
    )

    def __init__(self, partition: TopicPartition) -> None:
        self.partition = partition
        self.position: int | None = None
        self.fetch_offset: int | None = None
        self.generation = 0
        # The generation for which a request is under way: there is at most one of the present generation.
        self.fetching_generation = NOT_FETCHING
        self.is_paused = False
        # Where to look for a position: a time or an OffsetSpec; None while there is one, or none was asked for.
        self.reset_to: int | None = None
        self.high_watermark = self.last_stable_offset = self.log_start_offset = -1
        self.leader_epoch = self.fetch_epoch = self.validated_epoch = -1
        self.divergence: Divergence | None = None
        self.buffered_bytes = 0
        self.retry_at = 0.0
        self.preferred_replica = NO_REPLICA
        self.preferred_until = 0.0
        self.error: OttlaError | None = None

    def seek(self, offset: int, leader_epoch: int = -1) -> None:
        """Read on from `offset`. What was fetched for another one is stale from now on."""
        self.position = self.fetch_offset = offset
        self.leader_epoch = self.fetch_epoch = leader_epoch
        self.reset_to = None
        self.error = None
        self._forget_fetched()

    def request_reset(self, time: int) -> None:
        """Look for a new position; until it is found nothing is read."""
        self.position = self.fetch_offset = None
        self.reset_to = time
        self._forget_fetched()

    def _forget_fetched(self) -> None:
        self.generation += 1
        self.buffered_bytes = 0
        self.divergence = None
        self.validated_epoch = -1

    def needs_validation(self, leader_epoch: int) -> bool:
        """Whether the leader of this epoch must be asked first; not where no epoch is known of what was read."""
        return self.fetch_epoch >= 0 and leader_epoch >= 0 and leader_epoch != self.validated_epoch

    @property
    def lag(self) -> int | None:
        """How many records there are that the user has not got; None while that is not known."""
        if self.position is None or self.high_watermark < 0:
            return None
        return max(0, self.high_watermark - self.position)
