"""Loads won partitions one after the other, in slices of a few milliseconds: the event loop goes on in between.

A partition is read up to the end of its log, or up to the first batch that is cut short or damaged: behind that nothing
can be found, now or later, and a coordinator that waited for it would keep every unit of the partition from working.
What a disk or a change of leaders keeps from being read for the moment is tried again, after a pause that doubles each
time; other partitions are loaded meanwhile.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Generic

from ottla.clock import Clock, TimerWheel
from ottla.coordinators.runtime.coordinator_log import CoordinatorLog
from ottla.coordinators.runtime.loading import PartitionLoad
from ottla.coordinators.runtime.owned_partition import OwnedPartition
from ottla.coordinators.runtime.shard import ShardT
from ottla.errors import OttlaError
from ottla.errors.kafka import CorruptMessageError, OffsetOutOfRangeError
from ottla.records.batch import Buffer, iterate_batches

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.002
RETRY_MS_FIRST = 500
RETRY_MS_MAX = 30_000


class PartitionLoader(Generic[ShardT]):
    """`loaded` is called with each partition that is still owned when it has been read, and how many ms that took;
    `run_ended` with all that were loaded until none was left, unless none could be read.
    """

    def __init__(
        self,
        log: CoordinatorLog,
        buffer_bytes: int,
        clock: Clock,
        timers: TimerWheel,
        loaded: Callable[[OwnedPartition[ShardT], float], None],
        run_ended: Callable[[list[OwnedPartition[ShardT]], float], None],
    ) -> None:
        self._log = log
        self._buffer_bytes = buffer_bytes
        self._clock = clock
        self._timers = timers
        self._loaded = loaded
        self._run_ended = run_ended
        self._waiting: deque[tuple[OwnedPartition[ShardT], int]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._slice_end = 0.0

    def load(self, partition: OwnedPartition[ShardT], failures: int = 0) -> None:
        self._waiting.append((partition, failures))
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def stop(self) -> None:
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        loaded: list[OwnedPartition[ShardT]] = []
        has_failed = False
        run_began_at = self._clock.monotonic()
        while self._waiting:
            partition, failures = self._waiting.popleft()
            if partition.is_lost:
                continue
            began_at = self._clock.monotonic()
            try:
                await self._read(partition)
            except OttlaError as error:
                # Better no coordinator than one that has forgotten records. Where the partition has gone elsewhere,
                # that is what we are told next.
                logger.warning("loading %r failed, it will be tried again: %s", partition, error)
                self._try_again(partition, failures)
                has_failed = True
                continue
            if not partition.is_lost:
                self._loaded(partition, (self._clock.monotonic() - began_at) * 1000)
                loaded.append(partition)
        self._task = None
        if loaded or not has_failed:
            self._run_ended(loaded, (self._clock.monotonic() - run_began_at) * 1000)

    def _try_again(self, partition: OwnedPartition[ShardT], failures: int) -> None:
        delay_ms = min(RETRY_MS_FIRST << min(failures, 16), RETRY_MS_MAX)
        self._timers.schedule(delay_ms, partial(self._load_again, partition, failures + 1))

    def _load_again(self, partition: OwnedPartition[ShardT], failures: int) -> None:
        if not partition.is_lost:
            self.load(partition, failures)

    async def _read(self, partition: OwnedPartition[ShardT]) -> None:
        load = PartitionLoad()
        self._begin_slice()
        offset = start_offset = self._log.start_offset(partition.index)
        while not partition.is_lost:
            try:
                buffer = await self._log.read(partition.index, offset, self._buffer_bytes)
                if not len(buffer):
                    break
                offset = await self._feed(load, buffer, offset)
            except (CorruptMessageError, OffsetOutOfRangeError) as error:
                if offset == start_offset and isinstance(error, OffsetOutOfRangeError):
                    raise  # The log begins later by now.
                logger.warning(
                    "loading %r ends at offset %d, what lies behind is not known: %s", partition, offset, error
                )
                break
        for _ in load.replay(partition.shard):
            if partition.is_lost:
                return
            await self._maybe_pause()

    async def _feed(self, load: PartitionLoad, buffer: Buffer, offset: int) -> int:
        """Feed what was read from `offset` on; where to read next. CorruptMessageError: there is no way on."""
        next_offset = offset
        try:
            for position, header in iterate_batches(buffer, partial_tail=True):
                if header.next_offset <= next_offset:
                    break  # Offsets rise: this one's header is damaged.
                load.feed(buffer, position, header)
                next_offset = header.next_offset
                await self._maybe_pause()
        except CorruptMessageError:
            if next_offset <= offset:
                raise  # Otherwise it is the first batch of the next read, which says at which offset it is.
        if next_offset <= offset:
            raise CorruptMessageError("a batch is cut short or damaged")
        return next_offset

    def _begin_slice(self) -> None:
        self._slice_end = self._clock.monotonic() + SLICE_SECONDS

    async def _maybe_pause(self) -> None:
        if self._clock.monotonic() >= self._slice_end:
            await asyncio.sleep(0)
            self._begin_slice()
