"""`ottla-producer-windows`: the batches before the newest of each producer, which Kafka's snapshot format has no room
for.

A producer may have five batches under way when the broker stops. If it was not told of the first, it sends all five
again after the restart; with the newest alone the broker would take the first for a gap, and the producer would give up
or write its records twice. After a crash the records are read and all five are known; this file is for the clean stop.

    OFFSET  SIZE  FIELD
    0       2     version           1
    2       4     crc               CRC-32C of everything after it
    6       8     end_offset        the log's end: that of the snapshot it belongs to
    14      4     number of producers
    18      ...   for each: producer_id 8, epoch 2, number of batches 1, then batches, oldest first:
                  last_sequence 4, last_offset 8, offset_delta 4, timestamp 8

An addition of ours that Kafka does not look at. It is believed only where it fits the snapshot: the same end, the
same epoch, sequences and offsets that lead up to the newest batch without a gap. Anything else is left by somebody,
and is as good as none.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from struct import Struct, error

from ottla.records.checksum import crc32c
from ottla.storage.producers.producer_state import AppendedBatch, ProducerEntry, ProducerStates

FILE_NAME = "ottla-producer-windows"
VERSION = 1

_HEADER = Struct(">hIqi")
_PRODUCER = Struct(">qhB")
_BATCH = Struct(">iqiq")
_CHECKED_FROM = 6

Window = tuple[int, int, list[AppendedBatch]]


def encode_windows(producers: Iterable[tuple[int, ProducerEntry]], end_offset: int) -> bytes | None:
    """None when no producer has more than one batch."""
    windows = [(producer_id, entry) for producer_id, entry in producers if entry.older]
    if not windows:
        return None
    body = b"".join(_encode_window(producer_id, entry) for producer_id, entry in windows)
    data = bytearray(_HEADER.pack(VERSION, 0, end_offset, len(windows)) + body)
    data[2:6] = crc32c(memoryview(data)[_CHECKED_FROM:]).to_bytes(4, "big")
    return bytes(data)


def _encode_window(producer_id: int, entry: ProducerEntry) -> bytes:
    older = entry.older or []
    return _PRODUCER.pack(producer_id, entry.epoch, len(older)) + b"".join(_BATCH.pack(*batch) for batch in older)


def restore_windows(producers: ProducerStates, data: bytes) -> None:
    """Give the producers, just restored from a snapshot, the batches before their newest, where they fit."""
    for producer_id, epoch, older in _decode(data, producers.end_offset):
        entry = producers.get(producer_id)
        if entry is not None and entry.epoch == epoch and entry.older is None and _leads_up_to(older, entry):
            entry.older = older


def _decode(data: bytes, end_offset: int) -> Iterator[Window]:
    try:
        version, crc, noted_end, count = _HEADER.unpack_from(data)
        if (version, noted_end) != (VERSION, end_offset) or crc32c(memoryview(data)[_CHECKED_FROM:]) != crc:
            return
        position = _HEADER.size
        for _ in range(count):
            producer_id, epoch, batches = _PRODUCER.unpack_from(data, position)
            position += _PRODUCER.size
            end = position + batches * _BATCH.size
            yield producer_id, epoch, [AppendedBatch._make(fields) for fields in _BATCH.iter_unpack(data[position:end])]
            position = end
    except error:
        return


def _leads_up_to(older: list[AppendedBatch], entry: ProducerEntry) -> bool:
    newest = entry.batches[-1:]
    chain = [*older, *newest]
    return bool(newest) and all(
        before.is_followed_by(after.first_sequence) and before.last_offset < after.base_offset
        for before, after in pairwise(chain)
    )
