"""ISR changes that leaders ask for (AlterPartition, KIP-497, KIP-903): checked, written, told to everybody.

What a leader proposes replaces a state of which it names the epoch. In this order:

    another leader epoch                        FENCED_LEADER_EPOCH
    not the leader, or a nonsensical ISR        INVALID_REQUEST
    what it proposes stands already             NONE: its first attempt was written and the answer lost
    another partition epoch                     INVALID_UPDATE_VERSION, with the state that stands
    a member that is gone or was restarted      INELIGIBLE_REPLICA: what it had acknowledged may be lost

A proposal of what stands, in its own epoch, is written again: afterwards no older proposal can be.
"""

import uuid
from collections.abc import Iterable
from typing import NamedTuple

from ottla.controller.context import ControllerContext
from ottla.controller.state import PartitionRecord, StateChange
from ottla.coordination.payloads.topics import LeaderAndIsr
from ottla.errors import ErrorCode
from ottla.errors.kafka import StaleBrokerEpochError
from ottla.model import ZERO_UUID, TopicPartition
from ottla.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    RequestPartitionData,
    RequestTopicData,
    ResponsePartitionData,
    ResponseTopicData,
)

_ISR_WITH_EPOCHS_VERSION = 3
_INELIGIBLE_REPLICA_VERSION = 2


class _Checked(NamedTuple):
    error: ErrorCode
    change: StateChange | None = None


class PartitionAlterations:
    def __init__(self, context: ControllerContext) -> None:
        self._context = context
        self._state = context.state

    async def alter(self, request: AlterPartitionRequest, version: int) -> AlterPartitionResponse:
        """StaleBrokerEpochError when the leader is not registered any more in the epoch that it names."""
        registered = self._state.brokers.get(request.broker_id)
        if registered is None or registered.epoch != request.broker_epoch:
            raise StaleBrokerEpochError(f"broker {request.broker_id} is not registered in epoch {request.broker_epoch}")
        errors: dict[TopicPartition, ErrorCode] = {}
        changes: list[StateChange] = []
        for name, asked in self._named(request):
            checked = self._check(name, asked, request.broker_id, version)
            errors[name] = checked.error
            if checked.change is not None:
                changes.append(checked.change)
        await self._write(changes, errors)
        return AlterPartitionResponse(topics=[self._answer_topic(topic, errors) for topic in request.topics])

    def _named(self, request: AlterPartitionRequest) -> Iterable[tuple[TopicPartition, RequestPartitionData]]:
        for topic in request.topics:
            name = self._topic_name(topic)
            for asked in topic.partitions:
                yield TopicPartition(name, asked.partition_index), asked

    def _topic_name(self, topic: RequestTopicData) -> str:
        if topic.topic_id == ZERO_UUID:
            return topic.topic_name
        return self._names().get(topic.topic_id, "")

    def _names(self) -> dict[uuid.UUID, str]:
        return self._state.topic_names

    def _check(self, name: TopicPartition, asked: RequestPartitionData, broker_id: int, version: int) -> _Checked:
        record = self._state.partitions.get(name)
        if record is None or record.state is None or name.topic in self._state.deletions:
            return _Checked(ErrorCode.UNKNOWN_TOPIC_ID if not name.topic else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        epochs = proposed_isr(asked, version)
        error = self._refusal(name, record, record.state, asked, epochs, broker_id)
        if error is ErrorCode.INELIGIBLE_REPLICA and version < _INELIGIBLE_REPLICA_VERSION:
            error = ErrorCode.OPERATION_NOT_ATTEMPTED
        is_retry = asked.partition_epoch != record.version
        if error or is_retry:
            return _Checked(error)
        following = LeaderAndIsr(broker_id, record.state.leader_epoch, tuple(epochs), self._state.epoch)
        return _Checked(ErrorCode.NONE, StateChange(name, following, record.version))

    def _refusal(
        self,
        name: TopicPartition,
        record: PartitionRecord,
        state: LeaderAndIsr,
        asked: RequestPartitionData,
        isr: dict[int, int],
        broker_id: int,
    ) -> ErrorCode:
        if asked.leader_epoch != state.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        if state.leader != broker_id or broker_id not in isr or not isr.keys() <= set(record.replicas):
            return ErrorCode.INVALID_REQUEST
        if set(state.isr) == isr.keys() and asked.partition_epoch <= record.version:
            return ErrorCode.NONE
        if asked.partition_epoch != record.version:
            return ErrorCode.INVALID_UPDATE_VERSION
        if not all(self._is_eligible(name, broker, epoch) for broker, epoch in isr.items()):
            return ErrorCode.INELIGIBLE_REPLICA
        return ErrorCode.NONE

    def _is_eligible(self, name: TopicPartition, broker_id: int, broker_epoch: int) -> bool:
        registered = self._state.brokers.get(broker_id)
        return (
            registered is not None and broker_epoch in (-1, registered.epoch) and self._state.is_online(broker_id, name)
        )

    async def _write(self, changes: list[StateChange], errors: dict[TopicPartition, ErrorCode]) -> None:
        if not changes:
            return
        written = await self._context.store.write_states(changes)
        for change in changes:
            name = change.partition
            if name in written.versions:
                self._state.put_state(name, change.state, written.versions[name])
            elif name in written.found:
                self._state.put_state(name, *written.found[name])
                errors[name] = ErrorCode.INVALID_UPDATE_VERSION
            else:
                errors[name] = ErrorCode.UNKNOWN_SERVER_ERROR
        batch = self._context.batch()
        batch.update_metadata(written.versions)
        self._context.send(batch)

    def _answer_topic(self, topic: RequestTopicData, errors: dict[TopicPartition, ErrorCode]) -> ResponseTopicData:
        name = self._topic_name(topic)
        return ResponseTopicData(
            topic_name=topic.topic_name,
            topic_id=topic.topic_id,
            partitions=[
                self._answer(partition, errors[partition])
                for partition in (TopicPartition(name, asked.partition_index) for asked in topic.partitions)
            ],
        )

    def _answer(self, name: TopicPartition, error: ErrorCode) -> ResponsePartitionData:
        answer = ResponsePartitionData(partition_index=name.partition, error_code=error)
        record = self._state.partitions.get(name)
        if error in (ErrorCode.NONE, ErrorCode.INVALID_UPDATE_VERSION) and record is not None and record.state:
            answer.leader_id = record.state.leader
            answer.leader_epoch = record.state.leader_epoch
            answer.isr = list(record.state.isr)
            answer.partition_epoch = record.version
        return answer


def proposed_isr(asked: RequestPartitionData, version: int) -> dict[int, int]:
    """Broker ids with their epochs; before version 3 there were none to check."""
    if version >= _ISR_WITH_EPOCHS_VERSION:
        return {member.broker_id: member.broker_epoch for member in asked.new_isr_with_epochs}
    return dict.fromkeys(asked.new_isr, -1)
