"""The partitions that the controller gives this broker: its roles become states of replication's partitions.

Whoever lives by the leadership of a partition (a coordinator by its internal topic's) is told after replication.
"""

from collections.abc import Mapping
from typing import Protocol

from ottla.controller.local_partitions import PartitionRole
from ottla.errors import LogDirError
from ottla.model import TopicPartition
from ottla.replication.partition import PartitionAssignment
from ottla.replication.replica_manager import ReplicaManager


class LeadershipListener(Protocol):
    def partition_led(self, partition: TopicPartition, leader_epoch: int) -> None: ...

    def partition_left(self, partition: TopicPartition) -> None: ...


class HostedPartitions:
    """Implements the controller's `LocalPartitions`."""

    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas
        self._listeners: list[LeadershipListener] = []

    def subscribe(self, listener: LeadershipListener) -> None:
        """Before the first partition comes."""
        self._listeners.append(listener)

    def is_offline(self, partition: TopicPartition) -> bool:
        return self._replicas.is_offline(partition)

    def become_leader(self, role: PartitionRole, overrides: Mapping[str, str]) -> None:
        self._apply(role)
        for listener in self._listeners:
            listener.partition_led(role.partition, role.leader_epoch)

    def become_follower(self, role: PartitionRole, overrides: Mapping[str, str]) -> None:
        self._apply(role)
        self._left(role.partition)

    def stop(self, partition: TopicPartition, *, delete: bool) -> None:
        self._left(partition)
        try:
            self._replicas.stop(partition, delete=delete)
        except LogDirError as error:
            raise self._replicas.storage_failed(error) from error

    def _left(self, partition: TopicPartition) -> None:
        for listener in self._listeners:
            listener.partition_left(partition)

    def _apply(self, role: PartitionRole) -> None:
        state = PartitionAssignment(
            leader=role.leader,
            leader_epoch=role.leader_epoch,
            isr=role.isr,
            replicas=role.replicas,
            partition_epoch=role.partition_epoch,
            is_new=role.is_new,
        )
        try:
            self._replicas.apply(role.partition, role.topic_id, state)
        except LogDirError as error:
            raise self._replicas.storage_failed(error) from error
