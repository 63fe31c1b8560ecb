"""What becomes of a leader's response: appended, cut where epochs differ, or begun again."""

from pathlib import Path

import pytest

from ottla.errors.kafka import CorruptMessageError
from ottla.model import TopicPartition
from ottla.protocol.messages.fetch import EpochEndOffset, PartitionData
from ottla.replication.followed_partition import FollowedPartition
from ottla.replication.partition import PartitionAssignment
from support.coroutines import on_event_loop
from support.replicas import BROKER_ID, TOPIC_ID, Replicas, batch, replicas_in

LEADER_ID = 2


def assignment(epoch: int, leader: int = LEADER_ID) -> PartitionAssignment:
    return PartitionAssignment(leader, epoch, (BROKER_ID, LEADER_ID), (BROKER_ID, LEADER_ID), epoch)


def followed(replicas: Replicas, own_records: int = 0) -> FollowedPartition:
    """A partition in which we led epoch 0 with so many records, and follow in epoch 1."""
    partition = replicas.lead(isr=(BROKER_ID, LEADER_ID))
    for _ in range(own_records):
        replicas.append(partition)
    replicas.manager.apply(TopicPartition("t", 0), TOPIC_ID, assignment(1))
    return FollowedPartition(partition)


def take(replicas: Replicas, partition: FollowedPartition, **data: object) -> None:
    response = PartitionData(partition_index=0, **{"log_start_offset": 0, "high_watermark": 0, **data})
    partition.take(response, replicas.manager, replicas.clock.wall_ms())


@on_event_loop
async def test_records_are_appended_and_the_leaders_high_watermark_is_taken_over(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = followed(replicas)
        take(replicas, partition, records=bytes(batch(count=3)), high_watermark=2)
        assert partition.partition.log.log_end_offset == 3
        assert partition.partition.high_watermark.offset == 2
        assert partition.lag == 0


@on_event_loop
async def test_the_lag_is_what_the_leader_has_committed_and_we_do_not_have(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = followed(replicas)
        take(replicas, partition, records=bytes(batch()), high_watermark=10)
        assert partition.lag == 9
        assert partition.partition.high_watermark.offset == 1


@on_event_loop
async def test_records_that_are_cut_short_are_refused(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = followed(replicas)
        with pytest.raises(CorruptMessageError):
            take(replicas, partition, records=bytes(batch())[:-1])
        assert partition.partition.log.log_end_offset == 0


@on_event_loop
async def test_the_log_starts_no_earlier_than_the_leaders(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = followed(replicas, own_records=4)
        take(replicas, partition, log_start_offset=3, high_watermark=4)
        assert partition.partition.log.log_start_offset == 3
        take(replicas, partition, log_start_offset=2, high_watermark=4)
        assert partition.partition.log.log_start_offset == 3


@on_event_loop
async def test_a_log_is_cut_where_the_leaders_epoch_ends(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = followed(replicas, own_records=5)
        take(replicas, partition, diverging_epoch=EpochEndOffset(epoch=0, end_offset=2), high_watermark=2)
        assert partition.partition.log.log_end_offset == 2
        assert partition.position().fetch_offset == 2


@on_event_loop
async def test_a_diverging_epoch_that_ends_past_our_log_cuts_nothing(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = followed(replicas, own_records=5)
        take(replicas, partition, diverging_epoch=EpochEndOffset(epoch=0, end_offset=9))
        assert partition.partition.log.log_end_offset == 5


@pytest.mark.parametrize(("start", "end", "expected"), [(0, 3, (0, 3)), (8, 9, (8, 8)), (0, 5, (0, 5))])
@on_event_loop
async def test_out_of_range_is_cut_to_the_leaders_end_or_begun_at_its_start(
    tmp_path: Path, start: int, end: int, expected: tuple[int, int]
) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = followed(replicas, own_records=5)
        partition.take_range(start, end, replicas.manager)
        log = partition.partition.log
        assert (log.log_start_offset, log.log_end_offset) == expected


@on_event_loop
async def test_it_is_current_only_in_the_epoch_in_which_it_began(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = followed(replicas)
        assert partition.is_current
        replicas.manager.apply(TopicPartition("t", 0), TOPIC_ID, assignment(2))
        assert not partition.is_current
        assert FollowedPartition(partition.partition).is_current
        replicas.manager.apply(TopicPartition("t", 0), TOPIC_ID, assignment(3, leader=BROKER_ID))
        assert not FollowedPartition(partition.partition).is_current
