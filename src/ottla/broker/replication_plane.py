"""The broker among its peers: it follows other leaders, and its own ISR changes go to the controller."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from ottla.clients.addresses import Address
from ottla.clients.connection import ConnectionSettings
from ottla.clients.runtime import Runtime
from ottla.config import BrokerConfig
from ottla.controller.registration import OwnRegistration
from ottla.coordination.session import Session
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import NO_LEADER, ClusterImage
from ottla.observability.metrics import Metrics
from ottla.replication.alter_partition_manager import AlterLocally, AlterPartitionManager, IsrMetrics
from ottla.replication.fetcher import FetcherDependencies, FetcherSettings
from ottla.replication.fetcher_manager import FetcherManager
from ottla.replication.peers import Peers
from ottla.replication.replica_context import ReplicaContext
from ottla.replication.replica_manager import Fetchers, ReplicaManager


class MakeReplicas(Protocol):
    """Makes the home of the broker's partitions (`DataPlane.host`)."""

    def __call__(
        self, context: ReplicaContext, make_fetchers: Callable[[ReplicaManager], Fetchers], /
    ) -> ReplicaManager: ...


class ReplicationPlane:
    """Two circles are closed here, and nowhere else by a late binding (`broker/__init__`):

    Fetchers append through the replica manager, which tells them what to follow: it makes them of itself.
    A partition's ISR goes to the controller, which may be this broker and tells its own partitions: `alter_locally`.
    """

    def __init__(
        self,
        config: BrokerConfig,
        runtime: Runtime,
        session: Session,
        metadata: MetadataCache,
        metrics: Metrics,
        registration: OwnRegistration,
        make_replicas: MakeReplicas,
        alter_locally: AlterLocally,
    ) -> None:
        self._config = config
        self._runtime = runtime
        self._session = session
        self._metadata = metadata
        self._registration = registration
        self._loop = runtime.loop
        self._listener = config.inter_broker_listener_name
        self.peers = Peers(runtime, connection_settings(config, registration.broker_id), self._address)
        self.alter_partition_manager = AlterPartitionManager(
            registration.broker_id, self._broker_epoch, metadata, self.peers, alter_locally, _isr_metrics(metrics)
        )
        self.replicas = make_replicas(self._context(), self._make_fetchers)
        self._checking: asyncio.TimerHandle | None = None
        self._unsubscribe_metadata = metadata.subscribe(self._image_changed)

    def _context(self) -> ReplicaContext:
        return ReplicaContext(
            self._registration.broker_id,
            self._runtime.clock,
            self._config.int("replica.lag.time.max.ms"),
            broker_epoch=self._broker_epoch,
            is_alive=lambda broker: broker in self._metadata.image.brokers,
            may_acknowledge=lambda: self._session.lease_valid() and self._registration.is_current,
            propose_isr=self.alter_partition_manager.propose,
        )

    def _broker_epoch(self) -> int:
        return self._registration.broker_epoch

    def _make_fetchers(self, replicas: ReplicaManager) -> FetcherManager:
        runtime, settings = self._runtime, fetcher_settings(self._config)
        dependencies = FetcherDependencies(replicas, self.peers, runtime.clock, runtime.wheel, settings)
        self.fetchers = FetcherManager(dependencies, lambda: self._config.int("num.replica.fetchers"))
        return self.fetchers

    def start(self) -> None:
        interval_s = self.replicas.context.lag_time_max_s / 2
        self._checking = self._loop.call_later(interval_s, self._check)

    async def stop(self) -> None:
        self._unsubscribe_metadata()
        if self._checking is not None:
            self._checking.cancel()
        self.fetchers.stop()
        self.alter_partition_manager.stop()
        await self.peers.close()

    def _check(self) -> None:
        self.replicas.check_isrs()
        self.start()

    def _image_changed(self, before: ClusterImage, after: ClusterImage) -> None:
        if before.brokers.keys() != after.brokers.keys():
            self.replicas.check_isrs()

    def session_lost(self) -> None:
        """What we led may be led elsewhere by now: nothing is acknowledged before the controller has spoken again."""
        self._registration.session_lost()
        self.replicas.session_lost()
        self._metadata.swap(without_leader(self._metadata.image, self._registration.broker_id))

    def _address(self, broker_id: int) -> Address | None:
        endpoint = self._metadata.image.endpoint(broker_id, self._listener)
        return None if endpoint is None else Address(endpoint.host, endpoint.port)


def without_leader(image: ClusterImage, broker_id: int) -> ClusterImage:
    """The image of a broker that does not know any more what it leads: its clients must ask somebody else."""
    changed = []
    for topic in image.topics.values():
        led = {i: part._replace(leader=NO_LEADER) for i, part in topic.partitions.items() if part.leader == broker_id}
        if led:
            changed.append(topic._replace(partitions={**topic.partitions, **led}))
    return image.with_topics(changed)


def connection_settings(config: BrokerConfig, broker_id: int) -> ConnectionSettings:
    return ConnectionSettings(
        client_id=f"broker-{broker_id}",
        request_timeout_ms=config.int("controller.socket.timeout.ms"),
        connect_timeout_ms=config.int("controller.socket.timeout.ms"),
        idle_max_ms=-1,
    )


def fetcher_settings(config: BrokerConfig) -> FetcherSettings:
    return FetcherSettings(
        partition_bytes_max=config.int("replica.fetch.max.bytes"),
        response_bytes_max=config.int("replica.fetch.response.max.bytes"),
        min_bytes=config.int("replica.fetch.min.bytes"),
        wait_max_ms=config.int("replica.fetch.wait.max.ms"),
        backoff_ms=config.int("replica.fetch.backoff.ms"),
        socket_timeout_ms=config.int("replica.socket.timeout.ms"),
    )


def _isr_metrics(metrics: Metrics) -> IsrMetrics:
    prefix = "kafka_server_replicamanager_"
    names = ("isrshrinks_total", "isrexpands_total", "failedisrupdates_total")
    return IsrMetrics(*(metrics.counter(prefix + name) for name in names))
