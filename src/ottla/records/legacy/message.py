"""Reads a message set of format v0 or v1 into runs: messages that lie in one buffer and can become one batch.

A message may be a wrapper: its attributes name a codec and its value is a compressed message set of the same magic, of
which none is compressed again. Offsets in a v0 wrapper are absolute; in a v1 wrapper they count from 0 and the wrapper
has the offset of the last. With LogAppendTime (v1) the wrapper's timestamp is that of all messages in it.
"""

from array import array
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from ottla.errors.kafka import CorruptMessageError, InvalidRecordError, UnsupportedCompressionTypeError
from ottla.records.attributes import COMPRESSION_MASK, TIMESTAMP_TYPE_MASK, Codec, TimestampType
from ottla.records.batch import MAGIC, MAGIC_POSITION, Buffer
from ottla.records.compression import decompress
from ottla.records.kernels import kernel_legacy, kernel_scan, make_rows
from ottla.records.kernels.crc_tables import IEEE, crc_table
from ottla.records.kernels.spans import (
    HEADERS,
    KIND,
    NO_HEADER_SPANS,
    OFFSET,
    SPAN_COLUMNS,
    TIMESTAMP,
    VALUE,
    VALUE_LENGTH,
    IntArray,
    Spans,
    new_spans,
)
from ottla.records.legacy.lz4_header import mend_header
from ottla.records.record import DECOMPRESSED_MAX, OFFSET_MIN, Record

OFFSET_MAX = 2**63 - 1
NO_BOUND = 2**63 - 1
# Bits of the attributes that mean nothing make no other kind: each change of kind begins a batch.
_KIND_MASK = 0xFF00 | COMPRESSION_MASK | TIMESTAMP_TYPE_MASK


class MessageRun(NamedTuple):
    """Messages of one buffer with the same magic, codec and timestamp type, as spans."""

    buffer: Buffer
    spans: Spans
    magic: int
    codec: Codec
    timestamp_type: TimestampType


def is_legacy(buffer: Buffer, position: int = 0) -> bool:
    """Whether what lies at `position` says that it is of format v0 or v1."""
    return len(buffer) - position > MAGIC_POSITION and buffer[position + MAGIC_POSITION] < MAGIC


def messages_end(buffer: Buffer, position: int = 0) -> int:
    """Where the whole messages of formats v0 and v1 from `position` on end."""
    view = memoryview(buffer)
    _, end, is_cut_short = kernel_legacy.count_messages(view, position, len(view))
    if end == position and not is_cut_short:
        raise CorruptMessageError(f"no message at position {position} of {len(view)} bytes")
    return int(end)


def read_messages(
    buffer: Buffer, *, partial_tail: bool = False, size_max: int = DECOMPRESSED_MAX, total_max: int = NO_BOUND
) -> Iterator[MessageRun]:
    """The runs of a message set, in order, wrappers decompressed: each up to `size_max` bytes, all up to `total_max`.

    CorruptMessageError: a message is damaged or, without `partial_tail`, cut short. InvalidRecordError: a wrapper is.
    """
    view = memoryview(buffer)
    for kind, rows in index_by_kind(view, partial_tail=partial_tail):
        if not kind & COMPRESSION_MASK:
            yield _run(view, rows, kind, Codec.NONE)
            continue
        for start in range(0, len(rows), SPAN_COLUMNS):
            run = _open_wrapper(view, rows[start : start + SPAN_COLUMNS], min(size_max, total_max))
            total_max -= len(run.buffer)
            yield run


def index_by_kind(view: memoryview, *, partial_tail: bool = False) -> Iterator[tuple[int, Spans]]:
    """The spans of a message set in stretches of one kind (`spans.KIND`), wrappers left compressed."""
    spans = _index(view, partial_tail)
    for kind, start, end in _ranges_of_one_kind(spans[KIND::SPAN_COLUMNS]):
        yield kind, _rows(spans, start, end)


def has_wrapper(buffer: Buffer) -> bool:
    """Whether one of the messages has others compressed in it."""
    return any(kind & COMPRESSION_MASK for kind, _ in index_by_kind(memoryview(buffer)))


def messages_range(rows: Spans) -> tuple[int, int]:
    """Where the messages of some rows begin and end: the value is the last of a message's fields."""
    return rows[HEADERS], rows[-SPAN_COLUMNS + VALUE] + max(0, rows[-SPAN_COLUMNS + VALUE_LENGTH])


