"""One followed partition: what becomes of the leader's response to our fetch of it.

    records            appended as they are; then the leader's high watermark and log start are taken over
    diverging epoch    the leader's epoch ended earlier than ours: cut there, and fetch again (KIP-595)
    out of range       our end is outside of the leader's log: cut to its end, or begin again at its start
    another error      the leader does not know yet, or we do not: try again a little later

The log is cut only here, and only where leader epochs say so: never at the high watermark, which lags behind what is
acknowledged (KIP-101).
"""

import logging

from ottla.clients.fetch_session_handler import FetchKey, FetchPosition
from ottla.model import NO_EPOCH
from ottla.protocol.messages.fetch import EpochEndOffset, PartitionData
from ottla.replication.partition import Partition
from ottla.replication.replica_manager import ReplicaManager

logger = logging.getLogger(__name__)


class FollowedPartition:
    """`leader_epoch` is the one in which we follow: a response to a fetch of another is not looked at."""

    __slots__ = ("failures", "key", "lag", "leader_epoch", "partition")

    def __init__(self, partition: Partition) -> None:
        self.partition = partition
        self.key = FetchKey(partition.topic_id, partition.topic_partition.partition)
        self.leader_epoch = partition.leader_epoch
        self.failures = 0
        self.lag = 0

    @property
    def is_current(self) -> bool:
        """Whether we still follow, in the epoch in which we began to."""
        return not self.partition.is_leader and self.partition.leader_epoch == self.leader_epoch

    def position(self) -> FetchPosition:
        log = self.partition.log
        return FetchPosition(
            log.log_end_offset, self.leader_epoch, log.leader_epochs.latest_epoch, log.log_start_offset
        )

    def take(self, data: PartitionData, replicas: ReplicaManager, now_ms: int) -> None:
        """A response without an error. KafkaError when its records cannot be appended."""
        if data.diverging_epoch.epoch != NO_EPOCH:
            self._truncate(data.diverging_epoch, replicas)
            return
        partition, records = self.partition, data.records
        if isinstance(records, memoryview | bytes) and len(records):
            replicas.append_from_leader(partition, memoryview(records), now_ms)
        partition.follow_high_watermark(data.high_watermark)
        log = partition.log
        if log.log_start_offset < data.log_start_offset <= log.log_end_offset:
            log.increment_log_start_offset(data.log_start_offset)
        self.lag = max(0, data.high_watermark - log.log_end_offset)
        self.failures = 0

    def _truncate(self, leaders: EpochEndOffset, replicas: ReplicaManager) -> None:
        """Cut to where the leader's epoch ends, on its side or on ours, whichever is less.

        When we do not have that epoch this leaves an older one at our end; the next fetch asks for that.
        """
        log = self.partition.log
        ours = log.end_offset_for_epoch(leaders.epoch)
        offset = leaders.end_offset if ours.epoch == NO_EPOCH else min(leaders.end_offset, ours.end_offset)
        logger.info(
            "%s: the leader's epoch %d ends at %d: cut from %d to %d",
            self.partition.topic_partition,
            leaders.epoch,
            leaders.end_offset,
            log.log_end_offset,
            min(offset, log.log_end_offset),
        )
        replicas.truncate(self.partition, offset)

    def take_range(self, leader_start: int, leader_end: int, replicas: ReplicaManager) -> None:
        """Our end was out of the leader's range: where its log begins and ends."""
        log = self.partition.log
        if leader_end < log.log_end_offset:
            logger.warning("%s: cut from %d to the leader's end %d", log, log.log_end_offset, leader_end)
            replicas.truncate(self.partition, leader_end)
        elif log.log_end_offset < leader_start:
            logger.info("%s: begins again at the leader's start %d", log, leader_start)
            replicas.start_over(self.partition, leader_start)
