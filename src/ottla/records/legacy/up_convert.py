"""Converts message sets to batches of format v2, so that only one format is ever stored.

Codec and timestamp type of each run are kept; a v0 message has no timestamp, which v2 writes as -1. Messages that were
not compressed are put together into batches of up to `batch_bytes_max`.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

from ottla.errors.kafka import InvalidRecordError
from ottla.records.attributes import TIMESTAMP_TYPE_MASK, Codec, TimestampType
from ottla.records.batch import Buffer, assemble_batch, empty_header
from ottla.records.compression import compress
from ottla.records.kernels import kernel_encode
from ottla.records.kernels.spans import KEY_LENGTH, OFFSET, SPAN_COLUMNS, TIMESTAMP, VALUE_LENGTH, IntArray, Spans
from ottla.records.legacy.message import NO_BOUND, MessageRun, read_messages
from ottla.records.record import DECOMPRESSED_MAX

BATCH_BYTES_MAX = 1024 * 1024
OFFSET_DELTA_MAX = 2**31 - 1
RECORD_OVERHEAD_MAX = 36  # more than a record's own fields ever take beside key and value, null ones counted as -1


def up_convert(
    message_set: Buffer,
    *,
    keep_offsets: bool = False,
    partial_tail: bool = False,
    batch_bytes_max: int = BATCH_BYTES_MAX,
    size_max: int = DECOMPRESSED_MAX,
    total_max: int = NO_BOUND,
    batches_max: int = NO_BOUND,
) -> list[bytearray]:
    """The batches for a message set.

    Produced messages get their offsets from the leader, so every batch counts from 0; with `keep_offsets` (a log that
    Kafka wrote) each record keeps its own, and offsets must rise. A wrapper may open to `size_max` bytes, all of them
    together to `total_max`; a set of more than `batches_max` batches is refused.
    """
    batches: list[bytearray] = []
    for run in read_messages(message_set, partial_tail=partial_tail, size_max=size_max, total_max=total_max):
        if keep_offsets:
            _check_rising(run.spans[OFFSET::SPAN_COLUMNS])
        bytes_max = batch_bytes_max if run.codec is Codec.NONE else None
        for start, end in _batch_ranges(run.spans, keep_offsets, bytes_max):
            if len(batches) == batches_max:
                raise InvalidRecordError(f"a message set of more than {batches_max} batches")
            rows = run._replace(spans=run.spans[start * SPAN_COLUMNS : end * SPAN_COLUMNS])
            batches.append(_convert_run(rows, keep_offsets))
    return batches


def _check_rising(offsets: IntArray) -> None:
    if offsets[0] < 0 or offsets.tolist() != sorted(set(offsets)):
        raise InvalidRecordError("the offsets of a message set do not rise")


def _batch_ranges(spans: Spans, keep_offsets: bool, bytes_max: int | None) -> Iterator[tuple[int, int]]:
    """Ranges of rows that fit into one batch, by size and by the distance of their offsets."""
    offsets = spans[OFFSET::SPAN_COLUMNS]
    size_before = [0, *accumulate(_sizes(spans))] if bytes_max is not None else []
    start, rows = 0, len(offsets)
    while start < rows:
        end = rows
        if bytes_max is not None:
            end = bisect_right(size_before, size_before[start] + bytes_max) - 1
        if keep_offsets:
            end = min(end, bisect_right(offsets, offsets[start] + OFFSET_DELTA_MAX))
        end = max(end, start + 1)
        yield start, end
        start = end


def _sizes(spans: Spans) -> list[int]:
    """At least what each record will take."""
    lengths = zip(spans[KEY_LENGTH::SPAN_COLUMNS], spans[VALUE_LENGTH::SPAN_COLUMNS], strict=True)
    return [key + value + RECORD_OVERHEAD_MAX for key, value in lengths]


def _convert_run(run: MessageRun, keep_offsets: bool) -> bytearray:
    spans, buffer = run.spans, run.buffer
    timestamps = spans[TIMESTAMP::SPAN_COLUMNS]
    offsets = spans[OFFSET::SPAN_COLUMNS]
    base_offset = offsets[0] if keep_offsets else 0
    last_offset_delta = offsets[-1] - offsets[0] if keep_offsets else len(offsets) - 1
    try:
        section = kernel_encode.encode_spans(
            buffer, buffer, buffer, spans, base_offset, timestamps[0], not keep_offsets
        )
    except ValueError as error:
        raise InvalidRecordError(f"message set cannot become a batch: {error}") from error
    attributes = int(run.codec)
    if run.timestamp_type is TimestampType.LOG_APPEND_TIME:
        attributes |= TIMESTAMP_TYPE_MASK
    header = empty_header(
        base_offset=base_offset, last_offset_delta=last_offset_delta, records_count=len(offsets), attributes=attributes
    )._replace(base_timestamp=timestamps[0], max_timestamp=max(timestamps))
    return assemble_batch(header, compress(run.codec, section))
