"""One fetcher: keeps the partitions that it is given up to date with one leader broker. One task, however many.

It sends Fetch requests one after the other. The leader responds at once when it has something, and otherwise holds the
request for `replica.fetch.wait.max.ms`; so an idle fetcher costs two requests a second. Only partitions whose position
changed are named (`FetchSessionHandler`). A partition with an error leaves the session and comes back after a pause.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, NamedTuple

from ottla.clients.fetch_session_handler import FetchKey, FetchPosition, FetchSessionHandler
from ottla.clients.retry import Backoff
from ottla.clock import Clock, TimerWheel
from ottla.errors import ErrorCode, KafkaError, LogDirError, OttlaError, error_for_code
from ottla.observability.logs import RateLimitedLogger
from ottla.protocol.messages.fetch import FetchRequest, FetchResponse, PartitionData, ReplicaState
from ottla.protocol.messages.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from ottla.replication.followed_partition import FollowedPartition
from ottla.replication.partition import Partition
from ottla.replication.peers import Peers
from ottla.replication.replica_manager import ReplicaManager

logger = logging.getLogger(__name__)

_FIRST_PAUSE_MS = 50
_LATEST, _EARLIEST = -1, -2
# From 15 on a replica names its broker epoch.
_FETCH_VERSION_MAX = 17
# A new leader is found within a few tries; who is refused for longer has records that nobody can copy.
_FAILURES_UNTIL_TOLD = 8
_TOLD_EVERY_S = 60.0


class FetcherSettings(NamedTuple):
    """From the broker's configuration: `replica.fetch.*`, `replica.socket.timeout.ms`."""

    partition_bytes_max: int = 1 << 20
    response_bytes_max: int = 10 << 20
    min_bytes: int = 1
    wait_max_ms: int = 500
    backoff_ms: int = 1000
    socket_timeout_ms: int = 30_000


class FetcherDependencies(NamedTuple):
    """What every fetcher of a broker works with."""

    replicas: ReplicaManager
    peers: Peers
    clock: Clock
    wheel: TimerWheel
    settings: FetcherSettings


