"""The record batch, format v2 (magic 2): a header of 61 bytes, then the records, compressed as one block or plain.

    OFFSET  SIZE  FIELD
    0       8     base_offset              offset of the first record; stamped by the leader
    8       4     batch_length             bytes after this field: the whole batch is 12 more
    12      4     partition_leader_epoch   stamped by the leader
    16      1     magic                    2
    17      4     crc                      CRC-32C of everything from `attributes` to the end of the batch
    21      2     attributes               see `attributes`
    23      4     last_offset_delta        last offset = base_offset + this, also after compaction took records away
    27      8     base_timestamp           record timestamps are deltas to it
    35      8     max_timestamp            largest timestamp of the records; LogAppendTime: that of all of them
    43      8     producer_id              -1: not idempotent
    51      2     producer_epoch
    53      4     base_sequence            sequence of the first record; wraps from 2147483647 to 0
    57      4     records_count
    61      ...   records

All integers are big-endian. `base_offset` and `partition_leader_epoch` lie before the CRC on purpose: the leader
stamps them in place (`stamp`) and the rest of the bytes stays as the producer made it. A change of the timestamp type
lies under the CRC and costs a new one (`rewrite_timestamp_type`).

A batch whose frame cannot be trusted (length, magic, CRC) is a CorruptMessageError. On recovery the first such batch
is where the log ends: everything from it on is a torn tail and is cut.
"""

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple, TypeAlias

from ottla.errors.kafka import CorruptMessageError
from ottla.records.attributes import (
    CONTROL_MASK,
    DELETE_HORIZON_MASK,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    TIMESTAMP_TYPE_MASK,
    TRANSACTIONAL_MASK,
    Codec,
    TimestampType,
    next_sequence,
)
from ottla.records.checksum import crc32c

Buffer: TypeAlias = bytes | bytearray | memoryview
WritableBuffer: TypeAlias = bytearray | memoryview

# What `_make` comes down to, without the Python code around it: a header is decoded for every request.
_new_tuple = tuple.__new__

MAGIC = 2
HEADER_SIZE = 61
LOG_OVERHEAD = 12  # base_offset and batch_length, which batch_length itself does not count
BATCH_LENGTH_MIN = HEADER_SIZE - LOG_OVERHEAD

BATCH_LENGTH_POSITION = 8
LEADER_EPOCH_POSITION = 12
MAGIC_POSITION = 16
CRC_POSITION = 17
ATTRIBUTES_POSITION = 21
MAX_TIMESTAMP_POSITION = 35

_HEADER = Struct(">qiibIhiqqqhii")
_INT64 = Struct(">q")
_INT32 = Struct(">i")
_UINT32 = Struct(">I")
_INT16 = Struct(">h")


class BatchHeader(NamedTuple):
    """The fields of the header, in their order on the wire."""

    base_offset: int
    batch_length: int
    partition_leader_epoch: int
    magic: int
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    records_count: int

    @property
    def size_bytes(self) -> int:
        """The whole batch, header included."""
        return LOG_OVERHEAD + self.batch_length

    @property
    def last_offset(self) -> int:
        return self.base_offset + self.last_offset_delta

    @property
    def next_offset(self) -> int:
        return self.base_offset + self.last_offset_delta + 1

    @property
    def last_sequence(self) -> int:
        """The sequence of the last record, -1 where there are none."""
        if self.base_sequence == NO_SEQUENCE:
            return NO_SEQUENCE
        return next_sequence(self.base_sequence, self.last_offset_delta)

    @property
    def compression(self) -> Codec:
        """Raises UnsupportedCompressionTypeError for a number that no codec has."""
        return Codec.of(self.attributes)

    @property
    def timestamp_type(self) -> TimestampType:
        return TimestampType((self.attributes & TIMESTAMP_TYPE_MASK) != 0)

    @property
    def is_transactional(self) -> bool:
        return bool(self.attributes & TRANSACTIONAL_MASK)

    @property
    def is_control(self) -> bool:
        return bool(self.attributes & CONTROL_MASK)

    @property
    def delete_horizon_ms(self) -> int | None:
        """When tombstones and markers of this batch may go (KIP-534); None: not set yet."""
        return self.base_timestamp if self.attributes & DELETE_HORIZON_MASK else None


def encode_header(header: BatchHeader) -> bytes:
    return _HEADER.pack(*header)


def peek_header(buffer: Buffer, position: int = 0) -> BatchHeader:
    """The header without a check, for bytes that were checked before."""
    return _new_tuple(BatchHeader, _HEADER.unpack_from(buffer, position))


def decode_header(buffer: Buffer, position: int = 0) -> BatchHeader:
    """The header of the whole batch at `position`; the CRC is not looked at (`check_crc`)."""
    available = len(buffer) - position
    if position < 0 or available < HEADER_SIZE:
        raise CorruptMessageError(_short_header_reason(buffer, position))
    header = BatchHeader._make(_HEADER.unpack_from(buffer, position))
    if header.magic != MAGIC:
        raise CorruptMessageError(f"batch has magic {header.magic}, not {MAGIC}")
    if header.batch_length < BATCH_LENGTH_MIN:
        raise CorruptMessageError(f"batch length {header.batch_length} is less than a header ({BATCH_LENGTH_MIN})")
    if header.batch_length + LOG_OVERHEAD > available:
        raise CorruptMessageError(f"batch of {header.size_bytes} bytes in {available} bytes")
    return header


