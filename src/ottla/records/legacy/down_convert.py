"""Converts what a log holds to message sets of format v0 or v1, for Fetch 0 to 3.

Batches of format v2: offsets stay; headers are dropped, and control batches, which old clients do not know. A
compressed batch becomes a wrapper of the same codec; zstd, which old clients cannot read, is refused.

Messages that an old Kafka left in the log, maybe with batches behind them, are passed on as they are where the client
knows their format: their checksums are left for the client to compare. A v1 message for a reader of v0 loses its
timestamp, and in a wrapper its offset becomes absolute; it gets a new checksum, so the old one is compared first.
"""

from collections.abc import Iterator
from typing import NamedTuple

from ottla.errors.kafka import UnsupportedCompressionTypeError
from ottla.records.attributes import TIMESTAMP_TYPE_MASK, Codec, TimestampType
from ottla.records.batch import MAGIC_POSITION, BatchHeader, Buffer, iterate_batches
from ottla.records.compression import compress
from ottla.records.kernels import kernel_columns, kernel_legacy, kernel_scan
from ottla.records.kernels.crc_tables import IEEE, crc_table
from ottla.records.kernels.spans import KEY_LENGTH, OFFSET, SPAN_COLUMNS, TIMESTAMP, VALUE_LENGTH, Spans, new_spans
from ottla.records.legacy.lz4_header import break_header
from ottla.records.legacy.message import (
    MessageRun,
    index_by_kind,
    is_legacy,
    messages_end,
    messages_range,
    read_messages,
)
from ottla.records.record import DECOMPRESSED_MAX, index_section, open_section

OFFSET_END = 2**63 - 1

Piece = tuple[Buffer, int]
"""A part of the message set, and how many records of it were converted."""


class DownConverted(NamedTuple):
    message_set: bytes
    converted_count: int
    """Records that had to be converted: the others were stored in a format that the client knows."""


def down_convert(batches: Buffer, magic: int, *, first_offset: int = 0, size_max: int = DECOMPRESSED_MAX) -> bytes:
    return down_convert_counted(batches, magic, first_offset=first_offset, size_max=size_max).message_set


def down_convert_counted(
    batches: Buffer, magic: int, *, first_offset: int = 0, size_max: int = DECOMPRESSED_MAX
) -> DownConverted:
    """The records as a message set; what is cut short at the end is left out.

    Of what is converted only the records from `first_offset` on are taken.
    """
    message_set, converted_count = bytearray(), 0
    for piece, count in _pieces(memoryview(batches), magic, first_offset, size_max):
        message_set += piece
        converted_count += count
    return DownConverted(bytes(message_set), converted_count)


def _pieces(view: memoryview, magic: int, first_offset: int, size_max: int) -> Iterator[Piece]:
    position = 0
    while len(view) - position > MAGIC_POSITION:  # nothing that is whole is shorter
        if is_legacy(view, position):
            end = messages_end(view, position)
            if end == position:
                return
            yield from _convert_messages(view[position:end], magic, first_offset, size_max)
            position = end
        else:
            found = next(iterate_batches(view, position, partial_tail=True), None)
            if found is None:
                return
            yield _convert_batch(view, *found, magic, first_offset, size_max)
            position += found[1].size_bytes


def _convert_messages(view: memoryview, magic: int, first_offset: int, size_max: int) -> Iterator[Piece]:
    if magic > 0:
        yield view, 0
        return
    for kind, rows in index_by_kind(view):
        start, end = messages_range(rows)
        if kind >> 8 <= magic:
            yield view[start:end], 0
        else:
            for run in read_messages(view[start:end], size_max=size_max):
                yield _convert_run(run, magic, 0, first_offset)


def _convert_batch(
    view: memoryview, position: int, header: BatchHeader, magic: int, first_offset: int, size_max: int
) -> Piece:
    if header.is_control or header.last_offset < first_offset:
        return b"", 0
    if header.compression is Codec.ZSTD:
        raise UnsupportedCompressionTypeError("batches compressed with zstd cannot be converted for old clients")
    section = open_section(view, position, header, size_max)
    spans = index_section(section, header)
    run = MessageRun(section.buffer, spans, header.magic, header.compression, header.timestamp_type)
    return _convert_run(run, magic, header.base_offset if magic else 0, first_offset)


def _convert_run(run: MessageRun, magic: int, wrapped_offset_base: int, first_offset: int) -> Piece:
    spans = _from_offset(run.spans, first_offset)
    if not spans:
        return b"", 0
    type_bit = TIMESTAMP_TYPE_MASK if magic and run.timestamp_type is TimestampType.LOG_APPEND_TIME else 0
    offset_base = 0 if run.codec is Codec.NONE else wrapped_offset_base
    messages = _stamped(kernel_legacy.encode_messages(run.buffer, spans, magic, type_bit, offset_base))
    if run.codec is not Codec.NONE:
        compressed = compress_legacy(run.codec, messages, magic)
        messages = _stamped(_wrap(compressed, spans, magic, run.codec | type_bit))
    return messages, len(spans) // SPAN_COLUMNS


def _from_offset(spans: Spans, first_offset: int) -> Spans:
    first, _ = kernel_columns.rows_within(spans, SPAN_COLUMNS, first_offset, OFFSET_END)
    return spans[first * SPAN_COLUMNS :]


def _stamped(messages: bytearray) -> bytearray:
    kernel_scan.stamp_messages(messages, crc_table(IEEE))
    return messages


def compress_legacy(codec: Codec, message_set: Buffer, magic: int) -> bytes:
    compressed = compress(codec, message_set)
    return break_header(compressed) if codec is Codec.LZ4 and magic == 0 else compressed


def _wrap(compressed: bytes, inner: Spans, magic: int, attributes: int) -> bytearray:
    """The wrapper: offset of the last message, largest timestamp, no key."""
    wrapper = new_spans(1)
    wrapper[OFFSET] = inner[-SPAN_COLUMNS + OFFSET]
    wrapper[TIMESTAMP] = max(inner[TIMESTAMP::SPAN_COLUMNS])
    wrapper[KEY_LENGTH] = -1
    wrapper[VALUE_LENGTH] = len(compressed)
    return kernel_legacy.encode_messages(compressed, wrapper, magic, attributes, 0)
