"""The rules of leader election for one partition, as pure functions.

Every result is the whole next state: leader, in-sync replicas, leader epoch one higher, our controller epoch. None
means that there is nothing to change, or nobody to elect. A leader comes from the in-sync replicas; one from outside
them loses acknowledged records, and is elected only where `unclean` says so.
"""

from collections.abc import Collection, Sequence

from ottla.controller.state import NO_LEADER, PartitionRecord
from ottla.coordination.payloads.topics import LeaderAndIsr


def first_state(record: PartitionRecord, online: Sequence[int], controller_epoch: int) -> LeaderAndIsr | None:
    """A new partition: the first replica that is there leads, all that are there are in sync, having nothing."""
    if not online:
        return None
    return LeaderAndIsr(online[0], 0, tuple(online), controller_epoch)


def after_losing_replicas(
    record: PartitionRecord, online: Sequence[int], controller_epoch: int, *, unclean: bool
) -> LeaderAndIsr | None:
    """What follows from which replicas are online now: another leader, a smaller ISR, or no leader at all.

    When none of the in-sync replicas is online they all stay: nothing is acknowledged without them, so whichever
    comes back first has every acknowledged record.
    """
    state = record.state
    if state is None:
        return None
    in_sync = tuple(broker for broker in state.isr if broker in online)
    if state.leader in online:
        return None if len(in_sync) == len(state.isr) else _next(state, state.leader, in_sync, controller_epoch)
    elected = elect_offline(record, online, controller_epoch, unclean=unclean)
    if elected is not None:
        return elected
    return None if state.leader == NO_LEADER else _next(state, NO_LEADER, state.isr, controller_epoch)


def elect_offline(
    record: PartitionRecord, online: Sequence[int], controller_epoch: int, *, unclean: bool
) -> LeaderAndIsr | None:
    """A leader for a partition that has none: the first replica that is online and in sync."""
    state = record.state
    if state is None:
        return None
    for broker in record.replicas:
        if broker in online and broker in state.isr:
            in_sync = tuple(member for member in state.isr if member in online)
            return _next(state, broker, in_sync, controller_epoch)
    if unclean and online:
        return _next(state, online[0], (online[0],), controller_epoch)
    return None


def without_lacking(
    record: PartitionRecord, lacking: Collection[int], online: Sequence[int], controller_epoch: int
) -> LeaderAndIsr | None:
    """In-sync replicas that may have lost records leave the ISR, where another member has not.

    When that one is not online nobody leads: whoever leads without it may lack what was acknowledged.
    """
    state = record.state
    whole = tuple(member for member in state.isr if member not in lacking) if state is not None else ()
    if state is None or not whole or len(whole) == len(state.isr):
        return None
    candidates = [state.leader, *record.replicas]
    leader = next((broker for broker in candidates if broker in whole and broker in online), NO_LEADER)
    return _next(state, leader, whole, controller_epoch)


def without_replica(
    record: PartitionRecord, broker_id: int, online: Sequence[int], controller_epoch: int
) -> LeaderAndIsr | None:
    """A replica leaves in good order: somebody else in sync leads. None when there is nobody, or it is not in."""
    state = record.state
    if state is None or broker_id not in state.isr:
        return None
    remaining = tuple(member for member in state.isr if member != broker_id)
    if state.leader != broker_id:
        return _next(state, state.leader, remaining, controller_epoch) if state.leader in online else None
    for candidate in record.replicas:
        if candidate in remaining and candidate in online:
            return _next(state, candidate, remaining, controller_epoch)
    return None


def elect_preferred(record: PartitionRecord, online: Sequence[int], controller_epoch: int) -> LeaderAndIsr | None:
    """The first replica of the list, if it is online, in sync, and not the leader already."""
    state = record.state
    preferred = record.replicas[0] if record.replicas else NO_LEADER
    if state is None or preferred == state.leader or preferred not in online or preferred not in state.isr:
        return None
    return _next(state, preferred, state.isr, controller_epoch)


def _next(state: LeaderAndIsr, leader: int, isr: tuple[int, ...], controller_epoch: int) -> LeaderAndIsr:
    return LeaderAndIsr(leader, state.leader_epoch + 1, isr, controller_epoch)
