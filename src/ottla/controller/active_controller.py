"""The controller while it is active: made when this broker is elected, thrown away when it is not any more.

Each method is one event of the queue: look at ZooKeeper, plan, write, tell the brokers. Watches are set by the same
reads that the plans are made from, so nothing can happen unseen in between.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence

from ottla.controller import plans
from ottla.controller.context import ControllerContext, Dependencies
from ottla.controller.election import Elected
from ottla.controller.leader_moves import LeaderMoves
from ottla.controller.notifications import Notifications
from ottla.controller.partition_alterations import PartitionAlterations
from ottla.controller.state import BrokerRecord
from ottla.controller.topic_deletions import TopicDeletions
from ottla.coordination import paths
from ottla.coordination.session import Watch
from ottla.model import ZERO_UUID, TopicPartition, random_uuid

log = logging.getLogger(__name__)


class ActiveController:
    def __init__(self, elected: Elected, dependencies: Dependencies) -> None:
        self.context = ControllerContext(elected, dependencies)
        self.state = self.context.state
        self.store = self.context.store
        self.deletions = TopicDeletions(self.context)
        self.notifications = Notifications(self.context)
        self.alterations = PartitionAlterations(self.context)
        self.moves = LeaderMoves(self.context)

    async def take_over(self) -> None:
        """Read everything, repair what the last controller left undone, and tell every broker everything."""
        await self.notifications.drop_old()
        self._set_brokers(await self._read_brokers())
        await self._read_topics(await self._topic_names())
        await self.deletions.mark(await self.deletions.requested())
        lacking = await self._shrink_isr_of_suspects(self.state.brokers)
        changed = await self.context.elect(p for p in self.state.partitions if p.topic not in self.state.deletions)
        batch = self.context.batch()
        batch.changed(changed.partitions | lacking, new=changed.new)
        batch.send_all_to(self.state.brokers)
        self.context.send(batch)
        await self.deletions.proceed()
        await self.notifications.look()
        log.info(
            "controller in epoch %d: %d brokers, %d topics, %d partitions",
            self.state.epoch,
            len(self.state.brokers),
            len(self.state.topics),
            len(self.state.partitions),
        )

    # Brokers

    async def _read_brokers(self) -> dict[int, BrokerRecord]:
        look = self.context.watch("brokers", self.brokers_changed)
        return await self.store.read_brokers(look, look)

    def _set_brokers(self, brokers: dict[int, BrokerRecord]) -> None:
        self.state.brokers = brokers
        self.context.dependencies.channel.brokers_changed(brokers)

    async def brokers_changed(self) -> None:
        """A broker came, went, or changed its endpoints. One that went and came back went first."""
        found = await self._read_brokers()
        difference = plans.compare_brokers(self.state, found)
        if difference.departed:
            await self._brokers_departed(difference.departed)
        self._set_brokers(found)
        if difference.arrived:
            await self._brokers_arrived(difference.arrived)
        elif difference.modified:
            batch = self.context.batch()
            batch.update_metadata(())
            self.context.send(batch)

    async def _brokers_departed(self, departed: frozenset[int]) -> None:
        log.info("brokers gone: %s", sorted(departed))
        affected = plans.affected_by(self.state, departed)
        self._set_brokers({b: record for b, record in self.state.brokers.items() if b not in departed})
        for broker in departed:
            self.state.offline_replicas.pop(broker, None)
            self.state.shutting_down.discard(broker)
        changed = await self.context.elect(affected)
        batch = self.context.batch()
        batch.changed(changed.partitions)
        batch.update_metadata(affected)
        self.context.send(batch)

    async def _brokers_arrived(self, arrived: frozenset[int]) -> None:
        log.info("brokers here: %s", sorted(arrived))
        lacking = await self._shrink_isr_of_suspects(arrived)
        changed = await self.context.elect(plans.without_leader(self.state))
        batch = self.context.batch()
        batch.update_metadata(plans.affected_by(self.state, arrived))
        batch.changed(changed.partitions | lacking, new=changed.new)
        batch.send_all_to(arrived)
        self.context.send(batch)
        await self.deletions.proceed()

    async def _shrink_isr_of_suspects(self, arrived: Iterable[int]) -> set[TopicPartition]:
        """Before anybody is elected: those who may lack records are in sync no longer. Told nothing until then."""
        brokers = list(arrived)
        changed = await self.context.change(lambda: plans.plan_without_lacking(self.state, brokers))
        if changed.partitions:
            log.warning("%d partitions had in-sync replicas that may lack records", len(changed.partitions))
        return changed.partitions

    # Topics

    async def _topic_names(self) -> list[str]:
        look = self.context.watch("topics", self.topics_changed)
        return await self.context.session.children(paths.BROKER_TOPICS, look)

    def _topic_watch(self, name: str) -> Watch:
        return self.context.watch(("topic", name), lambda: self.topic_modified(name))

    async def _read_topics(self, names: Iterable[str]) -> list[TopicPartition]:
        """Take topics over from ZooKeeper; returns the partitions that were not known."""
        names = list(names)
        found = await asyncio.gather(*(self.store.read_topic(name, self._topic_watch(name)) for name in names))
        added: list[TopicPartition] = []
        for name, topic in zip(names, found, strict=True):
            if topic is not None:
                assignment, version = topic
                if assignment.topic_id == ZERO_UUID:  # made by an older tool: it gets its id now
                    assignment = assignment._replace(topic_id=random_uuid())
                    version = await self.store.write_topic(name, assignment, version)
                added += self.state.put_topic(name, assignment, version)
        for partition, (state, version) in (await self.store.read_states(added, self._state_watch)).items():
            self.state.put_state(partition, state, version)
        return added

    def _state_watch(self, partition: TopicPartition) -> Watch:
        return self.context.watch(("state", partition), lambda: self.state_repaired(partition))

    async def state_repaired(self, partition: TopicPartition) -> None:
        """A state that could not be read has changed. Its brokers have not been told of it in this term."""
        if partition not in self.state.partitions or partition.topic in self.state.deletions:
            return
        found = await self.store.read_states([partition], self._state_watch)
        for state, version in found.values():
            self.state.put_state(partition, state, version)
        changed = await self.context.elect([partition])
        batch = self.context.batch()
        batch.changed(changed.partitions | found.keys(), new=changed.new)
        self.context.send(batch)

    async def topics_changed(self) -> None:
        """Somebody, perhaps we ourselves, made or removed topics."""
        names = set(await self._topic_names())
        for gone in self.state.topics.keys() - names:
            self.state.drop_topic(gone)
        await self.open_partitions(await self._read_topics(names - self.state.topics.keys()))

    async def topic_modified(self, name: str) -> None:
        """A topic's znode changed: a tool added partitions, or it can be read at last."""
        if name not in self.state.deletions:
            await self.open_partitions(await self._read_topics([name]))

    async def watch_topic(self, name: str) -> None:
        """For a topic that we made ourselves and need not read."""
        await self.context.session.exists(paths.topic(name), self._topic_watch(name))

    async def open_partitions(self, partitions: Sequence[TopicPartition]) -> None:
        """Give new partitions their first leader, and tell everybody of them, led or not.

        One may have had a leader before this term: its topic could not be read until now. Nobody was told of it.
        """
        if not partitions:
            return
        led_before = {p for p in partitions if self.state.partitions[p].state is not None}
        changed = await self.context.elect(partitions)
        batch = self.context.batch()
        batch.changed(changed.partitions | led_before, new=changed.new)
        batch.update_metadata(partitions)
        self.context.send(batch)

    async def elect_offline(self, topic: str | None) -> None:
        """What may be elected has changed: unclean election was allowed, for a topic or for all."""
        leaderless = [p for p in plans.without_leader(self.state) if topic is None or p.topic == topic]
        changed = await self.context.elect(leaderless)
        batch = self.context.batch()
        batch.changed(changed.partitions, new=changed.new)
        self.context.send(batch)
