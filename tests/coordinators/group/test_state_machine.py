"""Any sequence of events keeps a group's promises, with the coordinator failing over at any point.

- every move is in the table, every waiter is answered exactly once, the invariants of `Group` hold;
- in one generation a partition has one owner, and generations that members were told never go back;
- the records replayed give the group back.
"""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule

from ottla.coordinators.group.appending import encode_records
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.joining import handle_join, static_member_stored
from ottla.coordinators.group.liveness import begin_sessions, handle_heartbeat, handle_leave, tick, unload
from ottla.coordinators.group.loading import PartitionLoad
from ottla.coordinators.group.offsets import (
    expire_offsets,
    handle_commit,
    handle_delete_group,
    handle_delete_offsets,
    offsets_stored,
    tombstones_stored,
)
from ottla.coordinators.group.requests import (
    CommitRequest,
    GroupProtocol,
    HeartbeatRequest,
    JoinRequest,
    JoinResult,
    LeavingMember,
    OffsetToCommit,
    SyncRequest,
    SyncResult,
)
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.states import GroupState
from ottla.coordinators.group.step import (
    Append,
    AssignmentStored,
    OffsetsStored,
    StaticMemberStored,
    Step,
    TombstonesStored,
)
from ottla.coordinators.group.syncing import assignment_stored, handle_sync
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.records.attributes import Codec
from ottla.records.batch import iterate_batches, stamp

SETTINGS = GroupSettings(initial_rebalance_delay_ms=500, offsets_retention_ms=60_000, members_max=4)
PARTITIONS = [TopicPartition("t", number) for number in range(3)]
PROTOCOLS = [
    (GroupProtocol("range", b"x"),),
    (GroupProtocol("range", b"y"), GroupProtocol("sticky", b"y")),
    (GroupProtocol("sticky", b"x"), GroupProtocol("range", b"x")),
]

# What is taken back when its records are refused. Deletions are not: they are answered with an error, and done again.
UNDONE = (AssignmentStored, StaticMemberStored, OffsetsStored)
ONE_IN_FIVE = st.sampled_from([False, False, True, False, False])


class LoggedAppend:
    """An append in the log: `base_offset` on, replicated or not yet."""

    def __init__(self, append: Append, base_offset: int, wall_ms: int) -> None:
        self.append = append
        self.base_offset = base_offset
        self.end_offset = base_offset + len(append.records)
        self.batch = encode_records(append.records, wall_ms, Codec.NONE)
        stamp(self.batch, 0, base_offset, 0)


