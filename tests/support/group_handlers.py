"""The handlers of groups over a real coordinator whose log is in memory; requests and answers go through the codec."""

import asyncio
import logging
import uuid

from ottla.clock import ManualClock, TimerWheel
from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.offsets.zookeeper_offsets import ZooKeeperOffsets
from ottla.errors import KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.find_coordinator import FindCoordinatorHandlers
from ottla.handlers.groups import GroupHandlers
from ottla.handlers.offset_fetch import OffsetFetchHandlers
from ottla.handlers.offsets import OffsetHandlers
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import BrokerRegistration, ClusterImage, Endpoint, PartitionImage, TopicImage
from ottla.observability.metrics import Metrics
from ottla.observability.per_client_log import PerClientLog
from ottla.protocol.codec import decode, encode
from ottla.testing.memory_session import MemorySession, MemoryZooKeeper
from support.coordinator_logs import MemoryCoordinatorLog

TOPIC_ID = uuid.UUID(int=7)
LISTENER = "PLAINTEXT"


def cluster_image(*topics: TopicImage) -> ClusterImage:
    broker = BrokerRegistration(3, {LISTENER: Endpoint("host-3", 9093)})
    return ClusterImage(brokers={3: broker}, topics={topic.name: topic for topic in topics})


def topic_image(name: str, partitions: int, *, leader: int = 3, topic_id: uuid.UUID = TOPIC_ID) -> TopicImage:
    partition = PartitionImage(leader, 0, (3,), (3,), 0, 0)
    return TopicImage(name, topic_id, dict.fromkeys(range(partitions), partition))


class GroupHandlerTable:
    """`call` sends a request in a version, as a client would, and gives the decoded answer."""

    def __init__(self, settings: GroupSettings | None = None) -> None:
        self.clock = ManualClock()
        self.session = MemorySession(MemoryZooKeeper(self.clock), 6000)
        self.timers = TimerWheel(self.clock)
        self.log = MemoryCoordinatorLog()
        self.metadata = MetadataCache(cluster_image(topic_image("t", 4)))
        self.wanted_topics: list[str] = []
        settings = settings or GroupSettings(initial_rebalance_delay_ms=0)
        self.coordinator = GroupCoordinator(settings, self.log, lambda: 1, self.clock, self.timers, Metrics(self.clock))
        self.table = HandlerTable()
        zookeeper_offsets = ZooKeeperOffsets(self.session)
        for handlers in (
            GroupHandlers(self.coordinator),
            OffsetHandlers(self.coordinator, self.metadata, zookeeper_offsets, self.clock, 4096),
            OffsetFetchHandlers(self.coordinator, self.metadata, zookeeper_offsets),
            FindCoordinatorHandlers(
                self.metadata, self.wanted_topics.append, PerClientLog(logging.getLogger("ottla.test"), self.clock)
            ),
        ):
            handlers.register(self.table)

    async def start(self) -> "GroupHandlerTable":
        await self.session.start()
        self.coordinator.start()
        self.coordinator.partition_won(0, 1)
        await self.coordinator.loaded()
        return self

    async def call(self, request, version: int, *, client_id: str | None = "client"):
        answer = self.send(request, version, client_id=client_id)
        return await answer if asyncio.iscoroutine(answer) or isinstance(answer, asyncio.Future) else answer

    def send(self, request, version: int, *, client_id: str | None = "client"):
        """The answer, or what to await for it."""
        entry = self.table.find(request.API_KEY, version)
        decoded, _ = decode(type(request), version, encode(request, version))
        context = RequestContext(request.API_KEY, version, client_id=client_id)
        try:
            answer = entry.handle(context, decoded)
        except KafkaError as error:
            answer = entry.on_error(decoded, version, error)
        if asyncio.iscoroutine(answer) or isinstance(answer, asyncio.Future):
            return _later(answer, version)
        return _through_codec(answer, version)


async def _later(answer, version: int):
    return _through_codec(await answer, version)


def _through_codec(answer, version: int):
    return decode(type(answer), version, encode(answer, version))[0]
