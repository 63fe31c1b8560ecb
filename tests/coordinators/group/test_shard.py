"""A partition of `__consumer_offsets` loaded into its shard: groups, offsets, and transactions that end."""

from ottla.clock import ManualClock
from ottla.coordinators.group.coordinator_metrics import GroupCounters
from ottla.coordinators.group.describing import GroupDescription, GroupOverview
from ottla.coordinators.group.records import group_tombstone
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.shard import GroupShard
from ottla.coordinators.group.states import GroupState
from ottla.coordinators.offsets.group_offsets import CommittedOffset
from ottla.coordinators.offsets.records import offset_record, offset_tombstone
from ottla.coordinators.runtime.loading import PartitionLoad
from ottla.coordinators.runtime.step import KeyValue, Transaction
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from ottla.records.batch import iterate_batches
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.records.record import Record, encode_batch

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


class Log:
    """Batches with growing offsets."""

    def __init__(self) -> None:
        self.bytes = b""
        self.next_offset = 0

    def add(self, *records: KeyValue, producer_id: int = -1) -> None:
        rows = [Record(self.next_offset + delta, 1, *record) for delta, record in enumerate(records)]
        self.bytes += encode_batch(rows, producer_id=producer_id, producer_epoch=0, is_transactional=producer_id >= 0)
        self.next_offset += len(rows)

    def end_transaction(self, producer_id: int, control_type: ControlType) -> None:
        self.bytes += encode_end_txn_batch(
            control_type, producer_id=producer_id, producer_epoch=0, coordinator_epoch=0, timestamp=1,
            base_offset=self.next_offset,
        )  # fmt: skip
        self.next_offset += 1

    def load(self) -> GroupShard:
        shard, load = new_shard(), PartitionLoad()
        for position, header in iterate_batches(self.bytes):
            load.feed(self.bytes, position, header)
        for _ in load.replay(shard):
            pass
        shard.offsets.check_invariants()
        return shard


def new_shard() -> GroupShard:
    return GroupShard(GroupSettings(), GroupCounters(Metrics(ManualClock())))


def commit(group_id: str, partition: TopicPartition, offset: int) -> KeyValue:
    return offset_record(group_id, partition, CommittedOffset(offset, -1, "", 1))


def offsets(shard: GroupShard, group_id: str = "g") -> dict[TopicPartition, int]:
    fetched = shard.offsets.fetch(group_id, None, require_stable=False)
    return {partition: committed.offset for partition, committed in fetched.items()}


def is_unstable(shard: GroupShard) -> bool:
    (fetched,) = shard.offsets.fetch("g", [T0], require_stable=True).values()
    return fetched.error is ErrorCode.UNSTABLE_OFFSET_COMMIT


def test_the_last_record_of_a_key_counts():
    log = Log()
    log.add(commit("g", T0, 1), commit("g", T1, 1), commit("h", T0, 9))
    log.add(commit("g", T0, 2))
    log.add(offset_tombstone("g", T1))
    shard = log.load()
    assert offsets(shard, "g") == {T0: 2}
    assert offsets(shard, "h") == {T0: 9}
    assert shard.offsets.group("g").committed[T0].record_offset == 3


def test_a_group_that_was_deleted_is_not_there():
    log = Log()
    log.add(commit("g", T0, 1))
    log.add(offset_tombstone("g", T0), group_tombstone("g"))
    assert log.load().group_ids() == []


def test_offsets_of_a_transaction_count_when_it_commits():
    log = Log()
    log.add(commit("g", T0, 1))
    log.add(commit("g", T0, 5), producer_id=7)
    assert offsets(log.load()) == {T0: 1}
    assert is_unstable(log.load())
    log.end_transaction(7, ControlType.COMMIT)
    assert offsets(log.load()) == {T0: 5}
    assert not is_unstable(log.load())


def test_offsets_of_a_transaction_that_aborts_are_forgotten():
    log = Log()
    log.add(commit("g", T0, 5), producer_id=7)
    log.end_transaction(7, ControlType.ABORT)
    assert log.load().group_ids() == []


def test_a_commit_that_stands_behind_the_one_of_a_transaction_wins():
    log = Log()
    log.add(commit("g", T0, 5), producer_id=7)
    log.add(commit("g", T0, 6))
    log.end_transaction(7, ControlType.COMMIT)
    assert offsets(log.load()) == {T0: 6}


def test_a_tombstone_behind_the_offset_of_an_open_transaction_wins():
    log = Log()
    log.add(commit("g", T0, 5), producer_id=7)
    log.add(offset_tombstone("g", T0))
    log.end_transaction(7, ControlType.COMMIT)
    assert log.load().group_ids() == []


def test_the_marker_of_an_open_transaction_that_was_loaded_ends_it():
    log = Log()
    log.add(commit("g", T0, 5), commit("h", T0, 5), producer_id=7)
    log.add(commit("h", T1, 6))
    shard = log.load()
    assert shard.group_ids() == ["h", "g"]
    shard.replay_end_transaction(Transaction(7, 0), is_committed=False)
    assert shard.group_ids() == ["h"]
    shard = log.load()
    shard.replay_end_transaction(Transaction(7, 0), is_committed=True)
    assert (offsets(shard, "g"), offsets(shard, "h")) == ({T0: 5}, {T0: 5, T1: 6})


def test_control_records_that_end_no_transaction_are_passed_over():
    log = Log()
    log.add(commit("g", T0, 5), producer_id=7)
    log.end_transaction(7, ControlType.LEADER_CHANGE)
    assert is_unstable(log.load())


def test_a_control_record_that_cannot_be_read_is_passed_over(caplog):
    log = Log()
    log.add(commit("g", T0, 5))
    record = Record(log.next_offset, 1, b"?", b"")
    log.bytes += encode_batch([record], producer_id=7, producer_epoch=0, is_transactional=True, is_control=True)
    assert offsets(log.load()) == {T0: 5}
    assert "skipping the batch at offset 1" in caplog.text


def test_a_group_that_only_has_offsets_has_no_classic_group_and_is_shown_as_empty():
    log = Log()
    log.add(commit("g", T0, 5))
    shard = log.load()
    assert shard.groups == {}
    assert shard.overviews() == [GroupOverview("g", "", "Empty")]
    assert shard.describe("g") == GroupDescription("g", "Empty")
    assert shard.count_in(GroupState.EMPTY) == len(shard) == 1


def test_a_batch_that_cannot_be_read_is_passed_over(caplog):
    log = Log()
    log.add(commit("g", T0, 1))
    whole = log.bytes
    log.bytes = whole[:-5] + b"\xff" * 5
    log.add(commit("g", T1, 2))
    assert offsets(log.load()) == {T1: 2}
    assert "skipping the batch at offset 0" in caplog.text


def test_records_that_nobody_understands_are_passed_over(caplog):
    log = Log()
    log.add(KeyValue(b"\x00\x05newer", b"\x00\x00"), KeyValue(b"\x00", b"x"), KeyValue(b"\x00\x01bad", b"x"))
    log.add(commit("g", T0, 1), KeyValue(commit("g", T1, 1).key, b"\x00\x63unreadable"))
    assert offsets(log.load()) == {T0: 1}
    assert "skipping" in caplog.text
