"""The cluster as a client uses it: who is there, who leads what, and a way to send each a request.

Begins at the bootstrap addresses (node ids -1, -2, ...) and then talks to the brokers that Metadata names; when none
of them can be reached it begins again from bootstrap. Metadata is fetched when somebody needs what is not known, when
a response says that the picture is old (`request_refresh`), and every `metadata.max.age.ms`; one request at a time, for
the topics that the client is interested in (or all).
"""

import asyncio
import random
from collections.abc import Callable, Iterable
from typing import Any

from ottla.clients.addresses import Address
from ottla.clients.connection import BrokerConnection, ConnectionSettings
from ottla.clients.connection_pool import ConnectionPool, ObserverOf
from ottla.clients.coordinator_lookup import CoordinatorLookup
from ottla.clients.errors import ClientClosedError, NoBrokerError, broker_error
from ottla.clients.outages import Outages
from ottla.clients.retry import Backoff, retried
from ottla.clients.runtime import Runtime
from ottla.clients.snapshot import EMPTY, ClusterSnapshot, PartitionSnapshot, TopicSnapshot, merge
from ottla.clock import Timer
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import (
    BrokerNotAvailableError,
    InvalidTopicError,
    LeaderNotAvailableError,
    NetworkError,
    NotControllerError,
    UnknownTopicOrPartitionError,
)
from ottla.protocol.message import Request
from ottla.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse


