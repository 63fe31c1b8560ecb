"""The producer on asyncio, and what both faces share: choosing the partition, appending, bulk, flush, close."""

import asyncio
import logging
import time
from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack

from ottla.clients.cluster import Cluster
from ottla.clients.configuration import ClientConfig
from ottla.clients.errors import ClientClosedError, ClientTimeoutError
from ottla.clients.interceptors import ProducerInterceptors
from ottla.clients.metrics import ClientMetrics, Metrics, MetricsSettings
from ottla.clients.open_clients import OpenClient
from ottla.clients.outages import Outages
from ottla.clients.producer.accumulator import Accumulator
from ottla.clients.producer.appender import Appender, Headers
from ottla.clients.producer.batch import DeliveryCallback, ProducerBatch
from ottla.clients.producer.bulk import BulkRows, rows_of_arrow, rows_of_values
from ottla.clients.producer.futures import BulkFuture, RecordFuture, until_done
from ottla.clients.producer.memory import exhausted
from ottla.clients.producer.producer_metrics import ProducerMetrics
from ottla.clients.producer.sender import Sender
from ottla.clients.producer.settings import producer_settings
from ottla.clients.producer.topics import ProducerTopic, ProducerTopics
from ottla.clients.runtime import Runtime, runtime_of_running_loop
from ottla.clients.serializers import find_serializer
from ottla.clients.settings import bootstrap_of, client_id_of, connection_settings
from ottla.config.keys import producer_keys

logger = logging.getLogger(__name__)


class ProducerConfig(TypedDict, total=False):
    """Kafka's producer configuration; the other keys of the tables in docs are accepted too."""

    client_id: str
    acks: str | int
    batch_size: int
    buffer_memory: int
    compression_type: str
    compression_gzip_level: int
    compression_lz4_level: int
    compression_zstd_level: int
    connections_max_idle_ms: int
    delivery_timeout_ms: int
    enable_idempotence: bool
    interceptor_classes: Sequence[Any]
    key_serializer: Any
    value_serializer: Any
    linger_ms: int
    max_block_ms: int
    max_in_flight_requests_per_connection: int
    max_request_size: int
    metadata_max_age_ms: int
    partitioner_class: Any
    partitioner_ignore_keys: bool
    request_timeout_ms: int
    retries: int
    retry_backoff_ms: int
    retry_backoff_max_ms: int
    reconnect_backoff_ms: int
    reconnect_backoff_max_ms: int
    socket_connection_setup_timeout_ms: int
    block_on_buffer_full: bool


class ProducerCore:
    """Cluster, accumulator and sender of one producer, put together. Made on the loop that sends."""

    def __init__(self, servers: str | list[str] | None, config: ClientConfig, runtime: Runtime) -> None:
        self.settings = producer_settings(config)
        self.runtime = runtime
        client_id = self.client_id = client_id_of(config, "producer")
        samples = MetricsSettings(config.int("metrics.num.samples"), config.int("metrics.sample.window.ms") / 1000)
        self.metrics = ClientMetrics("producer", client_id, runtime.clock, samples)
        self.cluster = Cluster(
            bootstrap_of(config, servers),
            runtime,
            connection_settings(config, client_id),
            allow_auto_create=True,
            observer_of=self.metrics.observer_of,
            outages=Outages(),
        )
        self.topics = ProducerTopics()
        self.cluster.subscribe(self.topics.update)
        self.accumulator = Accumulator(
            self.settings.batch_size, self.settings.buffer_memory, runtime.clock, self._wake_sender
        )
        measured = ProducerMetrics(self.metrics)
        measured.watch_memory(self.accumulator.memory)
        self.sender = Sender(self.cluster, self.accumulator, self.settings, measured)
        self.metrics.main.attribute("requests-in-flight", lambda: self.sender.in_flight_count)
        self.metrics.main.attribute("metadata-age", self._metadata_age)
        self.interceptors = ProducerInterceptors(config["interceptor.classes"])
        self._left: Collection[ProducerBatch] | None = None
        self.appender = Appender(
            self.accumulator,
            self.settings,
            find_serializer("key.serializer", config["key.serializer"]),
            find_serializer("value.serializer", config["value.serializer"]),
            config["partitioner.class"],
            self.interceptors,
        )

    def _wake_sender(self) -> None:
        self.runtime.loop.call_soon_threadsafe(self.sender.drain)

    def _metadata_age(self) -> float:
        return self.runtime.clock.monotonic() - self.cluster.snapshot.fetched_at

    async def topic(self, name: str) -> ProducerTopic:
        """The topic, once metadata knows it; ClientTimeoutError after `max.block.ms`."""
        known = await self.cluster.topic(name, self.settings.max_block_ms)
        return self.topics.add(known, self.cluster.snapshot)

    async def flush(self, timeout_ms: float | None = None) -> None:
        """Wait until everything that was sent before is complete."""
        accumulator = self.accumulator
        with accumulator.lock:
            accumulator.flushes += 1
            waiting = list(accumulator.incomplete)
        try:
            self.sender.drain()
            async with asyncio.timeout(None if timeout_ms is None else timeout_ms / 1000):
                for batch in waiting:
                    await until_done(batch)
        except TimeoutError as error:
            raise ClientTimeoutError(f"records are not acknowledged after {timeout_ms} ms") from error
        finally:
            with accumulator.lock:
                accumulator.flushes -= 1

    async def close(self, timeout_ms: float | None = None) -> None:
        """Send what is there, for `timeout_ms` at most, then fail the rest."""
        self.accumulator.close()
        self._left = self._incomplete()
        try:
            await self.flush(timeout_ms)
        except ClientTimeoutError:
            self.tell_lost()
        finally:
            await self.sender.close()
            await self.cluster.close()
            self.interceptors.close()

    def tell_lost(self) -> None:
        """Say how many records were not delivered, once: perhaps nobody looks at their futures."""
        left, self._left = self._incomplete() if self._left is None else self._left, ()
        lost = [batch for batch in left if not batch.done or batch.error is not None]
        if lost:
            count = sum(batch.records_count for batch in lost)
            reason = next((str(batch.error) for batch in lost if batch.error is not None), "no acknowledgement came")
            logger.error("%s ends, and %d records were not delivered: %s", self.client_id, count, reason)

    def _incomplete(self) -> Collection[ProducerBatch]:
        return tuple(self.accumulator.incomplete)


