"""What to change in ZooKeeper after an event: pure functions from the controller's state to state changes.

They decide about many partitions with the rules for one in `elections`. The state is not touched: it follows when
ZooKeeper has accepted the changes.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from ottla.controller import elections
from ottla.controller.state import BrokerRecord, ControllerState, StateChange
from ottla.model import TopicPartition

UncleanAllowed = Callable[[str], bool]  # by topic
Plan = Callable[[], list[StateChange]]


class BrokerDifference(NamedTuple):
    """How the live brokers changed. One that went and came back between two looks is in both."""

    arrived: frozenset[int]
    departed: frozenset[int]
    modified: frozenset[int]  # the same registration with other endpoints


def compare_brokers(state: ControllerState, found: dict[int, BrokerRecord]) -> BrokerDifference:
    before = state.brokers
    bounced = {b for b in before.keys() & found.keys() if found[b].epoch > before[b].epoch}
    modified = {b for b in before.keys() & found.keys() - bounced if found[b].info != before[b].info}
    return BrokerDifference(
        frozenset(found.keys() - before.keys() | bounced),
        frozenset(before.keys() - found.keys() | bounced),
        frozenset(modified),
    )


def plan_new_partitions(state: ControllerState, partitions: Iterable[TopicPartition]) -> list[StateChange]:
    """First leaders for partitions that never had one. Those with no replica online wait for a broker."""
    changes = []
    for partition in partitions:
        record = state.partitions.get(partition)
        if record is None or record.state is not None or partition.topic in state.deletions:
            continue
        online = state.online(record.replicas, partition)
        first = elections.first_state(record, online, state.epoch)
        if first is not None:
            changes.append(StateChange(partition, first, -1))
    return changes


def plan_lost_replicas(
    state: ControllerState, partitions: Iterable[TopicPartition], unclean: UncleanAllowed
) -> list[StateChange]:
    """New leaders and smaller ISRs where replicas are not online any more."""
    changes = []
    for partition in partitions:
        record = state.partitions.get(partition)
        if record is None or partition.topic in state.deletions:
            continue
        online = state.online(record.replicas, partition)
        if record.leader in state.shutting_down and record.leader in state.brokers:
            online.append(record.leader)  # It leads until it is gone: nobody else could.
        allowed = record.leader not in online and unclean(partition.topic)
        following = elections.after_losing_replicas(record, online, state.epoch, unclean=allowed)
        if following is not None:
            changes.append(StateChange(partition, following, record.version))
    return changes


def plan_without_lacking(state: ControllerState, arrived: Iterable[int]) -> list[StateChange]:
    """Smaller ISRs, and other leaders, where brokers say that they may have lost records (`power_loss_marker`)."""
    lacking = {b for b in arrived if b in state.brokers and state.brokers[b].info.may_lack_records}
    changes = []
    for partition in affected_by(state, lacking) if lacking else ():
        record = state.partitions[partition]
        if partition.topic not in state.deletions:
            online = state.online(record.replicas, partition)
            following = elections.without_lacking(record, lacking, online, state.epoch)
            if following is not None:
                changes.append(StateChange(partition, following, record.version))
    return changes


def plan_preferred_leaders(state: ControllerState, partitions: Iterable[TopicPartition]) -> list[StateChange]:
    changes = []
    for partition in partitions:
        record = state.partitions.get(partition)
        if record is None or partition.topic in state.deletions:
            continue
        following = elections.elect_preferred(record, state.online(record.replicas, partition), state.epoch)
        if following is not None:
            changes.append(StateChange(partition, following, record.version))
    return changes


def plan_shutdown(state: ControllerState, broker_id: int) -> list[StateChange]:
    """Other leaders for what a stopping broker leads, and it leaves the ISRs that have other members."""
    changes = []
    for partition in state.replicas_on(broker_id):
        record = state.partitions[partition]
        if len(record.replicas) > 1 and partition.topic not in state.deletions:
            online = state.online(record.replicas, partition)
            following = elections.without_replica(record, broker_id, online, state.epoch)
            if following is not None:
                changes.append(StateChange(partition, following, record.version))
    return changes


def leader_imbalance(state: ControllerState) -> dict[int, tuple[int, list[TopicPartition]]]:
    """By broker: how many partitions it should lead, being their first replica, and which of them it does not."""
    imbalance: dict[int, tuple[int, list[TopicPartition]]] = {}
    for partition, record in state.partitions.items():
        if record.state is None or not record.replicas or partition.topic in state.deletions:
            continue
        preferred, elsewhere = imbalance.get(record.replicas[0], (0, []))
        if record.leader != record.replicas[0]:
            elsewhere.append(partition)
        imbalance[record.replicas[0]] = (preferred + 1, elsewhere)
    return imbalance


def affected_by(state: ControllerState, brokers: Iterable[int]) -> list[TopicPartition]:
    """Partitions with a replica, an in-sync replica or the leader on one of these brokers."""
    lost = set(brokers)
    return [
        partition
        for partition, record in state.partitions.items()
        if not lost.isdisjoint(record.replicas) or (record.state is not None and not lost.isdisjoint(record.state.isr))
    ]


def without_leader(state: ControllerState) -> list[TopicPartition]:
    """New partitions and those whose leader is gone, of topics that are not being deleted."""
    return [
        partition
        for partition, record in state.partitions.items()
        if not state.is_online(record.leader, partition) and partition.topic not in state.deletions
    ]
