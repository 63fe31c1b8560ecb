"""A replica manager over real logs in a folder, with a clock that the test moves and a disk whose syncs it can hold."""

import asyncio
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ottla.clock import ManualClock, TimerWheel
from ottla.config import BrokerConfig
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import BrokerRegistration, Endpoint, PartitionImage, TopicImage
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from ottla.observability.topic_metrics import TopicMetrics
from ottla.records.record import Record, encode_batch
from ottla.replication.leadership import IsrProposal
from ottla.replication.partition import Partition, PartitionAssignment
from ottla.replication.purgatory import Purgatory
from ottla.replication.replica_context import ReplicaContext
from ottla.replication.replica_manager import Fetchers, NoFetchers, ReplicaManager
from ottla.storage.background import Done, Work
from ottla.storage.log_manager import LogManager
from ottla.storage.log_settings import log_settings

BROKER_ID = 1
BROKER_EPOCH = 100
TOPIC_ID = uuid.UUID(int=7)


class HeldBackground:
    """Work that waits until the test lets it run."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Work, Done]] = []
        self.held = False

    def submit(self, work: Work, done: Done) -> None:
        self.waiting.append((work, done))
        if not self.held:
            self.run()

    def run(self) -> None:
        while self.waiting:
            work, done = self.waiting.pop(0)
            work()
            done(None)

    def close(self) -> None:
        self.run()


class Replicas:
    """One broker's data without a network: `proposals` are the ISR changes that its partitions ask for."""

    def __init__(self, directory: Path, overrides: Mapping[str, str]) -> None:
        config = BrokerConfig.load({"log.dirs": str(directory), "broker.id": str(BROKER_ID)})
        self.clock = ManualClock()
        self.background = HeldBackground()
        self.metadata = MetadataCache()
        self.metrics = Metrics(self.clock)
        topic_config = config.topic_config(overrides)
        self.logs = LogManager(
            log_settings(config), lambda topic: topic_config, self.clock, background=lambda path: self.background
        )
        self.logs.open()
        self.logs.load()
        self.may_acknowledge = True
        self.proposals: list[IsrProposal] = []
        self.wheel = TimerWheel(self.clock)
        self.purgatory = Purgatory(asyncio.get_running_loop(), self.wheel)
        self.manager = self.make_manager()

    def make_manager(
        self, make_fetchers: Callable[[ReplicaManager], Fetchers] = lambda replicas: NoFetchers()
    ) -> ReplicaManager:
        context = ReplicaContext(
            BROKER_ID,
            self.clock,
            broker_epoch=lambda: BROKER_EPOCH,
            may_acknowledge=lambda: self.may_acknowledge,
            propose_isr=lambda partition, proposal: self.proposals.append(proposal),
        )
        topic_metrics = TopicMetrics(self.metrics)
        return ReplicaManager(self.logs, self.metadata, self.purgatory, topic_metrics, context, make_fetchers)

    def lead(
        self,
        topic: str = "t",
        count: int = 1,
        *,
        epoch: int = 0,
        isr: tuple[int, ...] = (BROKER_ID,),
        replicas: tuple[int, ...] | None = None,
        topic_id: uuid.UUID = TOPIC_ID,
    ) -> Partition:
        """Make this broker the leader of a topic's partitions; the first of them."""
        replicas = replicas or isr
        state = PartitionAssignment(BROKER_ID, epoch, isr, replicas, epoch)
        partitions = {index: PartitionImage(BROKER_ID, epoch, isr, replicas, epoch, 1) for index in range(count)}
        image = self.metadata.image.with_topics([TopicImage(topic, topic_id, partitions)])
        self.metadata.swap(image)
        for index in range(count):
            self.manager.apply(TopicPartition(topic, index), topic_id, state)
        return self.manager.partition(topic, 0)

    def follow(self, leader: int, epoch: int, topic: str = "t") -> Partition:
        """Make another broker the leader of partition 0, which this one held; the metadata say so, and where it is."""
        known = self.metadata.image.topics[topic]
        held = known.partitions[0]
        partition = PartitionImage(leader, epoch, held.isr, held.replicas, epoch, 1)
        image = self.metadata.image.with_topics([TopicImage(topic, known.topic_id, {0: partition})])
        endpoints = {"INSIDE": Endpoint(f"inside{leader}", 1), "OUTSIDE": Endpoint(f"outside{leader}", 2)}
        self.metadata.swap(image.with_brokers(BROKER_ID, {leader: BrokerRegistration(leader, endpoints, "rack")}))
        state = PartitionAssignment(leader, epoch, held.isr, held.replicas, epoch)
        self.manager.apply(TopicPartition(topic, 0), known.topic_id, state)
        return self.manager.partition(topic, 0)

    def append(self, partition: Partition, value: bytes = b"v", acks: int = 1) -> int:
        info = self.manager.append(partition, batch(value), acks, 9, self.clock.wall_ms())
        return info.first_offset

    async def advance_ms(self, milliseconds: int) -> None:
        self.clock.advance_ms(milliseconds)
        self.wheel.advance()
        await turn()


def batch(value: bytes = b"v", count: int = 1) -> memoryview:
    return memoryview(
        bytearray(encode_batch([Record(index, 1_700_000_000_000, None, value, ()) for index in range(count)]))
    )


async def turn() -> None:
    """One turn of the event loop, for what was scheduled to run."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)


@contextmanager
def replicas_in(directory: Path, **overrides: str) -> Iterator[Replicas]:
    """Keyword arguments are topic configs with `_` for `.`."""
    replicas = Replicas(directory, {key.replace("_", "."): value for key, value in overrides.items()})
    try:
        yield replicas
    finally:
        replicas.background.held = False
        replicas.logs.close()
