"""An acknowledgement waits for replicas and disk, and says what went wrong."""

import asyncio
from pathlib import Path

from ottla.errors import ErrorCode
from ottla.protocol.messages.produce import PartitionProduceResponse
from ottla.replication.delayed_produce import DelayedProduce, unacknowledged
from ottla.replication.partition import ACKS_ALL, Partition, PartitionState
from support.loops import on_loop
from support.replicas import BROKER_ID, Replicas, batch, replicas_in, turn

Answer = PartitionProduceResponse


def produce(replicas: Replicas, partition: Partition, acks: int) -> Answer | asyncio.Future[Answer]:
    info = replicas.manager.append(partition, batch(), acks, 9, replicas.clock.wall_ms())
    answer = Answer(base_offset=info.first_offset)
    pending = unacknowledged(partition, info, partition.leader_epoch, acks, answer)
    if pending is None:
        return answer
    return DelayedProduce([pending], lambda: answer).start(replicas.purgatory, 1000)


@on_loop
async def test_lone_replica_acknowledges_at_once(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead()
        for acks in (1, ACKS_ALL):
            assert isinstance(produce(replicas, partition, acks), Answer)


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
        outcomes = [isinstance(produce(replicas, partition, 1), Answer) for _ in range(4)]
        assert outcomes == [True, True, False, False]


@on_loop
async def test_acks_all_waits_for_the_other_replica_and_times_out(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        await replicas.advance_ms(1100)
        assert waiting.result().error_code == ErrorCode.REQUEST_TIMED_OUT
        assert waiting.result().base_offset == -1
        assert partition.log.log_end_offset == 1


@on_loop
async def test_a_partition_that_is_named_again_has_all_its_answers(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        answers = [Answer(), Answer(), Answer()]
        pending = []
        for answer in answers:
            info = replicas.manager.append(partition, batch(), ACKS_ALL, 9, replicas.clock.wall_ms())
            part = unacknowledged(partition, info, partition.leader_epoch, ACKS_ALL, answer)
            assert part is not None
            pending.append(part)
        waiting = DelayedProduce(pending, lambda: answers).start(replicas.purgatory, 1000)
        assert isinstance(waiting, asyncio.Future)
        partition.follow_high_watermark(1)
        await turn()
        await replicas.advance_ms(1100)
        assert waiting.done()
        late = ErrorCode.REQUEST_TIMED_OUT
        assert [answer.error_code for answer in answers] == [ErrorCode.NONE, late, late]


@on_loop
async def test_acks_all_is_answered_when_the_slow_replica_leaves_the_isr(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        partition.become_leader(PartitionState(BROKER_ID, 0, (BROKER_ID,), (BROKER_ID, 2), 1))
        await turn()
        assert waiting.result().error_code == ErrorCode.NONE


@on_loop
async def test_isr_that_shrinks_too_far_is_told_after_the_append(tmp_path: Path) -> None:
    with replicas_in(tmp_path, min_insync_replicas="2") as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        partition.become_leader(PartitionState(BROKER_ID, 0, (BROKER_ID,), (BROKER_ID, 2), 1))
        await turn()
        assert waiting.result().error_code == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND


@on_loop
async def test_leader_that_moves_answers_not_leader(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        partition = replicas.lead(isr=(BROKER_ID, 2))
        waiting = produce(replicas, partition, ACKS_ALL)
        assert isinstance(waiting, asyncio.Future)
        partition.become_follower(PartitionState(2, 1, (2,), (BROKER_ID, 2), 1))
        await turn()
        assert waiting.result().error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
