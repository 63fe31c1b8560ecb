"""The rules. Each takes the history and yields a sentence for everything that breaks it."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Operation(NamedTuple):
    f: str
    key: str
    value: str
    offset: int = -1
    process: str = ""
    type: str = "ok"
    invoke: int = 0
    complete: int = 0


class History:
    def __init__(self, operations: list[Operation], *, idempotent: bool) -> None:
        self.idempotent = idempotent
        self.sends = [op for op in operations if op.f == "send"]
        self.polls = [op for op in operations if op.f == "poll"]
        self.replicas = [op for op in operations if op.f == "replica"]
        self.final: dict[str, dict[int, str]] = defaultdict(dict)
        self.offsets: dict[tuple[str, str], list[int]] = defaultdict(list)
        for op in operations:
            if op.f == "final":
                self.final[op.key][op.offset] = op.value
                self.offsets[op.key, op.value].append(op.offset)


Rule = Callable[[History], Iterator[str]]

UNKNOWN_OFFSET = -1001
"""An acknowledgement without an offset: librdkafka concludes from a later batch's that this one was written too."""


def w1_no_acknowledged_record_is_lost(history: History) -> Iterator[str]:
    for op in history.sends:
        found = history.offsets[op.key, op.value]
        is_there = bool(found) if op.offset == UNKNOWN_OFFSET else op.offset in found
        if op.type == "ok" and not is_there:
            yield f"{op.value} was acknowledged at {op.key} {op.offset} and is not there"


def w2_one_value_per_offset(history: History) -> Iterator[str]:
    for op in [op for op in history.sends if op.type == "ok"] + history.polls:
        found = history.final[op.key].get(op.offset)
        if found is not None and found != op.value:
            yield f"{op.f} saw {op.value} at {op.key} {op.offset}, where {found} is"


def w3_idempotent_producers_write_once(history: History) -> Iterator[str]:
    if history.idempotent:
        for (key, value), offsets in history.offsets.items():
            if len(offsets) > 1:
                yield f"{value} is at {key} {offsets}"


def w4_what_failed_is_not_there(history: History) -> Iterator[str]:
    for op in history.sends:
        if op.type == "fail" and history.offsets[op.key, op.value]:
            yield f"{op.value} failed and is at {op.key} {history.offsets[op.key, op.value]}"


def w5_no_phantoms(history: History) -> Iterator[str]:
    sent = {(op.key, op.value) for op in history.sends}
    for key, value in history.offsets:
        if (key, value) not in sent and history.offsets[key, value]:
            yield f"{value} is in {key} and was never sent there"


def w6_real_time_order(history: History) -> Iterator[str]:
    """What was acknowledged before something else was sent has the lower offset."""
    by_key: dict[str, list[Operation]] = defaultdict(list)
    for op in history.sends:
        if op.type == "ok" and op.offset != UNKNOWN_OFFSET:
            by_key[op.key].append(op)
    for key, sends in by_key.items():
        events = sorted([(op.invoke, 1, op) for op in sends] + [(op.complete, 0, op) for op in sends], key=_when)
        highest = -1
        for _, is_invoke, op in events:
            if is_invoke and op.offset < highest:
                yield f"{op.value} at {key} {op.offset} was sent after offset {highest} had been acknowledged"
            elif not is_invoke:
                highest = max(highest, op.offset)


def _when(event: tuple[int, int, Operation]) -> tuple[int, int]:
    """What is sent in the very moment of an acknowledgement was sent before it."""
    return event[0], -event[1]


def r1_offsets_rise(history: History) -> Iterator[str]:
    last: dict[tuple[str, str], int] = {}
    for op in history.polls:
        before = last.get((op.process, op.key), -1)
        if op.offset <= before:
            yield f"{op.process} read {op.key} {op.offset} after {before}"
        last[op.process, op.key] = op.offset


def r2_nothing_is_skipped(history: History) -> Iterator[str]:
    read: dict[tuple[str, str], list[int]] = defaultdict(list)
    for op in history.polls:
        read[op.process, op.key].append(op.offset)
    for (process, key), offsets in read.items():
        first, last = min(offsets), max(offsets)
        missing = {offset for offset in history.final[key] if first <= offset <= last} - set(offsets)
        if missing:
            yield f"{process} skipped {key} {sorted(missing)[:5]}"


def r3_reads_are_repeatable(history: History) -> Iterator[str]:
    for op in history.polls:
        if op.offset not in history.final[op.key]:
            yield f"{op.process} read {op.value} at {op.key} {op.offset}, which is gone"


def d1_replicas_are_equal(history: History) -> Iterator[str]:
    logs: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: defaultdict(list))
    for op in history.replicas:
        logs[op.key][op.process].append((op.offset, op.value))
    for key, by_broker in logs.items():
        if len({tuple(log) for log in by_broker.values()}) > 1:
            yield f"the replicas of {key} differ: { ({broker: len(log) for broker, log in by_broker.items()}) }"


RULES: tuple[Rule, ...] = (
    w1_no_acknowledged_record_is_lost,
    w2_one_value_per_offset,
    w3_idempotent_producers_write_once,
    w4_what_failed_is_not_there,
    w5_no_phantoms,
    w6_real_time_order,
    r1_offsets_rise,
    r2_nothing_is_skipped,
    r3_reads_are_repeatable,
    d1_replicas_are_equal,
)


def check(operations: list[Operation], *, idempotent: bool) -> list[str]:
    """Every breach, with the rule that it breaks."""
    history = History(operations, idempotent=idempotent)
    return [f"{rule.__name__}: {breach}" for rule in RULES for breach in rule(history)]
