"""What a consumer asks of its membership in a group, whatever the protocol of the group is.

`GroupMember` is the membership of a classic group. The consumer's core runs a rebalance while the user polls:
    needs_rejoin    something has changed: the core begins a rebalance
    join            the partitions that are this member's now. What it may not keep is revoked: positions are committed
                    and the user hears of it. Then `note_revoked` is called
    is_lost         what was owned belongs to others already: it is given up without a commit
"""

from collections.abc import Callable, Collection
from typing import Protocol

from ottla.clients.cluster import Cluster
from ottla.clients.consumer.settings import GroupSettings
from ottla.clients.group_offsets import GroupIdentity
from ottla.clients.snapshot import ClusterSnapshot
from ottla.errors import KafkaError
from ottla.errors.kafka import UnknownMemberIdError
from ottla.model import TopicPartition


class MemberLostError(UnknownMemberIdError):
    """The coordinator does not know this member any more."""


class Membership(Protocol):
    @property
    def group_id(self) -> str: ...

    @property
    def identity(self) -> GroupIdentity:
        """As whom offsets are committed now."""
        ...

    @property
    def needs_rejoin(self) -> bool: ...

    @property
    def is_lost(self) -> bool: ...

    @property
    def revokes_all(self) -> bool:
        """Whether a member gives up all of its partitions before it joins again (eager rebalancing)."""
        ...

    def require_rejoin(self) -> None:
        """The user's subscription is another now."""
        ...

    def note_poll(self) -> None:
        """The user asks for records: a member that does not for too long leaves the group."""
        ...

    def note_revoked(self) -> None:
        """Partitions that another member waits for were given up."""
        ...

    def handle_metadata(self, snapshot: ClusterSnapshot) -> None: ...

    def take_failure(self) -> KafkaError | None:
        """What the user must hear of, once."""
        ...

    async def join(self, topics: Collection[str], owned: tuple[TopicPartition, ...]) -> tuple[TopicPartition, ...]:
        """The partitions to read. MemberLostError: what was owned belongs to others, and so must be given up first."""
        ...

    async def close(self) -> None:
        """Leave the group."""
        ...


class MakeMembership(Protocol):
    """Makes the membership of a consumer that has a group. `on_change`: the core should look at it again."""

    def __call__(self, cluster: Cluster, settings: GroupSettings, on_change: Callable[[], object], /) -> Membership: ...
