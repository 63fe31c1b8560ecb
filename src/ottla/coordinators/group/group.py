"""One group: its members, its generation and what they agreed on. Changed only by the functions beside this file.

Invariants (`check_invariants`)
- A group that is not EMPTY or DEAD has members, or is PREPARING_REBALANCE and about to be EMPTY.
- The leader is a member whenever there are members.
- Every static member is found by its instance id, and only under its latest member id.
- The generation grows by one with every completed rebalance and never goes back.
- `wake_at_ms` is not later than any deadline of the group: the runtime calls `liveness.tick` then, or earlier.

A group owns its committed offsets (`OffsetsOwner`), which lie in the offsets store.
"""

import collections
from collections.abc import Iterable

from ottla.coordinators.group.member import Member, subscribed_topics
from ottla.coordinators.group.requests import UNKNOWN_MEMBER, GroupProtocol, JoinedMember
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.states import TRANSITIONS, Cause, GroupState
from ottla.coordinators.offsets.owner import ExpiryRule
from ottla.coordinators.offsets.requests import CommitRequest
from ottla.coordinators.runtime.step import NEVER, Waiter
from ottla.errors import ErrorCode
from ottla.observability.instruments import Counter
from ottla.protocol.coordinator_records.group_metadata import GroupMetadataValue

CONSUMER_PROTOCOL_TYPE = "consumer"


