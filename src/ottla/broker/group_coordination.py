"""Consumer groups on this broker: the coordinator, told which partitions of `__consumer_offsets` are led here."""

import asyncio
import logging
from collections.abc import Callable

from ottla.clock import Clock, TimerWheel
from ottla.config import BrokerConfig
from ottla.controller.auto_creation import AutoTopicCreator
from ottla.coordination.session import Session
from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.group.settings import OFFSETS_TOPIC, GroupSettings
from ottla.coordinators.offsets.zookeeper_offsets import ZooKeeperOffsets
from ottla.coordinators.runtime.replicated_log import ReplicatedLog
from ottla.handlers.find_coordinator import FindCoordinatorHandlers
from ottla.handlers.groups import GroupHandlers
from ottla.handlers.offset_fetch import OffsetFetchHandlers
from ottla.handlers.offsets import OffsetHandlers
from ottla.handlers.registry import HandlerTable
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from ottla.observability.per_client_log import PerClientLog
from ottla.replication.replica_manager import ReplicaManager

logger = logging.getLogger(__name__)


class GroupCoordination:
    def __init__(
        self,
        config: BrokerConfig,
        session: Session,
        clock: Clock,
        wheel: TimerWheel,
        metrics: Metrics,
        metadata: MetadataCache,
        replicas: ReplicaManager,
        creator: AutoTopicCreator,
    ) -> None:
        self._config = config
        self._clock = clock
        self._metadata = metadata
        self._creator = creator
        self._creating: asyncio.Task[object] | None = None
        self._unsubscribe: Callable[[], None] = lambda: None
        self._zookeeper_offsets = ZooKeeperOffsets(session)
        self.coordinator = GroupCoordinator(
            GroupSettings.from_config(config),
            ReplicatedLog(OFFSETS_TOPIC, replicas, clock),
            self._partition_count,
            clock,
            wheel,
            metrics,
        )

    def start(self) -> None:
        self.coordinator.start()
        self._unsubscribe = self._metadata.subscribe(self._metadata_changed)

    async def stop(self) -> None:
        self._unsubscribe()
        self.coordinator.stop()
        if self._creating is not None:
            self._creating.cancel()

    def register(self, table: HandlerTable) -> None:
        length_max = self._config.int("offset.metadata.max.bytes")
        for handlers in (
            FindCoordinatorHandlers(self._metadata, self._ensure_internal_topic, PerClientLog(logger, self._clock)),
            GroupHandlers(self.coordinator),
            OffsetHandlers(self.coordinator, self._metadata, self._zookeeper_offsets, self._clock, length_max),
            OffsetFetchHandlers(self.coordinator, self._metadata, self._zookeeper_offsets),
        ):
            handlers.register(table)

    def partition_led(self, partition: TopicPartition, leader_epoch: int) -> None:
        if partition.topic == OFFSETS_TOPIC:
            self.coordinator.partition_won(partition.partition, leader_epoch)

    def partition_left(self, partition: TopicPartition) -> None:
        if partition.topic == OFFSETS_TOPIC:
            self.coordinator.partition_lost(partition.partition)

    def _metadata_changed(self, before: ClusterImage, after: ClusterImage) -> None:
        """Offsets of topics that are gone, or that were made anew under the same name, go too."""
        if before.topics is after.topics or not self.coordinator:
            return
        gone = [
            name
            for name, topic in before.topics.items()
            if name not in after.topics or after.topics[name].topic_id != topic.topic_id
        ]
        if gone:
            self.coordinator.topics_deleted(gone)

    def _partition_count(self) -> int:
        topic = self._metadata.image.topics.get(OFFSETS_TOPIC)
        return len(topic.partitions) if topic is not None else self._config.int("offsets.topic.num.partitions")

    def _ensure_internal_topic(self, name: str) -> None:
        """One attempt at a time; the client that asked asks again."""
        if self._creating is None or self._creating.done():
            self._creating = asyncio.ensure_future(self._creator.create_missing([name]))