class AsyncProducer:
    """Writes records, on asyncio. `send` waits only for the topic's metadata and for room in the buffer::

        async with ottla.aio.Producer("localhost:9092") as producer:
            future = await producer.send("clicks", b"...", key=b"user-7")
            print((await future).offset)

    Make it on the loop that uses it, and close it before that loop ends: what has not been sent then is lost, and said
    to be. Keyword arguments are Kafka's producer configuration.
    """

    def __init__(self, bootstrap_servers: str | list[str] | None = None, **config: Unpack[ProducerConfig]) -> None:
        checked = ClientConfig("producer", producer_keys(), config)
        core = self._core = ProducerCore(bootstrap_servers, checked, runtime_of_running_loop())
        self._closed = False
        self._open = OpenClient(self, core.runtime.loop, core.close, tell_lost=core.tell_lost)

    async def send(
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
        """Append a record; the future is done when it is acknowledged::

        metadata = await (await producer.send("clicks", b"..."))
        """
        core = self._core
        known = core.topics.by_name.get(topic) or await core.topic(topic)
        deadline: float | None = None
        while True:
            future = core.appender.append(known, value, key, partition, timestamp_ms, headers, on_delivery)
            if future is not None:
                return future
            if deadline is None:
                deadline = time.monotonic() + core.settings.buffer_block_ms / 1000
            await self._wait_for_memory(deadline)

    async def send_many(
        self,
        topic: str,
        values: Sequence[Any],
        keys: Sequence[Any] | None = None,
        *,
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> BulkFuture:
        """Append many records at once, encoded as columns::

        written = await (await producer.send_many("clicks", values, keys))
        """
        appender = self._core.appender
        rows = rows_of_values(appender.serialized(values, keys), timestamp_ms)
        return await self._send_rows(topic, rows, partition)

    async def send_arrow(self, topic: str | None, batch: Any) -> BulkFuture:
        """Append the rows of a pyarrow RecordBatch or Table; its columns are those of Spark's Kafka sink::

        await (await producer.send_arrow("clicks", table))
        """
        batches = [await self._send_rows(name, rows, None) for name, rows in rows_of_arrow(batch, topic)]
        return BulkFuture.joined(batches)

    async def _send_rows(self, topic: str, rows: BulkRows, partition: int | None) -> BulkFuture:
        core = self._core
        known = core.topics.by_name.get(topic) or await core.topic(topic)
        sent: list[ProducerBatch] = []
        for queue, part in rows.batches(known, partition, core.settings):
            deadline = time.monotonic() + core.settings.buffer_block_ms / 1000
            while (batch := core.appender.append_rows(queue, part)) is None:
                await self._wait_for_memory(deadline)
            sent.append(batch)
        return BulkFuture(sent)

    async def _wait_for_memory(self, deadline: float) -> None:
        accumulator = self._core.accumulator
        with accumulator.lock:
            waiter = accumulator.memory.make_waiter()
            accumulator.wake()
        try:
            async with asyncio.timeout(max(0.0, deadline - time.monotonic())):
                await waiter
        except TimeoutError as error:
            raise exhausted(accumulator.memory.total_bytes) from error

    async def flush(self, timeout_ms: float | None = None) -> None:
        """Wait until everything that was sent before is acknowledged or has failed."""
        await self._core.flush(timeout_ms)

    async def partitions_for(self, topic: str) -> list[int]:
        """The partitions of a topic."""
        return [queue.partition for queue in (await self._core.topic(topic)).queues]

    def metrics(self) -> Metrics:
        """Rates, sizes and times by Kafka's names: `metrics()["kafka.producer:type=producer-metrics,..."]`."""
        return self._core.metrics.read()

    async def close(self, timeout_ms: float | None = None) -> None:
        """Send what is there, for `timeout_ms` at most, then fail the rest. May be called twice."""
        if not self._closed:
            self._closed = True
            self._open.note_closed()
            await self._core.close(timeout_ms)

    async def __aenter__(self) -> Self:
        if self._closed:
            raise ClientClosedError("the producer is closed")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
