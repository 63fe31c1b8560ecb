"""Brokers without network or storage: real sessions in memory, real controllers, replicas that only remember."""

import asyncio
import random
from collections.abc import Mapping

from ottla.clock import ManualClock
from ottla.controller.broker_channel import LocalChannel
from ottla.controller.config_store import ConfigStore
from ottla.controller.control_request_handler import ControlRequestHandler
from ottla.controller.local_partitions import PartitionRole
from ottla.controller.node import ControllerNode, ControllerSettings
from ottla.controller.registration import BrokerRegistration, OwnRegistration, create_roots
from ottla.controller.topic_rules import TopicDefaults
from ottla.coordination.payloads.brokers import BrokerInfo, Endpoint
from ottla.errors import KafkaError
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage, PartitionImage
from ottla.model import TopicPartition
from ottla.testing.memory_session import MemorySession, MemoryZooKeeper


class RememberedPartitions:
    """LocalPartitions that keep the last role of each partition, and can be told to fail."""

    def __init__(self) -> None:
        self.roles: dict[TopicPartition, PartitionRole] = {}
        self.overrides: dict[TopicPartition, Mapping[str, str]] = {}
        self.leading: set[TopicPartition] = set()
        self.deleted: list[TopicPartition] = []
        self.failure: KafkaError | None = None

    def is_offline(self, partition: TopicPartition) -> bool:
        return False

    def become_leader(self, role: PartitionRole, overrides: Mapping[str, str]) -> None:
        self._take(role, overrides)
        self.leading.add(role.partition)

    def become_follower(self, role: PartitionRole, overrides: Mapping[str, str]) -> None:
        self._take(role, overrides)
        self.leading.discard(role.partition)

    def _take(self, role: PartitionRole, overrides: Mapping[str, str]) -> None:
        if self.failure is not None:
            raise self.failure
        before = self.roles.get(role.partition)
        assert before is None or role.leader_epoch > before.leader_epoch, "an old role got through"
        self.roles[role.partition] = role
        self.overrides[role.partition] = overrides

    def stop(self, partition: TopicPartition, *, delete: bool) -> None:
        if self.failure is not None:
            raise self.failure
        self.roles.pop(partition, None)
        self.leading.discard(partition)
        if delete:
            self.deleted.append(partition)


class ControlledBroker:
    def __init__(self, cluster: "ControlledCluster", broker_id: int, rack: str | None) -> None:
        self.cluster = cluster
        self.broker_id = broker_id
        self.session: MemorySession = cluster.zookeeper.session(timeout_ms=6000)
        self.cache = MetadataCache(ClusterImage(cluster_id="thZDzCkNTueY2KLrT0plMg"))
        self.partitions = RememberedPartitions()
        self.configs = ConfigStore(self.session, broker_id, cluster.clock)
        self.own = OwnRegistration(broker_id)
        self.state = ControlRequestHandler(self.own, self.cache, self.partitions, self.configs)
        endpoint = Endpoint("PLAINTEXT", f"host{broker_id}", 9092)
        info = BrokerInfo((endpoint,), cluster.clock.wall_ms(), rack)
        self.registration = BrokerRegistration(self.session, broker_id, info)
        self.controller = ControllerNode(
            broker_id,
            self.session,
            cluster.clock,
            cluster.channel,
            self.configs,
            ControllerSettings(
                lambda: TopicDefaults(cluster.default_partitions, cluster.default_replication_factor),
                lambda: cluster.deletion_enabled,
                lambda: cluster.unclean,
            ),
            self._register,
            random.Random(broker_id),
        )

    async def _register(self) -> None:
        self.own.registered(await self.registration.register())

    async def start(self) -> None:
        await self.session.start()
        await create_roots(self.session)
        await self.configs.start()
        self.cluster.running[self.broker_id] = self
        self.cluster.states[self.broker_id] = self.state
        await self.controller.start()
        await self.cluster.settle()

    async def stop(self) -> None:
        await self.controller.stop()
        await self.configs.stop()
        await self.session.close()
        self._forget()
        await self.cluster.settle()

    async def crash(self) -> None:
        """As after kill -9: nothing is said, the session ends by itself."""
        await self.session.close()
        await self.controller._queue.stop()
        await self.configs.stop()
        self._forget()
        await self.cluster.settle()

    def _forget(self) -> None:
        self.cluster.running.pop(self.broker_id, None)
        self.cluster.states.pop(self.broker_id, None)

    def partition(self, topic: str, number: int = 0) -> PartitionImage:
        found = self.cache.image.partition(topic, number)
        assert found is not None
        return found


class ControlledCluster:
    def __init__(self) -> None:
        self.clock = ManualClock()
        self.zookeeper = MemoryZooKeeper(self.clock)
        self.states: dict[int, ControlRequestHandler] = {}
        self.running: dict[int, ControlledBroker] = {}
        self.channel = LocalChannel(self.states)
        self.default_partitions = 1
        self.default_replication_factor = 1
        self.deletion_enabled = True
        self.unclean = False

    async def start(self, *broker_ids: int, racks: Mapping[int, str] | None = None) -> "list[ControlledBroker]":
        started = []
        for broker_id in broker_ids:
            broker = ControlledBroker(self, broker_id, (racks or {}).get(broker_id))
            await broker.start()
            started.append(broker)
        return started

    @property
    def controller(self) -> ControlledBroker:
        (active,) = [broker for broker in self.running.values() if broker.controller.is_active]
        return active

    async def settle(self) -> None:
        """Wait until nobody who is connected has anything left to do."""
        quiet_turns = 0
        while quiet_turns < 60:
            await asyncio.sleep(0)
            busy = any(b.session.connected and b.controller.is_busy for b in self.running.values())
            quiet_turns = 0 if busy else quiet_turns + 1

    async def close(self) -> None:
        for broker in list(self.running.values()):
            await broker.stop()
