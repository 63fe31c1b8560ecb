"""Fetches ahead: long-polling requests to each broker, for all partitions that may take more data.

A partition is fetched while it is assigned, has a position, is not paused, and has less than a fetch's worth of data
waiting; all partitions together hold at most `fetch.max.bytes`. Partitions that got data go to the end of the next
request: the broker serves them in order, and none may starve. A batch larger than the bounds comes all the same, when
its partition is first.

A request for quiet partitions waits at the broker, and Kafka responds on a connection in order. So that a busy
partition (or one that was sought in or resumed meanwhile) need not wait behind it, there are two lanes to each broker,
with a connection each, and a fetch session each (`fetch_session_handler`). A partition is in one request at a time.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from ottla.clients.cluster import Cluster
from ottla.clients.connection import BrokerConnection
from ottla.clients.consumer.consumer_metrics import ConsumerMetrics
from ottla.clients.consumer.fetch_state import NO_REPLICA, NOT_FETCHING, FetchState
from ottla.clients.consumer.fetched import FetchedPartition
from ottla.clients.consumer.position_validation import PositionValidator, resolve
from ottla.clients.consumer.settings import FetchSettings
from ottla.clients.errors import NoOffsetForPartitionError, broker_error
from ottla.clients.fetch_session_handler import (
    SESSION_ERRORS,
    TOPIC_IDS_VERSION,
    TOPIC_NAMES_VERSION_MAX,
    FetchKey,
    FetchPosition,
    FetchSessionHandler,
)
from ottla.errors import ErrorCode, KafkaError, OttlaError
from ottla.errors.kafka import CorruptMessageError, UnsupportedVersionError
from ottla.model import TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.fetch import FetchRequest, FetchResponse, PartitionData

# The lanes: with two, one request can wait while the other brings data.
FETCH_CHANNELS = ("fetch", "fetch-2")
CONSUMER_REPLICA_ID = -1
_QUIET_ERRORS = frozenset({ErrorCode.OFFSET_NOT_AVAILABLE, ErrorCode.UNKNOWN_LEADER_EPOCH})


class _Asked(NamedTuple):
    state: FetchState
    generation: int
    position: FetchPosition


class Fetcher:
    def __init__(
        self,
        cluster: Cluster,
        states: dict[TopicPartition, FetchState],
        settings: FetchSettings,
        metrics: ConsumerMetrics,
        on_change: Callable[[], object],
    ) -> None:
        self.completed: deque[FetchedPartition] = deque()
        # Whether some log was truncated below what was fetched. Read from any thread.
        self.has_divergence = False
        self._cluster = cluster
        self._states = states
        self._settings = settings
        self._metrics = metrics
        self._on_change = on_change
        self._tasks: dict[tuple[int, str], asyncio.Task[None]] = {}
        self._sessions: defaultdict[tuple[int, str], FetchSessionHandler] = defaultdict(
            partial(FetchSessionHandler, settings.partition_max_bytes)
        )
        self._validator = PositionValidator(cluster, self._validated)
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def poke(self) -> None:
        """Fetch what may be fetched now."""
        if self._closed:
            return
        for node_id, states in self._group_fetchable().items():
            lane = next((name for name in FETCH_CHANNELS if (node_id, name) not in self._tasks), None)
            if lane is not None:
                self._start(node_id, lane, states)

    def take(self) -> FetchedPartition | None:
        """The oldest data that is still wanted. Data of paused partitions waits."""
        for _ in range(len(self.completed)):
            fetched = self.completed.popleft()
            if fetched.is_stale or self._states.get(fetched.state.partition) is not fetched.state:
                continue
            if fetched.state.is_paused:
                self.completed.append(fetched)
                continue
            fetched.state.buffered_bytes -= fetched.size_bytes
            return fetched
        return None

    def resolve_divergences(self) -> None:
        """Act on logs that were truncated. The user's positions must be exact now."""
        for state in self._states.values():
            resolve(state, self._settings.reset_to)
        self._note_divergences()

    def _note_divergences(self) -> None:
        self.has_divergence = any(state.divergence is not None for state in self._states.values())

    def _validated(self) -> None:
        self._note_divergences()
        self._on_change()
        self.poke()

    async def close(self) -> None:
        self._closed = True
        await self._validator.close()
        if self._timer is not None:
            self._timer.cancel()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # What to fetch

    def _group_fetchable(self) -> dict[int, list[FetchState]]:
        now = self._cluster.runtime.clock.monotonic()
        if sum(state.buffered_bytes for state in self._states.values()) >= self._settings.max_bytes:
            return {}
        grouped: dict[int, list[FetchState]] = {}
        unsure: list[FetchState] = []
        for state in self._states.values():
            if self._is_fetchable(state, now):
                node_id = self._node_of(state, now)
                if node_id is not None and state.needs_validation(self._leader_epoch(state.partition)):
                    unsure.append(state)
                elif node_id is not None:
                    grouped.setdefault(node_id, []).append(state)
        self._validator.validate(unsure)
        return grouped

    def _is_fetchable(self, state: FetchState, now: float) -> bool:
        if state.fetch_offset is None or state.is_paused or state.error is not None or state.divergence is not None:
            return False
        if state.fetching_generation == state.generation:
            return False
        if state.retry_at > now:
            self._poke_later(state.retry_at - now)
            return False
        return state.buffered_bytes < self._settings.partition_max_bytes

    def _node_of(self, state: FetchState, now: float) -> int | None:
        if state.preferred_replica != NO_REPLICA:
            if state.preferred_until > now and state.preferred_replica in self._cluster.snapshot.brokers:
                return state.preferred_replica
            state.preferred_replica = NO_REPLICA
            if state.preferred_until > now:  # the leader knows a broker that the metadata here does not have yet
                self._back_off(state)
                return None
        leader = self._cluster.leader_of(*state.partition)
        if leader is None:
            self._cluster.watch_topics([state.partition.topic])
            self._back_off(state)
            return None
        return leader.leader_id

    def _leader_epoch(self, partition: TopicPartition) -> int:
        leader = self._cluster.leader_of(*partition)
        return -1 if leader is None else leader.leader_epoch

    def _back_off(self, state: FetchState) -> None:
        """Ask for metadata, and for this partition again a little later."""
        self._cluster.request_refresh()
        delay_s = self._cluster.retry_backoff.delay_ms(1) / 1000
        state.retry_at = self._cluster.runtime.clock.monotonic() + delay_s
        self._poke_later(delay_s)

    def _poke_later(self, delay_s: float) -> None:
        if self._timer is None and not self._closed:
            self._timer = self._cluster.runtime.loop.call_later(delay_s, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self.poke()

    # Fetching

    def _start(self, node_id: int, lane: str, states: list[FetchState]) -> None:
        asked: dict[TopicPartition, _Asked] = {}
        for state in states:
            assert state.fetch_offset is not None, "only partitions with a position are fetched"
            position = FetchPosition(state.fetch_offset, self._leader_epoch(state.partition))
            asked[state.partition] = _Asked(state, state.generation, position)
            state.fetching_generation = state.generation
        work = self._fetch(node_id, lane, asked)
        self._tasks[node_id, lane] = self._cluster.runtime.loop.create_task(work)

    async def _fetch(self, node_id: int, lane: str, asked: Mapping[TopicPartition, _Asked]) -> None:
        session = self._sessions[node_id, lane]
        try:
            timeout_ms = self._settings.max_wait_ms + self._settings.request_timeout_ms
            connection = await self._cluster.connection(node_id, lane)
            version, named = self._name(connection, asked)
            request = self._request(session, named, version)
            response: FetchResponse = await connection.send(request, version=version, timeout_ms=timeout_ms)
            if response.error_code and response.error_code not in SESSION_ERRORS:
                raise broker_error(response.error_code, f"fetching from broker {node_id}")
            self._take_response(session, response, named)
        except UnsupportedVersionError as error:  # which no further attempt would cure
            for state, _, _ in asked.values():
                state.error = error
        except KafkaError:
            session.handle_error()
            for state, _, _ in asked.values():
                state.preferred_replica = NO_REPLICA
                self._back_off(state)
        finally:
            self._tasks.pop((node_id, lane), None)
            for state, generation, _ in asked.values():
                if state.fetching_generation == generation:
                    state.fetching_generation = NOT_FETCHING
        self._on_change()
        self.poke()

    def _name(
        self, connection: BrokerConnection, asked: Mapping[TopicPartition, _Asked]
    ) -> tuple[int, dict[FetchKey, _Asked]]:
        """The version to fetch in, and the partitions as it names them: by id where all of the ids are known."""
        version = connection.version_of(ApiKey.FETCH)
        if version >= TOPIC_IDS_VERSION:
            topic_ids = self._cluster.snapshot.topic_ids_of(partition.topic for partition in asked)
            if topic_ids is not None:
                by_id = {FetchKey(topic_ids[topic], index): found for (topic, index), found in asked.items()}
                return version, by_id
            version = connection.version_of(ApiKey.FETCH, TOPIC_NAMES_VERSION_MAX)
        return version, {FetchKey(*partition): found for partition, found in asked.items()}

    def _request(self, session: FetchSessionHandler, named: Mapping[FetchKey, _Asked], version: int) -> FetchRequest:
        request = FetchRequest(
            replica_id=CONSUMER_REPLICA_ID,
            max_wait_ms=self._settings.max_wait_ms,
            min_bytes=self._settings.min_bytes,
            max_bytes=self._settings.max_bytes,
            isolation_level=int(self._settings.read_committed),
            rack_id=self._settings.rack,
        )
        positions = {key: asked.position for key, asked in named.items()}
        session.fill(request, positions, uses_topic_ids=version >= TOPIC_IDS_VERSION)
        return request

    def _take_response(
        self, session: FetchSessionHandler, response: FetchResponse, named: Mapping[FetchKey, _Asked]
    ) -> None:
        if response.error_code:
            session.handle_error(response.error_code)  # and the next request begins a new one
            return
        session.handle_response(response.session_id)
        self._metrics.note_fetch(response.throttle_time_ms)
        for topic in response.responses:
            for data in topic.partitions:
                found = named.get(FetchKey(topic.topic or topic.topic_id, data.partition_index))
                if found is None or found.generation != found.state.generation:
                    continue  # assigned away or sought elsewhere while the response was on its way
                if self._states.get(found.state.partition) is found.state:
                    self._take_partition(found, data)

    def _take_partition(self, asked: _Asked, data: PartitionData) -> None:
        state = asked.state
        if data.error_code:
            self._take_error(state, data.error_code)
            return
        state.high_watermark = data.high_watermark
        state.last_stable_offset = data.last_stable_offset
        state.log_start_offset = data.log_start_offset
        if data.preferred_read_replica >= 0:
            state.preferred_replica = data.preferred_read_replica
            now = self._cluster.runtime.clock.monotonic()
            state.preferred_until = now + self._settings.metadata_max_age_ms / 1000
            return
        if not data.records:
            return
        assert isinstance(data.records, memoryview), "decoded records are slices of the frame"
        asked_offset = asked.position.fetch_offset
        fetched = FetchedPartition(state, data.records, asked_offset, data.aborted_transactions, self._settings)
        try:
            end = fetched.end()
        except OttlaError as error:  # the next fetch would bring the same bytes
            state.error = error
            return
        if end is None or end[0] <= asked_offset:
            # No broker cuts the first batch of a response: what it has on disk is damaged. Asking on and on is no help.
            where = f"{state.partition} at offset {asked_offset}"
            state.error = CorruptMessageError(f"{where}: a batch is cut short or damaged: seek past it to go on")
            return
        next_offset, state.fetch_epoch = end
        state.validated_epoch = asked.position.leader_epoch
        state.fetch_offset = next_offset
        state.buffered_bytes += fetched.size_bytes
        self.completed.append(fetched)
        self._metrics.note_partition(state, fetched.size_bytes)
        self._states.pop(state.partition)
        self._states[state.partition] = state

    def _take_error(self, state: FetchState, code: int) -> None:
        error = broker_error(code, f"fetching {state.partition}")
        if code == ErrorCode.OFFSET_OUT_OF_RANGE:
            self._take_out_of_range(state)
        elif error.retriable or code in _QUIET_ERRORS:
            state.preferred_replica = NO_REPLICA
            self._back_off(state)
        else:
            state.error = error

    def _take_out_of_range(self, state: FetchState) -> None:
        if state.preferred_replica != NO_REPLICA:
            state.preferred_replica = NO_REPLICA  # a follower may be behind: ask the leader
        elif self._settings.reset_to is None:
            state.error = NoOffsetForPartitionError([state.partition])
        else:
            state.request_reset(self._settings.reset_to)
