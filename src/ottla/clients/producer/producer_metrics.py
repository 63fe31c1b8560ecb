"""What the producer measures, by the names of Kafka's documentation: per client, per broker and per topic."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ottla.clients.metrics import ClientMetrics, SensorGroup
from ottla.clients.producer.batch import ProducerBatch
from ottla.clients.producer.memory import BufferMemory

if TYPE_CHECKING:
    from ottla.clients.producer.topics import PartitionQueue


class ProducerMetrics:
    def __init__(self, metrics: ClientMetrics) -> None:
        self._metrics = metrics
        self._topics: dict[str, SensorGroup] = {}
        main = self._main = metrics.main
        self._batch_size = main.sensor("batch-size")
        self._compression = main.sensor("compression")
        self._queue_time = main.sensor("queue-time")
        self._records = main.sensor("records")
        self._record_size = main.sensor("record-size")
        self._largest = main.sensor("largest-record")
        self._retries = main.sensor("retries")
        self._errors = main.sensor("errors")
        self._per_request = main.sensor("records-per-request")
        main.attribute("batch-size-avg", self._batch_size.average)
        main.attribute("batch-size-max", self._batch_size.maximum)
        main.attribute("compression-rate-avg", self._compression.average)
        main.attribute("record-queue-time-avg", self._queue_time.average)
        main.attribute("record-queue-time-max", self._queue_time.maximum)
        main.attribute("record-send-rate", self._records.rate)
        main.attribute("record-size-avg", self._record_size.average)
        main.attribute("record-size-max", self._largest.maximum)
        main.attribute("record-retry-rate", self._retries.rate)
        main.attribute("record-error-rate", self._errors.rate)
        main.attribute("records-per-request-avg", self._per_request.average)

    def watch_memory(self, memory: BufferMemory) -> None:
        started_at = self._metrics.clock.monotonic()
        self._main.attribute("waiting-threads", lambda: memory.waiting_count)
        self._main.attribute("buffer-total-bytes", lambda: memory.total_bytes)
        self._main.attribute("buffer-available-bytes", lambda: memory.available_bytes)
        self._main.attribute(
            "bufferpool-wait-time", lambda: memory.waited_s / max(0.001, self._metrics.clock.monotonic() - started_at)
        )

    def note_request(self, sending: "Iterable[tuple[PartitionQueue, ProducerBatch]]", now: float) -> None:
        records_total = 0
        for _, batch in sending:
            records_total += batch.records_count
            self._note_batch(batch, now)
        self._per_request.record(records_total)

    def _note_batch(self, batch: ProducerBatch, now: float) -> None:
        count, size = batch.records_count, batch.encoded_size
        ratio = size / max(1, batch.uncompressed_bytes + (size - batch.section_size))
        self._batch_size.record(size)
        self._compression.record(ratio)
        self._queue_time.record((now - batch.created_at) * 1000)
        self._records.record(count)
        self._record_size.record(batch.size / max(1, count))
        self._largest.record(batch.records.largest())
        topic = self._topic(batch.topic)
        topic.sensor("records").record(count)
        topic.sensor("bytes").record(size)
        topic.sensor("compression").record(ratio)

    def note_retry(self, batch: ProducerBatch) -> None:
        self._retries.record(batch.records_count)
        self._topic(batch.topic).sensor("retries").record(batch.records_count)

    def note_error(self, batch: ProducerBatch) -> None:
        self._errors.record(batch.records_count)
        self._topic(batch.topic).sensor("errors").record(batch.records_count)

    def _topic(self, name: str) -> SensorGroup:
        group = self._topics.get(name)
        if group is None:
            group = self._topics[name] = self._metrics.group("producer-topic-metrics", topic=name)
            group.attribute("record-send-rate", group.sensor("records").rate)
            group.attribute("byte-rate", group.sensor("bytes").rate)
            group.attribute("compression-rate", group.sensor("compression").average)
            group.attribute("record-retry-rate", group.sensor("retries").rate)
            group.attribute("record-error-rate", group.sensor("errors").rate)
        return group
