"""Any sequence of events keeps a group's promises and those of its offsets, with the coordinator failing over at any
point.

- every move is in the table, every waiter is answered exactly once, the invariants of `Group` hold;
- in one generation a partition has one owner, and generations that members were told never go back;
- the records replayed give the group and its offsets back, with the offsets of open transactions.
"""

from functools import partial

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, precondition, rule

from ottla.clock import ManualClock
from ottla.coordinators.group.coordinator_metrics import GroupCounters
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.liveness import handle_heartbeat
from ottla.coordinators.group.requests import (
    GroupProtocol,
    HeartbeatRequest,
    JoinRequest,
    JoinResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.shard import GroupShard
from ottla.coordinators.group.states import GroupState
from ottla.coordinators.offsets.group_offsets import CommittedOffset
from ottla.coordinators.offsets.records import offset_record
from ottla.coordinators.offsets.requests import CommitRequest, OffsetToCommit
from ottla.coordinators.runtime.coordinator_log import encode_records
from ottla.coordinators.runtime.loading import PartitionLoad
from ottla.coordinators.runtime.step import Append, Step, Transaction
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from ottla.records.attributes import Codec
from ottla.records.batch import iterate_batches, stamp
from ottla.records.control import ControlType, encode_end_txn_batch

SETTINGS = GroupSettings(initial_rebalance_delay_ms=500, offsets_retention_ms=60_000, members_max=4)
PARTITIONS = [TopicPartition("t", number) for number in range(3)]
PROTOCOLS = [
    (GroupProtocol("range", b"x"),),
    (GroupProtocol("range", b"y"), GroupProtocol("sticky", b"y")),
    (GroupProtocol("sticky", b"x"), GroupProtocol("range", b"x")),
]

# What is taken back when its records are refused. Deletions are not: they are answered with an error, and done again.
UNDONE = ("assignment_stored", "static_member_stored", "_stored")
TRANSACTIONS = st.sampled_from([Transaction(7, 0), Transaction(8, 3)])
ONE_IN_FIVE = st.sampled_from([False, False, True, False, False])


class LoggedAppend:
    """An append in the log: `base_offset` on, replicated or not yet."""

    def __init__(self, completion, batch: bytearray, base_offset: int, count: int) -> None:
        self.completion = completion
        self.base_offset = base_offset
        self.end_offset = base_offset + count
        self.batch = batch
        stamp(self.batch, 0, base_offset, 0)

    @property
    def is_undone(self) -> bool:
        return isinstance(self.completion, partial) and self.completion.func.__name__ in UNDONE


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
        self.shard = new_shard()
        self.ending: set[Transaction] = set()

    @property
    def group(self) -> Group:
        """The classic group; one that never had members where there is none."""
        return self.shard.groups.get("g") or Group("g", SETTINGS, int(self.now_ms))

    # The driver

    def step(self, action) -> object:
        group = self.group
        generation = group.generation
        step = Step(self.now_ms, int(self.now_ms))
        result = action(step)
        assert group.generation >= generation
        for append in step.appends:
            self.append(append, step.wall_ms)
        for waiter, answer in step.responses:
            self.answered(waiter, answer)
        return result

    @property
    def log_end_offset(self) -> int:
        return self.log[-1].end_offset if self.log else 0

    def append(self, append: Append, wall_ms: int) -> None:
        records, completion, replays, transaction = append
        batch = encode_records(records, wall_ms, Codec.NONE, transaction)
        self.log.append(LoggedAppend(completion, batch, self.log_end_offset, len(records)))
        if replays:
            for record in records:
                self.shard.replay(record, self.log[-1].base_offset, transaction)

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
        if logged.completion is not None:
            self.step(lambda step: logged.completion(error, logged.base_offset, step))

    def maybe_died(self, group: Group) -> None:
        """When the group is gone, what waits for its own records is still answered, and generations begin anew."""
        if group.state is GroupState.DEAD:
            assert "g" not in self.shard
            self.replicate_everything()
            self.told_generation = 0
            self.owners.clear()

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
        self.step(lambda step: self.shard.handle_join(request, self.waiter(), step))
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
        self.step(lambda step: self.shard.handle_sync(request, self.waiter(member_id), step))

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
            self.step(lambda step, r=request, m=member_id: self.shard.handle_sync(r, self.waiter(m), step))
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
        self.step(lambda step: self.shard.leave("g", [leaving], step))
        assert member_id not in self.group.members

    # Time

    @rule(milliseconds=st.sampled_from([100, 600, 3_000, 11_000, 21_000]))
    def time_passes(self, milliseconds):
        end_ms = self.now_ms + milliseconds
        while self.group.wake_at_ms <= end_ms:
            self.now_ms = max(self.now_ms, self.group.wake_at_ms)
            self.step(lambda step: self.shard.tick("g", step))
            assert self.group.wake_at_ms > self.now_ms
        self.now_ms = end_ms

    # Offsets

    @rule(member_id=st.one_of(st.just(""), member_ids), partition=st.sampled_from(PARTITIONS), offset=st.integers(0, 9))
    def commit(self, member_id, partition, offset):
        generation = self.group.generation if member_id else -1
        offsets = {partition: OffsetToCommit(offset, -1, "", int(self.now_ms))}
        request = CommitRequest("g", generation, member_id, self.instance_of(member_id), offsets)
        self.step(lambda step: self.shard.handle_commit(request, self.waiter(), step))

    @rule(partition=st.sampled_from(PARTITIONS))
    def delete_offsets(self, partition):
        group = self.group
        self.step(lambda step: self.shard.handle_delete_offsets("g", [partition], self.waiter(), step))
        self.maybe_died(group)

    @rule(luck=ONE_IN_FIVE)
    def expire(self, luck):
        if not luck:
            return
        group = self.group
        self.step(lambda step: self.shard.expire_offsets("g", step))
        self.maybe_died(group)

    @rule(luck=ONE_IN_FIVE)
    def delete(self, luck):
        if not luck:
            return
        group = self.group
        was_empty = group.state is GroupState.EMPTY
        self.step(lambda step: self.shard.handle_delete_group("g", self.waiter(), step))
        assert was_empty == ("g" not in self.shard)
        self.maybe_died(group)

    # Transactions: what TxnOffsetCommit and WriteTxnMarkers do

    @rule(transaction=TRANSACTIONS, partition=st.sampled_from(PARTITIONS), offset=st.integers(0, 9))
    def commit_in_a_transaction(self, transaction, partition, offset):
        if transaction in self.ending:
            return  # Its producer waits for the marker.
        record = offset_record("g", partition, CommittedOffset(offset, -1, "", int(self.now_ms)))
        self.step(lambda step: step.append([record], replays=True, transaction=transaction))

    @rule(transaction=TRANSACTIONS, is_committed=st.booleans())
    def end_a_transaction(self, transaction, is_committed):
        if transaction in self.ending:
            return
        self.ending.add(transaction)

        def replicated(error, record_offset, step):
            self.ending.discard(transaction)
            if error is ErrorCode.NONE:
                self.shard.replay_end_transaction(transaction, is_committed=is_committed)

        batch = encode_end_txn_batch(
            ControlType.COMMIT if is_committed else ControlType.ABORT,
            producer_id=transaction.producer_id,
            producer_epoch=transaction.producer_epoch,
            coordinator_epoch=0,
            timestamp=1,
        )
        self.log.append(LoggedAppend(replicated, bytearray(batch), self.log_end_offset, 1))

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

    @precondition(lambda self: self.replicated < len(self.log) and self.log[-1].is_undone)
    @rule()
    def fail_the_last_append(self):
        """As if the log had refused it."""
        self.stored(self.log.pop(), ErrorCode.NOT_ENOUGH_REPLICAS)

    @rule(kept=st.integers(0, 3), luck=ONE_IN_FIVE)
    def fail_over(self, kept, luck):
        if not luck:
            return
        self.step(self.shard.unloaded)
        unreplicated = self.log[self.replicated :]
        self.log = self.log[: self.replicated + kept]
        for logged in unreplicated:
            self.stored(logged, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        assert not self.open, "unloading answers everybody"
        self.log = self.log[: self.replicated + kept]
        self.replicated = len(self.log)
        self.shard = self.replayed()
        assert self.group.generation >= self.told_generation
        self.step(self.shard.loaded)

    def replayed(self) -> GroupShard:
        shard, load = new_shard(), PartitionLoad()
        buffer = b"".join(logged.batch for logged in self.log)
        for position, header in iterate_batches(buffer):
            load.feed(buffer, position, header)
        for _ in load.replay(shard):
            pass
        return shard

    # What always holds

    @invariant()
    def the_group_is_consistent(self):
        self.group.check_invariants()
        self.shard.offsets.check_invariants()

    @invariant()
    def the_records_give_the_group_back(self):
        if self.replicated < len(self.log):
            return
        shard = self.replayed()
        assert committed(shard) == committed(self.shard)
        group, replayed = self.group, shard.groups.get("g")
        if group.state is GroupState.STABLE:
            assert durable(replayed) == durable(group)
        if group.state is GroupState.EMPTY and group.generation > 0:
            assert (replayed.state, replayed.generation) == (GroupState.EMPTY, group.generation)


def new_shard() -> GroupShard:
    return GroupShard(SETTINGS, GroupCounters(Metrics(ManualClock())))


def committed(shard: GroupShard) -> tuple:
    """Also what may still become so."""
    offsets = shard.offsets.group("g")
    return ({}, {}) if offsets is None else (offsets.committed, offsets.transactional)


def durable(group: Group) -> tuple:
    members = {
        member.member_id: (member.instance_id, member.assignment, member.metadata(group.protocol_name))
        for member in group.members.values()
    }
    return group.state, group.generation, group.leader_id, group.protocol_type, group.protocol_name, members


TestGroupMachine = GroupMachine.TestCase
TestGroupMachine.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
