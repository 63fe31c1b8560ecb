"""The broker among its peers: it follows other leaders, its own ISR changes go to the controller, its session counts.

The parts are made here and hung into the replica manager and the partitions' context; `session` is what tells whether
this broker may still act as a leader.
"""

import asyncio
import logging

from ottla.broker.peer_metadata_refresh import SecondHandMetadata
from ottla.clients.addresses import Address
from ottla.clients.connection import ConnectionSettings
from ottla.clients.runtime import Runtime
from ottla.config import BrokerConfig
from ottla.controller.control_request_handler import BrokerState
from ottla.controller.node import ControllerNode
from ottla.coordination.session import Session, SessionEvent
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import NO_LEADER, ClusterImage
from ottla.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse
from ottla.replication.alter_partition_manager import IsrChanges
from ottla.replication.fetcher import FetcherSettings, FetcherSurroundings
from ottla.replication.fetcher_manager import FetcherManager
from ottla.replication.peers import Peers
from ottla.replication.replica_manager import ReplicaManager

logger = logging.getLogger(__name__)

_ALTER_PARTITION_VERSION = 3


class ReplicationPlane:
    def __init__(
        self,
        config: BrokerConfig,
        runtime: Runtime,
        session: Session,
        metadata: MetadataCache,
        replicas: ReplicaManager,
        state: BrokerState,
        controller: ControllerNode,
    ) -> None:
        self._config = config
        self._session = session
        self._metadata = metadata
        self._replicas = replicas
        self._state = state
        self._controller = controller
        self._loop = runtime.loop
        self._listener = config.inter_broker_listener_name
        self.peers = Peers(runtime, connection_settings(config, state.broker_id), self._address)
        surroundings = FetcherSurroundings(replicas, self.peers, runtime.clock, runtime.wheel, fetcher_settings(config))
        self.fetchers = FetcherManager(surroundings, lambda: config.int("num.replica.fetchers"))
        self.isr_changes = IsrChanges(replicas.context, metadata, self.peers, self._alter_locally)
        self._second_hand = SecondHandMetadata(self.peers, metadata, state)
        self._checking: asyncio.TimerHandle | None = None
        self._unsubscribe = session.subscribe(self._session_changed)
        self._unsubscribe_metadata = metadata.subscribe(self._image_changed)
        self._hang_in()

    def _hang_in(self) -> None:
        context = self._replicas.context
        context.broker_epoch = lambda: self._state.broker_epoch
        context.may_acknowledge = lambda: self._session.lease_valid() and self._state.is_current
        context.propose_isr = self.isr_changes.propose
        self._replicas.fetchers = self.fetchers

    def start(self) -> None:
        interval_s = self._replicas.context.lag_time_max_s / 2
        self._checking = self._loop.call_later(interval_s, self._check)

    async def stop(self) -> None:
        self._unsubscribe()
        self._unsubscribe_metadata()
        if self._checking is not None:
            self._checking.cancel()
        self._second_hand.stop()
        self.fetchers.stop()
        self.isr_changes.stop()
        await self.peers.close()

    def _check(self) -> None:
        self._replicas.check_isrs()
        self.start()

    def _image_changed(self, before: ClusterImage, after: ClusterImage) -> None:
        if before.brokers.keys() != after.brokers.keys():
            self._replicas.check_isrs()

    def _session_changed(self, event: SessionEvent) -> None:
        """What we led may be led elsewhere by now: nothing is acknowledged before the controller has spoken again."""
        if event is SessionEvent.EXPIRED:
            self._state.session_lost()
            self._replicas.session_lost()
            self._metadata.swap(without_leader(self._metadata.image, self._state.broker_id))
            self._second_hand.begin()

    def _address(self, broker_id: int) -> Address | None:
        endpoint = self._metadata.image.endpoint(broker_id, self._listener)
        return None if endpoint is None else Address(endpoint.host, endpoint.port)

    async def _alter_locally(self, request: AlterPartitionRequest) -> AlterPartitionResponse:
        return await self._controller.alter_partition(request, _ALTER_PARTITION_VERSION)


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
