"""The driver of one coordinator's shards: which partitions are led here, steps, appends and timers.

    request ──► partition ──► step of the shard ──► append its records ──► respond when replicated
                                   ▲
    timer wheel ────── tick ───────┘

A partition that was won is loaded first, in slices; COORDINATOR_LOAD_IN_PROGRESS meanwhile. There is one timer per unit
of a shard, at its earliest deadline.

Invariant: a partition in `_partitions` is not lost. What a lost one still gets (the completion of an append, a result
from another broker) may respond, and appends nothing.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypeVar

from ottla.clock import Clock, TimerWheel
from ottla.coordinators.runtime.coordinator_log import Appended, CoordinatorLog, encode_records
from ottla.coordinators.runtime.owned_partition import OwnedPartition, UnitTimer
from ottla.coordinators.runtime.partition_loader import PartitionLoader
from ottla.coordinators.runtime.shard import ShardT
from ottla.coordinators.runtime.step import NEVER, Append, Completion, Step, Transaction
from ottla.coordinators.runtime.waiter import Waiter
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    NotCoordinatorError,
)
from ottla.records.attributes import Codec
from ottla.records.control import ControlType, encode_end_txn_batch

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeSettings:
    append_timeout_ms: int = 5_000
    load_buffer_bytes: int = 5 * 1024 * 1024
    compression: Codec = Codec.NONE


class CoordinatorRuntime(Generic[ShardT]):
    """`kind` is what the coordinator coordinates, in the log; `new_shard` makes the empty shard of a partition;
    `partition_loaded` is told how many ms loading took.
    """

    def __init__(
        self,
        kind: str,
        settings: RuntimeSettings,
        log: CoordinatorLog,
        new_shard: Callable[[], ShardT],
        clock: Clock,
        timers: TimerWheel,
        partition_loaded: Callable[[OwnedPartition[ShardT], float], None] = lambda partition, took_ms: None,
        load_run_ended: Callable[[list[OwnedPartition[ShardT]], float], None] = lambda partitions, took_ms: None,
    ) -> None:
        self._kind = kind
        self._settings = settings
        self._log = log
        self._new_shard = new_shard
        self._clock = clock
        self._timers = timers
        self._partition_loaded = partition_loaded
        self._is_active = False
        self._partitions: dict[int, OwnedPartition[ShardT]] = {}
        self._loader = PartitionLoader(
            log, settings.load_buffer_bytes, clock, timers, self._begin_partition, load_run_ended
        )

    # Start, stop, and which partitions are ours

    def start(self) -> None:
        self._is_active = True

    def stop(self) -> None:
        """Whoever waits is told to look for another coordinator."""
        self._is_active = False
        for index in list(self._partitions):
            self.partition_lost(index)
        self._loader.stop()

    def partition_won(self, index: int, epoch: int) -> None:
        """This broker leads the partition in this epoch: load it. An epoch that is not newer is nothing new."""
        known = self._partitions.get(index)
        if known is not None and known.epoch >= epoch:
            return
        self.partition_lost(index)
        logger.debug("Elected as the %s coordinator for partition %d in epoch %d", self._kind, index, epoch)
        owned = OwnedPartition(self._log.topic, index, epoch, self._new_shard())
        self._partitions[index] = owned
        self._loader.load(owned)

    def partition_lost(self, index: int) -> None:
        """Another broker leads the partition, or none does."""
        owned = self._partitions.pop(index, None)
        if owned is None:
            return
        logger.debug("Resigned as the %s coordinator for partition %d in epoch %d", self._kind, index, owned.epoch)
        owned.lose()
        if not owned.is_loading:
            self.run(owned, "", owned.shard.unloaded)

    def _begin_partition(self, owned: OwnedPartition[ShardT], took_ms: float) -> None:
        self.run(owned, "", owned.shard.loaded)
        for unit in owned.shard.units():
            self.arm(owned, unit)
        owned.finish_loading()
        self._partition_loaded(owned, took_ms)

    async def loaded(self) -> None:
        """Until every partition that was won is loaded, or lost again."""
        for owned in list(self._partitions.values()):
            await asyncio.wait([owned.loaded])

    # Which shard

    def check_active(self) -> None:
        if not self._is_active:
            raise CoordinatorNotAvailableError("The coordinator is not available.")

    def partition(self, index: int) -> OwnedPartition[ShardT]:
        """KafkaError when the partition is not coordinated here, or not yet."""
        if not self._is_active:
            self.check_active()
        owned = self._partitions.get(index)
        if owned is None:
            raise NotCoordinatorError("This is not the correct coordinator.")
        if owned.is_loading:
            raise CoordinatorLoadInProgressError("The coordinator is loading and hence can't process requests.")
        return owned

    @property
    def is_loading(self) -> bool:
        return any(owned.is_loading for owned in self._partitions.values())

    def partitions(self) -> Iterator[OwnedPartition[ShardT]]:
        """Those that are loaded."""
        return (owned for owned in self._partitions.values() if not owned.is_loading)

    # Steps

    def handle(
        self, owned: OwnedPartition[ShardT], unit: str, handler: Callable[..., object], *request: object
    ) -> Result | asyncio.Future[Result]:
        """What `handler(*request, waiter, step)` responds to the waiter, or a future of it."""
        waiter: Waiter[Result] = Waiter()
        step = Step(self._clock.monotonic() * 1000, self._clock.wall_ms())
        handler(*request, waiter, step)
        self._carry_out(owned, unit, step)
        return waiter.outcome()

    def run(self, owned: OwnedPartition[ShardT], unit: str, action: Callable[[Step], object]) -> None:
        """One step of a unit that nobody waits for: of the result of an effect, or of the clock."""
        step = Step(self._clock.monotonic() * 1000, self._clock.wall_ms())
        action(step)
        self._carry_out(owned, unit, step)

    def _carry_out(self, owned: OwnedPartition[ShardT], unit: str, step: Step) -> None:
        for append in step.appends:
            self._append(owned, unit, append, step.wall_ms)
        for waiter, result in step.responses:
            assert isinstance(waiter, Waiter)
            waiter.resolve(result)
        if not owned.is_lost:
            for effect in step.effects:
                effect()
            self.arm(owned, unit)

    # Appending

    def _append(self, owned: OwnedPartition[ShardT], unit: str, append: Append, wall_ms: int) -> None:
        records, completion, replays, transaction = append
        if not records:
            self._wait_for_appends(owned, unit, completion)
            return
        batch = encode_records(records, wall_ms, self._settings.compression, transaction)
        appended = self._append_batch(owned, unit, batch, completion)
        if appended is None:
            return
        if replays:
            for record in records:
                owned.shard.replay(record, appended[0], transaction)
        self._when_replicated(owned, unit, appended, completion)

    def end_transaction(
        self, owned: OwnedPartition[ShardT], transaction: Transaction, *, coordinator_epoch: int, is_committed: bool
    ) -> ErrorCode | asyncio.Future[ErrorCode]:
        """Append the marker of a transaction; the shard replays it when it is replicated. The log's own error code.

        A marker may be written again: the transaction's coordinator does so until it is told that it is replicated,
        and lets the producer begin another transaction only then.
        """
        waiter: Waiter[ErrorCode] = Waiter()
        batch = encode_end_txn_batch(
            ControlType.COMMIT if is_committed else ControlType.ABORT,
            producer_id=transaction.producer_id,
            producer_epoch=transaction.producer_epoch,
            coordinator_epoch=coordinator_epoch,
            timestamp=self._clock.wall_ms(),
        )

        def replicated(error: ErrorCode, record_offset: int, step: Step) -> None:
            if error is ErrorCode.NONE:
                owned.shard.replay_end_transaction(transaction, is_committed=is_committed)
            step.respond(waiter, error)

        appended = self._append_batch(owned, "", bytearray(batch), replicated)
        if appended is not None:
            self._when_replicated(owned, "", appended, replicated)
        return waiter.outcome()

    def _append_batch(
        self, owned: OwnedPartition[ShardT], unit: str, batch: bytearray, completion: Completion | None
    ) -> Appended | None:
        """None when the batch was refused, which is completed then."""
        error = ErrorCode.NOT_LEADER_OR_FOLLOWER
        if not owned.is_lost:
            try:
                owned.last_append = appended = self._log.append(owned.index, batch)
                return appended
            except KafkaError as refusal:
                error = refusal.code
        self._complete(owned, unit, completion, -1, error)
        return None

    def _wait_for_appends(self, owned: OwnedPartition[ShardT], unit: str, completion: Completion | None) -> None:
        if owned.is_lost:
            self._complete(owned, unit, completion, -1, ErrorCode.NOT_LEADER_OR_FOLLOWER)
        elif owned.last_append is None:
            self._complete(owned, unit, completion, -1, ErrorCode.NONE)
        else:
            self._when_replicated(owned, unit, owned.last_append, completion)

    def _when_replicated(
        self, owned: OwnedPartition[ShardT], unit: str, appended: Appended, completion: Completion | None
    ) -> None:
        stored = partial(self._complete, owned, unit, completion, appended[0])
        self._log.when_replicated(appended, self._settings.append_timeout_ms, stored)

    def _complete(
        self,
        owned: OwnedPartition[ShardT],
        unit: str,
        completion: Completion | None,
        record_offset: int,
        error: ErrorCode,
    ) -> None:
        if completion is not None:
            step = Step(self._clock.monotonic() * 1000, self._clock.wall_ms())
            completion(error, record_offset, step)
            self._carry_out(owned, unit, step)

    # Timers

    def arm(self, owned: OwnedPartition[ShardT], unit: str) -> None:
        """Make sure that the unit is woken at its earliest deadline. Earlier does no harm."""
        wake_at_ms = owned.shard.wake_at_ms(unit)
        armed = owned.timers.get(unit)
        if armed is not None:
            if armed.at_ms <= wake_at_ms < NEVER:
                return
            owned.cancel_timer(unit)
        if wake_at_ms == NEVER:
            return
        delay_ms = max(0.0, wake_at_ms - self._clock.monotonic() * 1000)
        timer = self._timers.schedule(delay_ms, partial(self._wake, owned, unit))
        owned.timers[unit] = UnitTimer(timer, wake_at_ms)

    def _wake(self, owned: OwnedPartition[ShardT], unit: str) -> None:
        del owned.timers[unit]
        self.run(owned, unit, partial(owned.shard.tick, unit))
