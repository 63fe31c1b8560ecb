"""A toy coordinator on the runtime: named counters with leases, and transfers from one to another.

counter NAME      total, who has the lease of it, transfers that it took part in
add               a change that later requests see at once; its response waits until it is replicated
lease             taken for some time and given back by the clock; who holds it is in the log, since when is not
transfer          two steps: the source is debited and the transfer is open; when that is replicated the target is
                  asked, which may live in another partition; its response closes the transfer. A coordinator that
                  loads an open transfer asks the target again, and a target takes each transfer once.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from ottla.clock import ManualClock, TimerWheel
from ottla.coordinators.partitioning import partition_for
from ottla.coordinators.runtime.append_errors import coordinator_error
from ottla.coordinators.runtime.runtime import CoordinatorRuntime, RuntimeSettings
from ottla.coordinators.runtime.step import NEVER, KeyValue, Step, Transaction
from ottla.errors import ErrorCode, KafkaError
from support.coordinator_logs import MemoryCoordinatorLog

LEASE_MS = 1000
RETRY_MS = 500


class Counter(NamedTuple):
    total: int = 0
    holder: str | None = None
    taken: tuple[str, ...] = ()


class Transfer(NamedTuple):
    transfer_id: str
    source: str
    target: str
    amount: int


class Ask(NamedTuple):
    """What a shard wants the coordinator to do: credit the target of a transfer, and close it then."""

    transfer: Transfer


class CounterShard:
    def __init__(self, ask: Callable[[Ask], None]) -> None:
        self._ask = ask
        self.counters: dict[str, Counter] = {}
        self.open: dict[str, Transfer] = {}
        self.staged: dict[int, list[KeyValue]] = {}
        self.deadlines: dict[str, float] = {}

    def counter(self, name: str) -> Counter:
        return self.counters.get(name, Counter())

    # Requests

    def add(self, amounts: dict[str, int], waiter: object, step: Step) -> None:
        """Add to several counters of this shard, to all or to none."""
        totals = {name: self.counter(name).total + amount for name, amount in amounts.items()}
        records = [_record(name, self.counter(name)._replace(total=total)) for name, total in totals.items()]
        step.append(records, partial(_replicated, waiter, totals), replays=True)

    def lease(self, name: str, holder: str, waiter: object, step: Step) -> None:
        if self.counter(name).holder not in (None, holder):
            step.respond(waiter, False)
            return
        self.deadlines[name] = min(self.deadlines.get(name, NEVER), step.now_ms + LEASE_MS)
        record = _record(name, self.counter(name)._replace(holder=holder))
        step.append([record], partial(_replicated, waiter, True), replays=True)

    def transfer(self, transfer: Transfer, waiter: object, step: Step) -> None:
        source = self.counter(transfer.source)
        records = [
            _record(transfer.source, source._replace(total=source.total - transfer.amount)),
            KeyValue(b"open " + transfer.transfer_id.encode(), json.dumps(transfer).encode()),
        ]
        step.append(records, partial(self._opened, transfer, waiter), replays=True)

    def _opened(self, transfer: Transfer, waiter: object, error: ErrorCode, record_offset: int, step: Step) -> None:
        _replicated(waiter, True, error, record_offset, step)
        if error is ErrorCode.NONE:
            step.perform(lambda: self._ask(Ask(transfer)))

    def credit(self, transfer: Transfer, waiter: object, step: Step) -> None:
        target = self.counter(transfer.target)
        if transfer.transfer_id in target.taken:
            step.append([], partial(_replicated, waiter, ErrorCode.NONE))  # It may not be replicated yet.
            return
        taken = (*target.taken, transfer.transfer_id)
        record = _record(transfer.target, target._replace(total=target.total + transfer.amount, taken=taken))
        step.append([record], partial(_replicated, waiter, ErrorCode.NONE), replays=True)

    def close(self, transfer: Transfer, step: Step) -> None:
        if transfer.transfer_id in self.open:
            step.append([KeyValue(b"open " + transfer.transfer_id.encode(), None)], replays=True)

    # The protocol of the runtime

    def replay(self, record: KeyValue, record_offset: int, transaction: Transaction | None) -> None:
        if transaction is not None:
            self.staged.setdefault(transaction.producer_id, []).append(record)
            return
        kind, name = record.key.decode().split(" ", 1)
        if kind == "counter":
            total, holder, taken = json.loads(record.value)
            self.counters[name] = Counter(total, holder, tuple(taken))
        elif record.value is None:
            self.open.pop(name, None)
        else:
            self.open[name] = Transfer(*json.loads(record.value))

    def replay_end_transaction(self, transaction: Transaction, *, is_committed: bool) -> None:
        for record in self.staged.pop(transaction.producer_id, []):
            if is_committed:
                self.replay(record, -1, None)

    def loaded(self, step: Step) -> None:
        for name, counter in self.counters.items():
            if counter.holder is not None:
                self.deadlines[name] = step.now_ms + LEASE_MS
        for transfer in self.open.values():
            step.perform(lambda transfer=transfer: self._ask(Ask(transfer)))

    def unloaded(self, step: Step) -> None:
        self.deadlines.clear()

    def units(self) -> list[str]:
        return list(self.deadlines)

    def wake_at_ms(self, unit: str) -> float:
        return self.deadlines.get(unit, NEVER)

    def tick(self, unit: str, step: Step) -> None:
        del self.deadlines[unit]
        step.append([_record(unit, self.counter(unit)._replace(holder=None))], replays=True)


def _record(name: str, counter: Counter) -> KeyValue:
    return KeyValue(b"counter " + name.encode(), json.dumps(counter).encode())


def _replicated(waiter: object, result: object, error: ErrorCode, record_offset: int, step: Step) -> None:
    code = coordinator_error(error, too_large=ErrorCode.INVALID_REQUEST)
    step.respond(waiter, result if error is ErrorCode.NONE else code)


class LeaseCounters:
    """The coordinator: all its partitions are in one log."""

    def __init__(self, log: MemoryCoordinatorLog, clock: ManualClock, timers: TimerWheel, partitions: int = 2) -> None:
        self.partitions = partitions
        self.timers = timers
        self.is_dead = False
        self.runtime = CoordinatorRuntime(
            "counter", RuntimeSettings(), log, lambda: CounterShard(self._ask), clock, timers
        )
        self.runtime.start()

    async def won(self, epoch: int = 1) -> "LeaseCounters":
        for index in range(self.partitions):
            self.runtime.partition_won(index, epoch)
        await self.runtime.loaded()
        return self

    def crash(self) -> None:
        """The process is gone: it does nothing any more."""
        self.is_dead = True

    def _owner(self, name: str):
        return self.runtime.partition(partition_for(name, self.partitions))

    def counter(self, name: str) -> Counter:
        return self._owner(name).shard.counter(name)

    def add(self, **amounts: int):
        name = next(iter(amounts))
        owned = self._owner(name)
        return self.runtime.handle(owned, name, owned.shard.add, amounts)

    def lease(self, name: str, holder: str):
        owned = self._owner(name)
        return self.runtime.handle(owned, name, owned.shard.lease, name, holder)

    def transfer(self, transfer_id: str, source: str, target: str, amount: int):
        owned = self._owner(source)
        transfer = Transfer(transfer_id, source, target, amount)
        return self.runtime.handle(owned, source, owned.shard.transfer, transfer)

    # What a shard asks for

    def _ask(self, ask: Ask) -> None:
        transfer = ask.transfer
        if self.is_dead:
            return
        try:
            source, target = self._owner(transfer.source), self._owner(transfer.target)
        except KafkaError:
            self.timers.schedule(RETRY_MS, partial(self._ask, ask))
            return
        outcome = self.runtime.handle(target, transfer.target, target.shard.credit, transfer)
        if outcome is ErrorCode.NONE:
            self._close(source, transfer)
        elif isinstance(outcome, ErrorCode):
            self.timers.schedule(RETRY_MS, partial(self._ask, ask))
        else:
            outcome.add_done_callback(lambda done: self._credited(ask, source, done.result()))

    def _credited(self, ask: Ask, source, error: ErrorCode) -> None:
        if error is ErrorCode.NONE and not self.is_dead:
            self._close(source, ask.transfer)
        else:
            self.timers.schedule(RETRY_MS, partial(self._ask, ask))

    def _close(self, source, transfer: Transfer) -> None:
        self.runtime.run(source, transfer.source, partial(source.shard.close, transfer))
