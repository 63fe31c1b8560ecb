"""A partition of an internal topic read from its start and replayed into a shard.

Only the last record of a key counts, so records are kept as bytes by key and replayed when all are read: a partition
that was not cleaned for long costs one dictionary entry per key, not one decoded value per record. Records of a
transaction wait, by producer id, for the control record that ends theirs. They take their place by where they stand in
the log, not by when the transaction ended: the cleaner keeps the last record of a key, and every coordinator must come
to the same state.

What cannot be decoded is skipped and logged. One bad record must not take away the state of everybody else.
"""

import logging
from collections.abc import Iterator
from typing import NamedTuple

from ottla.coordinators.runtime.shard import Shard
from ottla.coordinators.runtime.step import KeyValue, Transaction
from ottla.errors import DecodeError, KafkaError
from ottla.records.batch import BatchHeader, Buffer, check_crc
from ottla.records.control import ControlType, decode_control_type
from ottla.records.record import Record, decode_rows, open_section

logger = logging.getLogger(__name__)


class _Latest(NamedTuple):
    """The last value of a key. `record_offset` is that of the batch, as it is at the time of the append."""

    value: bytes
    record_offset: int


class PartitionLoad:
    """Feed it the batches in order, then `replay`."""

    def __init__(self) -> None:
        self._latest: dict[bytes, _Latest] = {}
        self._transactional: dict[Transaction, dict[bytes, _Latest]] = {}

    def feed(self, buffer: Buffer, position: int, header: BatchHeader) -> None:
        try:
            check_crc(buffer, position, header)
            records = decode_rows(open_section(buffer, position, header), header, Record)
            control_type = decode_control_type(records[0].key) if header.is_control and records else None
        except KafkaError as error:
            logger.warning("skipping the batch at offset %d: %s", header.base_offset, error)
            return
        if control_type is not None:
            self._end_transactions(header.producer_id, control_type)
        elif not header.is_control:
            self._keep_latest(header, records)

    def _keep_latest(self, header: BatchHeader, records: list[Record]) -> None:
        latest, offset = self._latest, header.base_offset
        if header.is_transactional:
            transaction = Transaction(header.producer_id, header.producer_epoch)
            latest = self._transactional.setdefault(transaction, {})
        for record in records:
            if record.key is None:
                continue
            if record.value is not None:
                latest[record.key] = _Latest(record.value, offset)
                continue
            latest.pop(record.key, None)
            if not header.is_transactional:  # The tombstone stands behind what the open transactions have.
                for pending in self._transactional.values():
                    pending.pop(record.key, None)

    def _end_transactions(self, producer_id: int, control_type: ControlType) -> None:
        if control_type not in (ControlType.COMMIT, ControlType.ABORT):
            return
        for transaction in [one for one in self._transactional if one.producer_id == producer_id]:
            pending = self._transactional.pop(transaction)
            if control_type is ControlType.COMMIT:
                self._commit(pending)

    def _commit(self, pending: dict[bytes, _Latest]) -> None:
        for key, found in pending.items():
            known = self._latest.get(key)
            if known is None or known.record_offset < found.record_offset:
                self._latest[key] = found

    def replay(self, shard: Shard) -> Iterator[None]:
        """Replay what counts: a record per turn, so that the loop may do something else in between."""
        for key, latest in self._latest.items():
            _replay(shard, key, latest, None)
            yield
        for transaction, pending in self._transactional.items():
            for key, latest in pending.items():
                _replay(shard, key, latest, transaction)
                yield


def _replay(shard: Shard, key: bytes, latest: _Latest, transaction: Transaction | None) -> None:
    try:
        shard.replay(KeyValue(key, latest.value), latest.record_offset, transaction)
    except DecodeError:
        logger.exception("skipping the record at offset %d", latest.record_offset)
