"""Appends whose records must be decompressed first, which would stall the loop: in a thread, and appended in turn.

That is: message sets of old clients, a forced codec, compressed batches of compacted topics. Order matters more than
speed: whatever comes for a partition while one of its appends is being prepared lines up behind it, so that a
producer's batches are appended in the order in which they came, heavy or not.
"""

import asyncio

from ottla.clock import Clock
from ottla.replication.partition import Partition
from ottla.replication.replica_manager import ReplicaManager
from ottla.storage.log.batch_validation import Origin, PreparedBatch, opens_to_at_most
from ottla.storage.log.log_results import AppendInfo

# Smaller records are decompressed on the loop: a thread costs more. A few hundred bytes can hold megabytes.
INLINE_BYTES_MAX = 4096
INLINE_DECOMPRESSED_BYTES_MAX = 16 * 1024


class DeferredAppends:
    def __init__(self, replicas: ReplicaManager, clock: Clock) -> None:
        self._replicas = replicas
        self._clock = clock
        self._last: dict[Partition, asyncio.Task[AppendInfo]] = {}

    def must_defer(self, partition: Partition, records: memoryview) -> bool:
        if partition in self._last:
            return True
        return partition.log.validation.is_heavy(records) and not (
            len(records) <= INLINE_BYTES_MAX and opens_to_at_most(records, INLINE_DECOMPRESSED_BYTES_MAX)
        )

    def start(
        self, partition: Partition, records: memoryview, acks: int, produce_version: int
    ) -> asyncio.Task[AppendInfo]:
        """The records are copied: they stand in a buffer that the connection will use again."""
        copied = memoryview(bytearray(records))
        append = self._run(partition, copied, acks, produce_version, self._last.get(partition))
        task = self._last[partition] = asyncio.get_running_loop().create_task(append)
        task.add_done_callback(lambda done: self._forget(partition, done))
        return task

    async def _run(
        self,
        partition: Partition,
        records: memoryview,
        acks: int,
        produce_version: int,
        before: asyncio.Task[AppendInfo] | None,
    ) -> AppendInfo:
        now_ms = self._clock.wall_ms()
        try:
            batches = await self._prepare(partition, records, now_ms, produce_version)
        finally:
            if before is not None:
                await asyncio.wait([before])
        return self._replicas.append_prepared(partition, batches, acks, now_ms)

    @staticmethod
    async def _prepare(
        partition: Partition, records: memoryview, now_ms: int, produce_version: int
    ) -> list[PreparedBatch]:
        validation = partition.log.validation
        if not validation.is_heavy(records):
            return validation.prepare(records, now_ms, Origin.CLIENT, produce_version)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(None, validation.prepare, records, now_ms, Origin.CLIENT, produce_version)

    def _forget(self, partition: Partition, done: asyncio.Task[AppendInfo]) -> None:
        if self._last.get(partition) is done:
            del self._last[partition]
