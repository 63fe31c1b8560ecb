"""What clients ask of the controller about topics: create, delete, add partitions. Each is one event of its queue.

The controller writes ZooKeeper, follows in its own state at once, and opens the partitions, as it would when a tool had
written the same; the watch that fires afterwards then finds nothing new.
"""

import asyncio
import random
import uuid
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from ottla.controller.active_controller import ActiveController
from ottla.controller.attempts import Attempts
from ottla.controller.placement import Replicas
from ottla.controller.topic_rules import (
    PARTITIONS_PER_REQUEST_MAX,
    CollidingNames,
    NewTopic,
    TopicDefaults,
    assign_more_partitions,
    assign_new_topic,
    check_configs,
    check_may_be_created,
    check_may_be_deleted,
    check_name,
    given_configs,
    partition_count,
)
from ottla.controller.zookeeper_refusals import kafka_error
from ottla.coordination.errors import (
    BadVersionError,
    ConnectionLossError,
    CoordinationError,
    NodeExistsError,
    ZooKeeperError,
)
from ottla.coordination.payloads.configs import encode_config
from ottla.coordination.payloads.topics import TopicAssignment
from ottla.errors.kafka import (
    InvalidTopicError,
    PolicyViolationError,
    ReassignmentInProgressError,
    RequestTimedOutError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
)
from ottla.model import random_uuid


async def _again(attempts: Attempts, error: CoordinationError) -> None:
    try:
        await attempts.failed(error)
    except CoordinationError:
        raise RequestTimedOutError(f"ZooKeeper did not take it in several attempts: {error}") from None


class CreatedTopic(NamedTuple):
    name: str
    topic_id: uuid.UUID
    partitions: Mapping[int, Replicas]
    configs: Mapping[str, str]

    def __str__(self) -> str:
        """For the log."""
        configs = "".join(f", {key}={value}" for key, value in self.configs.items())
        return f"{self.name} ({len(self.partitions)} partitions, replication factor {self.replication_factor}{configs})"

    @property
    def replication_factor(self) -> int:
        return len(next(iter(self.partitions.values()), ()))


class TopicAdmin:
    """What one request does to topics."""

    def __init__(self, controller: ActiveController, defaults: TopicDefaults, rng: random.Random) -> None:
        self._controller = controller
        self._state = controller.state
        self._defaults = defaults
        self._rng = rng
        self._partitions_left = PARTITIONS_PER_REQUEST_MAX

    @cached_property
    def _colliding(self) -> CollidingNames:
        return CollidingNames(self._state.topics)

    async def create(self, new: NewTopic, *, validate_only: bool) -> CreatedTopic:
        """KafkaError, in Kafka's words, when the topic may not be created."""
        check_may_be_created(new.name)
        if new.name in self._state.topics:
            raise TopicAlreadyExistsError(f"Topic '{new.name}' already exists.")
        configs = given_configs(new.configs)
        self._count_partitions(partition_count(new, self._defaults))
        assignment = assign_new_topic(new, self._defaults, self._state.racks(), self._rng)
        check_name(new.name, self._state.topics, self._colliding)
        check_configs(configs)
        created = CreatedTopic(new.name, random_uuid(), assignment, configs)
        if not validate_only:
            await self._write(created)
            added = self._state.put_topic(new.name, TopicAssignment(assignment, created.topic_id), 0)
            self._colliding.add(new.name)
            await self._controller.watch_topic(new.name)
            await self._controller.open_partitions(added)
        return created

    async def _write(self, created: CreatedTopic) -> None:
        assignment = TopicAssignment(created.partitions, created.topic_id)
        attempts = Attempts()
        while True:
            try:
                await self._controller.store.create_topic(created.name, assignment, encode_config(created.configs))
                return
            except ConnectionLossError as error:
                await _again(attempts, error)
            except NodeExistsError:
                # Perhaps by ourselves, in an attempt whose answer was lost.
                found = await self._controller.store.read_topic(created.name, None)
                if found is None or found[0].topic_id != created.topic_id:
                    raise TopicAlreadyExistsError(f"Topic '{created.name}' already exists.") from None
                return
            except ZooKeeperError as error:  # nothing of it was done
                raise kafka_error(error) from error

    async def add_partitions(
        self, name: str, count: int, assignments: Sequence[Replicas] | None, *, validate_only: bool
    ) -> None:
        if name in self._state.topics:
            self._count_partitions(count - len(self._state.assignment(name).partitions))
        await self._add_partitions(name, count, assignments, Attempts(), validate_only=validate_only)

    async def _add_partitions(
        self,
        name: str,
        count: int,
        assignments: Sequence[Replicas] | None,
        attempts: Attempts,
        *,
        validate_only: bool,
    ) -> None:
        if name in self._state.deletions:
            raise InvalidTopicError("The topic is queued for deletion.")
        if name not in self._state.topics:
            raise UnknownTopicOrPartitionError(f"The topic '{name}' does not exist.")
        before = self._state.assignment(name)
        if before.adding_replicas or before.removing_replicas:
            raise ReassignmentInProgressError(f"A partition reassignment is in progress for the topic {name}")
        added = assign_more_partitions(self._state, name, count, assignments, self._rng)
        if validate_only:
            return
        after = before._replace(partitions={**before.partitions, **added})
        try:
            version = await self._controller.store.write_topic(name, after, self._state.topics[name].version)
        except (BadVersionError, ConnectionLossError) as error:  # the watch tells what stands there now
            await _again(attempts, error)
            await self._controller.topic_modified(name)
            await self._add_partitions(name, count, assignments, attempts, validate_only=False)
        except ZooKeeperError as error:  # nothing of it was done
            raise kafka_error(error) from error
        else:
            await self._controller.open_partitions(self._state.put_topic(name, after, version))
            await self._controller.watch_topic(name)

    def _count_partitions(self, added: int) -> None:
        """Before any of them is placed: a number is written quickly, and placing is done on the loop."""
        if added > self._partitions_left:
            raise PolicyViolationError("Excessively large number of partitions per request.")
        self._partitions_left -= max(0, added)

    async def delete(self, name: str) -> None:
        """The topic is marked, and nobody is told of it any more. `deletions.done` says when it is gone."""
        if name not in self._state.topics:
            raise UnknownTopicOrPartitionError
        check_may_be_deleted(name)
        if name not in self._state.deletions:
            try:
                await self._controller.store.request_deletion(name)
            except ZooKeeperError as error:
                raise kafka_error(error) from error
        await self._controller.deletions.mark([name])
        await self._controller.deletions.proceed()

    def deleted(self, name: str) -> "asyncio.Future[None]":
        """Completes when a topic that is marked is gone altogether."""
        return self._controller.deletions.done(name)
