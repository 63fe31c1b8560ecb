"""What may be created and deleted: checks of topics, partitions and assignments, in Kafka's order and words. Pure."""

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ottla.config import validate_topic_config
from ottla.controller.placement import Replicas, place_replicas
from ottla.controller.state import ControllerState
from ottla.errors import ConfigError
from ottla.errors.kafka import (
    InvalidConfigError,
    InvalidPartitionsError,
    InvalidReplicaAssignmentError,
    InvalidRequestError,
    InvalidTopicError,
    TopicAlreadyExistsError,
)
from ottla.model import INTERNAL_TOPICS, topic_name_problem

CLUSTER_METADATA_TOPIC = "__cluster_metadata"
"""Kafka's log of a KRaft cluster. Nobody creates a topic of that name: not by a request, and not by asking for it."""

UNSET = -1
PARTITIONS_PER_REQUEST_MAX = 10_000
"""As many as a controller of Kafka 4 makes for one request. Whoever wants more asks again."""


class NewTopic(NamedTuple):
    name: str
    partitions: int = UNSET
    replication_factor: int = UNSET
    assignments: Sequence[tuple[int, Replicas]] = ()
    configs: Mapping[str, str | None] = {}


class TopicDefaults(NamedTuple):
    """`num.partitions` and `default.replication.factor`."""

    partitions: int
    replication_factor: int


def partition_count(new: NewTopic, defaults: TopicDefaults) -> int:
    if new.assignments:
        return len(new.assignments)
    return defaults.partitions if new.partitions == UNSET else new.partitions


def assign_new_topic(
    new: NewTopic, defaults: TopicDefaults, racks: Mapping[int, str | None], rng: random.Random
) -> dict[int, Replicas]:
    if new.assignments:
        if new.partitions != UNSET or new.replication_factor != UNSET:
            raise InvalidRequestError(
                "Both numPartitions or replicationFactor and replicasAssignments were set. Both cannot be used at the "
                "same time."
            )
        return _check_manual(dict(new.assignments))
    factor = defaults.replication_factor if new.replication_factor == UNSET else new.replication_factor
    return place_replicas(racks, partition_count(new, defaults), factor, rng=rng)


def check_may_be_created(name: str) -> None:
    if name == CLUSTER_METADATA_TOPIC:
        raise InvalidRequestError(f"Creation of internal topic {name} is prohibited.")


def check_may_be_deleted(name: str) -> None:
    """Kafka without permissions lets anybody delete the internal topics, and with them the offsets of all groups.

    There are no permissions here yet, so nobody may: what is lost by one mistyped command is worth more than the way
    to get rid of such a topic. The code is the one with which Kafka keeps clients from their records.
    """
    if name in INTERNAL_TOPICS:
        raise InvalidTopicError(f"Topic '{name}' is internal to the cluster and cannot be deleted.")


