"""Loads won partitions one after the other, in slices of a few milliseconds: the event loop goes on in between.

A partition is read up to the end of its log, or up to the first batch that is cut short or damaged: behind that nothing
can be found, now or later, and a coordinator that waited for it would keep every group of the partition from working.
What a disk or a change of leaders keeps from being read for the moment is tried again.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable

from ottla.clock import Clock
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.loading import PartitionLoad
from ottla.coordinators.group.offsets_log import OFFSETS_TOPIC, OffsetsLog
from ottla.coordinators.group.owned_partition import OwnedPartition
from ottla.coordinators.group.settings import GroupSettings
from ottla.errors import OttlaError
from ottla.errors.kafka import CorruptMessageError, OffsetOutOfRangeError
from ottla.records.batch import Buffer, iterate_batches

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.002
RETRY_SECONDS = 1.0

Loaded = Callable[[OwnedPartition, dict[str, Group], float], None]


class PartitionLoader:
    """`loaded` is called with each partition that is still owned when it has been read, and how many ms that took."""

    def __init__(self, log: OffsetsLog, settings: GroupSettings, clock: Clock, loaded: Loaded) -> None:
        self._log = log
        self._settings = settings
        self._clock = clock
        self._loaded = loaded
        self._waiting: deque[OwnedPartition] = deque()
        self._task: asyncio.Task[None] | None = None
        self._slice_end = 0.0

    def load(self, partition: OwnedPartition) -> None:
        self._waiting.append(partition)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def idle(self) -> None:
        """Until nothing is left to load."""
        if self._task is not None:
            await asyncio.wait({self._task})

    def stop(self) -> None:
        self._waiting.clear()
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        partitions = groups_found = 0
        run_began_at = self._clock.monotonic()
        while self._waiting:
            partition = self._waiting.popleft()
            if partition.is_lost:
                continue
            began_at = self._clock.monotonic()
            try:
                groups = await self._read(partition)
            except OttlaError as error:
                # Better no coordinator than one that has forgotten offsets. Where the partition has gone elsewhere,
                # that is what we are told next.
                logger.warning("loading %r failed, it will be tried again: %s", partition, error)
                self._waiting.append(partition)
                await asyncio.sleep(RETRY_SECONDS)
                continue
            if not partition.is_lost:
                self._loaded(partition, groups, (self._clock.monotonic() - began_at) * 1000)
                partitions += 1
                groups_found += len(groups)
        self._task = None
        logger.info(
            "coordinator of the groups in %d more partitions of %s: loaded %d groups in %d ms",
            partitions,
            OFFSETS_TOPIC,
            groups_found,
            (self._clock.monotonic() - run_began_at) * 1000,
        )

    async def _read(self, partition: OwnedPartition) -> dict[str, Group]:
        load = PartitionLoad(self._settings, self._clock.wall_ms())
        self._begin_slice()
        offset = start_offset = self._log.start_offset(partition.index)
        while not partition.is_lost:
            try:
                buffer = await self._log.read(partition.index, offset, self._settings.load_buffer_bytes)
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
        for _ in load.decode():
            await self._maybe_pause()
        return load.groups

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
