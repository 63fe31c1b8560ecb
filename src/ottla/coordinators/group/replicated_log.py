"""`__consumer_offsets` as this broker's replicas hold it: the OffsetsLog of a real broker."""

import asyncio

from ottla.clock import Clock
from ottla.coordinators.group.offsets_log import OFFSETS_TOPIC, Stored
from ottla.errors import ErrorCode, KafkaError
from ottla.protocol.messages.produce import PartitionProduceResponse
from ottla.records.batch import Buffer
from ottla.replication.delayed_produce import DelayedProduce, unacknowledged
from ottla.replication.partition import ACKS_ALL, Partition
from ottla.replication.replica_manager import ReplicaManager
from ottla.storage.log.batch_validation import PRODUCE_VERSION_LATEST


class ReplicatedOffsetsLog:
    """An append is a produce with acks=all, which waits where those of clients do."""

    def __init__(self, replicas: ReplicaManager, clock: Clock) -> None:
        self._replicas = replicas
        self._clock = clock

    def append(self, partition: int, batch: bytearray, timeout_ms: int, stored: Stored) -> None:
        try:
            replica = self._led(partition)
            info = self._replicas.append(
                replica, memoryview(batch), ACKS_ALL, PRODUCE_VERSION_LATEST, self._clock.wall_ms()
            )
        except KafkaError as error:
            stored(error.code, -1)
            return
        answer = PartitionProduceResponse(index=partition, base_offset=info.first_offset)
        pending = unacknowledged(replica, info, ACKS_ALL, answer)
        if pending is None:
            stored(ErrorCode.NONE, info.first_offset)
            return
        outcome = DelayedProduce([pending], lambda: answer).start(self._replicas.purgatory, timeout_ms)
        if isinstance(outcome, asyncio.Future):
            outcome.add_done_callback(lambda _: stored(ErrorCode(answer.error_code), answer.base_offset))
        else:
            stored(ErrorCode(answer.error_code), answer.base_offset)

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
        replica = self._replicas.partition(OFFSETS_TOPIC, partition)
        replica.check_leader()
        return replica
