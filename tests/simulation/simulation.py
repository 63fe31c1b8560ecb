"""One run of a seed: a cluster, clients, faults for a while; then everything is mended and must become well again."""

import asyncio
import contextlib
import gc
import logging
import random
import shutil
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import ottla.model
from ottla.controller.topic_rules import NewTopic
from ottla.errors import KafkaError
from ottla.model import TopicPartition
from simulation.auditor import Auditor, Violation
from simulation.brokers import SimulatedBroker, seeded_uuid
from simulation.clients import ClientHost, Consumer, Producer
from simulation.faults import Faults
from simulation.idempotent_producer import IdempotentProducer
from simulation.network import Network
from simulation.virtual_loop import VirtualClock, VirtualLoop
from simulation.zookeeper import DistantZooKeeper

TOPIC = "t"
CONVERGE_SECONDS_MAX = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    brokers: int = 3
    partitions: int = 2
    replication_factor: int = 3
    min_insync_replicas: int = 2
    session_timeout_ms: int = 2000
    fault_seconds: float = 14.0
    fault_pause_max_s: float = 2.0
    delay_max_s: float = 0.05
    properties: dict[str, str] = field(default_factory=dict)


def settings_of(seed: int) -> Settings:
    """Seeds differ in the size of the cluster and the pace of things too."""
    chance = random.Random(seed)
    return Settings(
        brokers=chance.choice((3, 3, 3, 4, 5)),
        delay_max_s=chance.choice((0.01, 0.05, 0.5)),
        fault_pause_max_s=chance.choice((1.0, 2.5, 5.0)),
        properties={
            "replica.lag.time.max.ms": str(chance.choice((600, 1500, 4000))),
            "replica.fetch.wait.max.ms": "200",
            "replica.fetch.backoff.ms": "200",
            "replica.socket.timeout.ms": "1500",
            "controller.socket.timeout.ms": "1500",
            "num.replica.fetchers": str(chance.choice((1, 2))),
            "log.segment.bytes": str(chance.choice((1 << 14, 1 << 30))),
            "auto.leader.rebalance.enable": chance.choice(("true", "false")),
            "leader.imbalance.check.interval.seconds": "3",
        },
    )


