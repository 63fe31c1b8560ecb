"""What the store asks of the group that offsets belong to.

A group of any protocol is an owner by these methods. Where no group is known by the name the owner is SIMPLE_GROUP:
consumers that commit without being members of anything ("simple" groups) have offsets and nothing else.
"""

from typing import NamedTuple, Protocol

from ottla.coordinators.offsets.requests import CommitRequest
from ottla.errors import ErrorCode


class ExpiryRule(NamedTuple):
    """Offsets expire the retention after `since_ms`, or after their own commit where that is None; those of subscribed
    topics never do.
    """

    since_ms: int | None = None
    subscribed_topics: frozenset[str] = frozenset()


class OffsetsOwner(Protocol):
    def commit_refusal(self, request: CommitRequest) -> ErrorCode:
        """NONE for who may commit."""
        ...

    def note_commit(self, member_id: str, now_ms: float) -> None:
        """A member that commits is alive."""
        ...

    def offset_deletion_refusal(self) -> ErrorCode:
        """NONE where offsets may be deleted; NON_EMPTY_GROUP otherwise."""
        ...

    def is_subscribed(self, topic: str) -> bool:
        """Whether members read the topic, or may: then its offsets may not be deleted."""
        ...

    def expiry_rule(self) -> ExpiryRule | None:
        """None while nothing expires."""
        ...


class SimpleGroup:
    def commit_refusal(self, request: CommitRequest) -> ErrorCode:
        return ErrorCode.NONE if request.generation < 0 else ErrorCode.UNKNOWN_MEMBER_ID

    def note_commit(self, member_id: str, now_ms: float) -> None:
        pass

    def offset_deletion_refusal(self) -> ErrorCode:
        return ErrorCode.NONE

    def is_subscribed(self, topic: str) -> bool:
        return False

    def expiry_rule(self) -> ExpiryRule:
        return ExpiryRule()


SIMPLE_GROUP = SimpleGroup()
