"""Which brokers get the replicas of new partitions: round robin, over racks as far as racks go (KIP-36).

Leaders go around all brokers from a random start. Followers are shifted against the leader, by one more each time the
leaders have gone around once, so that two brokers do not hold the same set of partitions. With racks the brokers are
first put in an order that alternates between racks; a follower then skips brokers whose rack or self already has a
replica, as long as there are others.
"""

import random
from collections.abc import Mapping, Sequence

from ottla.errors.kafka import InvalidPartitionsError, InvalidReplicationFactorError

Replicas = tuple[int, ...]


def place_replicas(
    racks: Mapping[int, str | None],
    partitions: int,
    replication_factor: int,
    *,
    rng: random.Random,
    start: int | None = None,
    first_partition: int = 0,
) -> dict[int, Replicas]:
    """Replicas by partition number; the first of each is its preferred leader.

    `racks` are the live brokers. `start`, the position of the first leader, is given when partitions are added to a
    topic; otherwise chance decides.
    """
    if partitions <= 0:
        raise InvalidPartitionsError("Number of partitions must be larger than 0.")
    if replication_factor <= 0:
        raise InvalidReplicationFactorError("Replication factor must be larger than 0.")
    if replication_factor > len(racks):
        raise InvalidReplicationFactorError(
            f"Replication factor: {replication_factor} larger than available brokers: {len(racks)}."
        )
    brokers = alternate_racks(racks)
    first = rng.randrange(len(brokers)) if start is None else start
    shift = rng.randrange(len(brokers)) if start is None else start
    placed = {}
    for partition in range(first_partition, first_partition + partitions):
        if partition > 0 and partition % len(brokers) == 0:
            shift += 1
        leader_position = (partition + first) % len(brokers)
        placed[partition] = _place_one(brokers, racks, leader_position, shift, replication_factor)
    return placed


def alternate_racks(racks: Mapping[int, str | None]) -> list[int]:
    """The brokers in an order in which neighbours are in different racks, as far as that goes."""
    by_rack: dict[str, list[int]] = {}
    for broker in sorted(racks):
        by_rack.setdefault(racks[broker] or "", []).append(broker)
    lines = [by_rack[rack] for rack in sorted(by_rack)]
    longest = max((len(line) for line in lines), default=0)
    return [line[position] for position in range(longest) for line in lines if position < len(line)]


def _place_one(
    brokers: Sequence[int], racks: Mapping[int, str | None], leader_position: int, shift: int, replication_factor: int
) -> Replicas:
    rack_count = len({racks[broker] for broker in brokers})
    replicas = [brokers[leader_position]]
    used_racks = {racks[replicas[0]]}
    step = 0
    while len(replicas) < replication_factor:
        broker = brokers[_follower_position(leader_position, shift * rack_count, step, len(brokers))]
        step += 1
        rack_is_free = racks[broker] not in used_racks or len(used_racks) == rack_count
        if rack_is_free and broker not in replicas:
            replicas.append(broker)
            used_racks.add(racks[broker])
    return tuple(replicas)


def _follower_position(leader_position: int, shift: int, step: int, brokers: int) -> int:
    return (leader_position + 1 + (shift + step) % (brokers - 1)) % brokers
