"""The partitions that the controller gives this broker: its roles become states of replication's partitions."""

from collections.abc import Mapping

from ottla.controller.local_partitions import PartitionRole
from ottla.errors import LogDirError
from ottla.model import TopicPartition
from ottla.replication.partition import PartitionState
from ottla.replication.replica_manager import ReplicaManager


class HostedPartitions:
    """Implements the controller's `LocalPartitions`."""

    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas

    def become_leader(self, role: PartitionRole, overrides: Mapping[str, str]) -> None:
        self._apply(role)

    def become_follower(self, role: PartitionRole, overrides: Mapping[str, str]) -> None:
        self._apply(role)

    def stop(self, partition: TopicPartition, *, delete: bool) -> None:
        try:
            self._replicas.stop(partition, delete=delete)
        except LogDirError as error:
            raise self._replicas.storage_failed(error) from error

    def _apply(self, role: PartitionRole) -> None:
        state = PartitionState(
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
