"""Requests of a stranger who says that it is a follower of a partition, and where it is in the log.

Without ACLs a broker cannot know better, no more than Kafka's can: a forged fetch at an offset that the leader has
counts as that follower's, so that the high watermark may pass records which the true follower has yet to fetch. What
holds all the same: nothing beyond the log's end is believed, no log is changed by it, and the true follower goes on.
"""

import random
from typing import Any

from ottla.protocol.message import Request
from ottla.protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from ottla.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)

_BY_STATE_VERSION = 15
_BY_ID_VERSION = 13
_EPOCHS = (-1, -1, 0, 1, 2, 99, (1 << 31) - 1, -(1 << 31))
_BROKER_EPOCHS = (-1, 0, 1, 1 << 40, (1 << 63) - 1)


def forged(rng: random.Random, topic: str, topic_id: Any, end: int, broker_ids: tuple[int, ...]) -> tuple[Request, int]:
    """The request and its version. `end`: about where the log ends."""
    replica = rng.choice(broker_ids)
    if rng.random() < 0.25:
        return _forged_epoch_request(rng, topic, replica), rng.randint(3, 4)
    version = rng.randint(0, 17)
    offsets = (0, 1, end - 1, end, end + 1, end + 1000, -1, -5, (1 << 62), (1 << 63) - 1, -(1 << 63))
    partition = FetchPartition(
        partition=0,
        current_leader_epoch=rng.choice(_EPOCHS),
        fetch_offset=rng.choice(offsets),
        last_fetched_epoch=rng.choice(_EPOCHS),
        log_start_offset=rng.choice((-1, 0, *offsets)),
        partition_max_bytes=rng.choice((0, 1, 1 << 20, -1)),
    )
    by = {"topic_id": topic_id} if version >= _BY_ID_VERSION else {"topic": topic}
    request = FetchRequest(
        max_wait_ms=rng.choice((0, 5)),
        min_bytes=rng.choice((0, 1)),
        max_bytes=1 << 20,
        topics=[FetchTopic(partitions=[partition], **by)],
        session_epoch=rng.choice((-1, 0, 5)),
        session_id=rng.choice((0, 0, 7)),
    )
    if version >= _BY_STATE_VERSION:
        request.replica_state = ReplicaState(replica_id=replica, replica_epoch=rng.choice(_BROKER_EPOCHS))
    else:
        request.replica_id = replica
    return request, version


def _forged_epoch_request(rng: random.Random, topic: str, replica: int) -> Request:
    partition = OffsetForLeaderPartition(
        partition=0, current_leader_epoch=rng.choice(_EPOCHS), leader_epoch=rng.choice(_EPOCHS)
    )
    return OffsetForLeaderEpochRequest(
        replica_id=replica, topics=[OffsetForLeaderTopic(topic=topic, partitions=[partition])]
    )
