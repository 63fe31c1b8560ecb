"""The records of a batch before they are bytes: lists that `send` filled, or rows of columns from `send_many`.

Both know how to become the records section of a batch, and how to become two halves when the broker finds the batch
too large. Encoding happens in a kernel, once.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

from ottla.records.batch import Buffer
from ottla.records.columns import encode_columns
from ottla.records.kernels import encode_records, kernel_columns, kernel_gather
from ottla.records.kernels.spans import HEADERS, KEY, RECORD_END, SPAN_COLUMNS, TIMESTAMP, VALUE

RECORD_OVERHEAD = kernel_gather.RECORD_OVERHEAD


class RecordSource(Protocol):
    def __len__(self) -> int: ...
    def timestamp_bounds(self) -> tuple[int, int]:
        """Of the first record, and the largest."""
        ...

    def timestamp_of(self, index: int) -> int: ...
    def encode(self, base_timestamp: int) -> bytearray: ...
    def largest(self) -> int:
        """The size of the largest value: of rows, that of the average one."""
        ...

    def halves(self) -> "Iterator[RecordSource]": ...
    def callbacks_by_place(self) -> Iterable[tuple[int, Callable[..., object]]]: ...
    def release(self) -> None:
        """Keys and headers are not needed any more; futures may still ask for timestamps."""
        ...


class RecordLists(kernel_gather.Gathered):
    """What `send` gathered: one list per field, all of one length once it is closed."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(self.values)

    def timestamp_bounds(self) -> tuple[int, int]:
        return self.timestamps[0], max(self.timestamps)

    def timestamp_of(self, index: int) -> int:
        return self.timestamps[index]

    def encode(self, base_timestamp: int) -> bytearray:
        return encode_records(self.keys, self.values, self.timestamps, base_timestamp, self.headers, None)

    def largest(self) -> int:
        return max((len(value) for value in self.values if value is not None), default=0)

    def halves(self) -> Iterator["RecordLists"]:
        middle = (len(self.values) + 1) // 2
        for part in (slice(0, middle), slice(middle, None)):
            half = RecordLists(tuple, self.limit)
            half.values, half.timestamps = self.values[part], self.timestamps[part]
            half.keys = None if self.keys is None else self.keys[part]
            half.headers = None if self.headers is None else self.headers[part]
            half.close()
            yield half

    def callbacks_by_place(self) -> Iterable[tuple[int, Callable[..., object]]]:
        return zip(self.callback_places or (), self.callbacks or (), strict=True)

    def release(self) -> None:
        self.keys = self.headers = self.callbacks = self.callback_places = None
        self.owner = None  # which holds this: not for the garbage collector to find


class RecordRows:
    """Rows of spans into buffers (`records.columns`). `timestamp`: that of all rows, where they share one."""

    __slots__ = ("_headers", "_keys", "_spans", "_timestamp", "_values", "size")

    def __init__(
        self, spans: memoryview, keys: Buffer, values: Buffer, timestamp: int | None = None, headers: Buffer = b""
    ) -> None:
        self._spans = spans
        self._keys = keys
        self._values = values
        self._headers = headers
        self._timestamp = timestamp
        self.size = len(self) * RECORD_OVERHEAD + sum_bytes(spans)

    def __len__(self) -> int:
        return len(self._spans) // SPAN_COLUMNS

    def timestamp_bounds(self) -> tuple[int, int]:
        if self._timestamp is not None:
            return self._timestamp, self._timestamp
        timestamps = self._spans[TIMESTAMP::SPAN_COLUMNS]
        return timestamps[0], max(timestamps)

    def timestamp_of(self, index: int) -> int:
        timestamp: int = self._spans[index * SPAN_COLUMNS + TIMESTAMP]
        return timestamp

    def encode(self, base_timestamp: int) -> bytearray:
        return encode_columns(self._spans, self._keys, self._values, base_timestamp, self._headers)

    def largest(self) -> int:
        return self.size // max(1, len(self))

    def part(self, start: int, end: int) -> "RecordRows":
        spans = self._spans[start * SPAN_COLUMNS : end * SPAN_COLUMNS]
        return RecordRows(spans, self._keys, self._values, self._timestamp, self._headers)

    def halves(self) -> Iterator["RecordRows"]:
        middle = (len(self) + 1) // 2
        yield self.part(0, middle)
        yield self.part(middle, len(self))

    def callbacks_by_place(self) -> Iterable[tuple[int, Callable[..., object]]]:
        return ()

    def release(self) -> None:
        pass


def sum_bytes(spans: Any) -> int:
    """The bytes of keys, values and headers in rows of spans."""
    rows = len(spans) // SPAN_COLUMNS

    def total(column: int) -> int:
        return kernel_columns.sum_positive(spans, SPAN_COLUMNS, column, 0, rows)

    return total(KEY + 1) + total(VALUE + 1) + total(RECORD_END) - total(HEADERS)