def _ranges_of_one_kind(kinds: IntArray) -> Iterator[tuple[int, int, int]]:
    if kinds and kinds.count(kinds[0]) == len(kinds):  # nearly always, and it needs no Python loop to know
        yield kinds[0] & _KIND_MASK, 0, len(kinds)
        return
    start = 0
    for kind, group in groupby(kind & _KIND_MASK for kind in kinds):
        end = start + sum(1 for _ in group)
        yield kind, start, end
        start = end


def decode_messages(buffer: Buffer, *, partial_tail: bool = False, size_max: int = DECOMPRESSED_MAX) -> list[Record]:
    """All messages as records, for clients and tools."""
    return [
        record
        for run in read_messages(buffer, partial_tail=partial_tail, size_max=size_max)
        for record in make_rows(run.buffer, run.spans, NO_HEADER_SPANS, OFFSET_MIN, (), Record)
    ]


def _index(view: memoryview, partial_tail: bool) -> Spans:
    """The spans of a message set whose frames and checksums are right."""
    count, end, cut_short = kernel_legacy.count_messages(view, 0, len(view))
    if end < len(view) and not (partial_tail and cut_short):
        raise CorruptMessageError(f"no whole message at position {end} of {len(view)} bytes")
    bad = kernel_scan.check_messages(view, 0, end, crc_table(IEEE))
    if bad < end:
        raise CorruptMessageError(f"the CRC of the message at position {bad} is wrong")
    spans = new_spans(count)
    index = kernel_legacy.index_messages(view, 0, end, spans)
    if index >= 0:
        raise CorruptMessageError(f"the fields of message {index} do not fill its size")
    return spans


def _rows(spans: Spans, start: int, end: int) -> Spans:
    return spans[start * SPAN_COLUMNS : end * SPAN_COLUMNS]


def _run(view: memoryview, spans: Spans, kind: int, codec: Codec) -> MessageRun:
    is_append_time = kind >> 8 > 0 and kind & TIMESTAMP_TYPE_MASK
    return MessageRun(view, spans, kind >> 8, codec, TimestampType(1 if is_append_time else 0))


def _open_wrapper(view: memoryview, wrapper: Spans, size_max: int) -> MessageRun:
    kind = wrapper[KIND]
    codec = _legacy_codec(kind)
    if wrapper[VALUE_LENGTH] < 0:
        raise InvalidRecordError("compressed message without a value")
    compressed = view[wrapper[VALUE] : wrapper[VALUE] + wrapper[VALUE_LENGTH]]
    section = decompress(codec, mend_header(compressed) if codec is Codec.LZ4 else compressed, size_max)
    inner = _index_inner(section, kind >> 8)
    run = _run(memoryview(section), inner, kind, codec)
    if run.magic == 1:
        _make_absolute(inner, wrapper[OFFSET])
    if run.timestamp_type is TimestampType.LOG_APPEND_TIME:
        _set_column(inner, TIMESTAMP, wrapper[TIMESTAMP])
    return run


def _legacy_codec(kind: int) -> Codec:
    codec = Codec.of(kind)
    if codec is Codec.ZSTD:
        raise UnsupportedCompressionTypeError(f"zstd is not allowed in messages of format v{kind >> 8}")
    return codec


def _index_inner(section: bytes, magic: int) -> Spans:
    inner = _index(memoryview(section), partial_tail=False)
    if not inner:
        raise InvalidRecordError("compressed message without messages in it")
    for kind in set(inner[KIND::SPAN_COLUMNS]):
        if kind >> 8 != magic:
            raise InvalidRecordError(f"message of format v{kind >> 8} in a wrapper of format v{magic}")
        if kind & COMPRESSION_MASK:
            raise InvalidRecordError("compressed message in a compressed message")
    return inner


def _make_absolute(inner: Spans, wrapper_offset: int) -> None:
    """v1: the wrapper has the offset of its last message, which counts from 0.

    A producer leaves the wrapper's offset at 0, so that the base is below 0: these are only known to the leader.
    """
    offsets = inner[OFFSET::SPAN_COLUMNS]
    base = wrapper_offset - offsets[-1]
    if min(offsets) < 0 or base < OFFSET_MIN or max(offsets) > OFFSET_MAX - base:
        raise InvalidRecordError("offsets in a compressed message that cannot be")
    inner[OFFSET::SPAN_COLUMNS] = array("q", [base + offset for offset in offsets])


def _set_column(spans: Spans, column: int, value: int) -> None:
    spans[column::SPAN_COLUMNS] = array("q", [value]) * (len(spans) // SPAN_COLUMNS)
