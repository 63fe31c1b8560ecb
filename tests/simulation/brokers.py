"""Brokers made of the real parts: control plane, replication, logs, handlers. Only sockets and threads are missing."""

import asyncio
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ottla.broker.control_plane import ControlPlane
from ottla.broker.topic_configs import TopicConfigs
from ottla.clients.runtime import Runtime
from ottla.clock import TimerWheel
from ottla.config import BrokerConfig
from ottla.controller.config_store import ConfigStore
from ottla.controller.registration import create_roots
from ottla.coordination import paths
from ottla.coordination.errors import SessionError
from ottla.handlers.alter_partition import AlterPartitionHandlers
from ottla.handlers.api_versions import ApiVersionsHandlers
from ottla.handlers.control import ControlHandlers
from ottla.handlers.controlled_shutdown import ControlledShutdownHandlers
from ottla.handlers.fetch.deliver import FetchDelivery
from ottla.handlers.fetch.handler import FetchHandlers
from ottla.handlers.list_offsets import ListOffsetsHandlers
from ottla.handlers.metadata import MetadataHandlers
from ottla.handlers.produce import ProduceHandlers
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage
from ottla.observability.metrics import Metrics
from ottla.observability.topic_metrics import TopicMetrics
from ottla.replication.fetch_reader import Reads
from ottla.replication.fetch_session_cache import FetchSessionCache
from ottla.replication.purgatory import Purgatory
from ottla.replication.replica_context import ReplicaContext
from ottla.replication.replica_manager import Fetchers, ReplicaManager
from ottla.server.endpoints import AdvertisedEndpoint
from ottla.storage.background import InlineBackground
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_manager import LogManager
from ottla.storage.log_settings import log_settings
from ottla.transport import ReceiveBuffer
from simulation.disk import SurvivingDisk
from simulation.process import Process
from simulation.serving import ServedConnection
from simulation.zookeeper import DistantSession

if TYPE_CHECKING:
    from simulation.simulation import Simulation

Response = TypeVar("Response")

TICK_SECONDS = 1.0
TICK_MS = 5


class InlineDelivery(FetchDelivery):
    """Nothing is read ahead in a thread."""

    def deliver(self, version: int, respond: Callable[[Reads], Response], reads: Reads) -> Response:
        return respond(reads)


def address_of(broker_id: int) -> str:
    return f"broker{broker_id}"


