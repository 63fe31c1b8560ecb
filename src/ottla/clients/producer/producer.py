"""The producer, synchronous: records are appended in the caller's thread and sent by the loop's."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, Unpack

from ottla.clients.configuration import ClientConfig
from ottla.clients.errors import ClientClosedError
from ottla.clients.loop_thread import LoopThread, blocking
from ottla.clients.metrics import Metrics
from ottla.clients.open_clients import EXIT_SECONDS_MAX, OpenClient
from ottla.clients.producer.appender import Headers
from ottla.clients.producer.async_producer import ProducerConfig, ProducerCore
from ottla.clients.producer.batch import DeliveryCallback, ProducerBatch
from ottla.clients.producer.bulk import BulkRows, rows_of_arrow, rows_of_values
from ottla.clients.producer.futures import BulkFuture, RecordFuture
from ottla.clients.runtime import runtime_of_running_loop
from ottla.config.keys import producer_keys


class Producer:
    """Writes records to topics; any number of threads may share one.

    ::

        with ottla.Producer("localhost:9092", linger_ms=5, compression_type="zstd") as producer:
            future = producer.send("clicks", b"...", key=b"user-7")
            print(future.result(timeout=10).offset)

    Idempotent by default: each record is written once and in order, whatever is retried. Keyword arguments are Kafka's
    producer configuration (`acks="all"`, `linger_ms=5`); `value_serializer="json"` takes any JSON value.
    Leaving the `with` block sends what is left and waits for it; without one the end of the program does, for ten
    seconds at most.
    """

    def __init__(self, bootstrap_servers: str | list[str] | None = None, **config: Unpack[ProducerConfig]) -> None:
        checked = ClientConfig("producer", producer_keys(), config)

        async def make() -> ProducerCore:
            return ProducerCore(bootstrap_servers, checked, runtime_of_running_loop())

        self._thread = LoopThread("ottla-producer")
        try:
            self._core = self._thread.run(make())
        except BaseException:
            self._thread.stop()
            raise
        self._core.metrics.add_all(self._thread.selector.metrics())
        self._topics = self._core.topics.by_name
        self._thread.on_fork = self._topics.clear  # so that every call in the child asks the thread first
        self._append = self._core.appender.append
        core, thread = self._core, self._thread
        self._open = OpenClient(self, thread.loop, core.close, tell_lost=core.tell_lost, on_ended=thread.stop)

    def send(
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        *,
        partition: int | None = None,
        timestamp_ms: int | None = None,
        headers: Headers = None,
        on_delivery: DeliveryCallback | None = None,
    ) -> RecordFuture:
        """Append a record and return at once; the future is done when it is acknowledged.

        ::

            producer.send("clicks", "...", key="user-7", headers={"source": b"web"})
            producer.send("clicks", b"...", on_delivery=lambda metadata, error: print(metadata or error))

        Waits up to `max.block.ms` for the topic's metadata or for room in the buffer. `on_delivery` runs on the
        client's own thread: be quick there, and make no blocking call of this producer.
        """
        known = self._topics.get(topic)
        if known is not None:
            future = self._append(known, value, key, partition, timestamp_ms, headers, on_delivery)
            if future is not None:
                return future
        return self._send_slowly(topic, value, key, partition, timestamp_ms, headers, on_delivery)

    def _send_slowly(
        self,
        topic: str,
        value: Any,
        key: Any,
        partition: int | None,
        timestamp_ms: int | None,
        headers: Headers,
        on_delivery: DeliveryCallback | None,
    ) -> RecordFuture:
        """For the first record of a topic, and while the buffer is full."""
        known = self._topics.get(topic) or self._thread.run(self._core.topic(topic))
        deadline = time.monotonic() + self._core.settings.buffer_block_ms / 1000
        while True:
            future = self._append(known, value, key, partition, timestamp_ms, headers, on_delivery)
            if future is not None:
                return future
            self._wait_for_memory(deadline)

    def send_many(
        self,
        topic: str,
        values: Sequence[Any],
        keys: Sequence[Any] | None = None,
        *,
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> BulkFuture:
        """Append many records at once: much faster than one `send` each, and one future for all.

        ::

            producer.send_many("clicks", values, keys).result()

        They get one timestamp, and go to partitions as with `send`.
        """
        rows = rows_of_values(self._core.appender.serialized(values, keys), timestamp_ms)
        return self._send_rows(topic, rows, partition)

    def send_arrow(self, topic: str | None, batch: Any) -> BulkFuture:
        """Append the rows of a pyarrow RecordBatch or Table, in the columns of Spark's Kafka sink.

        ::

            producer.send_arrow("clicks", pyarrow.table({"key": keys, "value": values})).result()

        `value`, and where they are there `key`, `headers` (list<struct<key, value>>), `partition`, `timestamp` (also
        in milliseconds), and `topic` for a `topic` of None. Nulls are allowed in all but `topic`. Keys and values are
        binary or string columns, read where they lie.
        """
        return BulkFuture.joined([self._send_rows(name, rows, None) for name, rows in rows_of_arrow(batch, topic)])

    def _send_rows(self, topic: str, rows: BulkRows, partition: int | None) -> BulkFuture:
        core = self._core
        known = self._topics.get(topic) or self._thread.run(core.topic(topic))
        sent: list[ProducerBatch] = []
        for queue, part in rows.batches(known, partition, core.settings):
            deadline = time.monotonic() + core.settings.buffer_block_ms / 1000
            while (batch := core.appender.append_rows(queue, part)) is None:
                self._wait_for_memory(deadline)
            sent.append(batch)
        return BulkFuture(sent)

    def _wait_for_memory(self, deadline: float) -> None:
        accumulator = self._core.accumulator
        with accumulator.lock:
            accumulator.wake()  # somebody waiting is a reason to send what lingers
            accumulator.memory.wait(deadline)

    flush = blocking(ProducerCore.flush)

    def partitions_for(self, topic: str) -> list[int]:
        """The partitions of a topic: `producer.partitions_for("clicks")`."""
        return [queue.partition for queue in self._thread.run(self._core.topic(topic)).queues]

    def metrics(self) -> Metrics:
        """Rates, sizes and times by Kafka's names.

        ::

            name = "kafka.producer:type=producer-metrics,client-id=producer-1"
            producer.metrics()[name]["record-send-rate"]
        """
        return self._core.metrics.read()

    def close(self, timeout_ms: float | None = None) -> None:
        """Send what is there, for `timeout_ms` at most, then fail the rest and say how many. May be called twice."""
        if not self._thread.stopped:
            self._open.note_closed()
            try:
                self._thread.run(self._core.close(timeout_ms))
            finally:
                self._thread.stop()

    def __enter__(self) -> Self:
        if self._thread.stopped:
            raise ClientClosedError("the producer is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Whoever presses Ctrl-C does not want to wait for a broker that is away.
        self.close(EXIT_SECONDS_MAX * 1000 if kind is KeyboardInterrupt else None)
