"""What each idempotent or transactional producer last wrote to a partition: how a retry is told from a new batch.

For each producer id: its epoch and the last five batches of that epoch. A batch from a client is

    the very range of one of the five           a duplicate: answered with the offsets of the first time, not appended
    the next sequence after the last            appended (2147483647 is followed by 0)
    of a producer that is not known             appended, whatever its sequence: it was forgotten, or its records were
    of a higher epoch, sequence 0               appended; the batches of the old epoch are forgotten
    of a higher epoch, another sequence         OUT_OF_ORDER_SEQUENCE_NUMBER
    of a lower epoch                            INVALID_PRODUCER_EPOCH
    anything else                               OUT_OF_ORDER_SEQUENCE_NUMBER

Memory: a producer that wrote once costs about 300 bytes. It is forgotten when it was not seen for
`producer.id.expiration.ms`. That counts from when this broker saw it, not from record timestamps, which a client
chooses and which may lie years back (a backfill) or ahead. Where there are too many producers the ones longest not
seen go first (`shrink_to`): what is lost with them is the recognition of their retries, never a record, so that they
are safe once their `delivery.timeout.ms` has passed. A producer with an open transaction is never forgotten: the last
stable offset hangs on it.

Nothing here touches a file; `producer_snapshot` has the bytes.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple, NoReturn

from ottla.errors.kafka import (
    InvalidProducerEpochError,
    InvalidTxnStateError,
    OutOfOrderSequenceNumberError,
    TransactionCoordinatorFencedError,
)
from ottla.model import NO_OFFSET
from ottla.records.attributes import NO_PRODUCER_EPOCH, NO_SEQUENCE, SEQUENCE_MAX, TRANSACTIONAL_MASK
from ottla.records.batch import BatchHeader
from ottla.records.control import ControlType, EndTxnMarker
from ottla.storage.producers.open_transactions import CompletedTransaction, OpenTransactions
from ottla.storage.producers.refused_batches import RefusedBatches

BATCHES_KEPT = 5
NO_COORDINATOR_EPOCH = -1


class AppendedBatch(NamedTuple):
    """One of the batches that a producer's retries are compared with."""

    last_sequence: int
    last_offset: int
    offset_delta: int
    timestamp: int

    @property
    def base_offset(self) -> int:
        return self.last_offset - self.offset_delta

    @property
    def first_sequence(self) -> int:
        if self.last_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        first = self.last_sequence - self.offset_delta
        return first if first >= 0 else first + SEQUENCE_MAX + 1

    def is_followed_by(self, sequence: int) -> bool:
        return sequence == (0 if self.last_sequence == SEQUENCE_MAX else self.last_sequence + 1)


class ProducerEntry:
    """One producer. The newest batch lies in the entry itself, the up to four before it in `older`, oldest first."""

    __slots__ = (
        "coordinator_epoch",
        "current_txn_first_offset",
        "epoch",
        "last_offset",
        "last_seen_ms",
        "last_sequence",
        "last_timestamp",
        "offset_delta",
        "older",
    )

    def __init__(self, epoch: int = NO_PRODUCER_EPOCH) -> None:
        self.epoch = epoch
        self.last_sequence = NO_SEQUENCE
        self.last_offset: int = NO_OFFSET
        self.offset_delta = 0
        self.last_timestamp = -1
        self.last_seen_ms = 0
        self.coordinator_epoch = NO_COORDINATOR_EPOCH
        self.current_txn_first_offset: int = NO_OFFSET
        self.older: list[AppendedBatch] | None = None

    @property
    def in_transaction(self) -> bool:
        return self.current_txn_first_offset >= 0

    @property
    def batches(self) -> list[AppendedBatch]:
        """Oldest first; empty when only a marker was ever written."""
        if self.last_offset < 0:
            return []
        newest = AppendedBatch(self.last_sequence, self.last_offset, self.offset_delta, self.last_timestamp)
        return [*(self.older or ()), newest]

    def append(self, epoch: int, last_sequence: int, last_offset: int, offset_delta: int, timestamp: int) -> None:
        if epoch != self.epoch:
            self.move_to_epoch(epoch)
        elif self.last_offset >= 0:
            self._retire_newest()
        self.last_sequence = last_sequence
        self.last_offset = last_offset
        self.offset_delta = offset_delta
        self.last_timestamp = timestamp

    def _retire_newest(self) -> None:
        newest = AppendedBatch(self.last_sequence, self.last_offset, self.offset_delta, self.last_timestamp)
        older = self.older
        if older is None:
            self.older = [newest]
            return
        older.append(newest)
        if len(older) >= BATCHES_KEPT:
            del older[0]

    def move_to_epoch(self, epoch: int) -> None:
        """A new epoch numbers its batches from 0 again: those of the old one say nothing about it."""
        if epoch == self.epoch:
            return
        self.epoch = epoch
        self.last_sequence = NO_SEQUENCE
        self.last_offset = NO_OFFSET
        self.offset_delta = 0
        self.older = None

    def batch_with_range(self, first_sequence: int, last_sequence: int) -> AppendedBatch | None:
        for batch in self.batches:
            if batch.last_sequence == last_sequence and batch.first_sequence == first_sequence:
                return batch
        return None


