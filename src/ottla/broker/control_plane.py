"""The broker's part in the cluster: registration, the controller (active or not), dynamic configs, producer ids."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from ottla.broker.hosted_partitions import HostedPartitions
from ottla.broker.peer_metadata_refresh import PeerMetadataRefresh
from ottla.broker.replication_plane import ReplicationPlane, connection_settings
from ottla.clients.runtime import Runtime
from ottla.clock import Clock
from ottla.config import BrokerConfig
from ottla.controller.auto_creation import AutoTopicCreator
from ottla.controller.config_store import ConfigStore
from ottla.controller.context import ControllerStats
from ottla.controller.control_request_handler import ControlRequestHandler
from ottla.controller.network_channel import NetworkChannel
from ottla.controller.node import ControllerNode, ControllerSettings, Rebalancing
from ottla.controller.producer_ids import ProducerIdManager
from ottla.controller.registration import BrokerRegistration, OwnRegistration
from ottla.controller.topic_rules import TopicDefaults
from ottla.coordination import paths
from ottla.coordination.errors import CoordinationError
from ottla.coordination.payloads.admin import LogDirEvent
from ottla.coordination.payloads.brokers import BrokerInfo, Endpoint
from ottla.coordination.session import Session, SessionEvent
from ottla.metadata.cache import MetadataCache
from ottla.observability.metrics import Metrics
from ottla.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse
from ottla.replication.replica_context import ReplicaContext
from ottla.replication.replica_manager import Fetchers, ReplicaManager
from ottla.server.endpoints import AdvertisedEndpoint

logger = logging.getLogger(__name__)

_ALTER_PARTITION_VERSION = 3
_UNCLEAN = "unclean.leader.election.enable"
_FETCHERS = "num.replica.fetchers"


class ControlPlane:
    def __init__(
        self,
        config: BrokerConfig,
        session: Session,
        clock: Clock,
        broker_id: int,
        metadata: MetadataCache,
        metrics: Metrics,
        make_replicas: Callable[
            [ReplicaContext, Callable[[ReplicaManager], Fetchers], Callable[[], None]], ReplicaManager
        ],
        configs: ConfigStore,
        runtime: Runtime,
    ) -> None:
        """`make_replicas` is `DataPlane.host`: its last argument is told that a log directory has failed."""
        self._config = config
        self._session = session
        self._clock = clock
        self._broker_id = broker_id
        self.registration = OwnRegistration(broker_id)
        self.configs = configs
        self.producer_ids = ProducerIdManager(session, broker_id)
        self.replication = ReplicationPlane(
            config,
            runtime,
            session,
            metadata,
            metrics,
            self.registration,
            lambda context, make_fetchers: make_replicas(context, make_fetchers, self._log_directory_failed),
            self._alter_locally,
        )
        self.replicas = self.replication.replicas
        self.hosted = HostedPartitions(self.replicas)
        self.state = ControlRequestHandler(
            self.registration, metadata, self.hosted, configs, on_told_everything=self._told_everything
        )
        self._peer_metadata = PeerMetadataRefresh(self.replication.peers, metadata, self.state)
        listeners = (config.control_plane_listener_name, config.inter_broker_listener_name)
        self._channel = NetworkChannel(
            self.state,
            runtime,
            connection_settings(config, broker_id),
            tuple(name for name in listeners if name),
            timeout_ms=config.int("controller.socket.timeout.ms"),
        )
        self.controller = ControllerNode(
            broker_id,
            session,
            clock,
            self._channel,
            configs,
            ControllerSettings(
                defaults=self._topic_defaults,
                deletion_enabled=lambda: config.bool("delete.topic.enable"),
                unclean_by_default=lambda: config.bool(_UNCLEAN),
                rebalancing=self._rebalancing,
            ),
            self._register,
            stats=_controller_stats(metrics),
        )
        self.creator = AutoTopicCreator(self.controller, metadata, config, self.replication.peers)
        configs.subscribe(on_topic=self._topic_config_changed)
        self._unsubscribe = session.subscribe(self._session_changed)
        self._registration: BrokerRegistration | None = None
        self._mark_intact: Callable[[], None] | None = None
        self._writing: set[asyncio.Task[None]] = set()

    async def start(
        self, endpoints: Mapping[str, AdvertisedEndpoint], mark_intact: Callable[[], None] | None = None
    ) -> None:
        """Register with these endpoints and take part in the election of a controller.

        With `mark_intact` the broker may lack records, and says so until the controller has dealt with it; then
        `mark_intact` is called.
        """
        self._mark_intact = mark_intact
        info = BrokerInfo(
            endpoints=tuple(
                Endpoint(name, endpoint.host, endpoint.port, "PLAINTEXT") for name, endpoint in endpoints.items()
            ),
            timestamp_ms=self._clock.wall_ms(),
            rack=self._config.string("broker.rack"),
            may_lack_records=mark_intact is not None,
        )
        self._registration = BrokerRegistration(self._session, self._broker_id, info)
        await self.controller.start()
        self.replication.start()

    async def stop(self) -> None:
        await self.controller.stop()
        await self._channel.close()
        self._unsubscribe()
        self._peer_metadata.stop()
        await self.replication.stop()
        await self.configs.stop()

    async def _register(self) -> int:
        assert self._registration is not None
        self.registration.registered(await self._registration.register())
        return self.registration.broker_epoch

    async def _alter_locally(self, request: AlterPartitionRequest) -> AlterPartitionResponse:
        return await self.controller.alter_partition(request, _ALTER_PARTITION_VERSION)

    def _session_changed(self, event: SessionEvent) -> None:
        if event is SessionEvent.EXPIRED:
            self.replication.session_lost()
            self._peer_metadata.begin()

    def _told_everything(self) -> None:
        """The controller knows us: if we may have lacked records we are in no ISR now that has another member."""
        mark_intact, self._mark_intact = self._mark_intact, None
        if mark_intact is not None and self._registration is not None:
            mark_intact()
            self._later(self._registration.lacks_nothing())

    def _later(self, action: Coroutine[Any, Any, None]) -> None:
        """Something that is written to ZooKeeper, and need not be waited for."""
        task = asyncio.get_running_loop().create_task(action)
        self._writing.add(task)
        task.add_done_callback(self._written)

    def _written(self, task: "asyncio.Task[None]") -> None:
        self._writing.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, CoordinationError):  # With a new session the controller asks for everything anyway.
            logger.warning("the controller was not told: %s", error)
        elif error is not None:
            logger.error("the controller was not told", exc_info=error)

    def _log_directory_failed(self) -> None:
        """Tell the controller, by a znode: it asks for all replicas here, and learns which are gone."""
        self._later(self._notify_log_directory_failed())

    async def _notify_log_directory_failed(self) -> None:
        path = f"{paths.LOG_DIR_EVENT_NOTIFICATION}/{paths.LOG_DIR_EVENT_PREFIX}"
        await self._session.create(path, LogDirEvent(self._broker_id).encode(), sequence=True)

    def _topic_defaults(self) -> TopicDefaults:
        return TopicDefaults(
            partitions=self._config.int("num.partitions"),
            replication_factor=self._config.int("default.replication.factor"),
        )

    def _rebalancing(self) -> Rebalancing:
        config = self._config
        return Rebalancing(
            enabled=config.bool("auto.leader.rebalance.enable"),
            interval_s=config.int("leader.imbalance.check.interval.seconds"),
            percentage=config.int("leader.imbalance.per.broker.percentage"),
        )

    def _topic_config_changed(self, topic: str, overrides: Mapping[str, str]) -> None:
        self.replicas.configure_topic(topic)
        if overrides.get(_UNCLEAN) == "true":
            self.controller.unclean_election_allowed(topic)

    def config_changed(self, keys: frozenset[str]) -> None:
        """These keys of the broker have other values now."""
        if _UNCLEAN in keys and self._config.bool(_UNCLEAN):
            self.controller.unclean_election_allowed()
        if _FETCHERS in keys:
            self.replication.fetchers.redistribute()


def _controller_stats(metrics: Metrics) -> ControllerStats:
    prefix = "kafka_controller_controllerstats_"
    return ControllerStats(
        elections=metrics.histogram(prefix + "leaderelectionrateandtimems"),
        unclean=metrics.counter(prefix + "uncleanleaderelections_total"),
    )
