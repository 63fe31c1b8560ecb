"""KAFKA-14704: a follower takes over the leader's high watermark before it cuts off what the leader does not have."""

import asyncio

from ottla.model import NO_EPOCH
from ottla.protocol.messages.fetch import PartitionData
from ottla.replication.followed_partition import FollowedPartition
from ottla.replication.replica_manager import ReplicaManager


def apply() -> None:
    take = FollowedPartition.take

    def watermark_first(self: FollowedPartition, data: PartitionData, replicas: ReplicaManager, now_ms: int) -> None:
        if data.diverging_epoch.epoch == NO_EPOCH:
            take(self, data, replicas, now_ms)
            return
        self.partition.follow_high_watermark(data.high_watermark)
        asyncio.get_running_loop().call_soon(take, self, data, replicas, now_ms)

    FollowedPartition.take = watermark_first  # type: ignore[method-assign]
