"""The offsets of groups: who may commit, what expires, transactions."""

import pytest

from ottla.clock import ManualClock
from ottla.coordinators.offsets.group_offsets import CommittedOffset
from ottla.coordinators.offsets.owner import SIMPLE_GROUP, ExpiryRule
from ottla.coordinators.offsets.records import offset_record, offset_tombstone
from ottla.coordinators.offsets.requests import CommitRequest, OffsetToCommit
from ottla.coordinators.offsets.store import OffsetsStore
from ottla.coordinators.runtime.step import Step, Transaction
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
FIRST, SECOND = Transaction(7, 0), Transaction(8, 0)
RETENTION_MS = 1000


def a_store() -> OffsetsStore:
    commits = Metrics(ManualClock()).counter("kafka_server_groupcoordinatormetrics_offset_commit_count")
    return OffsetsStore(metadata_length_max=10, retention_ms=RETENTION_MS, commits=commits)


def replay(store: OffsetsStore, partition: TopicPartition, offset: int, at: int, transaction=None, group="g") -> None:
    store.replay(offset_record(group, partition, CommittedOffset(offset, -1, "", 0)), at, transaction)
    store.check_invariants()


def offsets(store: OffsetsStore, group: str = "g") -> dict[TopicPartition, int]:
    return {name: found.offset for name, found in store.fetch(group, None, require_stable=False).items()}


def commit(store: OffsetsStore, generation: int = -1, metadata: str = "") -> Step:
    step = Step(0.0, 0)
    wanted = {T0: OffsetToCommit(5, -1, metadata, 0)}
    store.handle_commit(SIMPLE_GROUP, CommitRequest("g", generation, "", None, wanted), "client", step)
    return step


def test_a_commit_is_visible_and_responded_to_when_it_is_replicated():
    store = a_store()
    ((_, completion, _, _),) = commit(store).appends
    assert offsets(store) == {}
    assert store.fetch("g", [T0], require_stable=True)[T0].error is ErrorCode.UNSTABLE_OFFSET_COMMIT
    step = Step(0.0, 0)
    completion(ErrorCode.NONE, 3, step)
    assert step.responses == [("client", {T0: ErrorCode.NONE})]
    assert offsets(store) == {T0: 5}


def test_a_commit_that_is_not_replicated_leaves_nothing_behind():
    store = a_store()
    ((_, completion, _, _),) = commit(store).appends
    step = Step(0.0, 0)
    completion(ErrorCode.NOT_LEADER_OR_FOLLOWER, -1, step)
    assert step.responses == [("client", {T0: ErrorCode.NOT_COORDINATOR})]
    assert store.maybe_forget("g")


@pytest.mark.parametrize(
    ("generation", "metadata", "error"),
    [(1, "", ErrorCode.UNKNOWN_MEMBER_ID), (-1, "x" * 11, ErrorCode.OFFSET_METADATA_TOO_LARGE)],
)
def test_a_commit_that_is_refused_appends_nothing(generation, metadata, error):
    step = commit(a_store(), generation, metadata)
    assert (step.appends, step.responses) == ([], [("client", {T0: error})])


def test_a_transaction_decides_on_the_offsets_of_all_its_groups():
    store = a_store()
    for group in ("g", "h"):
        replay(store, T0, 5, 0, FIRST, group)
    replay(store, T1, 9, 1, SECOND)
    assert offsets(store) == offsets(store, "h") == {}
    assert store.replay_end_transaction(FIRST, is_committed=True) == {"g", "h"}
    assert offsets(store) == offsets(store, "h") == {T0: 5}
    assert store.replay_end_transaction(SECOND, is_committed=False) == {"g"}
    assert offsets(store) == {T0: 5}
    assert store.replay_end_transaction(SECOND, is_committed=True) == set()
    store.check_invariants()


def test_an_offset_takes_its_place_by_its_record_not_by_the_end_of_its_transaction():
    store = a_store()
    replay(store, T0, 5, 0, FIRST)
    replay(store, T0, 6, 1)
    store.replay_end_transaction(FIRST, is_committed=True)
    assert offsets(store) == {T0: 6}


def test_a_tombstone_takes_the_offsets_of_open_transactions_along():
    store = a_store()
    replay(store, T0, 5, 0, FIRST)
    assert store.remove("g", [T0]) == [offset_tombstone("g", T0)]
    store.check_invariants()
    assert store.replay_end_transaction(FIRST, is_committed=True) == set()
    assert offsets(store) == {}


def test_deleting_a_group_writes_a_tombstone_for_each_offset_that_has_a_record():
    store = a_store()
    replay(store, T0, 5, 0)
    replay(store, T1, 5, 1, FIRST)
    assert store.remove_all("g") == [offset_tombstone("g", T0), offset_tombstone("g", T1)]
    assert "g" not in store
    store.check_invariants()


def test_offsets_expire_by_the_rule_of_their_group():
    store = a_store()
    replay(store, T0, 5, 0)
    assert store.expired("g", ExpiryRule(), RETENTION_MS - 1) == []
    assert store.expired("g", ExpiryRule(), RETENTION_MS) == [T0]
    assert store.expired("g", ExpiryRule(since_ms=5), RETENTION_MS) == []
    assert store.expired("g", ExpiryRule(subscribed_topics=frozenset({"t"})), RETENTION_MS) == []
    assert store.expired("g", None, RETENTION_MS) == []


def test_an_offset_that_a_transaction_may_replace_does_not_expire():
    store = a_store()
    replay(store, T0, 5, 0)
    replay(store, T0, 6, 1, FIRST)
    assert store.expired("g", ExpiryRule(), RETENTION_MS) == []
