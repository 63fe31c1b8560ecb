"""The data of one partition from one fetch, decompressed bit by bit as the user takes records.

Record batches are decoded one at a time, by the kernels, in the thread of whoever takes. Control batches are passed
over, and with read_committed those of aborted transactions too: the broker names the aborted transactions of the range,
a transaction's batches count as aborted from its first offset to its marker.

Invariant: `position` is the offset of the next record to be taken; it only grows.
"""

from collections import deque
from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from ottla.clients.consumer.fetch_state import FetchState
from ottla.clients.consumer.record import ConsumerRecord
from ottla.clients.consumer.settings import FetchSettings
from ottla.errors.kafka import InvalidRecordError, UnsupportedForMessageFormatError
from ottla.protocol.messages.fetch import AbortedTransaction
from ottla.records.batch import HEADER_SIZE, LOG_OVERHEAD, BatchHeader, check_crc, decode_header
from ottla.records.columns import RecordColumns, decode_columns
from ottla.records.control import ControlType, decode_control_type
from ottla.records.legacy import decode_messages, is_legacy
from ottla.records.record import Record, RecordsSection, decode_rows, open_section

_LENGTH = Struct(">i")
_LENGTH_POSITION = 8
# A batch was accepted by a broker, whatever its size: the bound is only against nonsense.
DECOMPRESSED_MAX = 2**31 - 1


class DecompressedBatch(NamedTuple):
    header: BatchHeader
    section: RecordsSection


def last_batch_position(view: memoryview) -> int | None:
    """Where the last whole batch begins; None when there is none. A fetch may end within a batch."""
    position, last, end = 0, None, len(view)
    while end - position >= LOG_OVERHEAD:
        size = _LENGTH.unpack_from(view, position + _LENGTH_POSITION)[0] + LOG_OVERHEAD
        if size <= LOG_OVERHEAD or position + size > end:
            break
        last = position
        position += size
    return last


class FetchedPartition:
    __slots__ = (
        "_aborted",
        "_aborted_producers",
        "_at",
        "_batch_at",
        "_rows",
        "_rows_taken",
        "_settings",
        "_view",
        "generation",
        "position",
        "size_bytes",
        "state",
    )

    def __init__(
        self,
        state: FetchState,
        view: memoryview,
        fetch_offset: int,
        aborted: list[AbortedTransaction] | None,
        settings: FetchSettings,
    ) -> None:
        self.state = state
        self.generation = state.generation
        self.position = fetch_offset
        self.size_bytes = len(view)
        self._view = view
        self._at = self._batch_at = 0
        self._rows: list[ConsumerRecord] = []
        self._rows_taken = 0
        self._settings = settings
        self._aborted = deque(sorted(aborted or (), key=lambda found: found.first_offset))
        self._aborted_producers: set[int] = set()

    def end(self) -> tuple[int, int] | None:
        """The offset behind the last whole batch, and its leader epoch."""
        if is_legacy(self._view):
            messages = decode_messages(self._view, partial_tail=True)
            return (messages[-1].offset + 1, -1) if messages else None
        last = last_batch_position(self._view)
        if last is None:
            return None
        header = decode_header(self._view, last)
        return header.next_offset, header.partition_leader_epoch

    def next_fetch_offset(self) -> int | None:
        """The offset behind the last whole batch."""
        end = self.end()
        return None if end is None else end[0]

    @property
    def is_stale(self) -> bool:
        return self.generation != self.state.generation

    def take(self, rows_max: int) -> list[ConsumerRecord]:
        """The next records, at most `rows_max` and of one batch. None are left when the list is empty."""
        while self._rows_taken >= len(self._rows):
            if not self._open_next():
                return []
        start = self._rows_taken
        end = min(len(self._rows), start + rows_max)
        self._rows_taken = end
        rows = self._rows if end - start == len(self._rows) else self._rows[start:end]
        if end == len(self._rows):
            self._rows = []
            self._rows_taken = 0
            self.position = max(self.position, rows[-1].offset + 1)
        else:
            self.position = self._rows[end].offset
        return rows

    def _open_next(self) -> bool:
        """Decode the next batch that has something for the user. False at the end."""
        topic, partition = self.state.partition
        if is_legacy(self._view, self._at):
            self._open_legacy()
            return bool(self._rows)
        for header, section in self.decompressed_batches():
            prefix = (topic, partition, int(header.timestamp_type), header.partition_leader_epoch)
            self._rows = decode_rows(section, header, ConsumerRecord, prefix, self.position)
            self._rows_taken = 0
            if self._rows:
                return True
            self.position = max(self.position, header.next_offset)
        return False

    def _open_legacy(self) -> None:
        """Messages of the old formats, all at once: an old log holds few of them."""
        topic, partition = self.state.partition
        messages = decode_messages(self._view[self._at :], partial_tail=True)
        self._at = len(self._view)
        self._rows_taken = 0
        self._rows = [
            ConsumerRecord(topic, partition, 0, -1, *message) for message in messages if message.offset >= self.position
        ]

    def decompressed_batches(self) -> Iterator[DecompressedBatch]:
        """The batches that are left, without those that are not for the user. `position` passes what is left out."""
        view, end = self._view, len(self._view)
        while end - self._at >= HEADER_SIZE:
            at = self._at
            if at + LOG_OVERHEAD + _LENGTH.unpack_from(view, at + _LENGTH_POSITION)[0] > end:
                break
            header = decode_header(view, at)
            if self._settings.check_crcs:
                check_crc(view, at, header)
            self._batch_at, self._at = at, at + header.size_bytes
            if header.last_offset < self.position or not self._is_for_user(at, header):
                self.position = max(self.position, header.next_offset)
                continue
            yield DecompressedBatch(header, open_section(view, at, header, DECOMPRESSED_MAX))
        self._at = end

    def _is_for_user(self, at: int, header: BatchHeader) -> bool:
        if header.is_control:
            self._end_transaction(at, header)
            return False
        if not self._settings.read_committed or not header.is_transactional:
            return True
        while self._aborted and self._aborted[0].first_offset <= header.last_offset:
            self._aborted_producers.add(self._aborted.popleft().producer_id)
        return header.producer_id not in self._aborted_producers

    def _end_transaction(self, at: int, header: BatchHeader) -> None:
        """A marker: what its producer writes from here on belongs to another transaction."""
        if not self._settings.read_committed:
            return
        while self._aborted and self._aborted[0].first_offset <= header.last_offset:
            self._aborted_producers.add(self._aborted.popleft().producer_id)
        records = decode_rows(open_section(self._view, at, header), header, Record)
        if not records:
            raise InvalidRecordError(f"{self.state.partition}: a control batch without a record")
        if decode_control_type(records[0].key) is ControlType.ABORT:
            self._aborted_producers.discard(header.producer_id)

    def take_columns(self, *, with_headers: bool) -> RecordColumns:
        """All that is left, as columns."""
        if self._rows:
            # Some rows of a batch were taken as records: it is decompressed again, from `position` on.
            self._at, self._rows, self._rows_taken = self._batch_at, [], 0
        if is_legacy(self._view, self._at):
            raise UnsupportedForMessageFormatError(f"{self.state.partition}: old message formats have no columns")
        batches = list(self.decompressed_batches())
        columns = decode_columns(batches, offset_min=self.position, with_headers=with_headers)
        if batches:
            self.position = max(self.position, batches[-1].header.next_offset)
            self.state.leader_epoch = batches[-1].header.partition_leader_epoch
        return columns
