"""One member of a group, and the topics that members of consumer groups subscribe to."""

from collections.abc import Collection, Iterable

from ottla.coordinators.group.requests import GroupProtocol
from ottla.coordinators.runtime.step import NEVER, Waiter
from ottla.errors import DecodeError
from ottla.protocol.messages.consumer_protocol import ConsumerProtocolSubscription
from ottla.protocol.versioned import decode_versioned


class Member:
    """`deadline_ms` is when its session ends unless it is heard of. A member that waits for a response of ours has
    none: the session begins anew with it. Only a new one (`is_new`) has, since it may be gone without our knowing.
    """

    __slots__ = (
        "assignment",
        "client_host",
        "client_id",
        "deadline_ms",
        "instance_id",
        "is_new",
        "join_waiter",
        "member_id",
        "protocols",
        "rebalance_timeout_ms",
        "session_timeout_ms",
        "sync_waiter",
    )

    def __init__(
        self,
        member_id: str,
        *,
        instance_id: str | None,
        client_id: str,
        client_host: str,
        session_timeout_ms: int,
        rebalance_timeout_ms: int,
        protocols: tuple[GroupProtocol, ...],
        assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.instance_id = instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.protocols = protocols
        self.assignment = assignment
        self.join_waiter: Waiter | None = None
        self.sync_waiter: Waiter | None = None
        self.deadline_ms = NEVER
        self.is_new = False

    def __repr__(self) -> str:
        return f"<Member {self.member_id}>"

    @property
    def is_static(self) -> bool:
        return self.instance_id is not None

    @property
    def is_waiting(self) -> bool:
        return self.join_waiter is not None or self.sync_waiter is not None

    def protocol_names(self) -> frozenset[str]:
        return frozenset([protocol.name for protocol in self.protocols])

    def metadata(self, protocol_name: str) -> bytes:
        return next(protocol.metadata for protocol in self.protocols if protocol.name == protocol_name)

    def vote(self, candidates: Collection[str]) -> str:
        """The candidate that it likes best: the first in its own order."""
        return next(protocol.name for protocol in self.protocols if protocol.name in candidates)


def subscribed_topics(metadata: Iterable[bytes]) -> frozenset[str] | None:
    """All topics together, as the members' metadata name them; None when one of these is not a consumer's subscription.

    Metadata are the members' own; nothing else in the coordinator reads them.
    """
    topics: set[str] = set()
    try:
        for subscription in metadata:
            decoded, _ = decode_versioned(ConsumerProtocolSubscription, subscription, newer_as_latest=True)
            topics.update(decoded.topics)
    except DecodeError:
        return None
    return frozenset(topics)
