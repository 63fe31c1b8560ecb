"""Which replica a consumer should read from (KIP-392): `replica.selector.class`.

The rack-aware one sends a consumer to an in-sync replica in its own rack that has what it asks for; of several to the
one that has most. The leader itself, where it is in that rack.
"""

from typing import Protocol

from ottla.errors import ConfigError
from ottla.metadata.cache import MetadataCache
from ottla.replication.partition import Partition

_RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
_LEADER = "org.apache.kafka.common.replica.LeaderSelector"


class ReplicaSelector(Protocol):
    def select(self, partition: Partition, fetch_offset: int, rack_id: str) -> int | None:
        """Another replica than the leader to read from, or None."""
        ...


class RackAwareReplicaSelector:
    def __init__(self, metadata: MetadataCache) -> None:
        self._metadata = metadata

    def select(self, partition: Partition, fetch_offset: int, rack_id: str) -> int | None:
        brokers = self._metadata.image.brokers
        leader = brokers.get(partition.leader_id)
        leadership = partition.leadership
        if leadership is None or (leader is not None and leader.rack == rack_id):
            return None
        near = [
            (follower.end.offset, -broker_id)
            for broker_id, follower in leadership.followers.items()
            if broker_id in partition.isr
            and (registered := brokers.get(broker_id)) is not None
            and registered.rack == rack_id
            and follower.log_start_offset <= fetch_offset <= follower.end.offset
        ]
        return -max(near)[1] if near else None


def replica_selector(class_name: str | None, metadata: MetadataCache) -> ReplicaSelector | None:
    if class_name is None or class_name == _LEADER:
        return None
    if class_name == _RACK_AWARE:
        return RackAwareReplicaSelector(metadata)
    raise ConfigError(f"Invalid value {class_name} for configuration replica.selector.class: there is {_RACK_AWARE}")
