"""What the parts of the active controller share: its state, its store, the way to the brokers, and how plans are
carried out: write to ZooKeeper, follow in the state, then tell the brokers.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Iterable, Set
from typing import Any, NamedTuple, Protocol

from ottla.controller import plans
from ottla.controller.broker_channel import BrokerChannel
from ottla.controller.control_request_handler import TopicOverrides
from ottla.controller.control_requests import ControlBatch, ControlRequest
from ottla.controller.election import Elected
from ottla.controller.state import NO_LEADER, ControllerState, PartitionRecord, StateChange
from ottla.controller.state_store import StateStore
from ottla.coordination.session import Session, Watch
from ottla.errors import ErrorCode
from ottla.errors.kafka import BrokerNotAvailableError
from ottla.model import TopicPartition
from ottla.observability.instruments import Counter, Histogram
from ottla.protocol.messages.leader_and_isr import LeaderAndIsrRequest, LeaderAndIsrResponse

log = logging.getLogger(__name__)

_PLAN_ATTEMPTS_MAX = 5
_REFUSED_SECONDS = 10.0

Work = Callable[[], Awaitable[None]]


class Trigger(Protocol):
    """The entrance of the event queue: the same key waits there only once."""

    def __call__(self, key: Hashable, work: Work) -> None: ...


class ControllerStats:
    """Counted by the active controller."""

    def __init__(self, elections: Histogram | None = None, unclean: Counter | None = None) -> None:
        self.elections = elections
        self.unclean = unclean or Counter()


class Dependencies(NamedTuple):
    """What the controller is given."""

    broker_id: int
    session: Session
    channel: BrokerChannel
    configs: TopicOverrides
    trigger: Trigger
    unclean_by_default: Callable[[], bool] = lambda: False
    deletion_enabled: Callable[[], bool] = lambda: True
    stats: ControllerStats = ControllerStats()
    monotonic: Callable[[], float] = lambda: 0.0


class Changed(NamedTuple):
    partitions: set[TopicPartition]
    new: set[TopicPartition]  # those of them that had no state before


class ControllerContext:
    def __init__(self, elected: Elected, dependencies: Dependencies) -> None:
        self.state = ControllerState(elected.epoch, elected.epoch_version)
        self.session = dependencies.session
        self.store = StateStore(dependencies.session, elected.epoch_version)
        self.dependencies = dependencies
        self._refused: set[TopicPartition] = set()

    def watch(self, key: Hashable, work: Work) -> Watch:
        """A watch that puts `work` into the event queue, whatever it was that happened."""
        return lambda event: self.dependencies.trigger(key, work)

    # Plans are carried out

    async def elect(self, partitions: Iterable[TopicPartition]) -> Changed:
        """New leaders and ISRs where replicas are missing; first leaders where there never was one."""
        began = self.dependencies.monotonic()
        partitions = list(partitions)
        await self._load_unclean_configs(partitions)
        changed = await self.change(
            lambda: (
                plans.plan_new_partitions(self.state, partitions)
                + plans.plan_lost_replicas(self.state, partitions, self._unclean)
            )
        )
        elections = self.dependencies.stats.elections
        if changed.partitions and elections is not None:
            elections.record((self.dependencies.monotonic() - began) * 1000)
        return changed

    async def change(self, plan: Callable[[], list[StateChange]]) -> Changed:
        """Plan and write; where another state stood in ZooKeeper than we knew, plan again with that one."""
        changed = Changed(set(), set())
        for _ in range(_PLAN_ATTEMPTS_MAX):
            changes = {change.partition: change for change in plan()}
            if not changes:
                break
            written = await self.store.write_states(list(changes.values()))
            for partition, version in written.versions.items():
                if _is_unclean(self.state.partitions[partition], changes[partition]):
                    self.dependencies.stats.unclean.value += 1
                    log.warning("%s is led by %d, which was not in sync", partition, changes[partition].state.leader)
                self.state.put_state(partition, changes[partition].state, version)
                changed.partitions.add(partition)
                if changes[partition].is_new:
                    changed.new.add(partition)
            for partition, (state, version) in written.found.items():
                self.state.put_state(partition, state, version)
            self._try_later(changes.keys() - written.versions.keys() - written.found.keys())
            if not written.found:
                break
        return changed

    def _try_later(self, refused: Set[TopicPartition]) -> None:
        """ZooKeeper refused to write these states: it was full, say. Nothing else will happen that elects them."""
        if refused and not self._refused:
            loop = asyncio.get_running_loop()
            loop.call_later(_REFUSED_SECONDS, self.dependencies.trigger, "refused states", self._elect_refused)
        self._refused |= refused

    async def _elect_refused(self) -> None:
        refused, self._refused = self._refused & self.state.partitions.keys(), set()
        changed = await self.elect(refused)
        batch = self.batch()
        batch.changed(changed.partitions, new=changed.new)
        batch.update_metadata(refused)
        self.send(batch)

    async def _load_unclean_configs(self, partitions: Iterable[TopicPartition]) -> None:
        """Only where it matters: no in-sync replica is online."""
        topics = set()
        for partition in partitions:
            record = self.state.partitions[partition]
            if record.state is not None and not self.state.online(record.state.isr, partition):
                topics.add(partition.topic)
        await self.dependencies.configs.load(topics)

    def _unclean(self, topic: str) -> bool:
        own = self.dependencies.configs.overrides(topic).get("unclean.leader.election.enable")
        return self.dependencies.unclean_by_default() if own is None else own.strip().lower() == "true"

    # Brokers are told

    def batch(self) -> ControlBatch:
        return ControlBatch(self.state, self.dependencies.broker_id)

    def send(self, batch: ControlBatch) -> None:
        for broker, request in batch.requests():
            answer = self.dependencies.channel.send(broker, request)
            answer.add_done_callback(_Answered(self, broker, request))

    def replicas_failed(self, broker: int, partitions: list[TopicPartition]) -> None:
        """The broker answered that it cannot open these: their log directory is broken."""
        self.state.offline_replicas.setdefault(broker, set()).update(partitions)
        self.dependencies.trigger(("failed replicas", broker), lambda: self._elect_without_failed(broker))

    async def _elect_without_failed(self, broker: int) -> None:
        failed = [p for p in self.state.offline_replicas.get(broker, ()) if p in self.state.partitions]
        batch = self.batch()
        batch.changed((await self.elect(failed)).partitions)
        batch.update_metadata(failed)
        self.send(batch)


def _is_unclean(record: PartitionRecord, change: StateChange) -> bool:
    return record.state is not None and change.state.leader not in (NO_LEADER, *record.state.isr)


class _Answered:
    """What is done with a broker's answer."""

    def __init__(self, context: ControllerContext, broker: int, request: ControlRequest) -> None:
        self._context = context
        self._broker = broker
        self._request = request

    def __call__(self, answer: "asyncio.Future[Any]") -> None:
        if answer.cancelled():
            return
        error = answer.exception()
        if error is not None:
            # One that is gone takes nothing, and what it led is moved because of that: nothing to be warned of.
            level = logging.DEBUG if isinstance(error, BrokerNotAvailableError) else logging.WARNING
            log.log(level, "broker %d did not take %s: %s", self._broker, type(self._request).__name__, error)
        elif isinstance(self._request, LeaderAndIsrRequest):
            failed = _failed_replicas(self._request, answer.result())
            if failed:
                self._context.replicas_failed(self._broker, failed)


def _failed_replicas(request: LeaderAndIsrRequest, response: LeaderAndIsrResponse) -> list[TopicPartition]:
    names = {topic.topic_id: topic.topic_name for topic in request.topic_states}
    return [
        TopicPartition(names[topic.topic_id], error.partition_index)
        for topic in response.topics
        for error in topic.partition_errors
        if error.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    ]
