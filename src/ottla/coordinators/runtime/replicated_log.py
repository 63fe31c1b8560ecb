"""An internal topic as this broker's replicas hold it: the CoordinatorLog of a real broker."""

import asyncio

from ottla.clock import Clock
from ottla.coordinators.runtime.coordinator_log import Appended, Stored
from ottla.errors import ErrorCode
from ottla.records.batch import Buffer
from ottla.replication.delayed_produce import DelayedProduce, unacknowledged
from ottla.replication.partition import ACKS_ALL, Partition
from ottla.replication.replica_manager import ReplicaManager
from ottla.storage.log.batch_validation import PRODUCE_VERSION_LATEST


class ReplicatedLog:
    """An append is a produce with acks=all, which waits where those of clients do."""

    def __init__(self, topic: str, replicas: ReplicaManager, clock: Clock) -> None:
        self.topic = topic
        self._replicas = replicas
        self._clock = clock

    def append(self, partition: int, batch: bytearray) -> Appended:
        replica = self._led(partition)
        now_ms = self._clock.wall_ms()
        info = self._replicas.append(replica, memoryview(batch), ACKS_ALL, PRODUCE_VERSION_LATEST, now_ms)
        return info.first_offset, (replica, info)

    def when_replicated(self, appended: Appended, timeout_ms: int, stored: Stored) -> None:
        replica, info = appended[1]
        pending = unacknowledged(replica, info, ACKS_ALL)
        if pending is None:
            stored(ErrorCode.NONE)
            return
        outcome = DelayedProduce([pending], lambda codes: codes[0]).start(self._replicas.purgatory, timeout_ms)
        if isinstance(outcome, asyncio.Future):
            outcome.add_done_callback(lambda done: stored(done.result()))
        else:
            stored(outcome)

    def start_offset(self, partition: int) -> int:
        return self._led(partition).log.log_start_offset

    async def read(self, partition: int, offset: int, max_bytes: int) -> Buffer:
        """In a thread, since what is loaded is mostly cold. To the end of the log: a leader's log is the truth."""
        log = self._led(partition).log
        found = log.read(offset, max_bytes, end_offset=log.end_position, minimum_one_batch=True).slice
        if found is None:
            return b""
        try:
            return await asyncio.get_running_loop().run_in_executor(None, found.read, 0, len(found))
        finally:
            found.close()

    def _led(self, partition: int) -> Partition:
        replica = self._replicas.partition(self.topic, partition)
        replica.check_leader()
        return replica
