"""How far one follower has come, as its leader sees it: from its fetches, and from nothing else.

A fetch at offset N says that the follower has everything below N. Whether it keeps up is a matter of time, not of
distance: `caught_up_at` is the last moment at which it is known to have had all that the leader had then.

    fetch at t1 of N1, leader's end E1      N1 >= E1: caught up at t1
    fetch at t2 of N2                       N2 >= E1: it had at t2 what the leader had at t1, so: caught up at t1
"""

from ottla.storage.log.log_results import LogOffset

NOT_FETCHED = LogOffset(-1)
NO_BROKER_EPOCH = -1
NEVER = float("-inf")


class FollowerProgress:
    __slots__ = ("_fetched_at", "_leader_end", "broker_epoch", "caught_up_at", "end", "is_at_end", "log_start_offset")

    def __init__(self, caught_up_at: float = NEVER) -> None:
        self.end = NOT_FETCHED
        self.log_start_offset = -1
        self.caught_up_at = caught_up_at
        self.is_at_end = False
        self.broker_epoch = NO_BROKER_EPOCH
        self._fetched_at = NEVER
        self._leader_end = 0

    def note_fetch(
        self, end: LogOffset, log_start_offset: int, leader_end_offset: int, now: float, broker_epoch: int
    ) -> bool:
        """Take a fetch into account; False when it came from an earlier life of the follower (KAFKA-15221)."""
        if NO_BROKER_EPOCH != broker_epoch < self.broker_epoch:
            return False
        self.is_at_end = end.offset >= leader_end_offset
        if self.is_at_end:
            self.caught_up_at = max(self.caught_up_at, now)
        elif end.offset >= self._leader_end:
            self.caught_up_at = max(self.caught_up_at, self._fetched_at)
        self.end = end
        self.log_start_offset = log_start_offset
        self.broker_epoch = broker_epoch
        self._fetched_at = now
        self._leader_end = leader_end_offset
        return True

    def keeps_up(self, caught_up_since: float) -> bool:
        """It fetches in this epoch, and had everything at some time since `caught_up_since`."""
        return self.end is not NOT_FETCHED and self.caught_up_at >= caught_up_since

    def is_caught_up(self, leader_end_offset: int, caught_up_since: float, heard_at: float) -> bool:
        """Whether it had everything at some time since `caught_up_since`.

        `heard_at` is the last fetch of that broker for any partition: one that was at the end and goes on fetching
        is not looked at again until the leader has something new for it.
        """
        if self.end.offset >= leader_end_offset:
            return True
        known_at = max(self.caught_up_at, heard_at) if self.is_at_end else self.caught_up_at
        return known_at >= caught_up_since
