"""What is left of one batch.

    a record          stays if it is the last with its key, or lies where the map does not reach
    a tombstone       likewise, and for `delete.retention.ms` after it was first cleaned: until then a reader that began
                      at the start of the log must see it, to forget the value that it has seen
    an aborted one    goes
    a marker          goes when nothing is left of its transaction, after the same time
    the last batch    of a producer stays, without records if need be: its sequence must not be forgotten

When the time of tombstones and markers ends stands in their batch (KIP-534): the bit `DELETE_HORIZON_MASK` says that
`base_timestamp` is that time, and the records' timestamps count from it as from any other.
"""

from collections.abc import Mapping, Sequence

from ottla.records.attributes import DELETE_HORIZON_MASK, NO_TIMESTAMP
from ottla.records.batch import BatchHeader, Buffer, assemble_batch
from ottla.records.compression import compress
from ottla.records.kernels import encode_records
from ottla.records.record import Record, decode_rows, encode_record_headers, open_section
from ottla.storage.cleaner.job import AbortedRange
from ottla.storage.cleaner.offset_map import OffsetMap

DECOMPRESSED_MAX = 1 << 30


def decode_records(buffer: Buffer, position: int, header: BatchHeader) -> list[Record]:
    """Those of a batch whose header is known. The log took it in, so it may be as large as it likes."""
    return decode_rows(open_section(buffer, position, header, DECOMPRESSED_MAX), header, Record)


class AbortedTransactions:
    """Which batches belong to a transaction that was aborted."""

    def __init__(self, aborted: Sequence[AbortedRange]) -> None:
        self._by_producer: dict[int, list[AbortedRange]] = {}
        for one in aborted:
            self._by_producer.setdefault(one.producer_id, []).append(one)

    def covers(self, header: BatchHeader) -> bool:
        return header.is_transactional and any(
            one.first_offset <= header.base_offset <= one.last_offset
            for one in self._by_producer.get(header.producer_id, ())
        )


class BatchFilter:
    """Takes batches in the order of the log: markers come behind what they end."""

    def __init__(
        self,
        offset_map: OffsetMap,
        aborted: AbortedTransactions,
        last_offsets: Mapping[int, int],
        *,
        now_ms: int,
        delete_retention_ms: int,
    ) -> None:
        self._map = offset_map
        self._aborted = aborted
        self._last_offsets = last_offsets
        self._now_ms = now_ms
        self._new_horizon_ms = now_ms + delete_retention_ms
        self._producers_with_data: set[int] = set()

    def filter(self, buffer: Buffer, position: int, header: BatchHeader) -> Buffer | None:
        """The bytes to write: the batch as it is, or another; None when nothing is left."""
        if header.is_control:
            return self._filter_marker(buffer, position, header)
        if self._aborted.covers(header):
            return self._emptied(header)
        records = decode_records(buffer, position, header)
        is_past_horizon = self._is_past_horizon(header)
        kept = [record for record in records if self._is_kept(record, is_past_horizon)]
        if not kept:
            return self._emptied(header)
        if header.is_transactional:
            self._producers_with_data.add(header.producer_id)
        needs_horizon = header.delete_horizon_ms is None and any(record.value is None for record in kept)
        if len(kept) == len(records) and not needs_horizon:
            return memoryview(buffer)[position : position + header.size_bytes]
        return rewrite(header, kept, self._new_horizon_ms if needs_horizon else header.delete_horizon_ms)

    def _is_kept(self, record: Record, is_past_horizon: bool) -> bool:
        if record.offset >= self._map.end_offset:
            return True
        return self._map.is_latest(record) and (record.value is not None or not is_past_horizon)

    def _filter_marker(self, buffer: Buffer, position: int, header: BatchHeader) -> Buffer | None:
        has_data = header.producer_id in self._producers_with_data
        self._producers_with_data.discard(header.producer_id)
        if not has_data and self._is_past_horizon(header) and not self._is_last_of_producer(header):
            return None
        if has_data or header.delete_horizon_ms is not None or header.base_offset >= self._map.end_offset:
            return memoryview(buffer)[position : position + header.size_bytes]
        return rewrite(header, decode_records(buffer, position, header), self._new_horizon_ms)

    def _is_past_horizon(self, header: BatchHeader) -> bool:
        horizon_ms = header.delete_horizon_ms
        return horizon_ms is not None and self._now_ms >= horizon_ms

    def _emptied(self, header: BatchHeader) -> Buffer | None:
        return rewrite(header, [], None) if self._is_last_of_producer(header) else None

    def _is_last_of_producer(self, header: BatchHeader) -> bool:
        return self._last_offsets.get(header.producer_id) == header.last_offset


def rewrite(header: BatchHeader, records: Sequence[Record], horizon_ms: int | None) -> Buffer:
    """The batch with these records alone: its offsets, epoch, producer, sequence and codec stay."""
    attributes = header.attributes
    base_timestamp = records[0].timestamp if records else NO_TIMESTAMP
    if horizon_ms is not None:
        attributes |= DELETE_HORIZON_MASK
        base_timestamp = horizon_ms
    section = encode_records(
        [record.key for record in records],
        [record.value for record in records],
        [record.timestamp for record in records],
        base_timestamp,
        [encode_record_headers(record.headers) for record in records],
        [record.offset - header.base_offset for record in records],
    )
    return assemble_batch(
        header._replace(
            attributes=attributes,
            base_timestamp=base_timestamp,
            max_timestamp=max((record.timestamp for record in records), default=NO_TIMESTAMP),
            records_count=len(records),
        ),
        compress(header.compression, section) if records else b"",
    )
