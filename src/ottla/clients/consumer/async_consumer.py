"""The consumer on asyncio."""

import inspect
import re
from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from types import TracebackType
from typing import Any, Self, Unpack

from ottla.clients.configuration import ClientConfig
from ottla.clients.consumer.committer import CommitCallback, positions_of
from ottla.clients.consumer.consumer_config import ConsumerConfig, make_parts
from ottla.clients.consumer.core import as_partitions
from ottla.clients.consumer.events import RebalanceEvent, listener_method
from ottla.clients.consumer.fetched import FetchedPartition
from ottla.clients.consumer.record import ConsumerRecord
from ottla.clients.errors import ClientClosedError
from ottla.clients.group_offsets import OffsetAndMetadata
from ottla.clients.metrics import Metrics
from ottla.clients.offset_lookup import OffsetAndTimestamp, OffsetSpec
from ottla.clients.optional_packages import needed_by
from ottla.clients.runtime import Runtime, runtime_of_running_loop
from ottla.config.keys import consumer_keys
from ottla.model import TopicPartition

OffsetsToCommit = Mapping[TopicPartition, int | OffsetAndMetadata]


class AsyncConsumer:
    """Reads records, on asyncio: the calls of `ottla.Consumer`, each to be awaited.

    ::

        async with ottla.aio.Consumer("localhost:9092", group_id="billing") as consumer:
            await consumer.subscribe(["clicks"])
            async for record in consumer:
                print(record.offset, record.value)

    Make it on the loop that uses it, and use it from one task at a time.
    """

    def __init__(
        self,
        bootstrap_servers: str | list[str] | None = None,
        *,
        runtime: Runtime | None = None,
        **config: Unpack[ConsumerConfig],
    ) -> None:
        checked = ClientConfig("consumer", consumer_keys(), config)
        parts = make_parts(bootstrap_servers, checked, runtime or runtime_of_running_loop())
        self._core, self._reader, self._metrics = parts
        self._listener: object | None = None
        self._closed = False

    # What to read

    async def subscribe(
        self,
        topics: Iterable[str] = (),
        *,
        pattern: str | re.Pattern[str] | None = None,
        exclude: str | re.Pattern[str] | None = None,
        listener: object | None = None,
    ) -> None:
        """Read topics as a member of the group: the named ones, or all that match `pattern` and not `exclude`.

        ::

            consumer.subscribe(["clicks", "orders"])
            consumer.subscribe(pattern="metrics-.*", exclude="metrics-test-.*")

        `listener` may have `on_assigned`, `on_revoked` and `on_lost`; they get partitions while the consumer polls.
        """
        self._reader.drop_leftover()
        self._listener = listener
        if pattern is not None:
            await self._core.subscribe_pattern(pattern, exclude)
        else:
            await self._core.subscribe([topics] if isinstance(topics, str) else topics)

    async def assign(self, partitions: Iterable[tuple[str, int]]) -> None:
        """Read exactly these partitions, without a group's say: `consumer.assign([("clicks", 0)])`."""
        self._reader.drop_leftover()
        await self._core.assign(as_partitions(partitions))

    async def unsubscribe(self) -> None:
        """Read nothing, and leave the group."""
        self._reader.drop_leftover()
        await self._core.unsubscribe()

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are read now."""
        return frozenset(self._core.states)

    def subscription(self) -> frozenset[str]:
        """The topics that are subscribed to now."""
        return self._core.subscription()

    # Reading

    async def poll(self, timeout_ms: float = 0, max_records: int | None = None) -> list[ConsumerRecord]:
        """The next records: those that are there, or the first that come within `timeout_ms`; else an empty list.

        ::

            for record in consumer.poll(timeout_ms=1000):
                print(record.topic, record.partition, record.offset, record.value)
        """
        limit = max_records or self._core.settings.max_poll_records
        rows = await self._next_rows(limit, timeout_ms)
        while rows and len(rows) < limit and (more := self._reader.take(limit - len(rows))):
            rows = [*rows, *more]
        self._core.metrics.note_records(len(rows))
        return rows

    async def _next_rows(self, limit: int, timeout_ms: float | None) -> list[ConsumerRecord]:
        clock = self._core.cluster.runtime.clock
        deadline = None if timeout_ms is None else clock.monotonic() + timeout_ms / 1000
        while True:
            if not self._core.needs_attention and (rows := self._reader.take(limit)):
                return rows
            self._reader.settle()
            left_ms = None if deadline is None else max(0.0, (deadline - clock.monotonic()) * 1000)
            event = await self._core.next_event(left_ms)
            if event is None:
                return self._reader.take(limit)
            await self._accept(event)

    async def _accept(self, event: FetchedPartition | RebalanceEvent) -> None:
        if isinstance(event, FetchedPartition):
            self._reader.accept(event)
            return
        method = listener_method(self._listener, event)
        if method is not None:
            outcome = getattr(self._listener, method)(event.partitions)
            if inspect.isawaitable(outcome):
                await outcome

    async def poll_arrow(self, timeout_ms: float = 0, *, with_headers: bool = False) -> Any:
        """The next records as a pyarrow RecordBatch with the columns of Spark's Kafka source; None when none come.

        ::

            while (batch := consumer.poll_arrow(timeout_ms=1000)) is not None:
                table.append(batch)
        """
        with needed_by("poll_arrow"):
            from ottla.clients.consumer.arrow_batches import record_batch

        clock = self._core.cluster.runtime.clock
        deadline = clock.monotonic() + timeout_ms / 1000
        while True:
            if self._reader.has_data and not self._core.needs_attention:
                fetched = self._reader.take_fetched() + await self._core.take_more()
                batch = record_batch(fetched, with_headers=with_headers)
                if batch.num_rows:
                    self._core.metrics.note_records(batch.num_rows)
                    return batch
            self._reader.drop_leftover()
            event = await self._core.next_event(max(0.0, (deadline - clock.monotonic()) * 1000))
            if event is None and not self._reader.has_data:
                return None
            if event is not None:
                await self._accept(event)

    async def __aiter__(self) -> AsyncIterator[ConsumerRecord]:
        """Every record, for ever: a loop over it ends by `break`, or when the consumer is closed."""
        while not self._closed:
            iterator = self._reader.leftover()
            if iterator is None:
                rows = await self._next_rows(self._core.settings.max_poll_records, None)
                self._core.metrics.note_records(len(rows))
                iterator = self._reader.hand_over(rows)
            for record in iterator:
                yield record

    # Positions

    async def seek(self, partition: tuple[str, int], offset: int) -> None:
        """Read a partition from an offset on: `consumer.seek(("clicks", 0), 1000)`."""
        self._reader.drop_leftover()
        await self._core.seek(TopicPartition(*partition), offset)

    async def seek_to_beginning(self, partitions: Iterable[tuple[str, int]] | None = None) -> None:
        """Read some partitions, or all, from the first record that is there."""
        self._reader.drop_leftover()
        await self._core.reset(None if partitions is None else as_partitions(partitions), OffsetSpec.EARLIEST)

    async def seek_to_end(self, partitions: Iterable[tuple[str, int]] | None = None) -> None:
        """Read some partitions, or all, from what comes next."""
        self._reader.drop_leftover()
        await self._core.reset(None if partitions is None else as_partitions(partitions), OffsetSpec.LATEST)

    async def seek_to_time(self, times: Mapping[TopicPartition, int]) -> None:
        """Read from the first record at or after a time in milliseconds::

        consumer.seek_to_time({TopicPartition("clicks", 0): 1_700_000_000_000})
        """
        self._reader.drop_leftover()
        await self._core.seek_to_time(times)

    async def position(self, partition: tuple[str, int]) -> int:
        """The offset of the next record that will be read."""
        self._reader.settle()
        return await self._core.position(TopicPartition(*partition), self._core.settings.api_timeout_ms)

    async def pause(self, partitions: Iterable[tuple[str, int]]) -> None:
        """Read nothing of these partitions until `resume`."""
        self._reader.drop_leftover()
        await self._core.set_paused(as_partitions(partitions), True)

    async def resume(self, partitions: Iterable[tuple[str, int]]) -> None:
        await self._core.set_paused(as_partitions(partitions), False)

    def paused(self) -> frozenset[TopicPartition]:
        return frozenset(partition for partition, state in self._core.states.items() if state.is_paused)

    async def beginning_offsets(self, partitions: Iterable[tuple[str, int]]) -> dict[TopicPartition, int]:
        """The first offsets that are there."""
        return await self._offsets_at(partitions, OffsetSpec.EARLIEST)

    async def end_offsets(self, partitions: Iterable[tuple[str, int]]) -> dict[TopicPartition, int]:
        """The offsets that the next records will get."""
        return await self._offsets_at(partitions, OffsetSpec.LATEST)

    async def _offsets_at(self, partitions: Iterable[tuple[str, int]], spec: OffsetSpec) -> dict[TopicPartition, int]:
        found = await self._core.offsets(dict.fromkeys(as_partitions(partitions), int(spec)))
        return {partition: result.offset for partition, result in found.items()}

    async def offsets_for_times(
        self, times: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first record at or after each time, None where there is none."""
        found = await self._core.offsets(times)
        return {partition: result if result.offset >= 0 else None for partition, result in found.items()}

    def lag(self, partition: tuple[str, int]) -> int | None:
        """How many records of a partition have not been read; None before the first fetch of it."""
        self._reader.settle()
        return self._core.state_of(TopicPartition(*partition)).lag

    async def partitions_for(self, topic: str) -> list[int]:
        """The partitions of a topic."""
        return list((await self._core.cluster.topic(topic, self._core.settings.api_timeout_ms)).partitions)

    async def list_topics(self) -> dict[str, list[int]]:
        """All topics with their partitions."""
        from ottla.clients.admin.topics import TopicCalls

        described = TopicCalls(self._core.cluster, self._core.settings.api_timeout_ms)
        names = list(await described.list_topics(include_internal=True))
        topics = (await described.describe_topics(names)).results
        return {name: [partition.partition for partition in topic.partitions] for name, topic in topics.items()}

    # Commits

    async def commit(self, offsets: OffsetsToCommit | None = None, timeout_ms: float | None = None) -> None:
        """Commit what was read so far, or the given offsets, and wait for it.

        ::

            consumer.commit()
            consumer.commit({TopicPartition("clicks", 0): 1001})
        """
        await self._core.committer.commit(
            self._to_commit(offsets), self._core.settings.api_timeout_ms if timeout_ms is None else timeout_ms
        )

    async def commit_async(
        self, offsets: OffsetsToCommit | None = None, callback: CommitCallback | None = None
    ) -> None:
        """Commit without waiting; `callback(offsets, error)` hears how it went."""
        self._core.committer.commit_async(self._to_commit(offsets), callback)

    def _to_commit(self, offsets: OffsetsToCommit | None) -> dict[TopicPartition, OffsetAndMetadata]:
        self._reader.settle()
        if offsets is None:
            return positions_of(self._core.states)
        return {
            TopicPartition(*partition): OffsetAndMetadata(value) if isinstance(value, int) else value
            for partition, value in offsets.items()
        }

    async def committed(self, partitions: Collection[tuple[str, int]]) -> dict[TopicPartition, OffsetAndMetadata]:
        """What the group has committed; partitions without a commit are left out."""
        return await self._core.committer.committed(as_partitions(partitions))

    # Ending

    def wakeup(self) -> None:
        """Let a waiting `poll` raise WakeupError."""
        self._core.wakeup()

    def metrics(self) -> Metrics:
        """Lag, rates and sizes by Kafka's names."""
        return self._metrics.read()

    async def close(self) -> None:
        """Commit where that is automatic, leave the group, close the connections. May be called twice."""
        if not self._closed:
            self._closed = True
            self._reader.settle()
            await self._core.close()

    async def __aenter__(self) -> Self:
        if self._closed:
            raise ClientClosedError("the consumer is closed")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
