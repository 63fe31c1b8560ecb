"""One request or event in a shard. It goes in with a Step; what the runtime has to do then is on it.

Responses go to waiters, which are the runtime's own and mean nothing to a shard. An append may carry a completion: it
is called once, when the records are replicated or have failed, with a step of its own.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from ottla.errors import ErrorCode

NEVER = float("inf")

Waiter = object


class KeyValue(NamedTuple):
    """A record of an internal topic; without a value it is a tombstone."""

    key: bytes
    value: bytes | None


class Transaction(NamedTuple):
    """The producer whose transaction a batch belongs to."""

    producer_id: int
    producer_epoch: int


class Completion(Protocol):
    """`error` is the log's own: NONE when the records are replicated. `record_offset` is that of their batch, -1 where
    the log has refused it.
    """

    def __call__(self, error: ErrorCode, record_offset: int, step: "Step") -> None: ...


Append = tuple[list[KeyValue], Completion | None, bool, Transaction | None]
"""Records that become one batch; with `replays` the shard replays them as soon as they stand in the local log. Without
records it is completed when all that was appended before is replicated. A plain tuple, as there is one in each commit.
"""


class Step:
    """`now_ms` is monotonic, for deadlines; `wall_ms` is for timestamps in records.

    `effects` are what only the coordinator itself can do, such as a request to another broker; its results come back as
    steps. A shard asks for them where they may happen: after a replicated append, in its completion.
    """

    __slots__ = ("appends", "effects", "now_ms", "responses", "wall_ms")

    def __init__(self, now_ms: float, wall_ms: int) -> None:
        self.now_ms = now_ms
        self.wall_ms = wall_ms
        self.responses: list[tuple[Waiter, object]] = []
        self.appends: list[Append] = []
        self.effects: tuple[Callable[[], None], ...] = ()

    def respond(self, waiter: Waiter | None, result: object) -> None:
        if waiter is not None:
            self.responses.append((waiter, result))

    def append(
        self,
        records: list[KeyValue],
        completion: Completion | None = None,
        *,
        replays: bool = False,
        transaction: Transaction | None = None,
    ) -> None:
        self.appends.append((records, completion, replays, transaction))

    def perform(self, effect: Callable[[], None]) -> None:
        self.effects = (*self.effects, effect)
