"""From the arguments of `send` to a record in an open batch. The path of every record: it does as little as it can.

The usual record (bytes, no key, no headers) is a call of the kernel that gathers records. What is rare (serializers,
headers, interceptors, a full batch) is in methods of its own.
"""

from collections.abc import Callable, Iterable, Sequence
from operator import index
from typing import Any

from ottla.clients.errors import InvalidRecordSizeError, SerializationError
from ottla.clients.interceptors import ProducerInterceptors
from ottla.clients.producer.accumulator import Accumulator
from ottla.clients.producer.batch import DeliveryCallback, ProducerBatch
from ottla.clients.producer.futures import RecordFuture
from ottla.clients.producer.metadata import ProducerRecord, RecordMetadata
from ottla.clients.producer.record_sources import RECORD_OVERHEAD, RecordRows
from ottla.clients.producer.settings import ProducerSettings
from ottla.clients.producer.topics import PartitionQueue, ProducerTopic
from ottla.clients.serializers import Serializer, serialize_plain
from ottla.config.values import invalid_value
from ottla.errors import OttlaError
from ottla.records.batch import HEADER_SIZE
from ottla.records.kernels import kernel_gather
from ottla.records.partitioning import partition_for_key
from ottla.records.record import encode_record_headers

Headers = Iterable[tuple[str, bytes | str | None]] | dict[str, bytes | str | None] | None
Partitioner = Callable[[ProducerRecord, int], int]
_TIMESTAMP_MAX = 2**63 - 1
_NOW = kernel_gather.NOW


class Appender:
    def __init__(
        self,
        accumulator: Accumulator,
        settings: ProducerSettings,
        key_serializer: Serializer | None,
        value_serializer: Serializer | None,
        partitioner: Any,
        interceptors: ProducerInterceptors,
    ) -> None:
        if partitioner is not None and not callable(partitioner):
            raise invalid_value("partitioner.class", partitioner, "a function of record and partitions is expected")
        self._accumulator = accumulator
        self._settings = settings
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer
        self._partitioner: Partitioner | None = partitioner
        self._interceptors = interceptors
        # Whether nothing stands between the arguments of `send` and a batch.
        self._is_bare = value_serializer is None and partitioner is None and not interceptors

    def append(
        self,
        topic: ProducerTopic,
        value: Any,
        key: Any,
        partition: int | None,
        timestamp_ms: int | None,
        headers: Headers,
        on_delivery: DeliveryCallback | None,
    ) -> RecordFuture | None:
        """The future of a record that was appended; None when `buffer.memory` has no room now."""
        if key is None and headers is None and self._is_bare and value.__class__ is bytes:
            queue = topic.sticky if partition is None else topic.explicit(partition)
            batch = queue.open
            if timestamp_ms is None and batch is not None:
                records: Any = batch.records
                future: RecordFuture | None = records.add(value, None, None, _NOW, on_delivery)
                if future is not None:
                    return future
            return self._append_to(queue, value, None, timestamp_ms, None, on_delivery)
        if value.__class__ is not bytes or self._value_serializer is not None:
            value = _serialize(self._value_serializer, value)
        if key is not None and (key.__class__ is not bytes or self._key_serializer is not None):
            key = _serialize(self._key_serializer, key)
        encoded_headers = None if headers is None else encode_headers(headers)
        if self._interceptors or self._partitioner is not None:
            record = ProducerRecord(topic.name, value, key, partition, timestamp_ms, _header_pairs(headers))
            return self._append_seen(topic, record, on_delivery)
        queue = self._queue_of(topic, key, partition)
        return self._append_to(queue, value, key, timestamp_ms, encoded_headers, on_delivery)

    def _queue_of(self, topic: ProducerTopic, key: bytes | None, partition: int | None) -> PartitionQueue:
        if partition is not None:
            return topic.explicit(partition)
        if key is None or self._settings.ignore_keys:
            return topic.sticky
        return topic.queues[partition_for_key(key, len(topic.queues))]

    def _append_seen(
        self, topic: ProducerTopic, record: ProducerRecord, on_delivery: DeliveryCallback | None
    ) -> RecordFuture | None:
        """For records that interceptors or a partitioner look at."""
        if self._interceptors:
            record = self._interceptors.on_send(record)
            on_delivery = self._with_acknowledgement(on_delivery)
            record = record._replace(key=_serialize(None, record.key), value=_serialize(None, record.value))
        if record.partition is None and self._partitioner is not None:
            record = record._replace(partition=self._partitioner(record, len(topic.queues)))
        queue = self._queue_of(topic, record.key, record.partition)
        headers = encode_headers(record.headers) if record.headers else None
        return self._append_to(queue, record.value, record.key, record.timestamp, headers, on_delivery)

    def _with_acknowledgement(self, on_delivery: DeliveryCallback | None) -> DeliveryCallback:
        def call(metadata: RecordMetadata | None, error: OttlaError | None) -> None:
            self._interceptors.on_acknowledgement(metadata, error)
            if on_delivery is not None:
                on_delivery(metadata, error)

        return call

    def _append_to(
        self,
        queue: PartitionQueue,
        value: bytes | None,
        key: bytes | None,
        timestamp_ms: int | None,
        headers: bytes | None,
        on_delivery: DeliveryCallback | None,
    ) -> RecordFuture | None:
        timestamp = _NOW if timestamp_ms is None else checked_timestamp(timestamp_ms)
        while True:
            batch = queue.open
            if batch is not None:
                records: Any = batch.records
                future: RecordFuture | None = records.add(value, key, headers, timestamp, on_delivery)
                if future is not None:
                    return future
            if not self._make_room(queue, batch, RECORD_OVERHEAD + sum(map(len, filter(None, (value, key, headers))))):
                return None

    def _make_room(self, queue: PartitionQueue, full: ProducerBatch | None, size: int) -> bool:
        """Open another batch than the one that was full, unless another thread has. False: `buffer.memory` is full."""
        if size + HEADER_SIZE > self._settings.max_request_size:
            raise InvalidRecordSizeError(
                f"the record has {size + HEADER_SIZE} bytes with its batch; "
                f"max.request.size is {self._settings.max_request_size}"
            )
        accumulator = self._accumulator
        with accumulator.lock:
            is_there = queue.open is not None and queue.open is not full
            return is_there or accumulator.open_batch(queue, size) is not None

    def append_rows(self, queue: PartitionQueue, rows: RecordRows) -> ProducerBatch | None:
        """A batch of rows; None when there is no room for it now."""
        accumulator = self._accumulator
        with accumulator.lock:
            return accumulator.enqueue(queue, rows, rows.size)

    def serialized(
        self, values: Sequence[Any], keys: Sequence[Any] | None
    ) -> tuple[Sequence[bytes | None], Sequence[bytes | None] | None]:
        """Values and keys of `send_many` as bytes. Lists of bytes stay as they are."""
        values, keys = _sized(values), None if keys is None else _sized(keys)
        if keys is not None and len(keys) != len(values):
            raise SerializationError(f"{len(keys)} keys for {len(values)} values")
        return (
            _serialize_all(self._value_serializer, values),
            None if keys is None else _serialize_all(self._key_serializer, keys),
        )


