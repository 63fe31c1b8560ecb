"""A partition's leadership, epochs and high watermark."""

import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from ottla.errors.kafka import (
    FencedLeaderEpochError,
    KafkaStorageError,
    NotEnoughReplicasError,
    NotLeaderOrFollowerError,
    UnknownLeaderEpochError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from ottla.model import TopicPartition
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.replication.partition import ACKS_ALL, PartitionAssignment
from ottla.storage.log.batch_validation import Origin
from support.logs import batch
from support.loops import on_loop
from support.replicas import BROKER_ID, replicas_in


@on_loop
async def test_lone_replica_has_its_high_watermark_at_its_end(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        assert [replicas.append(partition) for _ in range(3)] == [0, 1, 2]
        assert partition.high_watermark == partition.log.end_position
        partition.check_invariants()


@on_loop
async def test_transactions_that_are_decided_and_replicated_hold_back_nobody(tmp_path: Path) -> None:
    """As they are found in the logs of a Kafka that was killed: its markers are told again, one after the other."""
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        log = partition.log
        options = {"producer_id": 7, "producer_epoch": 0}
        records = batch(1, base_sequence=0, is_transactional=True, **options)
        log.append_as_leader(records, 0, now_ms=0, origin=Origin.TRANSACTION)
        marker = bytearray(encode_end_txn_batch(ControlType.COMMIT, coordinator_epoch=0, timestamp=0, **options))
        log.append_as_leader(memoryview(marker), 0, now_ms=0, origin=Origin.COORDINATOR)
        replicas.append(partition)
        for high_watermark, last_stable in ((1, 0), (2, 2), (3, 3)):
            partition.follow_high_watermark(high_watermark)
            assert partition.last_stable_offset.offset == last_stable
            partition.check_invariants()


@on_loop
async def test_high_watermark_waits_for_the_other_replicas(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        replicas.append(partition)
        assert partition.high_watermark.offset == 0
        partition.check_invariants()


@on_loop
async def test_leader_epochs_of_clients_are_checked(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(epoch=5)
        partition.check_leader(5)
        partition.check_leader()
        with pytest.raises(FencedLeaderEpochError):
            partition.check_leader(4)
        with pytest.raises(UnknownLeaderEpochError):
            partition.check_leader(6)


@on_loop
async def test_broker_that_cannot_know_whether_it_leads_appends_nothing_for_acks_all(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        replicas.may_acknowledge = False
        with pytest.raises(NotLeaderOrFollowerError):
            replicas.append(partition, acks=ACKS_ALL)
        assert partition.log.log_end_offset == 0
        assert replicas.append(partition, acks=1) == 0


@on_loop
async def test_log_that_may_be_in_an_offline_directory_is_not_replaced_by_an_empty_one(tmp_path: Path) -> None:
    with replicas_in(Path(f"{tmp_path}/a,{tmp_path}/b")) as replicas:
        replicas.logs.dirs.all[1].fail(OSError("broken"))
        state = PartitionAssignment(BROKER_ID, 3, (BROKER_ID, 2), (BROKER_ID, 2), 1)
        with pytest.raises(KafkaStorageError):
            replicas.manager.apply(TopicPartition("known", 0), uuid.UUID(int=8), state)
        assert replicas.manager.apply(TopicPartition("new", 0), uuid.UUID(int=9), state._replace(is_new=True))


@on_loop
async def test_older_state_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(epoch=5)
        assert not partition.become_follower(PartitionAssignment(2, 4, (2,), (1, 2), 9))
        assert partition.is_leader
        assert partition.leader_epoch == 5


@on_loop
async def test_follower_takes_no_writes(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(epoch=1)
        assert partition.become_follower(PartitionAssignment(2, 2, (2,), (1, 2), 2))
        with pytest.raises(NotLeaderOrFollowerError):
            replicas.append(partition)


@on_loop
async def test_acks_all_is_refused_before_the_append_when_too_few_replicas_are_in_sync(tmp_path: Path) -> None:
    with replicas_in(tmp_path, min_insync_replicas="2") as replicas:
        partition = replicas.lead(replicas=(BROKER_ID, 2))
        with pytest.raises(NotEnoughReplicasError):
            replicas.append(partition, acks=ACKS_ALL)
        assert partition.log.log_end_offset == 0
        assert replicas.append(partition, acks=1) == 0


@on_loop
async def test_no_more_in_sync_replicas_are_wanted_than_there_are_replicas(tmp_path: Path) -> None:
    with replicas_in(tmp_path, min_insync_replicas="2") as replicas:
        assert replicas.append(replicas.lead(), acks=ACKS_ALL) == 0


@on_loop
async def test_what_is_not_here_is_refused_with_the_reason(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.lead("t", 1)
        manager = replicas.manager
        with pytest.raises(UnknownTopicOrPartitionError):
            manager.partition("t", 1)
        with pytest.raises(UnknownTopicOrPartitionError):
            manager.partition("other", 0)
        with pytest.raises(UnknownTopicIdError):
            manager.partition_by_id("", uuid.UUID(int=99), 0)
        manager.stop(TopicPartition("t", 0), delete=False)
        with pytest.raises(NotLeaderOrFollowerError):
            manager.partition("t", 0)


@on_loop
async def test_high_watermark_survives_a_restart(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        replicas.append(partition)
        replicas.append(partition)
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(epoch=1, isr=(BROKER_ID, 2))
        assert partition.high_watermark.offset == 2


@on_loop
async def test_log_of_a_namesake_is_kept_as_stray_and_not_served(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        replicas.append(replicas.lead())
    with replicas_in(tmp_path) as replicas:
        state = PartitionAssignment(BROKER_ID, 0, (BROKER_ID,), (BROKER_ID,), 0)
        replicas.manager.apply(TopicPartition("t", 0), uuid.UUID(int=8), state)
        assert replicas.manager.partition("t", 0).log.log_end_offset == 0
        assert [path.name.startswith("t-0.") for path in strays(tmp_path)] == [True]


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_text("version: 0")])
def test_log_whose_topic_id_was_lost_learns_it_and_is_not_taken_for_a_later_topics(
    tmp_path: Path, damage: Callable[[Path], object]
) -> None:
    @on_loop
    async def run() -> None:
        with replicas_in(tmp_path) as replicas:
            replicas.append(replicas.lead())
        metadata = tmp_path / "t-0" / "partition.metadata"
        content = metadata.read_text()
        damage(metadata)
        with replicas_in(tmp_path) as replicas:
            assert replicas.lead(epoch=1).log.log_end_offset == 1
            assert metadata.read_text() == content
        with replicas_in(tmp_path) as replicas:
            state = PartitionAssignment(BROKER_ID, 0, (BROKER_ID,), (BROKER_ID,), 0)
            replicas.manager.apply(TopicPartition("t", 0), uuid.UUID(int=8), state)
            assert replicas.manager.partition("t", 0).log.log_end_offset == 0

    run()


def strays(directory: Path) -> list[Path]:
    return list(directory.glob("*-stray"))
