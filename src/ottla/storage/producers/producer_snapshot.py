"""The producers of a partition as bytes: `<offset>.snapshot`, Kafka's format version 1.

    OFFSET  SIZE  FIELD
    0       2     version                    1
    2       4     crc                        CRC-32C of everything after it
    6       4     number of entries
    10      46*n  entries:
            8       producer_id
            2       epoch
            4       last_sequence
            8       last_offset              -1: no batch, only a marker
            4       offset_delta             first offset = last_offset - offset_delta
            8       timestamp
            4       coordinator_epoch        -1: no marker yet
            8       current_txn_first_offset -1: no open transaction

The offset in the name says that all records below it are in there. Of the five batches a producer is known by, the
file keeps the newest; the others are lost with a restart, as in Kafka. A torn or damaged file is a
CorruptSnapshotError: the loader deletes it, takes the one before and reads the records since then.
"""

from collections.abc import Iterable, Iterator
from struct import Struct
from struct import error as struct_error

from ottla.errors import OttlaError
from ottla.records.checksum import crc32c
from ottla.storage.producers.producer_state import ProducerEntry

VERSION = 1

_HEADER = Struct(">hIi")
_ENTRY = Struct(">qhiqiqiq")
_CHECKED_FROM = 6


class CorruptSnapshotError(OttlaError):
    """A snapshot that cannot be trusted; nothing is lost, the log has what it had."""


def encode_snapshot(producers: Iterable[tuple[int, ProducerEntry]]) -> bytes:
    entries = b"".join(_encode_entry(producer_id, entry) for producer_id, entry in producers)
    data = bytearray(_HEADER.pack(VERSION, 0, len(entries) // _ENTRY.size) + entries)
    crc = crc32c(memoryview(data)[_CHECKED_FROM:])
    data[2:6] = crc.to_bytes(4, "big")
    return bytes(data)


def _encode_entry(producer_id: int, entry: ProducerEntry) -> bytes:
    return _ENTRY.pack(
        producer_id,
        entry.epoch,
        entry.last_sequence,
        entry.last_offset,
        entry.offset_delta,
        entry.last_timestamp,
        entry.coordinator_epoch,
        entry.current_txn_first_offset,
    )


def decode_snapshot(data: bytes) -> Iterator[tuple[int, ProducerEntry]]:
    """Checked as a whole before the first entry comes out."""
    try:
        version, crc, count = _HEADER.unpack_from(data)
    except struct_error as error:
        raise CorruptSnapshotError(f"only {len(data)} bytes") from error
    if version != VERSION:
        raise CorruptSnapshotError(f"unknown version {version}")
    if count < 0 or len(data) != _HEADER.size + count * _ENTRY.size:
        raise CorruptSnapshotError(f"{count} entries announced, {len(data)} bytes found")
    if crc32c(memoryview(data)[_CHECKED_FROM:]) != crc:
        raise CorruptSnapshotError(f"the checksum does not match the {count} entries")
    return map(_entry_of, _ENTRY.iter_unpack(memoryview(data)[_HEADER.size :]))


def _entry_of(fields: tuple[int, ...]) -> tuple[int, ProducerEntry]:
    producer_id, epoch, last_sequence, last_offset, offset_delta, timestamp, coordinator_epoch, txn_first = fields
    entry = ProducerEntry(epoch)
    entry.last_sequence = last_sequence
    entry.last_offset = last_offset
    entry.offset_delta = offset_delta
    entry.last_timestamp = timestamp
    entry.coordinator_epoch = coordinator_epoch
    entry.current_txn_first_offset = txn_first
    return producer_id, entry
