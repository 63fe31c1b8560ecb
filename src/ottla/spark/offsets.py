"""What the driver asks of a cluster: which partitions there are, where they begin and end, what offset a time has.

    with ClusterOffsets(options) as cluster:
        partitions = cluster.partitions(["clicks"])
        ends = cluster.latest(partitions)

Blocking calls over one `clients.Cluster` on a thread of its own, which is started by the first call. With
`isolation.level=read_committed` the latest offset is the last stable one, as a consumer's.

A cluster that has never answered is given seconds (a wrong address, a broker that is not started: somebody waits to be
told), one that has answered before `default.api.timeout.ms`.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from difflib import get_close_matches
from types import TracebackType
from typing import Any, Self, TypeVar

from ottla.clients.cluster import Cluster
from ottla.clients.errors import NoBrokerError, broker_error
from ottla.clients.group_offsets import OffsetAndMetadata, commit_offsets, fetch_committed
from ottla.clients.loop_thread import LoopThread
from ottla.clients.offset_lookup import OffsetSpec, list_offsets
from ottla.clients.retry import retried
from ottla.clients.runtime import runtime_of_running_loop
from ottla.clients.snapshot import ClusterSnapshot
from ottla.errors import ErrorCode, KafkaError
from ottla.errors.kafka import UnknownTopicOrPartitionError
from ottla.model import INTERNAL_TOPICS, TopicPartition
from ottla.spark.options import ClientOptions

T = TypeVar("T")
PartitionOffsets = dict[TopicPartition, int]
FIRST_CONTACT_S_MAX = 3.0


class ClusterOffsets:
    """Use from one thread at a time; `close` ends its connections, and the next call opens new ones."""

    def __init__(self, options: ClientOptions) -> None:
        self._options = options
        self._thread: LoopThread | None = None
        self._cluster: Cluster | None = None
        self._has_answered = False

    def topic_names(self) -> list[str]:
        """All topics but the internal ones."""
        snapshot = self._run(self._all_topics())
        return sorted(name for name, topic in snapshot.topics.items() if not _is_internal(name, topic.is_internal))

    def partitions(self, topics: Iterable[str]) -> list[TopicPartition]:
        """The partitions of some topics as they are now. UnknownTopicOrPartitionError when a topic is not there."""
        return self._run(self._partitions(sorted(set(topics))))

    def earliest(self, partitions: Iterable[TopicPartition]) -> PartitionOffsets:
        return self._list(dict.fromkeys(partitions, int(OffsetSpec.EARLIEST)))

    def latest(self, partitions: Iterable[TopicPartition]) -> PartitionOffsets:
        """The offset behind the last record (that is committed, with read_committed)."""
        return self._list(dict.fromkeys(partitions, int(OffsetSpec.LATEST)))

    def at_times(self, times_ms: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        """The first offset at or after a time; None where there is no such record."""
        return {partition: None if offset < 0 else offset for partition, offset in self._list(times_ms).items()}

    def commit(self, group_id: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit for a group without members. A KafkaError when it is refused."""
        self._run(self._commit(group_id, {partition: OffsetAndMetadata(at) for partition, at in offsets.items()}))

    def committed(self, group_id: str) -> PartitionOffsets:
        found = self._run(self._committed(group_id))
        return {partition: committed.offset for partition, committed in found.items()}

    def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            try:
                if self._cluster is not None:
                    thread.run(self._cluster.close())
            finally:
                self._cluster = None
                thread.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # On the thread's loop

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._thread is None:
            self._thread = LoopThread("ottla-spark-offsets")
        return self._thread.run(self._with_cluster(work))

    async def _with_cluster(self, work: Coroutine[Any, Any, T]) -> T:
        if self._cluster is None:
            options = self._options
            self._cluster = Cluster(options.bootstrap, runtime_of_running_loop(), options.connection)
        try:
            await self._first_contact(self._cluster)
        except BaseException:
            work.close()
            raise
        return await work

    async def _first_contact(self, cluster: Cluster) -> None:
        """NoBrokerError, which names the addresses and what is wrong with each, when nobody answers soon."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + min(FIRST_CONTACT_S_MAX, self._timeout_ms / 1000)
        failures = 0
        while not self._has_answered:
            try:
                await cluster.refresh()
                self._has_answered = True
            except NoBrokerError:
                if loop.time() >= deadline:
                    raise
                failures += 1
                await asyncio.sleep(cluster.retry_backoff.delay_ms(failures) / 1000)

    @property
    def _known_cluster(self) -> Cluster:
        assert self._cluster is not None
        return self._cluster

    @property
    def _timeout_ms(self) -> int:
        return self._options.config.int("default.api.timeout.ms")

    async def _retried(self, attempt: Any, what: str) -> Any:
        cluster = self._known_cluster
        return await retried(attempt, backoff=cluster.retry_backoff, timeout_ms=self._timeout_ms, what=what)

    async def _all_topics(self) -> ClusterSnapshot:
        cluster = self._known_cluster
        cluster.all_topics = True
        try:
            snapshot: ClusterSnapshot = await self._retried(cluster.refresh, "listing topics")
        finally:
            cluster.all_topics = False
        return snapshot

    async def _partitions(self, topics: list[str]) -> list[TopicPartition]:
        cluster = self._known_cluster
        cluster.set_topics(topics)
        snapshot: ClusterSnapshot = await self._retried(cluster.refresh, "metadata")
        missing = [name for name in topics if _is_missing(snapshot, name)]
        if missing:
            raise UnknownTopicOrPartitionError(_explain_missing(missing, await self._all_topics()))
        found = []
        for name in topics:
            topic = snapshot.topics[name]
            if topic.error_code and topic.error_code != ErrorCode.LEADER_NOT_AVAILABLE:
                raise broker_error(topic.error_code, f"topic {name}")
            found += [TopicPartition(name, number) for number in topic.partitions]
        return found

    def _list(self, times: Mapping[TopicPartition, int]) -> PartitionOffsets:
        return self._run(self._list_offsets(times)) if times else {}

    async def _list_offsets(self, times: Mapping[TopicPartition, int]) -> PartitionOffsets:
        read_committed = self._options.read_committed
        answers = await list_offsets(
            self._known_cluster, times, timeout_ms=self._timeout_ms, read_committed=read_committed
        )
        offsets: PartitionOffsets = {}
        for partition, answer in answers.items():
            if isinstance(answer, KafkaError):
                raise answer
            offsets[partition] = answer.offset
        return offsets

    async def _committed(self, group_id: str) -> dict[TopicPartition, OffsetAndMetadata]:
        found: dict[TopicPartition, OffsetAndMetadata] = await self._retried(
            lambda: fetch_committed(self._known_cluster, group_id, None), f"committed offsets of {group_id}"
        )
        return found

    async def _commit(self, group_id: str, offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> None:
        codes = await self._retried(
            lambda: commit_offsets(self._known_cluster, group_id, offsets), f"committing offsets of {group_id}"
        )
        for partition, code in codes.items():
            if code:
                raise broker_error(code, f"committing {partition} for {group_id}")


def _is_internal(name: str, marked: bool) -> bool:
    return marked or name in INTERNAL_TOPICS


def _is_missing(snapshot: ClusterSnapshot, name: str) -> bool:
    topic = snapshot.topics.get(name)
    return topic is None or topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _explain_missing(missing: list[str], there: ClusterSnapshot) -> str:
    """Each by its name, with the one that may have been meant."""
    known = [name for name, topic in there.topics.items() if not _is_internal(name, topic.is_internal)]
    texts = []
    for name in missing:
        near = get_close_matches(name, known, n=1, cutoff=0.75)
        texts.append(f"topic '{name}' does not exist" + (f": did you mean '{near[0]}'?" if near else ""))
    return "; ".join(texts)
