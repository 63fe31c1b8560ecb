"""A wait ends with every new epoch, also of the same leader, and with an error that means "not written"."""

from ottla.errors import ErrorCode
from ottla.replication.delayed_produce import Unacknowledged

_right = Unacknowledged.outcome


def apply() -> None:
    def outcome(self: Unacknowledged) -> ErrorCode | None:
        if not self.partition.is_leader or self.partition.leader_epoch != self.info.leader_epoch:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return _right(self)

    Unacknowledged.outcome = outcome  # type: ignore[method-assign]
