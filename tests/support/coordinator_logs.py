"""An internal topic in memory, replicated when the test says so."""

from typing import NamedTuple

from ottla.coordinators.runtime.coordinator_log import Appended, Stored
from ottla.errors import ErrorCode
from ottla.errors.kafka import error_for_code
from ottla.records.batch import decode_header, iterate_batches, stamp
from ottla.records.record import Record, decode_batch


class MemoryAppend(NamedTuple):
    partition: int
    base_offset: int
    end_offset: int


class MemoryCoordinatorLog:
    """Appends are replicated at once, unless `is_held`; then when `replicate` or `fail` is called, in order."""

    topic = "__consumer_offsets"

    def __init__(self) -> None:
        self.batches: dict[int, list[bytearray]] = {}
        self.high_watermarks: dict[int, int] = {}
        self.is_held = False
        self.refuse_with: ErrorCode | None = None
        self._appends: list[MemoryAppend] = []
        self._waiting: list[tuple[MemoryAppend, Stored]] = []

    def append(self, partition: int, batch: bytearray) -> Appended:
        if self.refuse_with is not None:
            raise error_for_code(self.refuse_with)
        base_offset = self.end_offset(partition)
        stamp(batch, 0, base_offset, 0)
        self.batches.setdefault(partition, []).append(batch)
        self._appends.append(MemoryAppend(partition, base_offset, self.end_offset(partition)))
        return base_offset, self._appends[-1]

    def when_replicated(self, appended: Appended, timeout_ms: int, stored: Stored) -> None:
        if self._is_replicated(appended[1]):
            stored(ErrorCode.NONE)
            return
        self._waiting.append((appended[1], stored))
        if not self.is_held:
            self.replicate()

    def end_offset(self, partition: int) -> int:
        batches = self.batches.get(partition)
        return decode_header(batches[-1]).next_offset if batches else 0

    def replicate(self, count: int | None = None) -> None:
        """Every in-sync replica has the oldest `count` appends, or all."""
        ready, self._waiting = self._waiting[:count], self._waiting[len(self._waiting[:count]) :]
        for appended, stored in ready:
            if not self._is_replicated(appended):
                self.high_watermarks[appended.partition] = appended.end_offset
            stored(ErrorCode.NONE)

    def _is_replicated(self, appended: MemoryAppend) -> bool:
        return self.high_watermarks.get(appended.partition, 0) >= appended.end_offset

    def fail(self, error: ErrorCode) -> None:
        """The appends that wait stay in the log, but nobody knows whether they will last."""
        waiting, self._waiting = self._waiting, []
        for _, stored in waiting:
            stored(error)

    def fail_over(self, *, keep_unreplicated: bool) -> None:
        """Another replica leads; what was not replicated is in its log or is not."""
        if not keep_unreplicated:
            for partition, batches in self.batches.items():
                end = self.high_watermarks.get(partition, 0)
                self.batches[partition] = [batch for batch in batches if decode_header(batch).base_offset < end]
        self.high_watermarks = {partition: self.end_offset(partition) for partition in self.batches}
        self.fail(ErrorCode.NOT_LEADER_OR_FOLLOWER)

    def crash(self, *, kept: int) -> None:
        """Who appended is gone and is told nothing; of what was not replicated the oldest `kept` appends last."""
        at_risk = [append for append in self._appends if not self._is_replicated(append)]
        lost = {(append.partition, append.base_offset) for append in at_risk[kept:]}
        self._appends.clear()
        self._waiting.clear()
        for partition, batches in self.batches.items():
            self.batches[partition] = [b for b in batches if (partition, decode_header(b).base_offset) not in lost]
            self.high_watermarks[partition] = self.end_offset(partition)

    @property
    def waiting_count(self) -> int:
        return len(self._waiting)

    def start_offset(self, partition: int) -> int:
        return 0

    async def read(self, partition: int, offset: int, max_bytes: int) -> bytearray:
        chunk = bytearray()
        for batch in self.batches.get(partition, []):
            if decode_header(batch).next_offset > offset and len(chunk) < max_bytes:
                chunk += batch
        return chunk

    def records(self, partition: int) -> list[Record]:
        buffer = b"".join(self.batches.get(partition, []))
        return [record for position, _ in iterate_batches(buffer) for record in decode_batch(buffer, position)]
