"""The controller on this broker, active or not.

    start ──► register the broker ──► elect ──► active: `ActiveController` takes over
                                          └───► not: watch /controller, elect again when it goes
    session expired ──► not active from then on; with the new session register, then elect again
    a write says that the epoch is another's, or has no answer ──► not active, elect again, read everything anew
    that fails too ──► once more, after pauses that grow

The event queue is the only place where the controller acts. What is triggered when this broker is not active any more
finds its `ActiveController` gone and does nothing.
"""

import asyncio
import functools
import logging
import random
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import NamedTuple, TypeVar

from ottla.clients.retry import Backoff
from ottla.clock import Clock
from ottla.clock.turns import in_turns
from ottla.controller import plans
from ottla.controller.active_controller import ActiveController
from ottla.controller.broker_channel import BrokerChannel
from ottla.controller.context import ControllerStats, Dependencies, Work
from ottla.controller.control_request_handler import TopicOverrides
from ottla.controller.election import ControllerElection, ControllerMovedError, Elected
from ottla.controller.event_queue import EventQueue
from ottla.controller.leader_moves import Outcomes
from ottla.controller.placement import Replicas
from ottla.controller.registration import BrokerIdInUseError
from ottla.controller.topic_admin import CreatedTopic, TopicAdmin
from ottla.controller.topic_rules import NewTopic, TopicDefaults
from ottla.controller.zookeeper_refusals import kafka_error
from ottla.coordination.errors import (
    ConnectionLossError,
    CoordinationError,
    SessionClosedError,
    SessionError,
    SessionExpiredError,
    ZooKeeperError,
)
from ottla.coordination.session import Session, SessionEvent, WatchEvent
from ottla.errors import KafkaError
from ottla.errors.kafka import NotControllerError
from ottla.model import TopicPartition
from ottla.protocol.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse

log = logging.getLogger(__name__)

RESIGN_SECONDS_MAX = 1.0

T = TypeVar("T")


class Rebalancing(NamedTuple):
    """`auto.leader.rebalance.enable`, `leader.imbalance.check.interval.seconds` and `.per.broker.percentage`."""

    enabled: bool = False
    interval_s: float = 300.0
    percentage: int = 10


class ControllerSettings(NamedTuple):
    """What the controller takes from the broker's configuration, asked anew each time."""

    defaults: Callable[[], TopicDefaults]
    deletion_enabled: Callable[[], bool] = lambda: True
    unclean_by_default: Callable[[], bool] = lambda: False
    rebalancing: Callable[[], Rebalancing] = Rebalancing


