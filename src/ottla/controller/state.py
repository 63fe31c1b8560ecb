"""What the controller knows: live brokers, topics, partitions. A copy of ZooKeeper, changed after ZooKeeper was.

Invariants
- `topic_names` has exactly the ids of `topics`.
- `partitions` has an entry for each number in `topics[t].numbers`, and no other.
- `record.version` is the version of the partition's state znode that `record.state` was read from or written as.
"""

import uuid
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ottla.coordination.payloads.brokers import BrokerInfo
from ottla.coordination.payloads.topics import LeaderAndIsr, TopicAssignment
from ottla.model import TopicPartition

NO_LEADER = -1


class BrokerRecord(NamedTuple):
    info: BrokerInfo
    epoch: int  # the czxid of its id node: a broker that comes back has a higher one


class TopicRecord(NamedTuple):
    topic_id: uuid.UUID
    version: int  # of the topic's znode
    numbers: tuple[int, ...]


class PartitionRecord(NamedTuple):
    replicas: tuple[int, ...]
    adding: tuple[int, ...] = ()
    removing: tuple[int, ...] = ()
    state: LeaderAndIsr | None = None  # None: new, no broker has ever led it
    version: int = -1

    @property
    def leader(self) -> int:
        return NO_LEADER if self.state is None else self.state.leader


class StateChange(NamedTuple):
    """A new state for a partition, to be written over the one with `version`; -1: there is none yet."""

    partition: TopicPartition
    state: LeaderAndIsr
    version: int

    @property
    def is_new(self) -> bool:
        return self.version < 0


class ControllerState:
    def __init__(self, epoch: int, epoch_version: int) -> None:
        self.epoch = epoch
        self.epoch_version = epoch_version
        self.brokers: dict[int, BrokerRecord] = {}
        self.topics: dict[str, TopicRecord] = {}
        self.partitions: dict[TopicPartition, PartitionRecord] = {}
        self.offline_replicas: dict[int, set[TopicPartition]] = {}  # in failed log directories
        self.shutting_down: set[int] = set()  # live brokers that asked to be relieved
        self.topic_names: dict[uuid.UUID, str] = {}
        self.deletions: dict[str, set[tuple[TopicPartition, int]]] = {}  # topic: replicas that are still there

    def put_topic(self, name: str, assignment: TopicAssignment, version: int) -> list[TopicPartition]:
        """Take over an assignment; returns the partitions that are new. Replicas of known ones stay as they are."""
        before = self.topics.get(name)
        known = set(before.numbers) if before else set()
        numbers = tuple(sorted(known | assignment.partitions.keys()))
        self.topics[name] = TopicRecord(assignment.topic_id, version, numbers)
        self.topic_names[assignment.topic_id] = name
        added = [TopicPartition(name, number) for number in assignment.partitions if number not in known]
        for partition in added:
            self.partitions[partition] = _record(assignment, partition.partition)
        return added

    def drop_topic(self, name: str) -> None:
        record = self.topics.pop(name, None)
        self.deletions.pop(name, None)
        if record is not None:
            self.topic_names.pop(record.topic_id, None)
        for number in record.numbers if record else ():
            self.partitions.pop(TopicPartition(name, number), None)

    def put_state(self, partition: TopicPartition, state: LeaderAndIsr, version: int) -> None:
        self.partitions[partition] = self.partitions[partition]._replace(state=state, version=version)

    def partitions_of(self, topic: str) -> list[TopicPartition]:
        record = self.topics.get(topic)
        return [TopicPartition(topic, number) for number in record.numbers] if record else []

    def assignment(self, topic: str) -> TopicAssignment:
        records = {p.partition: self.partitions[p] for p in self.partitions_of(topic)}
        return TopicAssignment(
            {number: record.replicas for number, record in records.items()},
            self.topics[topic].topic_id,
            {number: record.adding for number, record in records.items() if record.adding},
            {number: record.removing for number, record in records.items() if record.removing},
        )

    def online(self, replicas: Iterable[int], partition: TopicPartition) -> list[int]:
        """Those of the replicas that are on live brokers and in working log directories, in their order."""
        return [broker for broker in replicas if self.is_online(broker, partition)]

    def is_online(self, broker: int, partition: TopicPartition) -> bool:
        return (
            broker in self.brokers
            and broker not in self.shutting_down
            and partition not in self.offline_replicas.get(broker, ())
        )

    def replicas_on(self, broker: int) -> Iterator[TopicPartition]:
        for partition, record in self.partitions.items():
            if broker in record.replicas:
                yield partition

    def racks(self) -> dict[int, str | None]:
        """The rack of each live broker; a broker that was told none is in the rack of its host."""
        return {broker: record.info.rack or _host(record.info) for broker, record in self.brokers.items()}


def _host(info: BrokerInfo) -> str | None:
    return info.endpoints[0].host if info.endpoints else None


def _record(assignment: TopicAssignment, number: int) -> PartitionRecord:
    return PartitionRecord(
        assignment.partitions[number],
        assignment.adding_replicas.get(number, ()),
        assignment.removing_replicas.get(number, ()),
    )