class CollidingNames:
    """Topic names by what metrics make of them, in which '.' and '_' are the same. One look-up for each new name."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_metric_name: dict[str, list[str]] = {}
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        if "." in name or "_" in name:
            self._by_metric_name.setdefault(name.replace(".", "_"), []).append(name)

    def of(self, name: str) -> list[str]:
        return sorted(self._by_metric_name.get(name.replace(".", "_"), ()))


def check_name(name: str, existing: Collection[str], colliding: CollidingNames) -> None:
    problem = topic_name_problem(name)
    if problem is not None:
        raise InvalidTopicError(problem)
    if name in existing:
        raise TopicAlreadyExistsError(f"Topic '{name}' already exists.")
    others = colliding.of(name)
    if others:
        raise InvalidTopicError(f"Topic '{name}' collides with existing topics: {', '.join(others)}")


def given_configs(configs: Mapping[str, str | None]) -> dict[str, str]:
    null = [key for key, value in configs.items() if value is None]
    if null:
        raise InvalidConfigError(f"Null value not supported for topic configs: {','.join(null)}")
    return {key: value for key, value in configs.items() if value is not None}


def check_configs(configs: Mapping[str, str]) -> None:
    try:
        validate_topic_config(configs)
    except ConfigError as error:
        raise InvalidConfigError(str(error)) from None


def assign_more_partitions(
    state: ControllerState, topic: str, count: int, assignments: Sequence[Replicas] | None, rng: random.Random
) -> dict[int, Replicas]:
    """Replicas of the partitions that a topic gets when it is to have `count` of them."""
    existing = {p.partition: state.partitions[p].replicas for p in state.partitions_of(topic)}
    added = count - len(existing)
    if added < 0:
        raise InvalidPartitionsError(
            f"Topic currently has {len(existing)} partitions, which is higher than the requested {count}."
        )
    if added == 0:
        raise InvalidPartitionsError(f"Topic already has {len(existing)} partitions.")
    if assignments is not None:
        return _check_added(assignments, added, existing, state.brokers)
    brokers = sorted(state.brokers)
    first = existing[0][0] if existing.get(0) else -1
    start = next((position for position, broker in enumerate(brokers) if broker >= first), 0)
    return place_replicas(
        state.racks(), added, len(existing.get(0, ())), rng=rng, start=start, first_partition=len(existing)
    )


def _check_manual(assignment: dict[int, Replicas]) -> dict[int, Replicas]:
    if len({len(replicas) for replicas in assignment.values()}) != 1:
        raise InvalidReplicaAssignmentError("All partitions should have the same number of replicas")
    if any(len(replicas) != len(set(replicas)) for replicas in assignment.values()):
        raise InvalidReplicaAssignmentError(f"Duplicate replica assignment found: {_text(assignment)}")
    if any(not replicas for replicas in assignment.values()):
        raise InvalidReplicaAssignmentError("A partition must have at least one replica")
    if sorted(assignment) != list(range(len(assignment))):
        raise InvalidReplicaAssignmentError("partitions should be a consecutive 0-based integer sequence")
    return dict(sorted(assignment.items()))


def _check_added(
    assignments: Sequence[Replicas], added: int, existing: Mapping[int, Replicas], brokers: Collection[int]
) -> dict[int, Replicas]:
    unknown = sorted({broker for replicas in assignments for broker in replicas} - set(brokers))
    if unknown:
        raise InvalidReplicaAssignmentError(f"Unknown broker(s) in replica assignment: {_join(unknown)}.")
    if len(assignments) != added:
        raise InvalidReplicaAssignmentError(
            f"Increasing the number of partitions by {added} but {len(assignments)} assignments provided."
        )
    numbered = dict(enumerate(assignments, start=len(existing)))
    for number, replicas in numbered.items():
        if not replicas:
            raise InvalidReplicaAssignmentError(f"Cannot have replication factor of 0 for partition id {number}.")
        if len(replicas) != len(set(replicas)):
            raise InvalidReplicaAssignmentError(
                f"Duplicate brokers not allowed in replica assignment: {_join(replicas)} for partition id {number}."
            )
    _check_same_factor(numbered, len(existing.get(0, ())))
    return numbered


def _check_same_factor(assignment: Mapping[int, Replicas], expected: int) -> None:
    wrong = {number: len(replicas) for number, replicas in assignment.items() if len(replicas) != expected}
    if wrong:
        raise InvalidReplicaAssignmentError(
            f"Inconsistent replication factor between partitions, partition 0 has {expected} while partitions "
            f"[{_join(wrong)}] have replication factors [{_join(wrong.values())}], respectively."
        )


def _join(values: Iterable[int]) -> str:
    return ", ".join(map(str, values))


def _text(assignment: Mapping[int, Replicas]) -> str:
    return "HashMap(" + ", ".join(f"{number} -> ArrayBuffer({_join(r)})" for number, r in assignment.items()) + ")"