class Simulation:
    def __init__(self, seed: int, settings: Settings, directory: Path) -> None:
        self.seed = seed
        self.settings = settings
        self.chance = random.Random(seed)
        self.clock = VirtualClock()
        self.loop = VirtualLoop(self.clock)
        self.zookeeper = DistantZooKeeper(self.clock, self.chance, settings.delay_max_s)
        self.network = Network(self.loop, self.chance, settings.delay_max_s)
        names = [TopicPartition(TOPIC, index) for index in range(settings.partitions)]
        self.auditor = Auditor(self, names)
        self.brokers: dict[int, SimulatedBroker] = {}
        for broker_id in range(settings.brokers):
            (directory / str(broker_id)).mkdir()
            self.brokers[broker_id] = SimulatedBroker(self, broker_id, directory / str(broker_id))
        self.clients = ClientHost(self)
        self.faults = Faults(self)
        self.is_ending = False
        self.is_over = False
        self.events = 0
        self.violation: Violation | None = None
        self._began = self.clock.now

    def elapsed(self) -> float:
        return self.clock.now - self._began

    def observer(self, broker: SimulatedBroker) -> Callable[[], None]:
        def observe() -> None:
            self.events += 1
            if self.violation is None:
                try:
                    self.auditor.observe(broker)
                except Violation as violation:
                    self.violation = violation
                    self.loop.stop()

        return observe

    # One run

    def run(self) -> None:
        """Raises Violation."""
        self._tick_zookeeper()
        for broker in self.brokers.values():
            broker.start()
        self._until(lambda: any(broker.is_controller for broker in self.brokers.values()), "no controller")
        self._until(lambda: all(broker.is_serving for broker in self.brokers.values()), "not all brokers are up")
        self._create_topic()
        self._start_clients()
        self.faults.start()
        self._run_for(self.settings.fault_seconds)
        self.is_ending = True
        self._mend()
        self._until(self._is_well, "the cluster does not become well")
        self.is_over = True
        self._run_for(5.0)
        self.auditor.check_history()

    def _tick_zookeeper(self) -> None:
        self.zookeeper.tick()
        for broker in self.brokers.values():
            if broker.is_running and not broker.process.is_paused:
                broker.process.call_soon(getattr, broker.session, "state")  # It looks at its own clock.
        self.loop.call_later(0.1, self._tick_zookeeper)

    def _run_for(self, seconds: float) -> None:
        self.loop.run_for(seconds)
        self._raise_failures()

    def _raise_failures(self) -> None:
        if self.violation is not None:
            raise self.violation
        for context in self.loop.failures:
            error = context.get("exception")
            if isinstance(error, Violation):
                raise error
            raise Violation(f"{context.get('process')}: {context.get('message')}: {error!r}") from error

    def _until(self, condition: Callable[[], bool], complaint: str) -> None:
        deadline = self.clock.now + CONVERGE_SECONDS_MAX
        while not condition():
            self._run_for(0.5)
            if self.clock.now > deadline:
                raise Violation(f"{complaint}: {self.auditor.check_converged()}")

    def _create_topic(self) -> None:
        created: list[object] = []

        async def create(broker: SimulatedBroker) -> None:
            configs = {"min.insync.replicas": str(self.settings.min_insync_replicas)}
            new = NewTopic(TOPIC, self.settings.partitions, self.settings.replication_factor, configs=configs)
            while not created:  # The controller may not have heard of all brokers yet.
                (outcome,) = await broker.control.controller.create_topics([new])
                if isinstance(outcome, KafkaError):
                    await asyncio.sleep(0.2)
                else:
                    created.append(outcome)

        controller = next(broker for broker in self.brokers.values() if broker.is_controller)
        controller.process.call_soon(lambda: controller.process.create_task(create(controller)))
        self._until(lambda: bool(created), "the topic is not created")
        self._until(lambda: self.auditor.check_converged() is None, "the partitions are not led")

    def _start_clients(self) -> None:
        number = 0
        for partition in self.auditor.partitions:
            for kind in (Producer, IdempotentProducer):
                self.clients.run(kind(self.clients, number, partition).run())
                number += 1
            self.clients.run(Consumer(self.clients, number, partition).run())
            number += 1

    def _mend(self) -> None:
        """Faults end by themselves; what is dead or stopped for longer is brought back now."""
        for broker in self.brokers.values():
            if broker.is_running and broker.process.is_paused:
                broker.resume()

    def _is_well(self) -> bool:
        for broker in self.brokers.values():
            if broker.is_running and not broker.process.is_paused and not broker.session.connected:
                broker.process.call_soon(broker.session.reconnect)
        return all(broker.is_serving for broker in self.brokers.values()) and self.auditor.check_converged() is None

    def end(self) -> None:
        for broker in self.brokers.values():
            if broker.is_running:
                broker.kill()
        self.clients.process.kill()
        self.loop.drop_everything()
        self.loop.close()


@contextlib.contextmanager
def seeded(seed: int) -> Iterator[None]:
    """All chance in the code under test comes from the seed: `random`, uuids."""
    source = random.Random(seed)
    original, original_uuid = random.Random, uuid.uuid4
    numbers = iter(range(1, 1 << 60))

    class SeededRandom(original):  # type: ignore[valid-type,misc]
        def __init__(self, x: object = None) -> None:
            super().__init__(source.getrandbits(64) if x is None else x)

    random.seed(seed)
    random.Random = SeededRandom  # type: ignore[misc]
    ottla.model.uuid.uuid4 = lambda: seeded_uuid(next(numbers))
    try:
        yield
    finally:
        random.Random, uuid.uuid4 = original, original_uuid  # type: ignore[misc]


def run_seed(seed: int, settings: Settings | None = None) -> Simulation:
    """The simulation after its run; its `violation` says what went wrong, if anything did."""
    logging.disable(logging.CRITICAL if not logging.getLogger().isEnabledFor(logging.DEBUG) else logging.NOTSET)
    shared_memory = Path("/dev/shm")
    root = Path(tempfile.mkdtemp(prefix="simulation-", dir=shared_memory if shared_memory.is_dir() else None))
    # A killed process leaves things that it was about to do.
    warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    gc.disable()  # What a dead process leaves behind is thrown away when the run is over, not at random.
    try:
        with seeded(seed):
            simulation = Simulation(seed, settings or settings_of(seed), root)
            try:
                simulation.run()
            except Violation as violation:
                simulation.violation = violation
            finally:
                simulation.end()
            return simulation
    finally:
        gc.enable()
        shutil.rmtree(root)
        logging.disable(logging.NOTSET)
