"""What a broker's own replicas are told: the upcall from the controller's messages to replication and storage."""

import uuid
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from ottla.model import TopicPartition


class PartitionRole(NamedTuple):
    """One partition's state as LeaderAndIsr says it."""

    partition: TopicPartition
    topic_id: uuid.UUID
    leader: int  # -1: none for now
    leader_epoch: int
    isr: tuple[int, ...]
    replicas: tuple[int, ...]
    partition_epoch: int  # the version of the state znode: what AlterPartition is conditioned on
    controller_epoch: int
    is_new: bool  # nothing can be on disk yet; otherwise a missing log is a lost one
    adding_replicas: tuple[int, ...] = ()
    removing_replicas: tuple[int, ...] = ()
    recovering: bool = False


class LocalPartitions(Protocol):
    """Called on the event loop, in order. A KafkaError (KafkaStorageError) is answered to the controller.

    Leader epochs of a partition only rise from call to call; what is older is stopped before. `overrides` are
    the topic's own configs.
    """

    def is_offline(self, partition: TopicPartition) -> bool:
        """Whether it is on a log directory that has failed."""
        ...

    def become_leader(self, role: PartitionRole, overrides: Mapping[str, str]) -> None: ...

    def become_follower(self, role: PartitionRole, overrides: Mapping[str, str]) -> None: ...

    def stop(self, partition: TopicPartition, *, delete: bool) -> None:
        """Stop serving the partition; with `delete` remove its files too. Not having it is no error."""
        ...