class GroupMachine(RuleBasedStateMachine):
    member_ids = Bundle("member_ids")

    def __init__(self) -> None:
        super().__init__()
        self.now_ms = 0.0
        self.log: list[LoggedAppend] = []
        self.replicated = 0
        self.waiters = 0
        self.open: dict[int, str] = {}
        self.owners: dict[tuple[int, bytes], str] = {}
        self.identity: dict[str, str] = {}
        self.told_generation = 0
        self.joins = 0
        self.new_group()

    def new_group(self) -> None:
        self.group = Group("g", SETTINGS, int(self.now_ms))
        self.told_generation = 0
        self.owners.clear()

    # The driver

    def step(self, action) -> object:
        generation = self.group.generation
        step = Step(self.now_ms, int(self.now_ms))
        result = action(step)
        assert self.group.generation >= generation
        for append in step.appends:
            end = self.log[-1].end_offset if self.log else 0
            self.log.append(LoggedAppend(append, end, step.wall_ms))
        for waiter, answer in step.answers:
            self.answered(waiter, answer)
        return result

    def waiter(self, member_id: str = "") -> int:
        self.waiters += 1
        self.open[self.waiters] = member_id
        return self.waiters

    def answered(self, waiter: int, answer: object) -> None:
        member_id = self.open.pop(waiter)
        if isinstance(answer, JoinResult) and answer.error is ErrorCode.NONE:
            assert answer.member_id in self.group.members
            assert answer.generation == self.group.generation
        if isinstance(answer, SyncResult) and answer.error is ErrorCode.NONE:
            self.assigned(member_id, answer.assignment)

    def assigned(self, member_id: str, assignment: bytes) -> None:
        generation = self.group.generation
        assert generation >= self.told_generation
        self.told_generation = generation
        owner = self.identity.get(member_id, member_id)
        for partition in assignment:
            assert self.owners.setdefault((generation, partition), owner) == owner

    def stored(self, logged: LoggedAppend, error: ErrorCode) -> None:
        event = logged.append.event
        if isinstance(event, AssignmentStored):
            self.step(lambda step: assignment_stored(self.group, event, error, step))
        elif isinstance(event, StaticMemberStored):
            self.step(lambda step: static_member_stored(self.group, event, error, step))
        elif isinstance(event, OffsetsStored):
            self.step(lambda step: offsets_stored(self.group, event, error, logged.base_offset, step))
        elif isinstance(event, TombstonesStored):
            self.step(lambda step: tombstones_stored(event, error, step))

    def after_death(self) -> None:
        """The group is gone: what waits for its own records is still answered, then there is a new one."""
        while self.replicated < len(self.log):
            self.replicate()
        self.new_group()

    # Members

    @rule(target=member_ids, protocols=st.sampled_from(PROTOCOLS), version=st.sampled_from([3, 4]))
    def join(self, protocols, version):
        return self._join("", None, protocols, version)

    @rule(target=member_ids, instance=st.sampled_from("AB"), protocols=st.sampled_from(PROTOCOLS), version=st.just(9))
    def join_static(self, instance, protocols, version):
        return self._join("", instance, protocols, version)

    @rule(member_id=member_ids, protocols=st.sampled_from(PROTOCOLS))
    def rejoin(self, member_id, protocols):
        self._join(member_id, self.instance_of(member_id), protocols, 9)

    def instance_of(self, member_id: str) -> str | None:
        identity = self.identity.get(member_id, "")
        return identity if identity in ("A", "B") else None

    def _join(self, member_id, instance, protocols, version):
        self.joins += 1
        new_id = f"{instance or 'c'}-{self.joins}"
        if not member_id:
            self.identity[new_id] = instance or new_id
        request = JoinRequest(
            "g", member_id, instance, "c", "/h", 10_000, 20_000, "test", protocols, str(self.joins),
            requires_known_member_id=version >= 4 and instance is None, supports_skip_assignment=version >= 9,
        )  # fmt: skip
        self.step(lambda step: handle_join(self.group, request, self.waiter(), step))
        return new_id if not member_id else multiple()

    @rule(member_id=member_ids, data=st.data())
    def sync(self, member_id, data):
        group = self.group
        members = sorted(group.members)
        assignments = {}
        if members and group.leader_id == member_id:
            owners = data.draw(st.lists(st.sampled_from(members), min_size=4, max_size=4))
            for partition, owner in enumerate(owners):
                assignments[owner] = assignments.get(owner, b"") + bytes([partition])
        generation = data.draw(st.sampled_from([group.generation] * 9 + [group.generation - 1]))
        request = SyncRequest("g", generation, member_id, self.instance_of(member_id), assignments=assignments)
        self.step(lambda step: handle_sync(group, request, self.waiter(member_id), step))

    @rule(is_replicated=st.booleans())
    def rebalance_to_its_end(self, is_replicated):
        """Everybody does what it should, which Hypothesis rarely finds by chance."""
        if self.group.state is GroupState.PREPARING_REBALANCE:
            for member_id, member in list(self.group.members.items()):
                if member.join_waiter is None:
                    self._join(member_id, member.instance_id, member.protocols, 9)
            self.time_passes(600)
        group, shares = self.group, {}
        for number, member_id in enumerate(group.members):
            shares[member_id] = bytes([number])
        for member_id in shares:
            request = SyncRequest("g", group.generation, member_id, self.instance_of(member_id), assignments=shares)
            self.step(lambda step, r=request, m=member_id: handle_sync(group, r, self.waiter(m), step))
        if is_replicated:
            self.replicate_everything()

    @rule(member_id=member_ids)
    def heartbeat(self, member_id):
        request = HeartbeatRequest("g", self.group.generation, member_id, self.instance_of(member_id))
        error = handle_heartbeat(self.group, request, self.now_ms)
        assert (error in (ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS)) == (member_id in self.group.members)

    @rule(member_id=consumes(member_ids))
    def leave(self, member_id):
        leaving = LeavingMember(member_id, self.instance_of(member_id))
        self.step(lambda step: handle_leave(self.group, [leaving], step))
        assert member_id not in self.group.members

    # Time

    @rule(milliseconds=st.sampled_from([100, 600, 3_000, 11_000, 21_000]))
    def time_passes(self, milliseconds):
        end_ms = self.now_ms + milliseconds
        while self.group.wake_at_ms <= end_ms:
            self.now_ms = max(self.now_ms, self.group.wake_at_ms)
            self.step(lambda step: tick(self.group, step))
            assert self.group.wake_at_ms > self.now_ms
        self.now_ms = end_ms

    # Offsets

    @rule(member_id=st.one_of(st.just(""), member_ids), partition=st.sampled_from(PARTITIONS), offset=st.integers(0, 9))
    def commit(self, member_id, partition, offset):
        generation = self.group.generation if member_id else -1
        offsets = {partition: OffsetToCommit(offset, -1, "", int(self.now_ms))}
        request = CommitRequest("g", generation, member_id, self.instance_of(member_id), offsets)
        self.step(lambda step: handle_commit(self.group, request, self.waiter(), step))

    @rule(partition=st.sampled_from(PARTITIONS))
    def delete_offsets(self, partition):
        self.step(lambda step: handle_delete_offsets(self.group, [partition], self.waiter(), step))
        if self.group.state is GroupState.DEAD:
            self.after_death()

    @rule(luck=ONE_IN_FIVE)
    def expire(self, luck):
        if not luck:
            return
        self.step(lambda step: expire_offsets(self.group, step))
        if self.group.state is GroupState.DEAD:
            self.after_death()

    @rule(luck=ONE_IN_FIVE)
    def delete(self, luck):
        if not luck:
            return
        was_empty = self.group.state is GroupState.EMPTY
        self.step(lambda step: handle_delete_group(self.group, self.waiter(), step))
        assert was_empty == (self.group.state is GroupState.DEAD)
        if was_empty:
            self.after_death()

    # The log

    @precondition(lambda self: self.replicated < len(self.log))
    @rule()
    def replicate(self):
        logged = self.log[self.replicated]
        self.replicated += 1
        self.stored(logged, ErrorCode.NONE)

    @rule()
    def replicate_everything(self):
        while self.replicated < len(self.log):
            self.replicate()

    @precondition(lambda self: self.replicated < len(self.log) and isinstance(self.log[-1].append.event, UNDONE))
    @rule()
    def fail_the_last_append(self):
        """As if the log had refused it."""
        self.stored(self.log.pop(), ErrorCode.NOT_ENOUGH_REPLICAS)

    @rule(kept=st.integers(0, 3), luck=ONE_IN_FIVE)
    def fail_over(self, kept, luck):
        if not luck:
            return
        self.step(lambda step: unload(self.group, step))
        unreplicated = self.log[self.replicated :]
        self.log = self.log[: self.replicated + kept]
        for logged in unreplicated:
            self.stored(logged, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        assert not self.open, "unloading answers everybody"
        self.log = self.log[: self.replicated + kept]
        self.replicated = len(self.log)
        self.group = self.replayed()
        assert self.group.generation >= self.told_generation
        self.step(lambda step: begin_sessions(self.group, step))

    def replayed(self) -> Group:
        load = PartitionLoad(SETTINGS, int(self.now_ms))
        buffer = b"".join(logged.batch for logged in self.log)
        for position, header in iterate_batches(buffer):
            load.feed(buffer, position, header)
        for _ in load.decode():
            pass
        return load.groups.get("g") or Group("g", SETTINGS, int(self.now_ms))

    # What always holds

    @invariant()
    def the_group_is_consistent(self):
        self.group.check_invariants()

    @invariant()
    def the_records_give_the_group_back(self):
        if self.replicated < len(self.log):
            return
        group, replayed = self.group, self.replayed()
        assert replayed.offsets.committed == group.offsets.committed
        if group.state is GroupState.STABLE:
            assert durable(replayed) == durable(group)
        if group.state is GroupState.EMPTY and group.generation > 0:
            assert (replayed.state, replayed.generation) == (GroupState.EMPTY, group.generation)


def durable(group: Group) -> tuple:
    members = {
        member.member_id: (member.instance_id, member.assignment, member.metadata(group.protocol_name))
        for member in group.members.values()
    }
    return group.state, group.generation, group.leader_id, group.protocol_type, group.protocol_name, members


TestGroupMachine = GroupMachine.TestCase
TestGroupMachine.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