class Group:
    """`storing_generation`: the generation whose assignment is on its way into the log, else None. `pending_members`:
    ids that were given out and not used yet, with the time until they must be.
    """

    __slots__ = (
        "_protocol_counts",
        "awaiting_join",
        "completed_rebalances",
        "generation",
        "group_id",
        "has_new_member",
        "initial_delay_left_ms",
        "join_deadline_ms",
        "leader_id",
        "members",
        "pending_members",
        "pending_sync",
        "protocol_name",
        "protocol_type",
        "settings",
        "state",
        "state_timestamp_ms",
        "static_members",
        "storing_generation",
        "subscribed_topics",
        "sync_deadline_ms",
        "wake_at_ms",
    )

    def __init__(
        self, group_id: str, settings: GroupSettings, wall_ms: int, completed_rebalances: Counter | None = None
    ) -> None:
        self.group_id = group_id
        self.settings = settings
        self.state = GroupState.EMPTY
        self.state_timestamp_ms = wall_ms
        self.generation = 0
        self.protocol_type: str | None = None
        self.protocol_name: str | None = None
        self.leader_id: str | None = None
        self.members: dict[str, Member] = {}
        self.static_members: dict[str, str] = {}
        self.pending_members: dict[str, float] = {}
        self.pending_sync: set[str] = set()
        self.awaiting_join = 0
        self.subscribed_topics: frozenset[str] | None = None
        self.has_new_member = False
        self.initial_delay_left_ms: int | None = None
        self.join_deadline_ms = NEVER
        self.sync_deadline_ms = NEVER
        self.storing_generation: int | None = None
        self.wake_at_ms = NEVER
        self.completed_rebalances = completed_rebalances or Counter()
        self._protocol_counts: collections.Counter[str] = collections.Counter()

    def __repr__(self) -> str:
        return f"<Group {self.group_id} {self.state.value} generation={self.generation} members={len(self.members)}>"

    # State

    def move(self, cause: Cause, wall_ms: int) -> None:
        """By the table; a KeyError is a move that cannot be."""
        self.state = TRANSITIONS[self.state, cause]
        self.state_timestamp_ms = wall_ms

    def begin_generation(self, cause: Cause, wall_ms: int) -> None:
        self.generation += 1
        self.protocol_name = self.select_protocol() if self.members else None
        self.subscribed_topics = self._subscribed_topics()
        self.pending_sync.clear()
        self.storing_generation = None
        self.move(cause, wall_ms)

    @property
    def is_consumer_group(self) -> bool:
        return self.protocol_type == CONSUMER_PROTOCOL_TYPE

    def _subscribed_topics(self) -> frozenset[str] | None:
        """None when that is not known: another protocol, or metadata that cannot be read."""
        if not self.is_consumer_group:
            return None
        if self.protocol_name is None:
            return frozenset() if not self.members else None
        return subscribed_topics(member.metadata(self.protocol_name) for member in self.members.values())

    @property
    def may_be_removed(self) -> bool:
        """Whether nothing but committed offsets keeps the group."""
        return self.state is GroupState.EMPTY and not self.pending_members

    # Members

    def add(self, member: Member, protocol_type: str) -> None:
        if not self.members:
            self.protocol_type = protocol_type
        self.members[member.member_id] = member
        if member.instance_id is not None:
            assert member.instance_id not in self.static_members, member
            self.static_members[member.instance_id] = member.member_id
        if self.leader_id is None:
            self.leader_id = member.member_id
        self._protocol_counts.update(member.protocol_names())
        self.pending_members.pop(member.member_id, None)

    def remove(self, member_id: str) -> Member | None:
        """Take a member out, known or pending. Whoever waits on it is for the caller to respond to, before."""
        self.pending_members.pop(member_id, None)
        self.pending_sync.discard(member_id)
        member = self.members.pop(member_id, None)
        if member is None:
            return None
        self.take_join_waiter(member)
        self._protocol_counts.subtract(member.protocol_names())
        if member.instance_id is not None:
            del self.static_members[member.instance_id]
        if self.leader_id == member_id:
            self.leader_id = next(iter(self.members), None)
        return member

    def update(
        self, member: Member, protocols: tuple[GroupProtocol, ...], session_timeout_ms: int, rebalance_timeout_ms: int
    ) -> None:
        self._protocol_counts.subtract(member.protocol_names())
        member.protocols = protocols
        member.session_timeout_ms = session_timeout_ms
        member.rebalance_timeout_ms = rebalance_timeout_ms
        self._protocol_counts.update(member.protocol_names())

    def rename_static(self, instance_id: str, member_id: str) -> Member:
        """The static member goes by another member id from now on; everything else about it stays."""
        before = self.static_members[instance_id]
        member = self.members.pop(before)
        member.member_id = member_id
        self.members[member_id] = member
        self.static_members[instance_id] = member_id
        if self.leader_id == before:
            self.leader_id = member_id
        if before in self.pending_sync:
            self.pending_sync.remove(before)
            self.pending_sync.add(member_id)
        return member

    def elect_joined_leader(self) -> bool:
        """Make sure that the leader is one who has joined; False when nobody has."""
        if self.leader_id is None:
            return False
        if self.members[self.leader_id].join_waiter is None:
            joined = next((member for member in self.members.values() if member.join_waiter is not None), None)
            if joined is None:
                return False
            self.leader_id = joined.member_id
        return True

    @property
    def rebalance_timeout_ms(self) -> int:
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def joined_members(self) -> tuple[JoinedMember, ...]:
        """What the leader assigns by."""
        name = self.protocol_name
        assert name is not None, self
        return tuple(
            JoinedMember(member.member_id, member.instance_id, member.metadata(name))
            for member in self.members.values()
        )

    # Who waits for a JoinGroup response

    def set_join_waiter(self, member: Member, waiter: Waiter) -> None:
        assert member.join_waiter is None, member
        member.join_waiter = waiter
        self.awaiting_join += 1

    def take_join_waiter(self, member: Member) -> Waiter | None:
        waiter, member.join_waiter = member.join_waiter, None
        if waiter is not None:
            self.awaiting_join -= 1
        return waiter

    @property
    def all_joined(self) -> bool:
        return self.awaiting_join == len(self.members) and not self.pending_members

    # Who somebody is that calls itself a member

    def member_problem(self, member_id: str, instance_id: str | None) -> ErrorCode:
        """NONE for a member of the group. An instance id must be known, and be this member's."""
        if instance_id is not None:
            current_id = self.static_members.get(instance_id)
            if current_id is None:
                return ErrorCode.UNKNOWN_MEMBER_ID
            if current_id != member_id:
                return ErrorCode.FENCED_INSTANCE_ID
        return ErrorCode.NONE if member_id in self.members else ErrorCode.UNKNOWN_MEMBER_ID

    def generation_problem(self, generation: int, member_id: str, instance_id: str | None) -> ErrorCode:
        """NONE for a member of the current generation."""
        error = self.member_problem(member_id, instance_id)
        if error is ErrorCode.NONE and generation != self.generation:
            return ErrorCode.ILLEGAL_GENERATION
        return error

    # Committed offsets

    def commit_refusal(self, request: CommitRequest) -> ErrorCode:
        """Members of the generation may commit, not while the assignment is being made; anybody without a member id
        and generation may, as long as the group is EMPTY.
        """
        if request.generation < 0 and self.state is GroupState.EMPTY:
            return ErrorCode.NONE
        if request.generation < 0 and request.member_id == UNKNOWN_MEMBER and request.instance_id is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        error = self.generation_problem(request.generation, request.member_id, request.instance_id)
        if error is ErrorCode.NONE and self.state is GroupState.COMPLETING_REBALANCE:
            return ErrorCode.REBALANCE_IN_PROGRESS
        return error

    def note_commit(self, member_id: str, now_ms: float) -> None:
        member = self.members.get(member_id)
        if member is not None:
            self.touch(member, now_ms)

    def offset_deletion_refusal(self) -> ErrorCode:
        """Of a group with members only offsets of topics that none of them subscribes to may be deleted."""
        if self.state is not GroupState.EMPTY and not self.is_consumer_group:
            return ErrorCode.NON_EMPTY_GROUP
        return ErrorCode.NONE

    def is_subscribed(self, topic: str) -> bool:
        if self.state is GroupState.EMPTY:
            return False
        return self.subscribed_topics is None or topic in self.subscribed_topics

    def expiry_rule(self) -> ExpiryRule | None:
        """The retention counts from when the group became empty; from the commit where it never had members, or for a
        topic that nobody subscribes to any more. Nothing expires while it is not known what members read.
        """
        if self.protocol_type is None:
            return ExpiryRule()
        if self.state is GroupState.EMPTY:
            return ExpiryRule(self.state_timestamp_ms if self.state_timestamp_ms >= 0 else None)
        if self.state is GroupState.STABLE and self.subscribed_topics is not None:
            return ExpiryRule(None, self.subscribed_topics)
        return None

    # Protocols

    def supports(self, protocol_type: str, protocols: Iterable[GroupProtocol]) -> bool:
        """Whether a member with these may join: the type of the others, and one protocol that all have."""
        names = [protocol.name for protocol in protocols]
        if self.state is GroupState.EMPTY:
            return bool(protocol_type and names)
        everybody = len(self.members)
        return self.protocol_type == protocol_type and any(self._protocol_counts[name] == everybody for name in names)

    def select_protocol(self) -> str:
        """By vote: each member for the one that it likes best of those that all have. First come wins a tie."""
        everybody = len(self.members)
        candidates = {name for name, count in self._protocol_counts.items() if count == everybody}
        votes = collections.Counter(member.vote(candidates) for member in self.members.values())
        return votes.most_common(1)[0][0]

    # Deadlines

    def wake_at(self, deadline_ms: float) -> float:
        """Remember a deadline for the runtime; returns it."""
        if deadline_ms < self.wake_at_ms:
            self.wake_at_ms = deadline_ms
        return deadline_ms

    def touch(self, member: Member, now_ms: float) -> None:
        """The member is alive: its session begins anew."""
        member.deadline_ms = deadline = now_ms + member.session_timeout_ms
        if deadline < self.wake_at_ms:
            self.wake_at_ms = deadline

    # Replay

    def replay(self, value: GroupMetadataValue) -> None:
        """Become what a record says: STABLE with its members, or EMPTY. Offsets have records of their own."""
        self.members, self.static_members, self.leader_id = {}, {}, None
        self._protocol_counts.clear()
        self.protocol_type = value.protocol_type or None
        self.protocol_name = value.protocol
        self.generation = value.generation
        for stored in value.members:
            member = Member(
                stored.member_id,
                instance_id=stored.group_instance_id,
                client_id=stored.client_id,
                client_host=stored.client_host,
                session_timeout_ms=stored.session_timeout,
                rebalance_timeout_ms=stored.rebalance_timeout,
                protocols=(GroupProtocol(value.protocol or "", stored.subscription),),
                assignment=stored.assignment,
            )
            self.add(member, value.protocol_type)
        self.leader_id = value.leader if value.leader in self.members else self.leader_id
        self.state = GroupState.STABLE if self.members else GroupState.EMPTY
        self.state_timestamp_ms = value.current_state_timestamp
        self.subscribed_topics = self._subscribed_topics()

    def check_invariants(self) -> None:
        state = self.state
        assert self.members or state in (GroupState.EMPTY, GroupState.DEAD, GroupState.PREPARING_REBALANCE), self
        assert not self.members or state is not GroupState.EMPTY, self
        assert (self.leader_id in self.members) if self.members else self.leader_id is None, self
        statics = {member.instance_id: member.member_id for member in self.members.values() if member.is_static}
        assert statics == self.static_members, self
        assert self.awaiting_join == sum(member.join_waiter is not None for member in self.members.values()), self
        assert not self.members.keys() & self.pending_members.keys(), self
        assert self.pending_sync <= self.members.keys(), self
        deadlines = [member.deadline_ms for member in self.members.values()]
        deadlines += [*self.pending_members.values(), self.join_deadline_ms, self.sync_deadline_ms]
        assert state is GroupState.DEAD or self.wake_at_ms <= min(deadlines), self
        counts = collections.Counter(name for member in self.members.values() for name in member.protocol_names())
        assert counts == +self._protocol_counts, self
