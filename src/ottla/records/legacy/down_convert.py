"""Batches of format v2 to a message set of format v0 or v1, for Fetch 0 to 3.

Offsets stay; headers are dropped, and control batches, which old clients do not know. A compressed batch becomes a
wrapper of the same codec; zstd, which old clients cannot read, is refused.
"""

from ottla.errors.kafka import UnsupportedCompressionTypeError
from ottla.records.attributes import TIMESTAMP_TYPE_MASK, Codec, TimestampType
from ottla.records.batch import BatchHeader, Buffer, iterate_batches
from ottla.records.compression import compress
from ottla.records.kernels import kernel_columns, kernel_legacy, kernel_scan
from ottla.records.kernels.crc_tables import IEEE, crc_table
from ottla.records.kernels.spans import KEY_LENGTH, OFFSET, SPAN_COLUMNS, TIMESTAMP, VALUE_LENGTH, Spans, new_spans
from ottla.records.legacy.lz4_header import break_header
from ottla.records.record import DECOMPRESSED_MAX, RecordsSection, index_section, open_section

OFFSET_END = 2**63 - 1


def down_convert(batches: Buffer, magic: int, *, first_offset: int = 0, size_max: int = DECOMPRESSED_MAX) -> bytes:
    """The records from `first_offset` on as a message set; a batch that is cut short at the end is left out."""
    message_set = bytearray()
    for position, header in iterate_batches(batches, partial_tail=True):
        if header.is_control or header.last_offset < first_offset:
            continue
        if header.compression is Codec.ZSTD:
            raise UnsupportedCompressionTypeError("batches compressed with zstd cannot be converted for old clients")
        section = open_section(batches, position, header, size_max)
        spans = _from_offset(index_section(section, header), first_offset)
        if spans:
            message_set += _convert_batch(header, section, spans, magic)
    kernel_scan.stamp_messages(message_set, crc_table(IEEE))
    return bytes(message_set)


def _from_offset(spans: Spans, first_offset: int) -> Spans:
    first, _ = kernel_columns.rows_within(spans, SPAN_COLUMNS, first_offset, OFFSET_END)
    return spans[first * SPAN_COLUMNS :]


def _convert_batch(header: BatchHeader, section: RecordsSection, spans: Spans, magic: int) -> bytearray:
    type_bit = TIMESTAMP_TYPE_MASK if magic and header.timestamp_type is TimestampType.LOG_APPEND_TIME else 0
    codec = header.compression
    if codec is Codec.NONE:
        return kernel_legacy.encode_messages(section.buffer, spans, magic, type_bit, 0)
    offset_base = header.base_offset if magic else 0
    inner = kernel_legacy.encode_messages(section.buffer, spans, magic, type_bit, offset_base)
    kernel_scan.stamp_messages(inner, crc_table(IEEE))
    return _wrap(compress_legacy(codec, inner, magic), spans, magic, codec | type_bit)


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
