"""ISR proposals on their way to the controller (AlterPartition, KIP-497).

One request is in flight at a time, with everything that waits when it leaves; a partition has one proposal at a time.
A proposal is sent again until the controller has answered it, or until a newer epoch has made it void:

    written (NONE), or another state stands      the partition takes over what stands
    refused for good (INELIGIBLE_REPLICA, ...)   the partition goes on with what it has
    no answer, not the controller, ...           again, after a pause, wherever the controller is then
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from ottla.clients.retry import Backoff
from ottla.errors import ErrorCode, KafkaError
from ottla.metadata.cache import MetadataCache
from ottla.observability.instruments import Counter
from ottla.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    BrokerState,
    RequestPartitionData,
    RequestTopicData,
    ResponsePartitionData,
)
from ottla.replication.leadership import IsrProposal
from ottla.replication.partition import Partition
from ottla.replication.peers import Peers

logger = logging.getLogger(__name__)

AlterLocally = Callable[[AlterPartitionRequest], Awaitable[AlterPartitionResponse]]

_REFUSED = frozenset({ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INVALID_REQUEST})
_CHANNEL = "alter-partition"


class _Waiting:
    __slots__ = ("partition", "proposal", "unanswered")

    def __init__(self, partition: Partition, proposal: IsrProposal) -> None:
        self.partition = partition
        self.proposal = proposal
        self.unanswered = 0


class IsrMetrics(NamedTuple):
    """Kafka's IsrShrinksPerSec, IsrExpandsPerSec and FailedIsrUpdatesPerSec."""

    shrinks: Counter
    expands: Counter
    failures: Counter


class AlterPartitionManager:
    def __init__(
        self,
        broker_id: int,
        broker_epoch: Callable[[], int],
        metadata: MetadataCache,
        peers: Peers,
        alter_locally: AlterLocally,
        metrics: IsrMetrics | None = None,
        *,
        timeout_ms: int = 30_000,
        backoff_ms: int = 50,
    ) -> None:
        """`alter_locally` is the way to the controller when it is this broker."""
        self._broker_id = broker_id
        self._broker_epoch = broker_epoch
        self._metadata = metadata
        self._peers = peers
        self._alter_locally = alter_locally
        self._timeout_ms = timeout_ms
        self._backoff = Backoff(backoff_ms, 1000)
        self._waiting: dict[Partition, _Waiting] = {}
        self._task: asyncio.Task[None] | None = None
        self._metrics = metrics or IsrMetrics(Counter(), Counter(), Counter())

    def propose(self, partition: Partition, proposal: IsrProposal) -> None:
        """`ReplicaContext.propose_isr`."""
        self._waiting[partition] = _Waiting(partition, proposal)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run(), name="isr-changes")

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._waiting.clear()

    async def _run(self) -> None:
        failures = 0
        while self._drop_void():
            sent = list(self._waiting.values())
            await self._send(sent)
            if any(waiting.partition.is_proposed(waiting.proposal) for waiting in sent):
                failures += 1
                self._metrics.failures.value += 1
                await asyncio.sleep(self._backoff.delay_ms(failures) / 1000)
            else:
                failures = 0

    def _drop_void(self) -> bool:
        for waiting in list(self._waiting.values()):
            if not waiting.partition.is_proposed(waiting.proposal):
                del self._waiting[waiting.partition]
        return bool(self._waiting)

    async def _send(self, sent: list[_Waiting]) -> None:
        for waiting in sent:
            waiting.unanswered += 1
        try:
            response = await self._request(build_request(self._broker_id, self._broker_epoch(), sent))
        except KafkaError as error:
            logger.info("ISR changes of %d partitions are not answered: %s", len(sent), error)
            return
        if response.error_code:
            logger.info("ISR changes are not taken: %s", ErrorCode(response.error_code).name)
            for waiting in sent:
                waiting.unanswered -= 1  # Refused as a whole: nothing of it was looked at.
            return
        self._take(sent, response)

    async def _request(self, request: AlterPartitionRequest) -> AlterPartitionResponse:
        controller_id = self._metadata.image.controller_id
        if controller_id == self._broker_id:
            return await self._alter_locally(request)
        response: AlterPartitionResponse = await self._peers.request(
            controller_id, request, channel=_CHANNEL, timeout_ms=self._timeout_ms
        )
        return response

    def _take(self, sent: list[_Waiting], response: AlterPartitionResponse) -> None:
        answers = {
            (topic.topic_id, answer.partition_index): answer for topic in response.topics for answer in topic.partitions
        }
        for waiting in sent:
            partition = waiting.partition
            answer = answers.get((partition.topic_id, partition.topic_partition.partition))
            if answer is not None and partition.is_proposed(waiting.proposal):
                self._take_one(waiting, answer)

    def _take_one(self, waiting: _Waiting, answer: ResponsePartitionData) -> None:
        partition, proposal = waiting.partition, waiting.proposal
        waiting.unanswered -= 1
        before = partition.isr
        code = ErrorCode(answer.error_code)
        if code in (ErrorCode.NONE, ErrorCode.INVALID_UPDATE_VERSION):
            if partition.isr_changed(answer.leader_epoch, tuple(answer.isr), answer.partition_epoch):
                self._count(partition, before)
        elif code in _REFUSED:
            logger.info("%s: ISR %s is refused: %s", partition.topic_partition, proposal.broker_ids, code.name)
            partition.isr_refused(proposal, is_certain=waiting.unanswered == 0)
        else:
            # Also when it knows another epoch than ours: either it is behind, or its word of it is on the way to us.
            logger.debug("%s: ISR change is not taken yet: %s", partition.topic_partition, code.name)

    def _count(self, partition: Partition, before: tuple[int, ...]) -> None:
        logger.info("%s: ISR %s became %s", partition.topic_partition, before, partition.isr)
        if len(partition.isr) > len(before):
            self._metrics.expands.value += 1
        elif len(partition.isr) < len(before):
            self._metrics.shrinks.value += 1


def build_request(broker_id: int, broker_epoch: int, proposals: list[_Waiting]) -> AlterPartitionRequest:
    topics: dict[uuid.UUID, list[Any]] = {}
    for waiting in proposals:
        partition, proposal = waiting.partition, waiting.proposal
        topics.setdefault(partition.topic_id, []).append(
            RequestPartitionData(
                partition_index=partition.topic_partition.partition,
                leader_epoch=proposal.leader_epoch,
                new_isr=list(proposal.broker_ids),
                new_isr_with_epochs=[
                    BrokerState(broker_id=broker_id, broker_epoch=epoch) for broker_id, epoch in proposal.isr
                ],
                partition_epoch=proposal.partition_epoch,
            )
        )
    return AlterPartitionRequest(
        broker_id=broker_id,
        broker_epoch=broker_epoch,
        topics=[RequestTopicData(topic_id=topic_id, partitions=parts) for topic_id, parts in topics.items()],
    )
