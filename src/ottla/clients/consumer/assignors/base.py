"""What an assignor is given and gives: pure values, the same that Java's assignors exchange.

The leader of a group runs the assignor: from each member's subscription and the partitions of all topics to each
member's partitions. `user_data` is what a member wants its assignor to know, as bytes that only that assignor reads.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from ottla.model import TopicPartition

Assignment = dict[str, list[TopicPartition]]


class Subscription(NamedTuple):
    """What one member wants, and what it has."""

    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...] = ()
    user_data: bytes | None = None
    generation_id: int = -1
    group_instance_id: str | None = None
    rack: str | None = None


class Assignor(Protocol):
    """`name` is what members agree on; a cooperative one takes only those partitions away that move (KIP-429)."""

    name: str
    is_cooperative: bool

    def user_data(self, owned: tuple[TopicPartition, ...], generation_id: int) -> bytes | None:
        """What to tell the leader about what this member has."""
        ...

    def assign(self, partitions: Mapping[str, int], members: Mapping[str, Subscription]) -> Assignment:
        """Partitions for every member. `partitions` are the counts of those topics that exist."""
        ...


def member_order(member_id: str, subscription: Subscription) -> tuple[bool, str]:
    """Static members first, by instance id, the others by member id: an order that restarts do not change."""
    if subscription.group_instance_id is not None:
        return False, subscription.group_instance_id
    return True, member_id


def sorted_members(members: Mapping[str, Subscription]) -> list[str]:
    return sorted(members, key=lambda member_id: member_order(member_id, members[member_id]))


def subscribers_by_topic(members: Mapping[str, Subscription]) -> dict[str, list[str]]:
    """The members of each topic, in order."""
    found: dict[str, list[str]] = {}
    for member_id in sorted_members(members):
        for topic in dict.fromkeys(members[member_id].topics):
            found.setdefault(topic, []).append(member_id)
    return found
