"""One batch of a producer: records of one partition that travel, succeed and fail together.

A batch is open (records are added under the accumulator's lock), then closed, then sent once or several times, then
complete: exactly once, with the offset of its first record or with an error. A batch that the broker finds too large
is replaced by two halves; it completes when both have, and its futures look into them.

Who waits: threads on `event`, coroutines and callbacks through `add_done_callback`. Completion happens on the loop.
"""

import logging
import threading
from collections.abc import Callable

from ottla.clients.producer.metadata import BatchMetadata, RecordMetadata
from ottla.clients.producer.record_sources import RecordSource
from ottla.errors import OttlaError
from ottla.records.attributes import (
    NO_PRODUCER_EPOCH,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    Codec,
    next_sequence,
)
from ottla.records.batch import assemble_batch, empty_header
from ottla.records.compression import compress

logger = logging.getLogger(__name__)

NO_OFFSET = -1
# Callbacks and events are added by any thread while the loop completes. Held for a few instructions.
_lock = threading.Lock()

DeliveryCallback = Callable[[RecordMetadata | None, OttlaError | None], object]
DoneCallback = Callable[["ProducerBatch"], object]


class ProducerBatch:
    __slots__ = (
        "_done_callbacks",
        "_encoded",
        "_section",
        "attempts",
        "base_offset",
        "base_sequence",
        "created_at",
        "done",
        "encoded_size",
        "error",
        "event",
        "halves",
        "log_append_time",
        "order",
        "partition",
        "producer_epoch",
        "producer_id",
        "records",
        "reserved_bytes",
        "section_size",
        "size",
        "topic",
        "uncompressed_bytes",
    )

    def __init__(self, topic: str, partition: int, created_at: float, records: RecordSource) -> None:
        self.topic = topic
        self.partition = partition
        self.created_at = created_at
        self.records = records
        self.size = 0
        self.reserved_bytes = 0
        self.attempts = 0
        # The place among the batches of the partition: given when first sent, kept when sent again.
        self.order = 0
        self.producer_id = NO_PRODUCER_ID
        self.producer_epoch = NO_PRODUCER_EPOCH
        self.base_sequence = NO_SEQUENCE
        self.base_offset = NO_OFFSET
        self.log_append_time = NO_TIMESTAMP
        # For metrics: the records before and after compression, and the batch with its header.
        self.uncompressed_bytes = self.section_size = self.encoded_size = 0
        self.error: OttlaError | None = None
        self.done = False
        self.halves: tuple[ProducerBatch, ...] = ()
        self.event: threading.Event | None = None
        self._section: bytes | bytearray | None = None
        self._encoded: bytearray | None = None
        self._done_callbacks: list[DoneCallback] | None = None

    @property
    def records_count(self) -> int:
        return len(self.records)

    @property
    def has_sequence(self) -> bool:
        return self.base_sequence != NO_SEQUENCE

    # Bytes

    def encode_section(self, codec: Codec, level: int | None) -> None:
        """The records as bytes, compressed; done once, whatever happens to the header."""
        if self._section is not None:
            return
        section = self.records.encode(self.records.timestamp_bounds()[0])
        self.uncompressed_bytes = len(section)
        self._section = section if codec is Codec.NONE else compress(codec, section, level)
        self.section_size = len(self._section)

    def set_producer(self, producer_id: int, producer_epoch: int, base_sequence: int) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.base_sequence = base_sequence
        self._encoded = None

    def encoded(self, codec: Codec, level: int | None) -> bytearray:
        """The whole batch as it is sent."""
        if self._encoded is None:
            self.encode_section(codec, level)
            assert self._section is not None
            base_timestamp, max_timestamp = self.records.timestamp_bounds()
            count = len(self.records)
            header = empty_header(last_offset_delta=count - 1, records_count=count, attributes=int(codec))._replace(
                base_timestamp=base_timestamp,
                max_timestamp=max_timestamp,
                producer_id=self.producer_id,
                producer_epoch=self.producer_epoch,
                base_sequence=self.base_sequence,
            )
            self._encoded = assemble_batch(header, self._section)
            self.encoded_size = len(self._encoded)
        return self._encoded

    def split(self) -> "tuple[ProducerBatch, ...]":
        """Two batches in its place, with its sequences shared between them."""
        sequence = self.base_sequence
        halves = []
        for records in self.records.halves():
            half = ProducerBatch(self.topic, self.partition, self.created_at, records)
            half.order = self.order
            half.attempts = self.attempts
            if self.has_sequence:
                half.set_producer(self.producer_id, self.producer_epoch, sequence)
                sequence = next_sequence(sequence, len(records))
            half.size = self.size * len(records) // max(1, len(self.records))
            half.reserved_bytes = self.reserved_bytes * len(records) // max(1, len(self.records))
            half.add_done_callback(self._half_done)
            halves.append(half)
        self.halves = tuple(halves)
        self._section = self._encoded = None
        return self.halves

    def _half_done(self, _half: "ProducerBatch") -> None:
        if all(half.done for half in self.halves):
            errors = [half.error for half in self.halves if half.error is not None]
            self._finish(errors[0] if errors else None)

    # Completion

    def succeed(self, base_offset: int, log_append_time: int = NO_TIMESTAMP) -> None:
        self.base_offset = base_offset
        self.log_append_time = log_append_time
        self._finish(None)

    def fail(self, error: OttlaError) -> None:
        self._finish(error)

    def _finish(self, error: OttlaError | None) -> None:
        assert not self.done, "a batch completes once"
        self.error = error
        self._section = self._encoded = None
        self.done = True
        if self.event is not None:
            self.event.set()
        for index, callback in self.records.callbacks_by_place():
            _call_safely(callback, *self._outcome(index))
        self._call_done_callbacks()
        self.records.release()

    def add_done_callback(self, callback: DoneCallback) -> None:
        """Call back when the batch is complete: at once when it is already."""
        with _lock:
            if self._done_callbacks is None:
                self._done_callbacks = []
            self._done_callbacks.append(callback)
        if self.done:
            self._call_done_callbacks()

    def _call_done_callbacks(self) -> None:
        with _lock:
            callbacks, self._done_callbacks = self._done_callbacks, None
        for callback in callbacks or ():
            callback(self)

    def make_event(self) -> threading.Event:
        """The event that completion sets. Look at `done` after this: the event may have come too late."""
        with _lock:
            if self.event is None:
                self.event = threading.Event()
            return self.event

    # Outcomes

    def _outcome(self, index: int) -> tuple[RecordMetadata | None, OttlaError | None]:
        try:
            return self.metadata(index), None
        except OttlaError as error:
            return None, error

    def metadata(self, index: int) -> RecordMetadata:
        """Where record `index` was written, or the error that it failed with."""
        for half in self.halves:
            if index < len(half.records):
                return half.metadata(index)
            index -= len(half.records)
        if self.error is not None:
            raise self.error
        offset = self.base_offset + index if self.base_offset >= 0 else NO_OFFSET
        timestamp = self.log_append_time if self.log_append_time >= 0 else self.records.timestamp_of(index)
        return RecordMetadata(self.topic, self.partition, offset, timestamp)

    def batch_metadata(self) -> list[BatchMetadata]:
        """Where the batch was written, or where its parts were."""
        if self.halves:
            return [found for half in self.halves for found in half.batch_metadata()]
        if self.error is not None:
            raise self.error
        return [BatchMetadata(self.topic, self.partition, self.base_offset, len(self.records))]


def _call_safely(callback: DeliveryCallback, metadata: RecordMetadata | None, error: OttlaError | None) -> None:
    try:
        callback(metadata, error)
    except Exception:
        logger.exception("a delivery callback failed")