class ControllerNode:
    def __init__(
        self,
        broker_id: int,
        session: Session,
        clock: Clock,
        channel: BrokerChannel,
        configs: TopicOverrides,
        settings: ControllerSettings,
        register: Callable[[], Awaitable[object]],
        rng: random.Random | None = None,
        stats: ControllerStats | None = None,
    ) -> None:
        """`register` puts the broker into /brokers/ids; it is called for every new session, before the election."""
        self._broker_id = broker_id
        self._session = session
        self._settings = settings
        self._register = register
        self._rng = rng or random.Random()
        self._queue = EventQueue()
        self._active: ActiveController | None = None
        self._election = ControllerElection(session, broker_id, clock, self._controller_changed)
        self._dependencies = Dependencies(
            broker_id,
            session,
            channel,
            configs,
            functools.partial(self._trigger, 0),
            settings.unclean_by_default,
            settings.deletion_enabled,
            stats or ControllerStats(),
            clock.monotonic,
        )
        self._unsubscribe: Callable[[], None] = lambda: None
        self._epoch_version = -1
        self._term = 0
        self._rebalance_timer: asyncio.TimerHandle | None = None
        self._pauses = Backoff(200, 10_000, self._rng)
        self._failures = 0
        self._retries: dict[str, asyncio.TimerHandle] = {}

    # Life

    async def start(self) -> None:
        """Register and elect. Returns when this broker is the controller, with everything read, or another is."""
        self._unsubscribe = self._session.subscribe(self._session_changed)
        await self._register()
        await self._queue.put_request(self._elect)

    async def stop(self) -> None:
        """Resign in good order, so that another broker need not wait for the session's end."""
        self._unsubscribe()
        self._unsubscribe = lambda: None
        for retry in self._retries.values():
            retry.cancel()
        await self._queue.stop()
        if self._active is not None:
            self._end_term("it stops")
            try:
                await asyncio.wait_for(self._election.resign(self._epoch_version), RESIGN_SECONDS_MAX)
            except (CoordinationError, TimeoutError) as error:
                log.info("not resigned, the end of the session does it: %s", error)

    @property
    def queue_size(self) -> int:
        return len(self._queue)

    @property
    def topics_to_delete(self) -> int:
        return len(self._active.state.deletions) if self._active is not None else 0

    @property
    def is_active(self) -> bool:
        """Whether this broker is the controller, as far as it can know."""
        return self._active is not None and self._session.lease_valid()

    @property
    def is_busy(self) -> bool:
        """Whether events wait or one is being done."""
        return self._queue.is_busy

    @property
    def offline_partitions(self) -> int:
        """Partitions without a leader; 0 on brokers that are not the controller."""
        return len(plans.without_leader(self._active.state)) if self._active is not None else 0

    @property
    def preferred_imbalance(self) -> int:
        """Partitions that are not led by their first replica; 0 on brokers that are not the controller."""
        if self._active is None:
            return 0
        return sum(len(elsewhere) for _, elsewhere in plans.leader_imbalance(self._active.state).values())

    def _session_changed(self, event: SessionEvent) -> None:
        if event is SessionEvent.EXPIRED:
            self._end_term("the session expired")
        elif event is SessionEvent.RENEWED:
            self._queue.put_trigger("session", self._start_again)

    def _controller_changed(self, _: WatchEvent) -> None:
        self._queue.put_trigger("controller", self._elect)

    async def _start_again(self) -> None:
        try:
            await self._register()
        except (SessionExpiredError, SessionClosedError) as error:  # the next session brings us here again
            log.warning("not registered: %s", error)
        except (CoordinationError, BrokerIdInUseError) as error:
            log.warning("not registered: %s", error)
            self._again("session", self._start_again)
        else:
            await self._elect()

    async def _elect(self) -> None:
        try:
            outcome = await self._election.run()
            if not isinstance(outcome, Elected):
                self._end_term(f"broker {outcome.broker_id} is the controller")
            elif self._active is None or self._active.state.epoch != outcome.epoch:
                await self._take_office(outcome)
            self._failures = 0
        except (ControllerMovedError, ConnectionLossError, ZooKeeperError) as error:
            self._begin_again(error)
        except SessionError as error:
            self._end_term(str(error))

    async def _take_office(self, elected: Elected) -> None:
        log.info("broker %d is elected controller, epoch %d", self._broker_id, elected.epoch)
        self._epoch_version = elected.epoch_version
        # Watches of an earlier term may still fire: their triggers are told apart by its number.
        self._term += 1
        trigger = functools.partial(self._trigger, self._term)
        self._active = ActiveController(elected, self._dependencies._replace(trigger=trigger))
        await self._active.take_over()
        self._schedule_rebalance()

    def _begin_again(self, error: Exception) -> None:
        """Something was left half done: read everything anew, if this broker is still the controller."""
        self._end_term(str(error))
        self._again("controller", self._elect)

    def _again(self, key: str, work: Work) -> None:
        """The first time at once, then after pauses that grow: what fails each time must not take up the broker."""
        pause_s = self._pauses.delay_ms(self._failures) / 1000
        self._failures += 1
        if key in self._retries:
            self._retries.pop(key).cancel()
        if pause_s:
            log.warning("the controller tries again in %.1f s", pause_s)
            self._retries[key] = asyncio.get_running_loop().call_later(pause_s, self._queue.put_trigger, key, work)
        else:
            self._queue.put_trigger(key, work)

    def _end_term(self, reason: str) -> None:
        if self._active is not None:
            log.info("broker %d is not the controller any more: %s", self._broker_id, reason)
            self._active.deletions.left_office()
            self._active = None
            self._dependencies.channel.reset()
            if self._rebalance_timer is not None:
                self._rebalance_timer.cancel()

    # Events of the active controller

    def _trigger(self, term: int, key: Hashable, work: Work) -> None:
        self._queue.put_trigger((term, key), lambda: self._while_in_term(term, key, work))

    async def _while_in_term(self, term: int, key: Hashable, work: Work) -> None:
        if self._active is None or self._term != term:
            return
        try:
            await work()
        except (ControllerMovedError, ConnectionLossError, ZooKeeperError) as error:
            log.warning("news of %s could not be dealt with: %s", key, error)
            self._begin_again(error)
        except SessionError as error:
            log.debug("news of %s is left: %s", key, error)

    def _schedule_rebalance(self) -> None:
        interval_s = self._settings.rebalancing().interval_s
        self._rebalance_timer = asyncio.get_running_loop().call_later(interval_s, self._rebalance_due)

    def _rebalance_due(self) -> None:
        active, rebalancing = self._active, self._settings.rebalancing()
        if active is not None:
            if rebalancing.enabled:
                self._trigger(self._term, "rebalance", lambda: active.moves.rebalance(rebalancing.percentage))
            self._schedule_rebalance()

    def unclean_election_allowed(self, topic: str | None = None) -> None:
        """`unclean.leader.election.enable` was switched on, for a topic or for all: it counts for what is offline."""
        active = self._active
        if active is not None:
            self._trigger(self._term, ("unclean election", topic), lambda: active.elect_offline(topic))

    async def _request(self, work: Callable[[ActiveController], Awaitable[T]]) -> T:
        """Do something as the controller, or raise NotControllerError."""
        if not self.is_active:
            raise NotControllerError
        return await self._queue.put_request(lambda: self._do_request(work))

    async def _do_request(self, work: Callable[[ActiveController], Awaitable[T]]) -> T:
        if self._active is None or not self.is_active:
            raise NotControllerError
        try:
            return await work(self._active)
        except (ControllerMovedError, ConnectionLossError) as error:
            self._begin_again(error)
            raise NotControllerError from None
        except ZooKeeperError as error:
            self._begin_again(error)
            raise kafka_error(error) from error
        except SessionError:
            raise NotControllerError from None

    def _admin(self, active: ActiveController) -> TopicAdmin:
        return TopicAdmin(active, self._settings.defaults(), self._rng)

    # What handlers ask. Each result is what it should be or the KafkaError that says why not

    async def create_topics(
        self, topics: Sequence[NewTopic], *, validate_only: bool = False
    ) -> "list[CreatedTopic | KafkaError]":
        async def work(active: ActiveController) -> "list[CreatedTopic | KafkaError]":
            admin = self._admin(active)
            return [await _outcome(admin.create(new, validate_only=validate_only)) async for new in in_turns(topics)]

        return await self._request(work)

    async def create_partitions(
        self, topics: Sequence[tuple[str, int, Sequence[Replicas] | None]], *, validate_only: bool = False
    ) -> "list[KafkaError | None]":
        async def work(active: ActiveController) -> "list[KafkaError | None]":
            admin = self._admin(active)
            return [
                await _outcome(admin.add_partitions(name, count, assignments, validate_only=validate_only))
                async for name, count, assignments in in_turns(topics)
            ]

        return await self._request(work)

    async def delete_topics(self, names: Sequence[str]) -> "list[KafkaError | asyncio.Future[None]]":
        """For each topic an error, or a future that completes when it is gone altogether."""

        async def delete(admin: TopicAdmin, name: str) -> "asyncio.Future[None]":
            await admin.delete(name)
            return admin.deleted(name)

        async def work(active: ActiveController) -> "list[KafkaError | asyncio.Future[None]]":
            admin = self._admin(active)
            return [await _outcome(delete(admin, name)) async for name in in_turns(names)]

        return await self._request(work)

    async def alter_partition(self, request: AlterPartitionRequest, version: int) -> AlterPartitionResponse:
        """ISR changes of a leader. StaleBrokerEpochError when it is not registered in the epoch that it says."""
        return await self._request(lambda active: active.alterations.alter(request, version))

    async def elect_leaders(self, election_type: int, partitions: Sequence[TopicPartition] | None) -> Outcomes:
        """Preferred (0) or unclean (1) leaders for these partitions, or for all."""
        return await self._request(lambda active: active.moves.elect(election_type, partitions))

    async def controlled_shutdown(self, broker_id: int, broker_epoch: int) -> list[TopicPartition]:
        """Relieve a broker; what it still leads because nobody else can."""
        return await self._request(lambda active: active.moves.shut_down(broker_id, broker_epoch))


async def _outcome(action: Awaitable[T]) -> "T | KafkaError":
    try:
        return await action
    except KafkaError as error:
        return error
