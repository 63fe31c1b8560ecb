"""One event's turn in a group's life. The event goes in with a Step; what the driver has to do then is on it.

Answers go to waiters, which are the driver's own and mean nothing here. An append may carry the event that the driver
hands back, as `stored(group, event, error, ...)`, when the records are replicated or have failed.
"""

from typing import NamedTuple

from ottla.coordinators.group.committed_offsets import CommittedOffset
from ottla.errors import ErrorCode
from ottla.model import TopicPartition

Waiter = object


class KeyValue(NamedTuple):
    """A record of `__consumer_offsets`; without a value it is a tombstone."""

    key: bytes
    value: bytes | None


class Answer(NamedTuple):
    waiter: Waiter
    result: object


class AssignmentStored(NamedTuple):
    generation: int
    assignments: dict[str, bytes]


class StaticMemberStored(NamedTuple):
    """A static member came back under a new id. Everything that is needed to undo it, should it not be stored."""

    generation: int
    instance_id: str
    member_id: str
    waiter: Waiter
    leader_id_before: str | None
    supports_skip_assignment: bool
    undo: "StaticMemberBefore"


class StaticMemberBefore(NamedTuple):
    member_id: str
    protocols: tuple[tuple[str, bytes], ...]
    session_timeout_ms: int
    rebalance_timeout_ms: int


class OffsetsStored(NamedTuple):
    """`refused` are the partitions of the request that were not written, with why not."""

    waiter: Waiter
    offsets: dict[TopicPartition, CommittedOffset]
    refused: dict[TopicPartition, ErrorCode]


class TombstonesStored(NamedTuple):
    """`result` is what the waiter is answered when the tombstones are safe."""

    waiter: Waiter
    result: object


StoredEvent = AssignmentStored | StaticMemberStored | OffsetsStored | TombstonesStored


class Append(NamedTuple):
    records: list[KeyValue]
    event: StoredEvent | None


class Step:
    """`now_ms` is monotonic, for deadlines; `wall_ms` is for timestamps in records."""

    __slots__ = ("answers", "appends", "now_ms", "wall_ms")

    def __init__(self, now_ms: float, wall_ms: int) -> None:
        self.now_ms = now_ms
        self.wall_ms = wall_ms
        self.answers: list[Answer] = []
        self.appends: list[Append] = []

    def answer(self, waiter: Waiter | None, result: object) -> None:
        if waiter is not None:
            self.answers.append(Answer(waiter, result))

    def append(self, records: list[KeyValue], event: StoredEvent | None = None) -> None:
        self.appends.append(Append(records, event))
