"""A produce that was appended and waits before it is acknowledged: for its replicas (acks=all) and for the disk.

    required_offset    the high watermark must reach it: every in-sync replica has the records
    flush_offset       the log must be flushed to it: `flush.messages=M` promises that a crash loses fewer than M
                       acknowledged records, so of what is acknowledged all but M-1 are on disk (M=1: everything)

Records that were appended are in the log whatever happens now, and other replicas may have them. So whoever waits here
is never told anything that means "not written": a client that believes so may send the records again under another
sequence, and has them twice (docs/decisions/0019). The outcomes:

    NONE                              both offsets are reached
    NOT_ENOUGH_REPLICAS_AFTER_APPEND  too few replicas are known to have the records: the ISR shrank below
                                      `min.insync.replicas`, the leader moved (or may have, unseen, because our
                                      session is over), or the log directory failed
    REQUEST_TIMED_OUT                 the time is over

A new leader epoch with the same leader ends no wait: the records stay where they are. `Partition.still_holds` says so.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from ottla.errors import ErrorCode
from ottla.replication.partition import ACKS_ALL, Partition
from ottla.replication.purgatory import Purgatory, Wait
from ottla.storage.log.log_results import AppendInfo

Response = TypeVar("Response")


class Unacknowledged(NamedTuple):
    """One partition's part of a request: appended as `info` says, acknowledged when both offsets are reached."""

    partition: Partition
    info: AppendInfo
    required_offset: int
    flush_offset: int

    def outcome(self) -> ErrorCode | None:
        """The code of the response, or None while it must wait."""
        partition = self.partition
        if not partition.still_holds(self.info) or not self._may_acknowledge():
            return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        if partition.log.recovery_point < self.flush_offset:
            return None
        if partition.high_watermark.offset < self.required_offset:
            return None
        if self.required_offset > 0 and not partition.has_enough_replicas:
            return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return ErrorCode.NONE

    def _may_acknowledge(self) -> bool:
        """Without a session this broker may be deposed and not know it: its high watermark then promises nothing."""
        return self.required_offset == 0 or self.partition.context.may_acknowledge()


def unacknowledged(partition: Partition, info: AppendInfo, acks: int) -> Unacknowledged | None:
    """What the acknowledgement of an append must wait for, or None when it may go out now."""
    if acks != ACKS_ALL and not partition.log.is_flushed:  # The usual case: nothing is promised but the append.
        return None
    end_offset = info.last_offset + 1
    required_offset = end_offset if acks == ACKS_ALL else 0
    flush_offset = end_offset + 1 - partition.log.config.flush_messages
    part = Unacknowledged(partition, info, required_offset, flush_offset)
    return None if part.outcome() is ErrorCode.NONE else part


class DelayedProduce(Generic[Response]):
    """Calls `respond` when every part has its outcome, with the error codes of the parts in their order."""

    __slots__ = ("_codes", "_pending", "_respond", "_wait")

    def __init__(self, parts: Sequence[Unacknowledged], respond: Callable[[list[ErrorCode]], Response]) -> None:
        # A request may name a partition twice, though no client does.
        self._pending: dict[Partition, list[tuple[int, Unacknowledged]]] = {}
        for number, part in enumerate(parts):
            self._pending.setdefault(part.partition, []).append((number, part))
        self._codes = [ErrorCode.REQUEST_TIMED_OUT] * len(parts)
        self._respond = respond
        self._wait: Wait[Response] | None = None

    def start(self, purgatory: Purgatory, timeout_ms: int) -> Response | asyncio.Future[Response]:
        for partition in tuple(self._pending):
            self._check(partition)
        if not self._pending:
            return self._respond(self._codes)
        wait: Wait[Response] = Wait(purgatory, "Produce", timeout_ms, self._complete)
        self._wait = wait
        for partition in self._pending:
            wait.watch(partition, self)
        return wait.future

    def partition_changed(self, partition: Partition) -> None:
        if partition in self._pending:
            self._check(partition)
        if not self._pending:
            self._complete()

    def _check(self, partition: Partition) -> None:
        waiting = []
        for number, part in self._pending[partition]:
            outcome = part.outcome()
            if outcome is None:
                waiting.append((number, part))
            else:
                self._codes[number] = outcome
        if waiting:
            self._pending[partition] = waiting
        else:
            del self._pending[partition]

    def _complete(self) -> None:
        """All have their outcome, or the time is over."""
        assert self._wait is not None
        self._pending.clear()
        self._wait.complete(self._respond(self._codes))
