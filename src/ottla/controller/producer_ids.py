"""Producer ids: unique in the cluster for ever, handed out from blocks of a thousand.

A broker takes a block by writing /latest_producer_id_block over the version it has read. What is left of a block when
the broker stops is never used; nor is a block whose write was executed though its answer was lost.
"""

import asyncio
import logging

from ottla.controller.attempts import OUTRUN_MAX, Attempts
from ottla.coordination import paths
from ottla.coordination.errors import (
    BadVersionError,
    ConnectionLossError,
    CoordinationError,
    NodeExistsError,
    NoNodeError,
)
from ottla.coordination.payloads.cluster import ProducerIdBlock
from ottla.coordination.session import Session
from ottla.errors.kafka import CoordinatorLoadInProgressError, UnknownServerError

log = logging.getLogger(__name__)

BLOCK_SIZE = 1000
PRODUCER_ID_MAX = (1 << 63) - 1
_FETCH_AHEAD_BELOW = BLOCK_SIZE // 10


def next_block(latest: ProducerIdBlock | None, broker_id: int) -> ProducerIdBlock:
    """The block after the latest one. Runs out after nine quintillion ids."""
    first = 0 if latest is None else latest.last + 1
    if first > PRODUCER_ID_MAX - BLOCK_SIZE + 1:
        raise UnknownServerError(f"Have exhausted all producerIds as the next producerId to generate is {first}.")
    return ProducerIdBlock(broker_id, first, first + BLOCK_SIZE - 1)


class ProducerIdManager:
    def __init__(self, session: Session, broker_id: int) -> None:
        self._session = session
        self._broker_id = broker_id
        self._next = 0
        self._end = 0
        self._following: asyncio.Task[ProducerIdBlock] | None = None

    def take(self) -> int | None:
        """An id at once, or None when the next block is not here yet (`generate` waits for it)."""
        if self._next == self._end:
            return None
        taken = self._next
        self._next += 1
        if self._end - self._next < _FETCH_AHEAD_BELOW:
            self._fetch()
        return taken

    async def generate(self) -> int:
        """CoordinatorLoadInProgressError, after which clients ask again, while ZooKeeper gives no block."""
        while (taken := self.take()) is None:
            try:
                await self._adopt(self._fetch())
            except CoordinationError as error:
                raise CoordinatorLoadInProgressError(f"no producer ids from ZooKeeper: {error}") from error
        return taken

    def _fetch(self) -> "asyncio.Task[ProducerIdBlock]":
        if self._following is None or (self._following.done() and self._following.exception() is not None):
            self._following = asyncio.get_running_loop().create_task(self._allocate(), name="producer-id-block")
        return self._following

    async def _adopt(self, following: "asyncio.Task[ProducerIdBlock]") -> None:
        block = await asyncio.shield(following)
        if self._following is following and self._next == self._end:
            self._following = None
            self._next, self._end = block.first, block.last + 1

    async def _allocate(self) -> ProducerIdBlock:
        attempts = Attempts(OUTRUN_MAX)
        while True:
            try:
                latest, version = await self._latest()
                block = next_block(latest, self._broker_id)
                await self._session.set(paths.PRODUCER_ID_BLOCK, block.encode(), version)
            except (BadVersionError, ConnectionLossError) as error:
                await attempts.failed(error)
                continue
            log.info("producer ids %d to %d are ours", block.first, block.last)
            return block

    async def _latest(self) -> tuple[ProducerIdBlock | None, int]:
        path = paths.PRODUCER_ID_BLOCK
        try:
            data, stat = await self._session.get(path)
        except NoNodeError:
            try:
                _, stat = await self._session.create(path)
                return None, stat.version
            except NodeExistsError:
                data, stat = await self._session.get(path)
        return (ProducerIdBlock.decode(path, data) if data else None), stat.version
