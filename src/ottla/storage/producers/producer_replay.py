"""Batches that are in the log, told to the producer state and the transaction index: after an append and on replay."""

from ottla.records.attributes import CONTROL_MASK
from ottla.records.batch import BatchHeader, Buffer, peek_header
from ottla.records.control import ControlType, EndTxnMarker, decode_control_type, decode_end_txn_marker
from ottla.records.record import Record, decode_batch
from ottla.storage.producers.producer_state import ProducerStates
from ottla.storage.segment.batch_scan import walk_batches
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList
from ottla.storage.segment.txn_index import AbortedTransaction, TxnIndex


def decode_marker(buffer: Buffer, position: int = 0) -> EndTxnMarker | None:
    """The transaction marker in a control batch; None when it is a control record of another kind."""
    records = decode_batch(buffer, position)
    if not records or not _is_marker(records[0]):
        return None
    return decode_end_txn_marker(records[0])


def _is_marker(record: Record) -> bool:
    return decode_control_type(record.key) in (ControlType.ABORT, ControlType.COMMIT)


def note_batch(
    producers: ProducerStates,
    txn_index: TxnIndex | None,
    header: BatchHeader,
    batch: Buffer,
    base_offset: int,
    now_ms: int,
) -> None:
    """A batch with a producer id is in the log from `base_offset` on. `txn_index` None: it knows the aborts already."""
    if not header.attributes & CONTROL_MASK:
        producers.update(header, base_offset, now_ms)
        return
    marker = decode_marker(batch)
    if marker is None:
        return
    completed = producers.update_marker(header, marker, base_offset, now_ms)
    if completed is None:
        return
    if completed.is_aborted and txn_index is not None:
        stable = producers.transactions.last_stable_offset_after(completed)
        txn_index.append(
            AbortedTransaction(completed.producer_id, completed.first_offset, completed.last_offset, stable)
        )
    producers.complete(completed)


def replay_segments(
    producers: ProducerStates, segments: SegmentList, first_offset: int, end_offset: int, now_ms: int
) -> None:
    """Tell `producers` the batches of [first_offset, end_offset)."""
    for segment in segments.from_offset(first_offset):
        if segment.base_offset < end_offset:
            _replay_segment(producers, segment, first_offset, end_offset, now_ms)
    producers.end_offset = end_offset


def _replay_segment(
    producers: ProducerStates, segment: Segment, first_offset: int, end_offset: int, now_ms: int
) -> None:
    start = segment.find(first_offset)
    if start is None:
        return
    for place in walk_batches(segment.log, start.position, segment.size):
        if place.base_offset >= end_offset:
            return
        if place.magic < 2 or place.base_offset < first_offset:
            continue
        header = peek_header(segment.log.read_at(place.position, 61))
        if header.producer_id < 0:
            continue
        batch = segment.log.read_at(place.position, place.size) if header.attributes & CONTROL_MASK else b""
        note_batch(producers, None, header, batch, place.base_offset, now_ms)
