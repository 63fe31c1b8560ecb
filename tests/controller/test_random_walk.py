"""Whatever happens to brokers, sessions and topics, in any order: afterwards everybody agrees, and epochs only rise.

Each seed is a history of its own. The same history comes again with the same seed.
"""

import random

import pytest

from ottla.controller.topic_rules import NewTopic
from ottla.coordination import paths
from ottla.coordination.payloads.admin import encode_partitions
from ottla.coordination.payloads.topics import LeaderAndIsr, TopicAssignment
from ottla.errors import KafkaError
from ottla.model import TopicPartition
from support.controlled_cluster import ControlledBroker, ControlledCluster
from support.coroutines import on_event_loop

BROKERS = (0, 1, 2, 3)
STEPS = 25


class Walk:
    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.cluster = ControlledCluster()
        self.history: list[str] = []
        self.epochs: dict[tuple[object, int], int] = {}
        self.topics = 0

    async def run(self) -> None:
        await self.cluster.start(0, 1)
        for _ in range(STEPS):
            await self.step()
            await self.cluster.settle()
            await self.heal()
            self.check()
        for broker in self.cluster.running.values():
            broker.session._lose_next = None
        await self.cluster.close()

    async def step(self) -> None:
        running = list(self.cluster.running)
        missing = [broker for broker in BROKERS if broker not in running]
        choices = [self.create, self.create, self.delete, self.add_partitions, self.prefer]
        if missing:
            choices += [lambda: self.start(self.chance.choice(missing))] * 2
        if running:
            broker = self.cluster.running[self.chance.choice(running)]
            choices += [lambda: self.crash(broker), lambda: self.expire(broker), lambda: self.cut_off(broker)]
            choices += [lambda: self.stop(broker), lambda: self.lose_write(broker), lambda: self.depose()]
        await self.chance.choice(choices)()

    async def start(self, broker_id: int) -> None:
        self.history.append(f"start {broker_id}")
        await self.cluster.start(broker_id)

    async def stop(self, broker: ControlledBroker) -> None:
        self.history.append(f"stop {broker.broker_id}")
        broker.session._lose_next = None  # a session that cannot say goodbye ends later: that is `crash`
        await broker.stop()

    async def crash(self, broker: ControlledBroker) -> None:
        self.history.append(f"crash {broker.broker_id}")
        await broker.crash()

    async def expire(self, broker: ControlledBroker) -> None:
        self.history.append(f"expire {broker.broker_id}")
        self.cluster.zookeeper.expire(broker.session)

    async def cut_off(self, broker: ControlledBroker) -> None:
        """For a while, perhaps long enough to expire."""
        ticks = self.chance.choice([1, 4])
        self.history.append(f"cut off {broker.broker_id} for {ticks * 2} s")
        broker.session.disconnect()
        for _ in range(ticks):
            self.cluster.clock.advance_ms(2000)
            self.cluster.zookeeper.tick()
            await self.cluster.settle()

    async def lose_write(self, broker: ControlledBroker) -> None:
        executed = self.chance.choice([True, False])
        self.history.append(f"lose next write of {broker.broker_id}, executed {executed}")
        broker.session.lose_next_write(executed=executed)

    async def depose(self) -> None:
        self.history.append("depose the controller")
        session = self.cluster.zookeeper.session()
        await session.start()
        if await session.exists(paths.CONTROLLER) is not None:
            await session.delete(paths.CONTROLLER)
        await session.close()

    async def heal(self) -> None:
        """Everybody is connected again, and has had time."""
        for _ in range(3):
            for broker in list(self.cluster.running.values()):
                if not broker.session.connected:
                    broker.session.reconnect()
            await self.cluster.settle()

    async def ask_controller(self, what: str, ask) -> None:
        active = [b for b in self.cluster.running.values() if b.controller.is_active]
        if not active:
            return
        self.history.append(what)
        import asyncio

        request = asyncio.ensure_future(ask(active[0].controller))
        await self.cluster.settle()
        await self.heal()
        try:
            await asyncio.wait_for(request, 20)
        except KafkaError as error:
            self.history.append(f"  refused: {error!r}")

    async def create(self) -> None:
        self.topics += 1
        replicas = self.chance.sample(BROKERS, self.chance.randint(1, 3))
        new = NewTopic(f"t{self.topics}", assignments=[(0, tuple(replicas)), (1, tuple(reversed(replicas)))])
        await self.ask_controller(f"create {new.name} on {replicas}", lambda node: node.create_topics([new]))

    def some_topic(self) -> str:
        return self.chance.choice(sorted(self.cluster.zookeeper.tree.children[paths.BROKER_TOPICS]) or ["none"])

    async def delete(self) -> None:
        name = self.some_topic()
        await self.ask_controller(f"delete {name}", lambda node: node.delete_topics([name]))

    async def add_partitions(self) -> None:
        name, count = self.some_topic(), self.chance.randint(2, 5)
        await self.ask_controller(
            f"{count} partitions for {name}", lambda node: node.create_partitions([(name, count, None)])
        )

    async def prefer(self) -> None:
        name = self.some_topic()
        self.history.append(f"preferred leader for {name}")
        session = self.cluster.zookeeper.session()
        await session.start()
        if await session.exists(paths.PREFERRED_REPLICA_ELECTION) is None and await session.exists("/admin"):
            await session.create(paths.PREFERRED_REPLICA_ELECTION, encode_partitions([TopicPartition(name, 0)]))
        await session.close()

    # What must hold

    def check(self) -> None:
        try:
            self.cluster.zookeeper.tree.check_invariants()
            self._check_cluster()
        except AssertionError as error:
            raise AssertionError("\n".join([*self.history, str(error)])) from error

    def _check_cluster(self) -> None:
        running = self.cluster.running
        nodes = self.cluster.zookeeper.tree.nodes
        assert {int(n) for n in self.cluster.zookeeper.tree.children[paths.BROKER_IDS]} == running.keys()
        active = [b.broker_id for b in running.values() if b.controller.is_active]
        assert len(active) == (1 if running else 0), f"controllers: {active}"
        deleting = set(self.cluster.zookeeper.tree.children[paths.DELETE_TOPICS])
        expected: dict[TopicPartition, tuple[int, int]] = {}
        for name in self.cluster.zookeeper.tree.children[paths.BROKER_TOPICS]:
            assignment = TopicAssignment.decode(name, nodes[paths.topic(name)].data or b"")
            for number, replicas in assignment.partitions.items():
                partition = TopicPartition(name, number)
                node = nodes.get(paths.partition_state(partition))
                if node is None:
                    assert not running or name in deleting or not running.keys() & set(replicas), partition
                    continue
                state = LeaderAndIsr.decode(name, node.data or b"")
                self._check_state(partition, state, replicas, name in deleting, assignment)
                if name not in deleting:
                    expected[partition] = (state.leader, state.leader_epoch)
        for broker in running.values():
            self._check_broker(broker, expected, active[0])

    def _check_state(self, partition, state, replicas, deleting, assignment) -> None:
        live = self.cluster.running.keys()
        assert state.isr, partition
        assert set(state.isr) <= set(replicas), (partition, state)
        if live and not deleting:
            if state.leader == -1:
                assert not live & set(state.isr), (partition, state, "could be led")
            else:
                assert state.leader in live, (partition, state, "led by the dead")
                assert state.leader in state.isr, (partition, state)
        key = (assignment.topic_id, partition.partition)
        assert state.leader_epoch >= self.epochs.get(key, 0), (partition, state, "epoch went back")
        self.epochs[key] = state.leader_epoch

    def _check_broker(self, broker: ControlledBroker, expected, controller: int) -> None:
        image = broker.cache.image
        known = {
            TopicPartition(name, number): (partition.leader, partition.leader_epoch)
            for name, topic in image.topics.items()
            for number, partition in topic.partitions.items()
            if partition.leader_epoch >= 0
        }
        assert known == expected, f"broker {broker.broker_id} thinks {known}, ZooKeeper says {expected}"
        assert image.controller_id == controller
        assert image.brokers.keys() == self.cluster.running.keys()
        led = {partition for partition, (leader, _) in expected.items() if leader == broker.broker_id}
        assert broker.partitions.leading == led, (
            f"broker {broker.broker_id} leads {broker.partitions.leading}, not {led}"
        )


@pytest.mark.parametrize("seed", range(12))
@on_event_loop
async def test_everybody_agrees_after_every_step(seed: int) -> None:
    await Walk(seed).run()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1300))
@on_event_loop
async def test_everybody_agrees_after_every_step_of_many_histories(seed: int) -> None:
    await Walk(seed).run()