def _short_header_reason(buffer: Buffer, position: int) -> str:
    available = max(0, len(buffer) - position)
    if available > MAGIC_POSITION and buffer[position + MAGIC_POSITION] != MAGIC:
        return f"batch has magic {buffer[position + MAGIC_POSITION]}, not {MAGIC}"
    return f"{available} bytes are less than a batch header ({HEADER_SIZE})"


def iterate_batches(buffer: Buffer, start: int = 0, *, partial_tail: bool = False) -> Iterator[tuple[int, BatchHeader]]:
    """Position and header of each batch from `start` to the end of the buffer.

    A batch that does not fit is a CorruptMessageError; with `partial_tail` it ends the iteration instead: a fetch
    response may be cut anywhere in its last batch.
    """
    position = start
    end = len(buffer)
    while position < end:
        if partial_tail and not _is_whole(buffer, position, end):
            return
        header = decode_header(buffer, position)
        yield position, header
        position += header.batch_length + LOG_OVERHEAD


def _is_whole(buffer: Buffer, position: int, end: int) -> bool:
    if end - position < LOG_OVERHEAD:
        return False
    (length,) = _INT32.unpack_from(buffer, position + BATCH_LENGTH_POSITION)
    # A length that is impossible is not "partial": let decode_header say what is wrong with it.
    return bool(length < BATCH_LENGTH_MIN or length <= end - position - LOG_OVERHEAD)


def compute_crc(buffer: Buffer, position: int, header: BatchHeader) -> int:
    """CRC-32C from `attributes` to the end of the batch."""
    end = position + header.batch_length + LOG_OVERHEAD
    with memoryview(buffer)[position + ATTRIBUTES_POSITION : end] as covered:
        return crc32c(covered)


def check_crc(buffer: Buffer, position: int, header: BatchHeader) -> None:
    computed = compute_crc(buffer, position, header)
    if computed != header.crc:
        raise CorruptMessageError(f"Record is corrupt (stored crc = {header.crc}, computed crc = {computed})")


def stamp(buffer: WritableBuffer, position: int, base_offset: int, leader_epoch: int) -> None:
    """Sets what the leader decides. Both fields lie outside the CRC."""
    _INT64.pack_into(buffer, position, base_offset)
    _INT32.pack_into(buffer, position + LEADER_EPOCH_POSITION, leader_epoch)


def rewrite_timestamp_type(
    buffer: WritableBuffer, position: int, timestamp_type: TimestampType, max_timestamp: int
) -> BatchHeader:
    """Sets attribute bit 3 and `max_timestamp` and makes the CRC right again; returns the new header.

    For LogAppendTime `max_timestamp` is the broker's time, which readers then take for every record of the batch.
    """
    (attributes,) = _INT16.unpack_from(buffer, position + ATTRIBUTES_POSITION)
    attributes &= ~TIMESTAMP_TYPE_MASK
    if timestamp_type is TimestampType.LOG_APPEND_TIME:
        attributes |= TIMESTAMP_TYPE_MASK
    _INT16.pack_into(buffer, position + ATTRIBUTES_POSITION, attributes)
    _INT64.pack_into(buffer, position + MAX_TIMESTAMP_POSITION, max_timestamp)
    return rewrite_crc(buffer, position)


def says_transactional(records: Buffer) -> bool:
    """Whether bytes that were not checked yet begin like a batch of a transaction."""
    low_byte = ATTRIBUTES_POSITION + 1
    return len(records) > low_byte and records[MAGIC_POSITION] == MAGIC and bool(records[low_byte] & TRANSACTIONAL_MASK)


def rewrite_crc(buffer: WritableBuffer, position: int) -> BatchHeader:
    """Makes the CRC that of the bytes as they are now."""
    header = peek_header(buffer, position)
    crc = compute_crc(buffer, position, header)
    _UINT32.pack_into(buffer, position + CRC_POSITION, crc)
    return header._replace(crc=crc)


def assemble_batch(header: BatchHeader, records_section: Buffer) -> bytearray:
    """A whole batch of `header` and its (maybe compressed) records: length and CRC are computed here."""
    header = header._replace(magic=MAGIC, batch_length=BATCH_LENGTH_MIN + len(records_section))
    batch = bytearray(_HEADER.pack(*header))
    batch += records_section
    rewrite_crc(batch, 0)
    return batch


def empty_header(
    *, base_offset: int = 0, last_offset_delta: int = 0, records_count: int = 0, attributes: int = 0
) -> BatchHeader:
    """A header with nobody's producer id and no timestamps, to be filled with `_replace`."""
    return BatchHeader(
        base_offset=base_offset,
        batch_length=BATCH_LENGTH_MIN,
        partition_leader_epoch=-1,
        magic=MAGIC,
        crc=0,
        attributes=attributes,
        last_offset_delta=last_offset_delta,
        base_timestamp=NO_TIMESTAMP,
        max_timestamp=NO_TIMESTAMP,
        producer_id=NO_PRODUCER_ID,
        producer_epoch=-1,
        base_sequence=NO_SEQUENCE,
        records_count=records_count,
    )
