"""The leader's side: followers' fetches move the high watermark and the ISR, within what the controller has written."""

from pathlib import Path

import pytest

from ottla.errors.kafka import NotLeaderOrFollowerError
from ottla.replication.leadership import IsrProposal
from ottla.replication.partition import Partition, PartitionAssignment
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, replicas_in

FOLLOWERS = (2, 3)
ALL = (BROKER_ID, *FOLLOWERS)


def lead(replicas: Replicas, isr: tuple[int, ...] = ALL, epoch: int = 5) -> tuple[Partition, list[IsrProposal]]:
    """A led partition with two followers, and the ISR proposals that it makes."""
    partition = replicas.lead(epoch=epoch, isr=ALL)
    partition.become_leader(PartitionAssignment(BROKER_ID, epoch + 1, isr, ALL, epoch + 1))
    return partition, replicas.proposals


def fetch(partition: Partition, broker_id: int, offset: int, broker_epoch: int = 7) -> None:
    partition.note_follower_fetch(broker_id, partition.log.position_of(offset), 0, broker_epoch)


@on_loop
async def test_high_watermark_is_the_smallest_end_of_the_isr(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, _ = lead(replicas)
        for _ in range(3):
            replicas.append(partition)
        assert partition.high_watermark.offset == 0
        fetch(partition, 2, 3)
        assert partition.high_watermark.offset == 0
        fetch(partition, 3, 2)
        assert partition.high_watermark.offset == 2


@on_loop
async def test_a_broker_that_is_no_replica_moves_nothing(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, _ = lead(replicas)
        replicas.append(partition)
        with pytest.raises(NotLeaderOrFollowerError):
            fetch(partition, 9, 1)


@on_loop
async def test_a_follower_joins_at_the_high_watermark_and_the_start_of_the_epoch(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, proposals = lead(replicas, isr=(BROKER_ID, 2), epoch=5)
        for _ in range(2):
            replicas.append(partition)
        partition.become_leader(PartitionAssignment(BROKER_ID, 7, (BROKER_ID, 2), ALL, 7))
        fetch(partition, 3, 1)
        assert proposals == []  # past the high watermark, and not yet where this epoch began
        fetch(partition, 3, 2)
        assert proposals == [IsrProposal(7, 7, ((BROKER_ID, 100), (2, -1), (3, 7)))]


@on_loop
async def test_high_watermark_waits_for_a_member_that_is_proposed(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, proposals = lead(replicas, isr=(BROKER_ID,))
        fetch(partition, 2, 0)
        replicas.clock.advance_ms(60_000)  # nobody is waited for only because it was caught up once
        replicas.append(partition)
        assert partition.high_watermark.offset == 0
        assert partition.isr == (BROKER_ID,)
        assert partition.isr_changed(6, (BROKER_ID, 2), 9)
        fetch(partition, 2, 1)
        assert partition.high_watermark.offset == 1
        assert len(proposals) == 1


@on_loop
async def test_a_refused_proposal_of_certain_outcome_holds_nothing_back(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, proposals = lead(replicas, isr=(BROKER_ID,))
        fetch(partition, 2, 0)
        replicas.clock.advance_ms(60_000)
        replicas.append(partition)
        partition.isr_refused(proposals[0], is_certain=True)
        assert partition.high_watermark.offset == 1


@on_loop
async def test_after_an_unanswered_attempt_what_stands_is_proposed_again(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, proposals = lead(replicas, isr=(BROKER_ID,))
        fetch(partition, 2, 0)
        replicas.clock.advance_ms(60_000)
        replicas.append(partition)
        partition.isr_refused(proposals[0], is_certain=False)
        assert proposals[-1].broker_ids == (BROKER_ID,)
        assert partition.high_watermark.offset == 0  # the first attempt may still be written
        assert partition.isr_changed(6, (BROKER_ID,), 9)
        assert partition.high_watermark.offset == 1


@on_loop
async def test_a_follower_leaves_after_the_lag_time_and_not_before(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, proposals = lead(replicas)
        replicas.append(partition)
        fetch(partition, 2, 1)
        replicas.clock.advance_ms(29_000)
        replicas.manager.check_isrs()
        assert proposals == []
        replicas.clock.advance_ms(2000)
        replicas.manager.check_isrs()
        assert [proposal.broker_ids for proposal in proposals] == [(BROKER_ID, 2)]
        assert partition.high_watermark.offset == 0  # until the controller has written it
        partition.isr_changed(6, (BROKER_ID, 2), 8)
        assert partition.high_watermark.offset == 1


@on_loop
async def test_an_idle_follower_that_goes_on_fetching_is_in_sync(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, proposals = lead(replicas)
        for follower in FOLLOWERS:
            fetch(partition, follower, 0)
        replicas.clock.advance_ms(100_000)
        for follower in FOLLOWERS:
            replicas.manager.follower_heard(follower)
        replicas.append(partition)
        replicas.manager.check_isrs()
        assert proposals == []


@on_loop
async def test_a_fetch_from_an_earlier_life_of_a_follower_counts_for_nothing(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, _ = lead(replicas, isr=(BROKER_ID, 2))
        replicas.append(partition)
        fetch(partition, 2, 0, broker_epoch=8)
        fetch(partition, 2, 1, broker_epoch=7)
        assert partition.high_watermark.offset == 0


@on_loop
async def test_old_news_of_the_isr_is_not_taken(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition, _ = lead(replicas)
        assert not partition.isr_changed(5, (BROKER_ID,), 99)
        assert not partition.isr_changed(6, (BROKER_ID,), 6)
        assert partition.isr == ALL