class SimulatedBroker:
    """One broker over all its lives: its id and its disk stay, the process is another each time."""

    process: Process
    session: DistantSession
    replicas: ReplicaManager
    control: ControlPlane
    logs: LogManager

    def __init__(self, simulation: "Simulation", broker_id: int, directory: Path) -> None:
        self.simulation = simulation
        self.broker_id = broker_id
        self.address = address_of(broker_id)
        self.disk = SurvivingDisk(directory, simulation.chance)
        self.is_running = False
        self.is_serving = False
        self.life = 0

    # Life and death

    def start(self) -> None:
        self.is_running = True
        self.life += 1
        simulation = self.simulation
        self.process = Process(self.address, simulation.loop, simulation.observer(self))
        if self.life > 1:  # The session file lets a new process close what the old one left behind.
            simulation.zookeeper.close(self.session.session_id)
        self.session = simulation.zookeeper.distant_session(simulation.settings.session_timeout_ms)
        self.process.call_soon(self._begin)

    def kill(self, *, power_cut: bool = False) -> None:
        self.process.kill()
        self.session.connected = False
        self.simulation.network.gone(self.address)
        self.is_running = self.is_serving = False
        if hasattr(self, "logs"):
            self.logs.abandon()
        for part in ("logs", "replicas", "control"):  # What is in memory is gone.
            self.__dict__.pop(part, None)
        self.disk.process_killed(power_cut=power_cut)

    def pause(self) -> None:
        self.process.pause()
        self.session.connected = False

    def resume(self) -> None:
        if self.is_running:
            self.session.connected = True
            self.process.resume()
            self.process.call_soon(self.session.reconnect)

    def _begin(self) -> None:
        self.process.create_task(self._start_or_end())

    async def _start_or_end(self) -> None:
        """A broker that loses its session before it is up ends; whoever watches over it starts it again."""
        try:
            await self._start()
        except SessionError:
            self.simulation.loop.call_soon(self._restart, self.life)

    def _restart(self, life: int) -> None:
        if self.is_running and self.life == life:
            self.kill()
            self.start()

    async def _start(self) -> None:
        config = BrokerConfig.load(self._properties())
        clock = self.simulation.clock
        await self.session.start()
        await create_roots(self.session)
        wheel = TimerWheel(clock, TICK_MS)
        wheel.attach(self.process)
        metadata = MetadataCache(ClusterImage(cluster_id="simulated"))
        configs = ConfigStore(self.session, self.broker_id, clock)
        topic_configs = TopicConfigs(config, configs.overrides)
        await configs.start()
        await configs.load(await self.session.children(paths.BROKER_TOPICS))
        self._load_logs(config, topic_configs)
        metrics = Metrics(clock)

        def make_replicas(
            context: ReplicaContext,
            make_fetchers: Callable[[ReplicaManager], Fetchers],
            on_directory_failed: Callable[[], None],
        ) -> ReplicaManager:
            purgatory = Purgatory(self.process, wheel)
            self.replicas = ReplicaManager(
                self.logs, metadata, purgatory, TopicMetrics(metrics), context, make_fetchers
            )
            self.simulation.auditor.watch_cuts(self)
            return self.replicas

        connect = self.simulation.network.connector(self.address, self.process)
        runtime = Runtime(self.process, clock, wheel, ReceiveBuffer(1024), connect)
        self.control = ControlPlane(
            config, self.session, clock, self.broker_id, metadata, metrics, make_replicas, configs, runtime
        )
        table = self._handlers(metadata, metrics)
        mark_intact = self.logs.mark_intact if self.logs.may_lack_records else None
        await self.control.start({"PLAINTEXT": AdvertisedEndpoint(self.address, 9092)}, mark_intact)
        self.simulation.network.listen(
            self.address, self.process, lambda connection: ServedConnection(connection, table, self.process)
        )
        self.is_serving = True
        self._tick()

    def _properties(self) -> dict[str, str]:
        return {
            "broker.id": str(self.broker_id),
            "listeners": "PLAINTEXT://127.0.0.1:9092",
            "log.dirs": str(self.disk.directory),
            **self.simulation.settings.properties,
        }

    def _load_logs(self, config: BrokerConfig, topic_configs: TopicConfigs) -> None:
        self.logs = LogManager(
            log_settings(config),
            topic_configs,
            self.simulation.clock,
            disk=self.disk.recording,
            background=lambda path: InlineBackground(),
            high_watermark=self._high_watermark,
            boot_id=lambda: f"boot {self.disk.power_cuts}",
        )
        self.logs.open()
        self.logs.load()

    def _high_watermark(self, log: PartitionLog) -> int:
        return self.replicas.high_watermark(log)

    def _handlers(self, metadata: MetadataCache, metrics: Metrics) -> HandlerTable:
        table, clock = HandlerTable(), self.simulation.clock
        sessions = FetchSessionCache(clock, 1000)
        delivery = InlineDelivery(self.process, metrics)
        controller = self.control.controller
        for handlers in (
            ProduceHandlers(self.replicas, clock),
            FetchHandlers(self.replicas, sessions, delivery, response_bytes_max=1 << 20),
            ListOffsetsHandlers(self.replicas, clock),
            MetadataHandlers(metadata, self.control.creator, lambda: False),
            ControlHandlers(self.control.state),
            AlterPartitionHandlers(controller),
            ControlledShutdownHandlers(controller),
            ApiVersionsHandlers(table),
        ):
            handlers.register(table)
        return table

    def _tick(self) -> None:
        self.logs.tick()
        self.logs.durability.checkpoint_high_watermarks()
        asyncio.get_running_loop().call_later(TICK_SECONDS, self._tick)

    # What it knows

    @property
    def is_controller(self) -> bool:
        return self.is_serving and self.control.controller.is_active


def seeded_uuid(number: int) -> uuid.UUID:
    return uuid.UUID(int=(0x4000 << 64) | 0x8000_0000_0000_0000 | number)
