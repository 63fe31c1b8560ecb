"""One broker: its parts in the order in which they start, which is the reverse of the order in which they stop.

    log directories locked        another broker on them is found out before anything is touched
    ZooKeeper                     session (the embedded server first, where there is no zookeeper.connect)
    identity                      cluster id, broker id, meta.properties
    metrics                       told from here on, so that a recovery can be watched
    logs loaded                   in a thread: recovery after a crash may take long, and the session must be kept
    sockets bound                 the ports are ours, so that what is registered is true; nobody is answered yet
    registered, controller        partitions become leaders here
    server                        requests are answered

A stop first has other brokers lead what is led here. Then it runs backwards: clients first, then the controller
resigns, then the logs are flushed and marked clean, and the session is closed last, which takes the registration away.
Each step has a bound (`stop_sequence`): what it waits for may never come.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Protocol, TypeVar

from ottla.broker.broker_telemetry import BrokerState, BrokerTelemetry
from ottla.broker.control_plane import ControlPlane
from ottla.broker.controlled_shutdown import leave_cluster
from ottla.broker.data_plane import DataPlane
from ottla.broker.deployment import plan_deployment
from ottla.broker.group_coordination import GroupCoordination
from ottla.broker.handler_table import build_handler_table
from ottla.broker.identity import Identity, establish_identity
from ottla.broker.log_dir_contents import LogDirContents, look_into, warn_of_unknown_topics
from ottla.broker.stop_sequence import FLUSH_SECONDS_MAX, StopSequence
from ottla.broker.topic_configs import TopicConfigs
from ottla.broker.zookeeper import ZooKeeperLink
from ottla.clients.runtime import RECEIVE_BYTES, Runtime
from ottla.clock import SystemClock, TimerWheel
from ottla.config import BrokerConfig
from ottla.config.dynamic import apply_found
from ottla.controller.config_store import ConfigStore, StoredTopicConfigs
from ottla.controller.registration import create_roots
from ottla.coordination import paths
from ottla.coordination.kazoo_session import KazooSession
from ottla.coordination.session import Session
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage
from ottla.observability.metrics import Metrics
from ottla.protocol.codec import prepare
from ottla.server.connection_limits import raise_descriptor_limit
from ottla.server.endpoints import AdvertisedEndpoint, plan_listeners, resolve_advertised
from ottla.server.limits import ServerLimits
from ottla.server.server import Server
from ottla.transport import ReceiveBuffer

logger = logging.getLogger(__name__)


class Stoppable(Protocol):
    async def stop(self) -> None: ...


Part = TypeVar("Part", bound=Stoppable)


class Broker:
    """`await start()`, `await stop()`. `failed` gets an exception when the broker cannot go on."""

    identity: Identity
    endpoints: dict[str, AdvertisedEndpoint]
    data: DataPlane
    control: ControlPlane
    server: Server
    session: KazooSession
    _telemetry: BrokerTelemetry

    def __init__(self, config: BrokerConfig) -> None:
        self.config = config
        self.deployment = plan_deployment(config)
        self.clock = SystemClock()
        self.metrics = Metrics(self.clock)
        self.metadata = MetadataCache()
        self._stored_configs = StoredTopicConfigs()
        self.stops = StopSequence()
        self._subscriptions = ExitStack()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._is_up = False

    @property
    def address(self) -> str:
        """host:port of the first listener, for people."""
        endpoint = next(iter(self.endpoints.values()))
        return f"{endpoint.host}:{endpoint.port}"

    async def start(self) -> None:
        """Everything up, or an exception; `stop` takes down what was up in either case."""
        loop = asyncio.get_running_loop()
        began_at = self.clock.monotonic()
        prepare()
        raise_descriptor_limit()
        wheel = TimerWheel(self.clock)
        wheel.attach(loop)
        self.stops.push_callback("the timers", wheel.detach)
        request_times = self.metrics.histogram("kafka_server_zookeeperclientmetrics_zookeeperrequestlatencyms")
        link = ZooKeeperLink(self.config, self.deployment, self.clock, self.fail, self._log_dir_contents, request_times)
        self._will_stop("the ZooKeeper session", link)
        topic_configs = TopicConfigs(self.config, self._stored_configs.overrides)
        self.data = DataPlane(self.config, topic_configs, self.clock, self.metrics, self.fail)
        self.data.logs.open()
        self.stops.push("the logs", self.data.stop, FLUSH_SECONDS_MAX)
        self.session = session = await link.start()
        await create_roots(session)
        self.identity = await establish_identity(self.config, session, self.data.logs)
        self.metadata.swap(ClusterImage(cluster_id=self.identity.cluster_id))
        configs = await self._start_configs(session)
        self._telemetry = self._will_stop("the metrics", BrokerTelemetry(self))
        await self._telemetry.start()
        self._telemetry.enter(BrokerState.RECOVERING)
        await self.data.load()
        await self._start_serving(session, configs, wheel)
        self._is_up = True
        self._telemetry.enter(BrokerState.RUNNING)
        logger.info(
            "broker %d of cluster %s is up on %s (started in %.2f s)",
            *self.identity,
            ", ".join(self._listening()),
            self.clock.monotonic() - began_at,
        )

    async def stop(self) -> None:
        """Idempotent. What fails on the way is logged, and the rest is stopped all the same: see `stops.left`."""
        if self._is_up:
            self._is_up = False
            self._telemetry.enter(BrokerState.CONTROLLED_SHUTDOWN)
            await self._leave_cluster()
            self._telemetry.enter(BrokerState.STOPPING)
        await self.stops.run()
        if self.failed.done():
            self.failed.exception()  # Whoever runs the broker has it, unless the broker was being stopped already.
        if self.stops.left:
            logger.warning("stopped, but not in order: %s", ", ".join(self.stops.left))
        else:
            logger.info("stopped")

    async def _leave_cluster(self) -> None:
        """For a third of the time that a stop has: the rest of the stop must not come too short."""
        timeout_s = self.config.int("ottla.stop.timeout.ms") / 3000
        try:
            await asyncio.wait_for(leave_cluster(self.config, self.metadata, self.control), timeout_s)
        except TimeoutError:
            logger.warning("controlled shutdown not done after %g s: others lead once this broker is gone", timeout_s)

    def fail(self, error: BaseException) -> None:
        """The broker cannot go on; whoever runs it stops it."""
        if not self.failed.done():
            self.failed.set_exception(error)
            self.failed.exception()  # Before it is up nobody waits for this one: the start raises by itself.

    async def _start_configs(self, session: Session) -> ConfigStore:
        """Dynamic configs: the broker's own and every topic's must be at hand before a log is opened."""
        configs = ConfigStore(session, self.identity.broker_id, self.clock, self._stored_configs)
        configs.subscribe(on_broker=self._broker_config_found)
        self.stops.push_callback("the configuration", self._subscriptions.close)
        self._on_config_change(lambda keys: self.data.config_changed())
        await configs.start()
        topics = await session.children(paths.BROKER_TOPICS)
        warn_of_unknown_topics(self._log_dir_contents(), topics, self.config.log_dirs)
        await configs.load(topics)
        return configs

    def _log_dir_contents(self) -> LogDirContents:
        logs = self.data.logs
        clusters = (meta.cluster_id for _source, meta in logs.dirs.found_meta())
        return look_into((log_dir.path for log_dir in logs.dirs.online()), next(filter(None, clusters), None))

    async def _start_serving(self, session: Session, configs: ConfigStore, wheel: TimerWheel) -> None:
        config, broker_id = self.config, self.identity.broker_id
        runtime = Runtime(asyncio.get_running_loop(), self.clock, wheel, ReceiveBuffer(RECEIVE_BYTES))
        self.control = ControlPlane(
            config,
            session,
            self.clock,
            broker_id,
            self.metadata,
            self.metrics,
            partial(self.data.host, self.metadata, wheel),
            configs,
            runtime,
        )
        self._on_config_change(self.control.config_changed)
        replicas = self.control.replicas
        groups = GroupCoordination(
            config, session, self.clock, wheel, self.metrics, self.metadata, replicas, self.control.creator
        )
        self.control.hosted.subscribe(groups)
        table = build_handler_table(config, self.clock, broker_id, self.metadata, self.data, self.control, groups)
        self.server = Server(
            plan_listeners(config.listeners, config.inter_broker_listener_name, config.control_plane_listener_name),
            table,
            loop=asyncio.get_running_loop(),
            clock=self.clock,
            wheel=wheel,
            metrics=self.metrics,
            limits=ServerLimits.from_config(config),
            notify_if_few=replicas.purgatory.notify_if_few,
        )
        self._on_config_change(lambda keys: self.server.apply_limits(ServerLimits.from_config(config)))
        bound = self.server.bind()
        self.stops.push_callback("the listeners", self.server.stop_accepting)
        self.endpoints = resolve_advertised(config.advertised_listeners, bound)
        self._will_stop("the controller", self.control)
        groups.start()
        self._will_stop("the group coordinator", groups)
        logs = self.data.logs
        await self.control.start(self.endpoints, logs.mark_intact if logs.may_lack_records else None)
        self.data.start()
        self._telemetry.watch_parts()
        self.server.start()
        self._will_stop("the server", self.server)

    def _broker_config_found(self, broker_id: int | None, found: Mapping[str, str]) -> None:
        """In ZooKeeper, at the start or later; None: for all brokers."""
        if broker_id is None:
            apply_found(self.config, cluster_default=found)
        else:
            apply_found(self.config, per_broker=found)

    def _on_config_change(self, changed: Callable[[frozenset[str]], None]) -> None:
        """Until the broker has stopped."""
        self._subscriptions.callback(self.config.subscribe(changed))

    def _will_stop(self, name: str, part: Part) -> Part:
        self.stops.push(name, part.stop)
        return part

    def _listening(self) -> list[str]:
        return [f"{name}://{endpoint.host}:{endpoint.port}" for name, endpoint in self.endpoints.items()]