class ReplicaFetcher:
    def __init__(self, leader_id: int, fetcher_id: int, dependencies: FetcherDependencies) -> None:
        self.leader_id = leader_id
        self.name = f"ReplicaFetcher-{fetcher_id}-{leader_id}"
        self.followed: dict[FetchKey, FollowedPartition] = {}
        self._replicas, self._peers, self._clock, self._wheel, self._settings = dependencies
        self._session = FetchSessionHandler(self._settings.partition_bytes_max)
        self._backoff = Backoff(_FIRST_PAUSE_MS, max(_FIRST_PAUSE_MS, self._settings.backoff_ms))
        self._limited = RateLimitedLogger(logger, dependencies.clock, _TOLD_EVERY_S)
        self._dirty: dict[FetchKey, None] = {}
        self._paused: set[FetchKey] = set()
        self._failures = 0
        self._broker_epoch = dependencies.replicas.context.broker_epoch()
        self._work = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    # What it fetches

    def follow(self, partition: Partition) -> None:
        followed = FollowedPartition(partition)
        self.followed[followed.key] = followed
        self._paused.discard(followed.key)
        self._mark(followed.key)
        flush = self._replicas.flush_followed(partition)  # Of what was appended before, from whichever leader.
        if flush is not None and not flush.done():
            self._pause_until(flush, followed)
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name=self.name)

    def leave(self, key: FetchKey) -> None:
        if self.followed.pop(key, None) is not None:
            self._paused.discard(key)
            self._mark(key)

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def _mark(self, key: FetchKey) -> None:
        """Its position, or whether it is fetched at all, has changed."""
        self._dirty[key] = None
        self._work.set()

    # The loop

    async def _run(self) -> None:
        while True:
            if self.followed.keys() <= self._paused:
                self._work.clear()
                await self._work.wait()
                continue
            try:
                await self._take(await self._fetch())
            except OttlaError as error:  # Whatever it is: this task is all that the partitions have.
                await self._failed(error)
            else:
                self._failures = 0

    async def _fetch(self) -> FetchResponse:
        request = self._request()
        settings = self._settings
        response: FetchResponse = await self._peers.request(
            self.leader_id,
            request,
            channel=self.name,
            timeout_ms=settings.socket_timeout_ms,
            version_max=_FETCH_VERSION_MAX,
        )
        return response

    def _request(self) -> FetchRequest:
        session, settings, context = self._session, self._settings, self._replicas.context
        if self._broker_epoch != context.broker_epoch():
            # Registered anew: the leader counts our progress again when it comes with the new epoch (KIP-903).
            self._broker_epoch = context.broker_epoch()
            session.handle_error()
        changed = self.followed if session.is_full else self._dirty
        keys, self._dirty = list(changed), {}
        active = {key for key in keys if key in self.followed and key not in self._paused}
        return FetchRequest(
            replica_state=ReplicaState(replica_id=context.broker_id, replica_epoch=context.broker_epoch()),
            replica_id=context.broker_id,
            max_wait_ms=settings.wait_max_ms,
            min_bytes=settings.min_bytes,
            max_bytes=settings.response_bytes_max,
            session_id=session.session_id,
            session_epoch=session.epoch,
            forgotten_topics_data=session.forgotten(key for key in keys if key not in active),
            topics=session.topics({key: self.followed[key].position() for key in keys if key in active}),
        )

    async def _failed(self, error: OttlaError) -> None:
        self._failures += 1
        level = logging.INFO if self._failures == 1 else logging.DEBUG
        logger.log(level, "%s: %s", self.name, error)
        self._session.handle_error()
        await asyncio.sleep(self._backoff.delay_ms(self._failures) / 1000)

    # Responses

    async def _take(self, response: FetchResponse) -> None:
        if response.error_code:
            logger.debug("%s: %s", self.name, ErrorCode(response.error_code).name)
            self._session.handle_error(response.error_code)
            return
        positions = dict(self._session.sent) if response.session_id == 0 else self._session.sent
        self._session.handle_response(response.session_id)
        flushes: dict[asyncio.Future[None], FollowedPartition] = {}
        for topic in response.responses:
            for data in topic.partitions:
                key = FetchKey(topic.topic_id, data.partition_index)
                followed, position = self.followed.get(key), positions.get(key)
                if followed is not None and position is not None:
                    await self._take_partition(followed, position, data)
                    flush = self._replicas.flush_followed(followed.partition)
                    if flush is not None:
                        flushes[flush] = followed
        if flushes:
            await self._await_flushes(flushes)

    async def _await_flushes(self, flushes: dict[asyncio.Future[None], FollowedPartition]) -> None:
        """The next fetch tells the leader what is safe here. What cannot be flushed yet is left out of it."""
        _, pending = await asyncio.wait(flushes, timeout=self._settings.backoff_ms / 1000)
        for flush in pending:
            self._pause_until(flush, flushes[flush])

    async def _take_partition(self, followed: FollowedPartition, position: FetchPosition, data: PartitionData) -> None:
        if followed.position() != position or not followed.is_current:
            self._mark(followed.key)
            return
        try:
            if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
                await self._find_range(followed)
            elif data.error_code:
                self._pause(followed, ErrorCode(data.error_code).name)
                return
            else:
                followed.take(data, self._replicas, self._clock.wall_ms())
        except LogDirError as error:
            self._pause(followed, self._replicas.storage_failed(error))
        except KafkaError as error:
            self._pause(followed, error)
        else:
            self._mark(followed.key)

    async def _find_range(self, followed: FollowedPartition) -> None:
        leader_end = await self._list_offset(followed, _LATEST)
        leader_start = await self._list_offset(followed, _EARLIEST)
        if followed.is_current and self.followed.get(followed.key) is followed:
            followed.take_range(leader_start, leader_end, self._replicas)

    async def _list_offset(self, followed: FollowedPartition, timestamp: int) -> int:
        topic, index = followed.partition.topic_partition
        asked = ListOffsetsPartition(
            partition_index=index, current_leader_epoch=followed.leader_epoch, timestamp=timestamp
        )
        request = ListOffsetsRequest(
            replica_id=self._replicas.context.broker_id, topics=[ListOffsetsTopic(name=topic, partitions=[asked])]
        )
        timeout_ms = self._settings.socket_timeout_ms
        response: Any = await self._peers.request(self.leader_id, request, channel=self.name, timeout_ms=timeout_ms)
        (result,) = response.topics[0].partitions
        if result.error_code:
            raise error_for_code(result.error_code)
        offset: int = result.offset
        return offset

    def _pause(self, followed: FollowedPartition, reason: object) -> None:
        """Leave it out for a while: the leader may not lead yet, or we have not heard of the new one."""
        logger.debug("%s: %s: %s", self.name, followed.partition.topic_partition, reason)
        if self._leave_out(followed):
            followed.failures += 1
            if followed.failures >= _FAILURES_UNTIL_TOLD:
                self._limited.warning(
                    "stuck",
                    "%s cannot copy %s, %d times in a row: %s",
                    self.name,
                    followed.partition.topic_partition,
                    followed.failures,
                    reason,
                )
            self._wheel.schedule(self._backoff.delay_ms(followed.failures), self._resume(followed))

    def _pause_until(self, flush: asyncio.Future[None], followed: FollowedPartition) -> None:
        if self._leave_out(followed):
            flush.add_done_callback(self._resume(followed))

    def _leave_out(self, followed: FollowedPartition) -> bool:
        """False when it is followed anew meanwhile, in another epoch: what became of this one is nothing to that."""
        if self.followed.get(followed.key) is not followed:
            return False
        self._paused.add(followed.key)
        self._mark(followed.key)
        return True

    def _resume(self, followed: FollowedPartition) -> Callable[..., None]:
        def resume(_flush: asyncio.Future[None] | None = None) -> None:
            if self.followed.get(followed.key) is followed:
                self._paused.discard(followed.key)
                self._mark(followed.key)

        return resume
