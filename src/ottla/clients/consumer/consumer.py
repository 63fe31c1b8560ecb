"""The consumer, synchronous: records are decoded in the caller's thread, fetched by the loop's."""

import time
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any, Self, Unpack, overload

from ottla.clients.consumer.async_consumer import AsyncConsumer
from ottla.clients.consumer.consumer_config import ConsumerConfig
from ottla.clients.consumer.core import WakeupError
from ottla.clients.consumer.events import RebalanceEvent, listener_method
from ottla.clients.consumer.fetched import FetchedPartition
from ottla.clients.consumer.record import ConsumerRecord
from ottla.clients.consumer.streams import Stream, make_streams
from ottla.clients.errors import ClientClosedError
from ottla.clients.loop_thread import LoopThread, blocking
from ottla.clients.metrics import Metrics
from ottla.clients.open_clients import OpenClient
from ottla.clients.optional_packages import needed_by
from ottla.model import TopicPartition


class Consumer:
    """Reads records of topics, alone or as a member of a group. Use it from one thread at a time.

    ::

        with ottla.Consumer("localhost:9092", group_id="billing", auto_offset_reset="earliest") as consumer:
            consumer.subscribe(["clicks"])
            for record in consumer:
                print(record.topic, record.partition, record.offset, record.key, record.value)

    Keyword arguments are Kafka's consumer configuration (`group_id`, `max_poll_records=1000`); without a `group_id`,
    `assign` partitions. `value_deserializer="json"` gives JSON values. Leaving the `with` block commits (where that is
    automatic) and leaves the group. A consumer that is not closed leaves its group when it is collected or the program
    ends, and commits nothing then.
    """

    def __init__(
        self,
        bootstrap_servers: str | list[str] | None = None,
        *,
        loop_thread: LoopThread | None = None,
        **config: Unpack[ConsumerConfig],
    ) -> None:
        async def make() -> AsyncConsumer:
            return AsyncConsumer(bootstrap_servers, **config)

        self._owns_thread = loop_thread is None
        self._thread = loop_thread or LoopThread("ottla-consumer")
        try:
            self._core = self._thread.run(make())
        except BaseException:
            if self._owns_thread:
                self._thread.stop()
            raise
        self._core._metrics.add_all(self._thread.selector.metrics())
        self._inner = self._core._core
        self._reader = self._core._reader
        self._closed = False
        self._streams: list[Stream] = []
        self._origin = bootstrap_servers, config
        self._parent: Consumer | None = None  # whose thread this one runs on
        self._open = None
        if loop_thread is None:
            self._open = OpenClient(self, self._thread.loop, self._inner.end, on_ended=self._thread.stop)

    subscribe = blocking(AsyncConsumer.subscribe)
    assign = blocking(AsyncConsumer.assign)
    unsubscribe = blocking(AsyncConsumer.unsubscribe)
    seek = blocking(AsyncConsumer.seek)
    seek_to_beginning = blocking(AsyncConsumer.seek_to_beginning)
    seek_to_end = blocking(AsyncConsumer.seek_to_end)
    seek_to_time = blocking(AsyncConsumer.seek_to_time)
    position = blocking(AsyncConsumer.position)
    pause = blocking(AsyncConsumer.pause)
    resume = blocking(AsyncConsumer.resume)
    beginning_offsets = blocking(AsyncConsumer.beginning_offsets)
    end_offsets = blocking(AsyncConsumer.end_offsets)
    offsets_for_times = blocking(AsyncConsumer.offsets_for_times)
    partitions_for = blocking(AsyncConsumer.partitions_for)
    list_topics = blocking(AsyncConsumer.list_topics)
    committed = blocking(AsyncConsumer.committed)
    commit_async = blocking(AsyncConsumer.commit_async)
    _commit = blocking(AsyncConsumer.commit)

    def commit(self, offsets: Mapping[TopicPartition, Any] | None = None, timeout_ms: float | None = None) -> None:
        """Commit what was read so far, or the given offsets, and wait for it.

        ::

            consumer.commit()
            consumer.commit({TopicPartition("clicks", 0): 1001})

        With `streams`, commits what all of them have read.
        """
        for stream in self._streams:
            stream.commit()
        if offsets is not None or not self._streams:
            self._commit(offsets, timeout_ms)

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are read now."""
        return self._core.assignment()

    def subscription(self) -> frozenset[str]:
        """The topics that are subscribed to now."""
        return self._core.subscription()

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused now."""
        return self._core.paused()

    def lag(self, partition: tuple[str, int]) -> int | None:
        """How many records of a partition have not been read; None before the first fetch of it."""
        return self._core.lag(partition)

    # Reading

    def poll(self, timeout_ms: float = 0, max_records: int | None = None) -> list[ConsumerRecord]:
        """The next records: those that are there, or the first that come within `timeout_ms`; else an empty list.

        ::

            for record in consumer.poll(timeout_ms=1000):
                print(record.topic, record.partition, record.offset, record.value)
        """
        limit = max_records or self._inner.settings.max_poll_records
        rows = self._next_rows(limit, timeout_ms)
        while rows and len(rows) < limit and (more := self._reader.take(limit - len(rows))):
            rows = [*rows, *more]
        self._inner.metrics.note_records(len(rows))
        return rows

    def _next_rows(self, limit: int, timeout_ms: float | None) -> list[ConsumerRecord]:
        if self._closed:
            raise ClientClosedError("the consumer is closed")
        deadline = None if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        while True:
            if not self._inner.needs_attention and (rows := self._reader.take(limit)):
                return rows
            self._reader.settle()
            left_ms = None if deadline is None else max(0.0, (deadline - time.monotonic()) * 1000)
            event = self._thread.run(self._inner.next_event(left_ms))
            if event is None:
                return self._reader.take(limit)
            self._accept(event)

    def _accept(self, event: FetchedPartition | RebalanceEvent) -> None:
        if isinstance(event, FetchedPartition):
            self._reader.accept(event)
            return
        method = listener_method(self._core._listener, event)
        if method is not None:
            getattr(self._core._listener, method)(event.partitions)

    def poll_arrow(self, timeout_ms: float = 0, *, with_headers: bool = False) -> Any:
        """The next records as a pyarrow RecordBatch with the columns of Spark's Kafka source; None when none come.

        ::

            while (batch := consumer.poll_arrow(timeout_ms=1000)) is not None:
                print(batch.num_rows, batch.column("value"))

        Columns: key, value, topic, partition, offset, timestamp, timestampType, and headers where asked for.
        """
        with needed_by("poll_arrow"):
            from ottla.clients.consumer.arrow_batches import record_batch

        deadline = time.monotonic() + timeout_ms / 1000
        while True:
            if self._reader.has_data and not self._inner.needs_attention:
                batch = record_batch(self._reader.take_fetched(), with_headers=with_headers)
                if batch.num_rows:
                    self._inner.metrics.note_records(batch.num_rows)
                    return batch
            self._reader.drop_leftover()
            left_ms = max(0.0, (deadline - time.monotonic()) * 1000)
            event = self._thread.run(self._inner.next_event(left_ms))
            if event is not None:
                self._accept(event)
            elif not self._reader.has_data:
                return None

    def __iter__(self) -> Iterator[ConsumerRecord]:
        """Every record, for ever: a loop over it ends by `break`, or when the consumer is closed."""
        limit = self._inner.settings.max_poll_records
        while not self._closed:
            iterator = self._reader.leftover()
            if iterator is None:
                try:
                    rows = self._next_rows(limit, None)
                except ClientClosedError:  # by another thread, while this one waited
                    return
                self._inner.metrics.note_records(len(rows))
                iterator = self._reader.hand_over(rows)
            yield from iterator

    @overload
    def streams(self, counts: Mapping[str, int]) -> dict[str, list[Stream]]: ...
    @overload
    def streams(self, *, pattern: str, exclude: str | None = None, count: int = 1) -> list[Stream]: ...
    def streams(
        self,
        counts: Mapping[str, int] | None = None,
        *,
        pattern: str | None = None,
        exclude: str | None = None,
        count: int = 1,
    ) -> dict[str, list[Stream]] | list[Stream]:
        """Several streams of records, each for a thread of its own: so many per topic, or so many over a pattern.

        ::

            streams = consumer.streams({"clicks": 2})
            for stream in streams["clicks"]:
                threading.Thread(target=work, args=(stream,)).start()    # for record in stream: ...

        Each stream is a member of the group; a partition belongs to one of them at a time. `commit` commits for all,
        `close` ends them all.
        """
        made = make_streams(self._new_member, counts, pattern, exclude, count)
        self._streams.extend(stream for streams in made.values() for stream in streams)
        return dict(made) if counts is not None else made[""]

    def _new_member(self) -> "Consumer":
        servers, config = self._origin
        member = Consumer(servers, loop_thread=self._thread, **config)
        member._parent = self
        if self._open is not None:
            self._open.add(member._inner.end)
        return member

    # Ending

    def wakeup(self) -> None:
        """Let a `poll` that waits in another thread raise WakeupError."""
        self._thread.post(self._core.wakeup)

    def metrics(self) -> Metrics:
        """Lag, rates and sizes by Kafka's names.

        ::

            name = "kafka.consumer:type=consumer-fetch-manager-metrics,client-id=consumer-1"
            consumer.metrics()[name]["records-lag-max"]
        """
        return self._core.metrics()

    def close(self) -> None:
        """Commit where that is automatic, leave the group, close the connections. May be called twice."""
        if self._closed:
            return
        self._closed = True
        if self._open is not None:
            self._open.note_closed()
        try:
            for stream in self._streams:
                stream.close()
            self._thread.run(self._core.close())
        finally:
            if self._owns_thread:
                self._thread.stop()

    def __enter__(self) -> Self:
        if self._closed:
            raise ClientClosedError("the consumer is closed")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


__all__ = ["Consumer", "ConsumerRecord", "WakeupError"]
