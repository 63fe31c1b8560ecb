"""`send_many` and `send_arrow`: records as columns, cut into batches, without a Python object per record.

Keys and values are two buffers with offsets (from `bytes.join`, or Arrow's own memory); a kernel turns them into spans,
finds each key's partition, and puts the rows of a partition together. A batch is then a range of rows.
"""

import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from ottla.clients.errors import InvalidRecordSizeError, SerializationError
from ottla.clients.optional_packages import needed_by
from ottla.clients.producer.appender import checked_timestamp
from ottla.clients.producer.record_sources import RECORD_OVERHEAD, RecordRows
from ottla.clients.producer.settings import ProducerSettings
from ottla.clients.producer.topics import PartitionQueue, ProducerTopic
from ottla.records.batch import HEADER_SIZE, Buffer
from ottla.records.columns import ArrowBytes, put_headers, spans_of_columns
from ottla.records.kernels.spans import IntArray, Spans
from ottla.records.partitioning import NO_PARTITION, group_by_partition, partition_rows

_EMPTY = b""


class BulkRows:
    """Rows to be sent: spans into the buffers of keys, values and headers.

    `partitions` are given where the caller chose; NO_PARTITION in it leaves a row to its key.
    """

    def __init__(
        self,
        rows: int,
        keys: ArrowBytes | None,
        values: ArrowBytes,
        timestamps: IntArray | memoryview | int,
        partitions: IntArray | None = None,
        headers: Iterable[list[tuple[bytes, bytes | None]]] | None = None,
    ) -> None:
        self._rows = rows
        self._keys: Buffer = _EMPTY if keys is None else keys.data
        self._values = values.data
        self._has_keys = keys is not None
        self._timestamp = timestamps if isinstance(timestamps, int) else None
        self._partitions = partitions
        self._spans: Spans = spans_of_columns(rows, keys, values, timestamps)
        self._headers = b"" if headers is None else put_headers(self._spans, headers)
        data_bytes = len(self._values) + len(self._keys) + len(self._headers)
        self._record_bytes = data_bytes / max(1, rows) + RECORD_OVERHEAD

    def batches(
        self, topic: ProducerTopic, partition: int | None, settings: ProducerSettings
    ) -> Iterator[tuple[PartitionQueue, RecordRows]]:
        """Ranges of rows with the queue that each goes to."""
        if not self._rows:
            return
        rows_max = max(1, int(settings.bulk_batch_size // self._record_bytes))
        by_key = self._has_keys and not settings.ignore_keys
        if partition is None and (self._partitions is not None or by_key):
            yield from self._grouped(topic, rows_max, settings)
            return
        everything = self._range(memoryview(self._spans))
        for start in range(0, self._rows, rows_max):
            queue = topic.sticky if partition is None else topic.explicit(partition)
            part = everything.part(start, min(start + rows_max, self._rows))
            yield from _within(queue, part, settings)
            if partition is None:
                topic.note_closed(queue, part.size, settings.batch_size)

    def _grouped(
        self, topic: ProducerTopic, rows_max: int, settings: ProducerSettings
    ) -> Iterator[tuple[PartitionQueue, RecordRows]]:
        partitions = self._chosen_partitions(topic, settings)
        sticky = topic.sticky if NO_PARTITION in partitions else None
        if sticky is not None:
            partitions = _filled(partitions, array("i", [sticky.partition]) * len(partitions))
        grouped = group_by_partition(self._spans, partitions, len(topic.queues))
        for index, queue in enumerate(topic.queues):
            rows = self._range(grouped.rows_of(index))
            for start in range(0, len(rows), rows_max):
                yield from _within(queue, rows.part(start, min(start + rows_max, len(rows))), settings)
            if queue is sticky:
                topic.note_closed(queue, rows.size, settings.batch_size)

    def _chosen_partitions(self, topic: ProducerTopic, settings: ProducerSettings) -> IntArray:
        """As the caller chose; otherwise by key; NO_PARTITION where there is neither."""
        given = self._partitions
        if given is not None:
            topic.explicit(max(0, max(given)))  # which refuses one that the topic has not
        if given is not None and (NO_PARTITION not in given or not self._has_keys or settings.ignore_keys):
            return given
        by_key = partition_rows(self._keys, self._spans, len(topic.queues))
        return by_key if given is None else _filled(given, by_key)

    def _range(self, spans: memoryview) -> RecordRows:
        return RecordRows(spans, self._keys, self._values, self._timestamp, self._headers)


def _filled(partitions: IntArray, others: IntArray) -> IntArray:
    """The partitions, with those of `others` where there is none."""
    pairs = zip(partitions, others, strict=True)
    return array("i", [other if chosen == NO_PARTITION else chosen for chosen, other in pairs])


def _within(
    queue: PartitionQueue, rows: RecordRows, settings: ProducerSettings
) -> Iterator[tuple[PartitionQueue, RecordRows]]:
    """A range, halved until it fits a request: records may be larger than the average it was cut by."""
    if rows.size + HEADER_SIZE <= settings.max_request_size:
        yield queue, rows
        return
    if len(rows) == 1:
        raise InvalidRecordSizeError(f"a record of {rows.size} bytes; max.request.size is {settings.max_request_size}")
    for half in rows.halves():
        yield from _within(queue, half, settings)


def rows_of_values(
    columns: tuple[Sequence[bytes | None], Sequence[bytes | None] | None], timestamp_ms: int | None
) -> BulkRows:
    values, keys = columns
    timestamp = int(time.time() * 1000) if timestamp_ms is None else checked_timestamp(timestamp_ms)
    return BulkRows(len(values), None if keys is None else _bytes_column(keys), _bytes_column(values), timestamp)


def _bytes_column(items: Sequence[bytes | None]) -> ArrowBytes:
    """The items one after the other, as Arrow lays them out."""
    validity = b""
    if None in items:
        validity = _validity(items)
        items = [item or b"" for item in items]
    data = b"".join(items)  # type: ignore[arg-type]
    kind, width = ("i", 4) if len(data) < 2**31 else ("q", 8)
    offsets = array(kind, accumulate(map(len, items), initial=0))  # type: ignore[arg-type]
    return ArrowBytes(memoryview(offsets).cast("B"), data, validity, 0, width)


def _validity(items: Sequence[bytes | None]) -> bytes:
    bits = bytearray((len(items) + 7) // 8)
    for row, item in enumerate(items):
        if item is not None:
            bits[row >> 3] |= 1 << (row & 7)
    return bytes(bits)


def rows_of_arrow(batch: Any, topic: str | None) -> Iterator[tuple[str, BulkRows]]:
    """The rows of a pyarrow RecordBatch or Table with their topics, one after the other for its chunks."""
    with needed_by("send_arrow"):
        from ottla.clients.producer.arrow_columns import by_topic

    if not hasattr(batch, "schema"):
        raise SerializationError(f"a pyarrow RecordBatch or Table is expected, not {type(batch).__name__}")
    chunks = batch.to_batches() if hasattr(batch, "to_batches") else [batch]
    for chunk in chunks:
        names = chunk.schema.names
        if "value" not in names:
            raise SerializationError(f"the batch has no column value, only {', '.join(names)}")
        for name, rows in by_topic(chunk, topic):
            yield name, _rows_of_chunk(rows)


def _rows_of_chunk(chunk: Any) -> BulkRows:
    from ottla.clients.producer.arrow_columns import bytes_column, header_rows, numbers_column, partitions_column

    columns = dict(zip(chunk.schema.names, chunk.columns, strict=True))
    timestamps: Any = int(time.time() * 1000)
    if "timestamp" in columns:
        timestamps = numbers_column(columns["timestamp"], "q", timestamps)
    return BulkRows(
        chunk.num_rows,
        bytes_column(columns["key"]) if "key" in columns else None,
        bytes_column(columns["value"]),
        timestamps,
        partitions_column(columns["partition"]) if "partition" in columns else None,
        header_rows(columns["headers"]) if "headers" in columns else None,
    )
