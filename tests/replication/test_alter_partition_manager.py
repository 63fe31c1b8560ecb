"""ISR proposals on their way to the controller: sent until they have an outcome, or a newer epoch makes them void."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ottla.errors import ErrorCode
from ottla.errors.kafka import BrokerNotAvailableError
from ottla.observability.instruments import Counter
from ottla.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    ResponsePartitionData,
    ResponseTopicData,
)
from ottla.replication.alter_partition_manager import AlterPartitionManager, IsrMetrics
from ottla.replication.leadership import IsrProposal
from ottla.replication.partition import Partition, PartitionAssignment
from support.coroutines import on_event_loop
from support.replicas import BROKER_EPOCH, BROKER_ID, TOPIC_ID, Replicas, replicas_in

ALL = (BROKER_ID, 2, 3)
LAG_MS = 30_001
Outcome = Exception | AlterPartitionResponse


class Controller:
    """Gives the outcomes of a list, one for each request, and holds what comes after them."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.meanwhile: Callable[[], object] = lambda: None
        self.requests: list[AlterPartitionRequest] = []
        self.asked: list[int] = []

    async def alter(self, request: AlterPartitionRequest) -> AlterPartitionResponse:
        self.requests.append(request)
        if not self.outcomes:
            await asyncio.Event().wait()
        outcome = self.outcomes.pop(0)
        self.meanwhile()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def request(self, broker_id: int, request: AlterPartitionRequest, **_options: Any) -> Any:
        """As a peer of the broker."""
        self.asked.append(broker_id)
        return await self.alter(request)


class Rig:
    def __init__(self, replicas: Replicas, controller: Controller) -> None:
        self.replicas = replicas
        self.controller = controller
        self.metrics = IsrMetrics(Counter(), Counter(), Counter())
        self.manager = AlterPartitionManager(
            BROKER_ID,
            lambda: BROKER_EPOCH,
            replicas.metadata,
            controller,  # type: ignore[arg-type]
            controller.alter,
            self.metrics,
            backoff_ms=1,
        )
        self.controller_is(BROKER_ID)

    def controller_is(self, broker_id: int) -> None:
        self.replicas.metadata.swap(self.replicas.metadata.image.with_brokers(broker_id, {}))

    def suspect(self, count: int = 1) -> list[tuple[Partition, IsrProposal]]:
        """Partitions whose followers were not heard of for too long, and what they propose."""
        self.replicas.lead(count=count, isr=ALL)
        self.replicas.append(self.replicas.manager.partition("t", 0))
        found = []
        for index in range(count):
            partition = self.replicas.manager.partition("t", index)
            if index:
                self.replicas.append(partition)
        self.replicas.clock.advance_ms(LAG_MS)
        for index in range(count):
            partition = self.replicas.manager.partition("t", index)
            partition.maybe_shrink_isr()
            found.append((partition, self.replicas.proposals[-1]))
        for partition, proposal in found:
            self.manager.propose(partition, proposal)
        return found


def response(code: int, isr: tuple[int, ...] = (), partition_epoch: int = 1, leader_epoch: int = 0) -> Outcome:
    part = ResponsePartitionData(
        partition_index=0, error_code=code, leader_epoch=leader_epoch, isr=list(isr), partition_epoch=partition_epoch
    )
    return AlterPartitionResponse(topics=[ResponseTopicData(topic_id=TOPIC_ID, partitions=[part])])


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - the manager has no event for it
        await asyncio.sleep(0.001)


@on_event_loop
async def test_what_the_controller_has_written_stands_and_is_counted(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        rig = Rig(replicas, Controller(response(ErrorCode.NONE, (BROKER_ID,))))
        ((partition, proposal),) = rig.suspect()
        await until(lambda: partition.isr == (BROKER_ID,))
        assert not partition.is_proposed(proposal)
        assert rig.metrics.shrinks.value == 1
        (request,) = rig.controller.requests
        assert (request.broker_id, request.broker_epoch) == (BROKER_ID, BROKER_EPOCH)
        (part,) = request.topics[0].partitions
        assert [(member.broker_id, member.broker_epoch) for member in part.new_isr_with_epochs] == [
            (BROKER_ID, BROKER_EPOCH)
        ]


@on_event_loop
async def test_another_state_that_stands_is_taken_over(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        rig = Rig(replicas, Controller(response(ErrorCode.INVALID_UPDATE_VERSION, (BROKER_ID, 3), partition_epoch=4)))
        ((partition, _),) = rig.suspect()
        await until(lambda: partition.partition_epoch == 4)
        assert partition.isr == (BROKER_ID, 3)


@on_event_loop
async def test_a_certain_refusal_ends_the_proposal_and_changes_nothing(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        rig = Rig(replicas, Controller(response(ErrorCode.INELIGIBLE_REPLICA)))
        ((partition, proposal),) = rig.suspect()
        await until(lambda: not partition.is_proposed(proposal))
        assert partition.isr == ALL
        assert replicas.proposals == [proposal]
        assert rig.metrics.shrinks.value == 0


@on_event_loop
async def test_without_a_response_it_is_sent_again_and_a_refusal_then_is_not_certain(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        lost = BrokerNotAvailableError("it is away")
        rig = Rig(replicas, Controller(lost, response(ErrorCode.OPERATION_NOT_ATTEMPTED)))
        ((partition, _),) = rig.suspect()
        await until(lambda: len(replicas.proposals) == 2)
        assert replicas.proposals[-1].broker_ids == partition.isr == ALL
        assert len(rig.controller.requests) == 2
        assert rig.metrics.failures.value == 1


@on_event_loop
async def test_a_request_that_is_refused_as_a_whole_leaves_no_doubt_about_its_proposals(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        refused = AlterPartitionResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)
        rig = Rig(replicas, Controller(refused, response(ErrorCode.INELIGIBLE_REPLICA)))
        ((partition, proposal),) = rig.suspect()
        await until(lambda: not partition.is_proposed(proposal))
        assert len(replicas.proposals) == 1


@on_event_loop
async def test_the_controller_is_asked_where_it_is_by_then(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        lost = BrokerNotAvailableError("it is away")
        rig = Rig(replicas, Controller(lost, response(ErrorCode.NONE, (BROKER_ID,))))
        rig.controller_is(2)
        rig.controller.meanwhile = lambda: rig.controller_is(3)
        ((partition, _),) = rig.suspect()
        await until(lambda: partition.isr == (BROKER_ID,))
        assert rig.controller.asked == [2, 3]


@on_event_loop
async def test_a_newer_epoch_makes_the_proposal_void(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        rig = Rig(replicas, Controller(BrokerNotAvailableError("it is away"), response(ErrorCode.NONE, (BROKER_ID,))))
        ((partition, proposal),) = rig.suspect()
        rig.controller.meanwhile = lambda: partition.become_leader(PartitionAssignment(BROKER_ID, 5, ALL, ALL, 5))
        await until(lambda: not partition.is_proposed(proposal))
        await until(lambda: all(task.get_name() != "isr-changes" for task in asyncio.all_tasks()))
        assert len(rig.controller.requests) == 1
        assert partition.isr == ALL


@on_event_loop
async def test_all_that_waits_leaves_in_one_request(tmp_path: Path) -> None:
    with replicas_in(tmp_path) as replicas:
        rig = Rig(replicas, Controller())
        rig.suspect(count=3)
        await until(lambda: len(rig.controller.requests) == 1)
        (request,) = rig.controller.requests
        assert [part.partition_index for part in request.topics[0].partitions] == [0, 1, 2]
        rig.manager.stop()
