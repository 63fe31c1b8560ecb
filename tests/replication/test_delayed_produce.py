"""An acknowledgement waits for replicas and disk, and says what went wrong."""

import asyncio
from pathlib import Path
from typing import NamedTuple

import pytest

from ottla.errors import ErrorCode
from ottla.records.record import Record, encode_batch
from ottla.replication.delayed_produce import DelayedProduce, unacknowledged
from ottla.replication.partition import ACKS_ALL, Partition, PartitionAssignment
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, batch, replicas_in, turn


class Outcome(NamedTuple):
    error_code: ErrorCode
    base_offset: int


def produce(
    replicas: Replicas, partition: Partition, acks: int, records: memoryview | None = None
) -> Outcome | asyncio.Future[Outcome]:
    info = replicas.manager.append(partition, records or batch(), acks, 9, replicas.clock.wall_ms())
    pending = unacknowledged(partition, info, acks)
    if pending is None:
        return Outcome(ErrorCode.NONE, info.first_offset)
    delayed = DelayedProduce([pending], lambda codes: Outcome(codes[0], info.first_offset))
    return delayed.start(replicas.purgatory, 1000)


@on_loop
async def test_lone_replica_acknowledges_at_once(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        for acks in (1, ACKS_ALL):
            assert isinstance(produce(replicas, partition, acks), Outcome)


@on_loop
async def test_flush_messages_one_acknowledges_after_the_sync(tmp_path: Path) -> None:
    with replicas_in(tmp_path, flush_messages="1") as replicas:
        partition = replicas.lead()
        replicas.background.held = True
        waiting = [produce(replicas, partition, acks) for acks in (1, ACKS_ALL, 1)]
        await turn()
        assert all(isinstance(one, asyncio.Future) and not one.done() for one in waiting)
        replicas.background.run()
        await turn()
        offsets = [one.result().base_offset for one in waiting if isinstance(one, asyncio.Future)]
        assert offsets == [0, 1, 2]
        assert partition.log.recovery_point == 3


@on_loop
async def test_flush_messages_n_lets_fewer_than_n_go_ahead_of_the_disk(tmp_path: Path) -> None:
    with replicas_in(tmp_path, flush_messages="3") as replicas:
        partition = replicas.lead()
        replicas.background.held = True
        outcomes = [isinstance(produce(replicas, partition, 1), Outcome) for _ in range(4)]
        assert outcomes == [True, True, False, False]


@on_loop
async def test_acks_all_waits_for_the_other_replica_and_times_out(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        await replicas.advance_ms(1100)
        assert waiting.result().error_code == ErrorCode.REQUEST_TIMED_OUT
        assert partition.log.log_end_offset == 1


@on_loop
async def test_a_partition_that_is_named_again_has_all_its_answers(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        pending = []
        for _ in range(3):
            info = replicas.manager.append(partition, batch(), ACKS_ALL, 9, replicas.clock.wall_ms())
            part = unacknowledged(partition, info, ACKS_ALL)
            assert part is not None
            pending.append(part)
        waiting = DelayedProduce(pending, lambda codes: codes).start(replicas.purgatory, 1000)
        assert isinstance(waiting, asyncio.Future)
        partition.follow_high_watermark(1)
        await turn()
        await replicas.advance_ms(1100)
        late = ErrorCode.REQUEST_TIMED_OUT
        assert waiting.result() == [ErrorCode.NONE, late, late]


@on_loop
async def test_acks_all_is_answered_when_the_slow_replica_leaves_the_isr(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        partition.become_leader(PartitionAssignment(BROKER_ID, 0, (BROKER_ID,), (BROKER_ID, 2), 1))
        await turn()
        assert waiting.result().error_code == ErrorCode.NONE


@on_loop
async def test_isr_that_shrinks_too_far_is_told_after_the_append(tmp_path: Path) -> None:
    with replicas_in(tmp_path, min_insync_replicas="2") as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        partition.become_leader(PartitionAssignment(BROKER_ID, 0, (BROKER_ID,), (BROKER_ID, 2), 1))
        await turn()
        assert waiting.result().error_code == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND


# No error that a client may take for "not written", once the records are in the log.
PERHAPS_WRITTEN = ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
REPLICAS = (BROKER_ID, 2)


def lead_again(partition: Partition, epoch: int, isr: tuple[int, ...]) -> None:
    partition.become_leader(PartitionAssignment(BROKER_ID, epoch, isr, REPLICAS, epoch))


@on_loop
async def test_new_epoch_of_the_same_leader_ends_no_wait(tmp_path: Path) -> None:
    """A new controller takes a dead follower out of the ISR in this way."""
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=REPLICAS)
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        lead_again(partition, 1, REPLICAS)
        await turn()
        assert not waiting.done()
        lead_again(partition, 2, (BROKER_ID,))
        await turn()
        assert (waiting.result().error_code, waiting.result().base_offset) == (ErrorCode.NONE, 0)


@on_loop
async def test_duplicate_of_an_earlier_epoch_waits_for_the_replicas_too(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=REPLICAS)
        sent = encode_batch(
            [Record(0, 1_700_000_000_000, None, b"v", ())], producer_id=7, producer_epoch=0, base_sequence=0
        )
        first = produce(replicas, partition, ACKS_ALL, memoryview(bytearray(sent)))
        lead_again(partition, 1, REPLICAS)
        again = produce(replicas, partition, ACKS_ALL, memoryview(bytearray(sent)))
        assert isinstance(first, asyncio.Future)
        assert isinstance(again, asyncio.Future)
        await turn()
        assert not again.done()
        lead_again(partition, 2, (BROKER_ID,))
        await turn()
        assert [(one.result().error_code, one.result().base_offset) for one in (first, again)] == [
            (ErrorCode.NONE, 0)
        ] * 2


@on_loop
async def test_leader_that_comes_back_with_other_records_acknowledges_none_of_them(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=REPLICAS)
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        # All in one turn of the loop, so that the wait sees only how it ends: another leader's record took the place.
        partition.become_follower(PartitionAssignment(2, 1, (2,), REPLICAS, 1))
        replicas.manager.truncate(partition, 0)
        partition.log.append_as_leader(batch(b"other"), 1, now_ms=replicas.clock.wall_ms())
        lead_again(partition, 2, (BROKER_ID,))
        await turn()
        assert waiting.result().error_code == PERHAPS_WRITTEN


@pytest.mark.parametrize("end", ["another leads", "stopped", "its disk failed", "its session is over"])
@on_loop
async def test_leader_that_goes_never_says_that_nothing_was_written(tmp_path: Path, end: str) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=REPLICAS)
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        if end == "another leads":
            partition.become_follower(PartitionAssignment(2, 1, (2,), REPLICAS, 1))
        elif end == "stopped":
            partition.stop()
        elif end == "its disk failed":
            partition.storage_failed()
        else:
            replicas.may_acknowledge = False
            partition.changed()
        await turn()
        assert waiting.result().error_code == PERHAPS_WRITTEN
