"""The broker's part in the cluster: registration, the controller (in office or not), dynamic configs, producer ids."""

from collections.abc import Mapping

from ottla.broker.hosted_partitions import HostedPartitions
from ottla.clock import Clock
from ottla.config import BrokerConfig
from ottla.config.dynamic import apply_found
from ottla.controller.auto_creation import AutoTopicCreator
from ottla.controller.broker_channel import LocalChannel
from ottla.controller.broker_state import BrokerState
from ottla.controller.config_store import ConfigStore
from ottla.controller.node import ControllerNode, ControllerSettings
from ottla.controller.producer_ids import ProducerIdManager
from ottla.controller.registration import BrokerRegistration
from ottla.controller.topic_rules import TopicDefaults
from ottla.coordination.payloads.brokers import BrokerInfo, Endpoint
from ottla.coordination.session import Session
from ottla.metadata.cache import MetadataCache
from ottla.replication.replica_manager import ReplicaManager
from ottla.server.endpoints import AdvertisedEndpoint


class ControlPlane:
    def __init__(
        self,
        config: BrokerConfig,
        session: Session,
        clock: Clock,
        broker_id: int,
        metadata: MetadataCache,
        replicas: ReplicaManager,
        configs: ConfigStore,
    ) -> None:
        self._config = config
        self._session = session
        self._clock = clock
        self._broker_id = broker_id
        self._replicas = replicas
        self.configs = configs
        self.producer_ids = ProducerIdManager(session, broker_id)
        self.hosted = HostedPartitions(replicas)
        self.state = BrokerState(broker_id, metadata, self.hosted, configs)
        channel = LocalChannel({broker_id: self.state})
        self.controller = ControllerNode(
            broker_id,
            session,
            clock,
            channel,
            configs,
            ControllerSettings(
                defaults=self._topic_defaults,
                deletion_enabled=lambda: config.bool("delete.topic.enable"),
                unclean_by_default=lambda: config.bool("unclean.leader.election.enable"),
            ),
            self._register,
        )
        self.creator = AutoTopicCreator(self.controller, metadata, config, channel)
        configs.on_topic_config = self._topic_config_changed
        configs.on_broker_config = self._broker_config_changed
        self._registration: BrokerRegistration | None = None

    async def start(self, endpoints: Mapping[str, AdvertisedEndpoint]) -> None:
        """Register with these endpoints and take part in the election of a controller."""
        info = BrokerInfo(
            endpoints=tuple(
                Endpoint(name, endpoint.host, endpoint.port, "PLAINTEXT") for name, endpoint in endpoints.items()
            ),
            timestamp_ms=self._clock.wall_ms(),
            rack=self._config.string("broker.rack"),
        )
        self._registration = BrokerRegistration(self._session, self._broker_id, info)
        await self.controller.start()

    async def stop(self) -> None:
        await self.controller.stop()
        await self.configs.stop()

    @property
    def broker_epoch(self) -> int:
        return self.state.broker_epoch

    async def _register(self) -> int:
        assert self._registration is not None
        self.state.broker_epoch = await self._registration.register()
        return self.state.broker_epoch

    def _topic_defaults(self) -> TopicDefaults:
        return TopicDefaults(
            partitions=self._config.int("num.partitions"),
            replication_factor=self._config.int("default.replication.factor"),
        )

    def _topic_config_changed(self, topic: str, overrides: Mapping[str, str]) -> None:
        self._replicas.configure_topic(topic)

    def _broker_config_changed(self, broker_id: int | None, configs: Mapping[str, str]) -> None:
        if broker_id is None:
            apply_found(self._config, cluster_default=configs)
        elif broker_id == self._broker_id:
            apply_found(self._config, per_broker=configs)
