"""A produce that was appended and waits before it is acknowledged: for its replicas (acks=all) and for the disk.

    required_offset    the high watermark must reach it: every in-sync replica has the records
    flush_offset       the log must be flushed to it: `flush.messages=M` promises that a crash loses fewer than M
                       acknowledged records, so of what is acknowledged all but M-1 are on disk (M=1: everything)

What ends badly is told apart: the leader moved, or may have moved unseen because our session is over
(NOT_LEADER_OR_FOLLOWER), the disk failed (KAFKA_STORAGE_ERROR), the ISR shrank below `min.insync.replicas`
(NOT_ENOUGH_REPLICAS_AFTER_APPEND), the time is over (REQUEST_TIMED_OUT). In all of them the records are in the log and
may yet survive: the producer does not know, and retries.
"""

import asyncio
from collections.abc import Callable
from typing import Generic, NamedTuple, TypeVar

from ottla.errors import ErrorCode
from ottla.protocol.messages.produce import PartitionProduceResponse
from ottla.replication.partition import ACKS_ALL, Partition
from ottla.replication.purgatory import Purgatory, Wait
from ottla.storage.log_offsets import AppendInfo

Response = TypeVar("Response")


class Unacknowledged(NamedTuple):
    """One partition's part of a request: appended in this epoch, answered when both offsets are reached."""

    partition: Partition
    leader_epoch: int
    required_offset: int
    flush_offset: int
    answer: PartitionProduceResponse

    def outcome(self) -> ErrorCode | None:
        """The code to answer, or None while it must wait."""
        partition = self.partition
        if partition.is_offline:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if not partition.is_leader or partition.leader_epoch != self.leader_epoch:
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        if self.required_offset > 0 and not partition.context.may_acknowledge():
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        if partition.log.recovery_point < self.flush_offset:
            return None
        if partition.high_watermark.offset < self.required_offset:
            return None
        if self.required_offset > 0 and not partition.has_enough_replicas:
            return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        return ErrorCode.NONE


def unacknowledged(
    partition: Partition, info: AppendInfo, leader_epoch: int, acks: int, answer: PartitionProduceResponse
) -> Unacknowledged | None:
    """What the acknowledgement of an append must wait for, or None when it may go out now.

    `leader_epoch`: that of the append. Other records may have taken the place of these since.
    """
    if acks != ACKS_ALL and not partition.log.is_flushed:  # The usual case: nothing is promised but the append.
        return None
    end_offset = info.last_offset + 1
    required_offset = end_offset if acks == ACKS_ALL else 0
    flush_offset = end_offset + 1 - partition.log.config.flush_messages
    is_safe = partition.high_watermark.offset >= required_offset and partition.log.recovery_point >= flush_offset
    is_ours = partition.is_leader and partition.leader_epoch == leader_epoch
    if is_safe and is_ours and (required_offset == 0 or partition.context.may_acknowledge()):
        return None
    return Unacknowledged(partition, leader_epoch, required_offset, flush_offset, answer)


class DelayedProduce(Generic[Response]):
    """Answers `respond()` when every part has its outcome."""

    __slots__ = ("_pending", "_respond", "_wait")

    def __init__(self, pending: list[Unacknowledged], respond: Callable[[], Response]) -> None:
        # A request may name a partition twice, though no client does.
        self._pending: dict[Partition, list[Unacknowledged]] = {}
        for part in pending:
            self._pending.setdefault(part.partition, []).append(part)
        self._respond = respond
        self._wait: Wait[Response] | None = None

    def start(self, purgatory: Purgatory, timeout_ms: int) -> Response | asyncio.Future[Response]:
        for partition in tuple(self._pending):
            self._check(partition)
        if not self._pending:
            return self._respond()
        wait: Wait[Response] = Wait(purgatory, "Produce", timeout_ms, self._timed_out)
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
        for part in self._pending[partition]:
            outcome = part.outcome()
            if outcome is None:
                waiting.append(part)
            elif outcome != ErrorCode.NONE:
                fail(part.answer, outcome)
        if waiting:
            self._pending[partition] = waiting
        else:
            del self._pending[partition]

    def _timed_out(self) -> None:
        for parts in self._pending.values():
            for part in parts:
                fail(part.answer, ErrorCode.REQUEST_TIMED_OUT)
        self._pending.clear()
        self._complete()

    def _complete(self) -> None:
        assert self._wait is not None
        self._wait.complete(self._respond())


def fail(answer: PartitionProduceResponse, code: ErrorCode) -> None:
    answer.error_code = code
    answer.base_offset = -1
    answer.log_append_time_ms = -1
