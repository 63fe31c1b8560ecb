"""Requests of a stranger who says that it is the controller, or a leader who asks it for another ISR; in epochs that
are over, or never were.

On the brokers' own listener who names the right epochs is believed. These never do: a controller epoch below the one in
office, or a broker epoch that is not that of the broker's registration. All of them must be refused (KIP-380).
"""

import random
import uuid
from typing import Any

from ottla.protocol.message import Request
from ottla.protocol.messages.alter_partition import (
    AlterPartitionRequest,
    BrokerState,
    RequestPartitionData,
    RequestTopicData,
)
from ottla.protocol.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from ottla.protocol.messages.stop_replica import StopReplicaPartitionState, StopReplicaRequest, StopReplicaTopicState
from ottla.protocol.messages.update_metadata import UpdateMetadataRequest

_FULL = 2
# Controller and broker epoch. Epoch 1 is the first controller's; a broker's is the number of a transaction.
_REFUSED_EPOCHS = ((0, -1), (0, 1 << 40), (1 << 30, 0), (1, 0), (-1, -1))
_WRONG_BROKER_EPOCHS = (-1, 0, 1 << 40)
_LATEST_EPOCH = (1 << 31) - 1


def forged(rng: random.Random, topic: str, topic_id: uuid.UUID, broker_ids: tuple[int, ...]) -> tuple[Request, int]:
    """The request and its version."""
    me = rng.choice(broker_ids)
    if rng.random() < 0.25:
        return _alter_partition(rng, topic_id, me)
    controller_epoch, broker_epoch = rng.choice(_REFUSED_EPOCHS)
    office: dict[str, Any] = {"controller_id": me, "controller_epoch": controller_epoch, "broker_epoch": broker_epoch}
    match rng.randrange(3):
        case 0:
            stopped = StopReplicaPartitionState(partition_index=0, leader_epoch=-1, delete_partition=True)
            states = [StopReplicaTopicState(topic_name=topic, partition_states=[stopped])]
            return StopReplicaRequest(topic_states=states, **office), rng.randint(3, 4)
        case 1:
            return UpdateMetadataRequest(type=_FULL, **office), 8
        case _:
            role = LeaderAndIsrPartitionState(
                controller_epoch=controller_epoch,
                leader=me,
                leader_epoch=_LATEST_EPOCH,
                isr=[me],
                partition_epoch=_LATEST_EPOCH,
                replicas=list(broker_ids),
            )
            roles = [LeaderAndIsrTopicState(topic_name=topic, topic_id=topic_id, partition_states=[role])]
            return LeaderAndIsrRequest(topic_states=roles, **office), rng.randint(5, 7)


def _alter_partition(rng: random.Random, topic_id: uuid.UUID, me: int) -> tuple[Request, int]:
    """A leader that is alone in sync."""
    wanted = RequestPartitionData(
        leader_epoch=rng.choice((0, 1, 2)),
        partition_epoch=rng.choice((0, 1, 2)),
        new_isr=[me],
        new_isr_with_epochs=[BrokerState(broker_id=me)],
    )
    topics = [RequestTopicData(topic_id=topic_id, partitions=[wanted])]
    return AlterPartitionRequest(broker_id=me, broker_epoch=rng.choice(_WRONG_BROKER_EPOCHS), topics=topics), 3