class Cluster:
    """Use on one event loop; `close` ends its connections."""

    def __init__(
        self,
        bootstrap: Iterable[Address],
        runtime: Runtime,
        settings: ConnectionSettings | None = None,
        *,
        allow_auto_create: bool = False,
        observer_of: ObserverOf | None = None,
        outages: Outages | None = None,
    ) -> None:
        self.settings = settings or ConnectionSettings()
        self.runtime = runtime
        self.snapshot: ClusterSnapshot = EMPTY
        self.pool = ConnectionPool(runtime, self.settings, observer_of, outages)
        self.retry_backoff = Backoff(self.settings.retry_backoff_ms, self.settings.retry_backoff_max_ms)
        self.coordinators = CoordinatorLookup(self)
        self.all_topics = False
        self._bootstrap = {-1 - index: address for index, address in enumerate(bootstrap)}
        self._allow_auto_create = allow_auto_create
        self._outages = outages
        self._topics: dict[str, None] = {}
        self._subscribers: list[Callable[[ClusterSnapshot], None]] = []
        self._refreshing: asyncio.Task[ClusterSnapshot] | None = None
        self._refresh_timer: Timer | None = None
        self._refresh_due = 0.0
        self._refresh_failures = 0
        self._closed = False

    # What is known

    def subscribe(self, callback: Callable[[ClusterSnapshot], None]) -> None:
        """Call back with every new snapshot."""
        self._subscribers.append(callback)

    def watch_topics(self, names: Iterable[str]) -> None:
        """Be interested in these topics too."""
        self._topics.update(dict.fromkeys(map(checked_topic, names)))

    def set_topics(self, names: Iterable[str]) -> None:
        """Be interested in exactly these topics."""
        self._topics = dict.fromkeys(map(checked_topic, names))

    def leader_of(self, topic: str, partition: int) -> PartitionSnapshot | None:
        return self.snapshot.leader_of(topic, partition)

    async def topic(self, name: str, timeout_ms: float) -> TopicSnapshot:
        """The topic, once the cluster knows it. What cannot be cured by waiting is raised at once."""
        self.watch_topics([name])

        async def attempt() -> TopicSnapshot:
            known = self._usable_topic(name)
            if known is None:
                await self.refresh()
                known = self._usable_topic(name)
            if known is None:
                raise UnknownTopicOrPartitionError(f"topic {name} is not known")
            return known

        return await retried(attempt, backoff=self.retry_backoff, timeout_ms=timeout_ms, what=f"metadata of {name}")

    def _usable_topic(self, name: str) -> TopicSnapshot | None:
        known = self.snapshot.topics.get(name)
        if known is None or known.error_code == ErrorCode.LEADER_NOT_AVAILABLE:
            return None
        if known.error_code:
            raise broker_error(known.error_code, f"topic {name}")
        return known if known.partitions else None

    async def leader(self, topic: str, partition: int, timeout_ms: float) -> PartitionSnapshot:
        """The partition with its leader, once it has one."""

        async def attempt() -> PartitionSnapshot:
            found = self.leader_of(topic, partition)
            if found is None:
                self.watch_topics([topic])
                await self.refresh()
                found = self.leader_of(topic, partition)
            if found is None:
                raise LeaderNotAvailableError(f"{topic}-{partition} has no leader")
            return found

        what = f"the leader of {topic}-{partition}"
        return await retried(attempt, backoff=self.retry_backoff, timeout_ms=timeout_ms, what=what)

    # Metadata

    async def refresh(self) -> ClusterSnapshot:
        """Fetch metadata now. NoBrokerError when no broker responds."""
        if self._closed:
            raise ClientClosedError("the client is closed")
        if self._refreshing is None:
            self._refreshing = self.runtime.loop.create_task(self._refresh())
            self._refreshing.add_done_callback(self._refreshed)
        return await asyncio.shield(self._refreshing)

    def request_refresh(self) -> None:
        """Fetch metadata soon, after a pause that grows while it fails. Does nothing while one is under way."""
        if self._closed or self._refreshing is not None:
            return
        self._schedule_refresh(self.retry_backoff.delay_ms(max(1, self._refresh_failures)))

    def _schedule_refresh(self, delay_ms: float) -> None:
        due = self.runtime.clock.monotonic() + delay_ms / 1000
        if self._refresh_timer is not None:
            if self._refresh_due <= due:
                return
            self._refresh_timer.cancel()
        self._refresh_due = due
        self._refresh_timer = self.runtime.wheel.schedule(delay_ms, self._on_refresh_timer)

    def _on_refresh_timer(self) -> None:
        self._refresh_timer = None
        if self._refreshing is None and not self._closed:
            self._refreshing = self.runtime.loop.create_task(self._refresh())
            self._refreshing.add_done_callback(self._refreshed)

    def _refreshed(self, task: "asyncio.Task[ClusterSnapshot]") -> None:
        self._refreshing = None
        if self._closed or task.cancelled():
            return
        failure = task.exception()
        if self._refresh_timer is not None:
            self._refresh_timer.cancel()
            self._refresh_timer = None
        if failure is not None:
            self._refresh_failures += 1
            self.request_refresh()
        else:
            self._refresh_failures = 0
            self._schedule_refresh(self.settings.metadata_max_age_ms)

    async def _refresh(self) -> ClusterSnapshot:
        all_topics = self.all_topics
        topics = None if all_topics else [MetadataRequestTopic(name=name) for name in self._topics]
        request = MetadataRequest(topics=topics, allow_auto_topic_creation=self._allow_auto_create)
        response: MetadataResponse = await self.send_to_any(request)
        now = self.runtime.clock.monotonic()
        self.snapshot = merge(self.snapshot, response, now, is_complete=all_topics)
        self.pool.retain_nodes(self.snapshot.brokers)
        if self._outages is not None:
            self._outages.note_snapshot(self.snapshot, self._topics)
        for callback in self._subscribers:
            callback(self.snapshot)
        return self.snapshot

    # Sending

    def address_of(self, node_id: int) -> Address:
        if node_id in self._bootstrap:
            return self._bootstrap[node_id]
        broker = self.snapshot.brokers.get(node_id)
        if broker is None:
            raise BrokerNotAvailableError(f"broker {node_id} is not known")
        return broker.address

    async def connection(self, node_id: int, channel: str = "") -> BrokerConnection:
        """The connection to a broker. A failure makes the client ask for metadata."""
        try:
            return await self.pool.connection(node_id, self.address_of(node_id), channel)
        except NetworkError:
            self.request_refresh()
            raise

    async def send(
        self,
        node_id: int,
        request: Request,
        *,
        channel: str = "",
        version_max: int | None = None,
        timeout_ms: float | None = None,
    ) -> Any:
        """The response of one broker. NetworkError when the connection ends first."""
        connection = await self.connection(node_id, channel)
        try:
            return await connection.send(request, version_max=version_max, timeout_ms=timeout_ms)
        except NetworkError:
            self.request_refresh()
            raise

    async def send_to_any(self, request: Request, *, timeout_ms: float | None = None) -> Any:
        """The response of the first broker that gives one. NoBrokerError when none does."""
        failures: list[str] = []
        for node_id in self._candidates():
            try:
                connection = await self.pool.connection(node_id, self.address_of(node_id))
                return await connection.send(request, timeout_ms=timeout_ms)
            except KafkaError as error:
                if not error.retriable:
                    raise
                failures.append(str(error))
        raise NoBrokerError(f"no broker answers ({'; '.join(failures)})")

    def _candidates(self) -> list[int]:
        """Brokers to ask: the least busy of those that are connected, then the others, bootstrap last."""
        connected = self.pool.open_nodes()
        known = list(self.snapshot.brokers)
        random.shuffle(known)
        first = [node for node in known if node in connected]
        first.sort(key=lambda node: connected[node].in_flight_count)
        others = [node for node in known if node not in connected]
        others.sort(key=self.pool.in_backoff)
        return [*first, *others, *self._bootstrap] if known else list(self._bootstrap)

    async def controller(self) -> int:
        """The broker that takes requests for the controller. NotControllerError, to be retried, while there is none."""
        if self.snapshot.controller_id not in self.snapshot.brokers:
            await self.refresh()
        if self.snapshot.controller_id not in self.snapshot.brokers:
            raise NotControllerError("the cluster has no controller now")
        return self.snapshot.controller_id

    async def close(self) -> None:
        self._closed = True
        if self._refresh_timer is not None:
            self._refresh_timer.cancel()
        if self._refreshing is not None:
            self._refreshing.cancel()
            await asyncio.gather(self._refreshing, return_exceptions=True)
        await self.pool.close()


def checked_topic(name: object) -> str:
    """The name of a topic; one that is no text would spoil every request for metadata."""
    if not isinstance(name, str):
        raise InvalidTopicError(f"the name of a topic is a str, not {name!r}")
    return name