def _serialize(serializer: Serializer | None, value: Any) -> bytes | None:
    if value is None:
        return None
    return serialize_plain(value) if serializer is None else _checked(serializer(value))


def _checked(data: Any) -> bytes | None:
    """What a serializer gave: bytes, or None for a tombstone."""
    if data.__class__ is bytes or data is None:
        result: bytes | None = data
        return result
    return serialize_plain(data)


def _sized(items: Iterable[Any]) -> Sequence[Any]:
    return items if isinstance(items, Sequence) and not isinstance(items, str | bytes) else list(items)


def checked_timestamp(timestamp_ms: Any) -> int:
    try:
        number = index(timestamp_ms)
    except TypeError as error:
        raise SerializationError(f"a timestamp is a whole number of milliseconds, not {timestamp_ms!r}") from error
    if not 0 <= number <= _TIMESTAMP_MAX:
        raise SerializationError(f"Invalid timestamp: {number}. Timestamp should always be non-negative or null.")
    return number


def _serialize_all(serializer: Serializer | None, values: Sequence[Any]) -> Sequence[bytes | None]:
    if serializer is None and all(value.__class__ is bytes for value in values):
        return values
    return [_serialize(serializer, value) for value in values]


def encode_headers(headers: Headers) -> bytes | None:
    return encode_record_headers(_header_pairs(headers))


def _header_pairs(headers: Headers) -> tuple[tuple[str, bytes | None], ...]:
    if not headers:
        return ()
    pairs = headers.items() if isinstance(headers, dict) else headers
    try:
        return tuple((_header_name(name), _serialize(None, value)) for name, value in pairs)
    except (TypeError, ValueError) as error:
        raise SerializationError(f"headers are pairs of a str and bytes, or a dict of such: {error}") from error


def _header_name(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{name!r} is no str")
    return name