class ProducerStates:
    """All producers of one partition. `end_offset`: everything below it is accounted for here."""

    __slots__ = ("_entries", "end_offset", "label", "refused", "transactions")

    def __init__(self, label: object = "?", end_offset: int = 0) -> None:
        self.label = label
        self.end_offset = end_offset
        self.transactions = OpenTransactions()
        self.refused = RefusedBatches()
        self._entries: dict[int, ProducerEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, producer_id: int) -> ProducerEntry | None:
        return self._entries.get(producer_id)

    def items(self) -> Iterable[tuple[int, ProducerEntry]]:
        return self._entries.items()

    # -- before an append ---------------------------------------------------------------------------------------------

    def check(self, header: BatchHeader) -> AppendedBatch | None:
        """A batch from a client, before it is written. None: append it. A batch: it was appended then, answer with
        that.

        Raises what the table at the top says.
        """
        entry = self._entries.get(header.producer_id)
        if entry is None:
            self.refused.check(header, self.label)
            return None
        if (
            header.base_sequence == entry.last_sequence + 1
            and header.producer_epoch == entry.epoch
            and entry.current_txn_first_offset < 0
        ):
            return None
        return self._check_with_care(entry, header)

    def _check_with_care(self, entry: ProducerEntry, header: BatchHeader) -> AppendedBatch | None:
        if header.producer_epoch == entry.epoch:
            duplicate = entry.batch_with_range(header.base_sequence, header.last_sequence)
            if duplicate is not None:
                return duplicate
        self.check_epoch(header.producer_id, header.producer_epoch)
        if not _follows(entry, header):
            self._refuse_sequence(entry, header)
        self.check_transaction(header)
        return None

    def note_refused(self, header: BatchHeader) -> None:
        """A batch from a client was refused for what we are, not for what it is: it will come again."""
        if header.producer_id not in self._entries:
            self.refused.note(header)

    def check_epoch(self, producer_id: int, epoch: int) -> None:
        """All that is asked of batches and markers which a coordinator writes: they have no sequences."""
        entry = self._entries.get(producer_id)
        if entry is not None and epoch < entry.epoch:
            raise InvalidProducerEpochError(
                f"Epoch of producer {producer_id} in {self.label} is {epoch}, "
                f"which is smaller than the last seen epoch {entry.epoch}"
            )

    def check_transaction(self, header: BatchHeader) -> None:
        entry = self._entries.get(header.producer_id)
        if entry is not None and entry.in_transaction and not header.attributes & TRANSACTIONAL_MASK:
            raise InvalidTxnStateError(
                f"Expected transactional write from producer {header.producer_id} in partition {self.label}"
            )

    def check_marker(self, header: BatchHeader, marker: EndTxnMarker) -> None:
        """A marker from the transaction coordinator, before it is written."""
        self.check_epoch(header.producer_id, header.producer_epoch)
        entry = self._entries.get(header.producer_id)
        if entry is not None and entry.coordinator_epoch > marker.coordinator_epoch:
            raise TransactionCoordinatorFencedError(
                f"Invalid coordinator epoch for producerId {header.producer_id} in partition {self.label}: "
                f"{marker.coordinator_epoch} (zombie), {entry.coordinator_epoch} (current)"
            )

    def _refuse_sequence(self, entry: ProducerEntry, header: BatchHeader) -> NoReturn:
        if header.producer_epoch != entry.epoch:
            raise OutOfOrderSequenceNumberError(
                f"Invalid sequence number for new epoch of producer {header.producer_id} in partition {self.label}: "
                f"{header.producer_epoch} (request epoch), {header.base_sequence} (seq. number), "
                f"{entry.epoch} (current producer epoch)"
            )
        raise OutOfOrderSequenceNumberError(
            f"Out of order sequence number for producer {header.producer_id} in partition {self.label}: "
            f"{header.base_sequence} (incoming seq. number), {entry.last_sequence} (current end sequence number)"
        )

    # -- after an append, and on replay -------------------------------------------------------------------------------

    def update(self, header: BatchHeader, base_offset: int, now_ms: int) -> None:
        """A data batch with a producer id is in the log from `base_offset` on."""
        entry = self._entries.get(header.producer_id)
        if entry is None:
            entry = self._entries[header.producer_id] = ProducerEntry(header.producer_epoch)
            self.refused.forget(header.producer_id, header.producer_epoch)
        delta = header.last_offset_delta
        last_sequence = header.base_sequence + delta
        if last_sequence > SEQUENCE_MAX or header.base_sequence == NO_SEQUENCE:
            last_sequence = header.last_sequence
        entry.append(header.producer_epoch, last_sequence, base_offset + delta, delta, header.max_timestamp)
        entry.last_seen_ms = now_ms
        self.end_offset = base_offset + delta + 1
        if header.attributes & TRANSACTIONAL_MASK and entry.current_txn_first_offset < 0:
            entry.current_txn_first_offset = base_offset
            self.transactions.begin(header.producer_id, base_offset)

    def update_marker(
        self, header: BatchHeader, marker: EndTxnMarker, base_offset: int, now_ms: int
    ) -> CompletedTransaction | None:
        """A marker is in the log at `base_offset`. What it ended, if anything; the caller passes that to `complete`."""
        entry = self._entries.get(header.producer_id)
        if entry is None:
            entry = self._entries[header.producer_id] = ProducerEntry(header.producer_epoch)
        completed = None
        if entry.in_transaction:
            is_aborted = marker.type is ControlType.ABORT
            first_offset = entry.current_txn_first_offset
            completed = CompletedTransaction(header.producer_id, first_offset, base_offset, is_aborted)
        entry.move_to_epoch(header.producer_epoch)
        entry.coordinator_epoch = marker.coordinator_epoch
        entry.current_txn_first_offset = NO_OFFSET
        entry.last_timestamp = header.max_timestamp
        entry.last_seen_ms = now_ms
        self.end_offset = base_offset + header.last_offset_delta + 1
        return completed

    def complete(self, completed: CompletedTransaction) -> None:
        """The abort, if it is one, is in the transaction index: only now may the last stable offset move."""
        self.transactions.complete(completed)

    # -- forgetting ---------------------------------------------------------------------------------------------------

    def expire(self, now_ms: int, expiration_ms: int) -> int:
        """Forget whom this broker has not seen for `expiration_ms`; how many those were."""
        return self._forget(lambda entry: entry.last_seen_ms <= now_ms - expiration_ms)

    def shrink_to(self, count_max: int) -> int:
        """Forget the producers longest not seen until at most `count_max` are left; how many those were.

        Those with an open transaction stay, even if they alone are more. Producers come and go in about the order of
        the dict, so that the sort has little to do.
        """
        surplus = len(self._entries) - count_max
        if surplus <= 0:
            return 0
        seen = sorted(entry.last_seen_ms for entry in self._entries.values() if not entry.in_transaction)
        if not seen:
            return 0
        cutoff = seen[min(surplus, len(seen)) - 1]
        older = self._forget(lambda entry: entry.last_seen_ms < cutoff)
        # After a restart all of them were seen at the same time: of those no more than have to.
        return older + self._forget(lambda entry: entry.last_seen_ms == cutoff, surplus - older)

    def _forget(self, is_old: Callable[[ProducerEntry], bool], count_max: int | None = None) -> int:
        """Forget the old ones, or the first so many of them; how many those were."""
        old = (
            producer_id
            for producer_id, entry in self._entries.items()
            if entry.current_txn_first_offset < 0 and is_old(entry)
        )
        forgotten = list(islice(old, count_max))
        for producer_id in forgotten:
            del self._entries[producer_id]
        return len(forgotten)

    def clear(self, end_offset: int) -> None:
        self._entries.clear()
        self.transactions.clear()
        self.end_offset = end_offset

    def restore(self, entries: Iterator[tuple[int, ProducerEntry]], end_offset: int, now_ms: int) -> None:
        """Begin anew from a snapshot taken at `end_offset`. Whoever is in it counts as seen now."""
        self.clear(end_offset)
        for producer_id, entry in entries:
            entry.last_seen_ms = now_ms
            self._entries[producer_id] = entry
            if entry.in_transaction:
                self.transactions.begin(producer_id, entry.current_txn_first_offset)


def _follows(entry: ProducerEntry, header: BatchHeader) -> bool:
    if header.producer_epoch != entry.epoch:
        return header.base_sequence == 0
    if entry.last_sequence == SEQUENCE_MAX:
        return header.base_sequence == 0
    return header.base_sequence == entry.last_sequence + 1
