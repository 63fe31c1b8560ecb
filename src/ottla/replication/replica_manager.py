"""All partitions of this broker: found by name or topic id, changed as the controller says, taken offline with a disk.

A request that names a partition gets it here, or the error that tells the client what to do:

    no such topic or partition      UNKNOWN_TOPIC_OR_PARTITION (UNKNOWN_TOPIC_ID by id)
    led or held elsewhere           NOT_LEADER_OR_FOLLOWER
    on a failed log directory       KAFKA_STORAGE_ERROR
"""

import asyncio
import logging
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ottla.errors import KafkaError, LogDirError
from ottla.errors.kafka import (
    CorruptMessageError,
    KafkaStorageError,
    NotEnoughReplicasError,
    NotLeaderOrFollowerError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from ottla.metadata.cache import MetadataCache
from ottla.metadata.image import ClusterImage
from ottla.model import NO_BROKER, NO_EPOCH, ZERO_UUID, TopicPartition
from ottla.observability.topic_metrics import TopicMetrics, TopicSeries
from ottla.records.batch import Buffer, decode_header
from ottla.replication.partition import Partition, PartitionAssignment
from ottla.replication.purgatory import Purgatory
from ottla.replication.replica_context import ReplicaContext
from ottla.storage.log.batch_validation import PreparedBatch
from ottla.storage.log.log_results import AppendInfo
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_manager import LogManager
from ottla.storage.log_settings import LogSettings
from ottla.storage.producers.refused_batches import RefusedBatches

logger = logging.getLogger(__name__)

# Refused for what the broker is at the moment: a producer sends the same batch again.
_REFUSED_FOR_NOW = (NotLeaderOrFollowerError, NotEnoughReplicasError, KafkaStorageError)
# Partitions that this broker did not hold when something was written to them.
_REFUSED_EARLY_MAX = 1000


class Fetchers(Protocol):
    """Whoever keeps the followed partitions up to date (`fetcher_manager`)."""

    def follow(self, partition: Partition) -> None:
        """Fetch from the partition's leader from now on, if it has one."""
        ...

    def leave(self, partition: Partition) -> None:
        """Fetch it no longer."""
        ...


class NoFetchers:
    def follow(self, partition: Partition) -> None:
        pass

    def leave(self, partition: Partition) -> None:
        pass


class ReplicaManager:
    def __init__(
        self,
        logs: LogManager,
        metadata: MetadataCache,
        purgatory: Purgatory,
        topic_metrics: TopicMetrics,
        context: ReplicaContext,
        make_fetchers: Callable[["ReplicaManager"], Fetchers] = lambda replicas: NoFetchers(),
    ) -> None:
        """Fetchers append through this object: `make_fetchers` is called once all else of it is there."""
        self._broker_id = context.broker_id
        self.context = context
        self._logs = logs
        self._metadata = metadata
        self.purgatory = purgatory
        self._topic_metrics = topic_metrics
        self._topics: dict[str, dict[int, Partition]] = {}
        self._held_topics: dict[uuid.UUID, str] = {}
        self._offline: set[TopicPartition] = set()
        self._refused_early: dict[TopicPartition, RefusedBatches] = {}
        self._fetchers = make_fetchers(self)

    # Looking up

    def partition(self, topic: str, index: int) -> Partition:
        try:
            return self._topics[topic][index]
        except KeyError:
            self._refuse(topic, index)
            raise

    def partition_by_id(self, topic: str, topic_id: uuid.UUID, index: int) -> Partition:
        """By topic id: `topic` is the name that the id had when it was looked up, empty when it had none."""
        partition = self._topics.get(topic, {}).get(index)
        if partition is None or partition.topic_id != topic_id:
            if self._metadata.image.topics_by_id.get(topic_id) is None:
                raise UnknownTopicIdError(f"no topic has the id {topic_id}")
            self._refuse(topic, index)
        assert partition is not None
        return partition

    def partition_by_name_or_id(self, topic: str, topic_id: uuid.UUID, index: int) -> Partition:
        if topic_id is ZERO_UUID or topic_id == ZERO_UUID:  # `is` first: UUIDs are compared by Python code
            return self.partition(topic, index)
        return self.partition_by_id(topic, topic_id, index)

    def _refuse(self, topic: str, index: int) -> None:
        if TopicPartition(topic, index) in self._offline:
            raise KafkaStorageError(f"the log directory of {topic}-{index} is offline")
        if self._metadata.image.partition(topic, index) is None:
            raise UnknownTopicOrPartitionError(f"there is no {topic}-{index}")
        raise NotLeaderOrFollowerError(f"broker {self._broker_id} holds no replica of {topic}-{index}")

    def topic_name(self, topic_id: uuid.UUID) -> str | None:
        """From the metadata, or, in the moment before that has come, from a partition that we hold already."""
        topic = self._metadata.image.topics_by_id.get(topic_id)
        return topic.name if topic is not None else self._held_topics.get(topic_id)

    @property
    def image(self) -> ClusterImage:
        """The cluster as this broker knows it."""
        return self._metadata.image

    def current_leader(self, topic: str, index: int) -> tuple[int, int]:
        """Leader and epoch as far as this broker knows, for the client that came to the wrong place (KIP-951)."""
        image = self._metadata.image.partition(topic, index)
        return (NO_BROKER, NO_EPOCH) if image is None else (image.leader, image.leader_epoch)

    def partitions(self) -> Iterator[Partition]:
        for by_index in self._topics.values():
            yield from by_index.values()

    @property
    def offline_count(self) -> int:
        return len(self._offline)

    def topic_series(self, topic: str) -> TopicSeries | None:
        """The counters of a topic that is held here: what a client makes up has none."""
        return self._topic_metrics.of(topic) if topic in self._topics else None

    # What the controller says

    def apply(self, name: TopicPartition, topic_id: uuid.UUID, state: PartitionAssignment) -> bool:
        """Lead or follow a partition; its log is made when this is the first word of it. False for an old state."""
        partition = self._topics.get(name.topic, {}).get(name.partition)
        if partition is None:
            partition = self._open(name, topic_id, is_new=state.is_new)
        if state.leader == self._broker_id:
            self._fetchers.leave(partition)
            return partition.become_leader(state)
        accepted = partition.become_follower(state)
        if accepted:
            self._fetchers.follow(partition)
        return accepted

    def _open(self, name: TopicPartition, topic_id: uuid.UUID, *, is_new: bool) -> Partition:
        self._set_aside_namesake(name, topic_id)
        if self._logs.registry.get(name) is None and not is_new and self._logs.dirs.has_offline:
            # An empty log would take the place of the one that cannot be read, and stand for it in the ISR.
            raise KafkaStorageError(f"the log of {name} may be in a directory that is offline")
        log = self._logs.registry.create(name, topic_id)
        partition = Partition(
            name,
            topic_id,
            log,
            context=self.context,
            purgatory=self.purgatory,
            metrics=self._topic_metrics.of(name.topic),
            high_watermark=self._logs.registry.checkpointed_high_watermark(name),
        )
        refused = self._refused_early.pop(name, None)
        if refused is not None:
            log.producers.refused.take(refused)
        self._topics.setdefault(name.topic, {})[name.partition] = partition
        self._held_topics[topic_id] = name.topic
        self._offline.discard(name)
        return partition

    def _set_aside_namesake(self, name: TopicPartition, topic_id: uuid.UUID) -> None:
        """A log of a topic that had this name before (deleted and made again while we were away) is not this one's."""
        found = self._logs.registry.topic_id(name)
        if found is not None and ZERO_UUID not in (found, topic_id) and found != topic_id:
            logger.warning("%s on disk belongs to topic id %s, not %s: kept as stray", name, found, topic_id)
            self._logs.registry.set_aside(name)

    def stop(self, name: TopicPartition, *, delete: bool) -> None:
        """This broker holds the partition no longer; with `delete` its log goes too."""
        partition = self._remove(name)
        if partition is not None:
            partition.stop()
        if delete:
            self._logs.registry.delete(name)

    def _remove(self, name: TopicPartition) -> Partition | None:
        by_index = self._topics.get(name.topic, {})
        partition = by_index.pop(name.partition, None)
        if not by_index and self._topics.pop(name.topic, None) is not None:
            self._topic_metrics.remove(name.topic)
        if partition is not None:
            self._fetchers.leave(partition)
            if not by_index:
                self._held_topics.pop(partition.topic_id, None)
        return partition

    def configure_topic(self, topic: str) -> None:
        """The topic's configuration has changed: its logs take it over, waiting requests look again."""
        self._logs.registry.configure(topic)
        for partition in self._topics.get(topic, {}).values():
            partition.changed()

    def configure(self, settings: LogSettings) -> None:
        """The broker's own configuration has changed, and with it maybe that of every topic."""
        self._logs.registry.apply(settings)
        for partitions in self._topics.values():
            for partition in partitions.values():
                partition.changed()

    # Writing

    def follower_heard(self, broker_id: int) -> None:
        """A broker fetches as a follower, whatever partitions its request names."""
        self.context.heard_from(broker_id)

    def append(
        self, partition: Partition, records: memoryview, acks: int, produce_version: int, now_ms: int
    ) -> AppendInfo:
        """Append what a producer sent, and start the flush that `flush.messages` promises."""
        try:
            info = partition.append(records, acks, produce_version, now_ms)
        except LogDirError as error:
            raise self.storage_failed(error) from error
        except _REFUSED_FOR_NOW:
            self.note_refused(partition.topic_partition, records)
            raise
        if partition.log.is_flushed:
            self._maybe_flush(partition)
        return info

    def append_prepared(
        self, partition: Partition, batches: Sequence[PreparedBatch], acks: int, now_ms: int
    ) -> AppendInfo:
        """`append` of records that were decompressed or converted beforehand."""
        try:
            info = partition.append_prepared(batches, acks, now_ms)
        except LogDirError as error:
            raise self.storage_failed(error) from error
        except _REFUSED_FOR_NOW:
            self.note_refused(partition.topic_partition, batches[0].batch)
            raise
        if partition.log.is_flushed:
            self._maybe_flush(partition)
        return info

    def note_refused(self, name: TopicPartition, records: Buffer) -> None:
        """A producer's batch was refused for what this broker is at the moment, maybe before it knew the partition.

        What an idempotent producer sends behind it must not be taken before it: see `refused_batches`.
        """
        try:
            header = decode_header(records)
        except KafkaError:  # It would have been refused anyway.
            return
        if header.producer_id < 0 or header.base_sequence < 0:
            return
        log = self._logs.registry.get(name)
        if log is not None:
            log.producers.note_refused(header)
        elif name in self._refused_early or len(self._refused_early) < _REFUSED_EARLY_MAX:
            self._refused_early.setdefault(name, RefusedBatches()).note(header)

    def _maybe_flush(self, partition: Partition) -> None:
        log = partition.log
        if self._logs.durability.must_flush(log):
            self._logs.durability.flush(log, log.log_end_offset, lambda _error: partition.changed())

    # Following

    def flush_followed(self, partition: Partition) -> asyncio.Future[None] | None:
        """Begin the flush that `flush.messages` promises; None where none is due.

        Until it is done the leader must not hear of what was appended: it would acknowledge it.
        """
        log = partition.log
        if not log.is_flushed or not self._logs.durability.must_flush(log):
            return None
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def flushed(_error: Exception | None) -> None:
            if not future.done():
                future.set_result(None)

        self._logs.durability.flush(log, log.log_end_offset, flushed)
        return future

    def append_from_leader(self, partition: Partition, records: memoryview, now_ms: int) -> None:
        """Append the leader's bytes as they are. CorruptMessageError also when not one batch of them is whole."""
        try:
            appended = partition.log.append_as_follower(records, now_ms=now_ms)
        except LogDirError as error:
            raise self.storage_failed(error) from error
        if appended is None:
            raise CorruptMessageError(f"the leader's batch at offset {partition.log.log_end_offset} is cut short")

    def truncate(self, partition: Partition, offset: int) -> None:
        """Cut off what the leader does not have. Durable on return: what comes after is written in its place."""
        try:
            self._logs.durability.truncate_to(partition.log, offset)
        except LogDirError as error:
            raise self.storage_failed(error) from error
        partition.log_was_cut()

    def start_over(self, partition: Partition, offset: int) -> None:
        """Everything here is older than what the leader still has: go on, empty, at its start."""
        try:
            self._logs.durability.truncate_fully(partition.log, offset)
        except LogDirError as error:
            raise self.storage_failed(error) from error
        partition.log_was_cut()

    # In-sync replicas

    def check_isrs(self) -> None:
        """Called every half of `replica.lag.time.max.ms`, and when brokers come or go."""
        for partition in tuple(self.partitions()):
            partition.maybe_shrink_isr()
            partition.maybe_expand_isr()
            if partition.maybe_advance_high_watermark():  # A follower that held it back may be out of time.
                partition.changed()

    def session_lost(self) -> None:
        """This broker may have lost all it leads: whoever waits for an acknowledgement is told so."""
        for partition in self.partitions():
            partition.changed()

    def storage_failed(self, error: LogDirError) -> KafkaStorageError:
        """A log directory failed under a request: it goes offline, and this is the request's answer."""
        self._logs.dirs.fail(error)
        return KafkaStorageError(str(error))

    # Disks

    def log_directory_failed(self, names: Sequence[TopicPartition]) -> None:
        """The partitions of a failed directory answer KAFKA_STORAGE_ERROR from now on; the others go on."""
        for name in names:
            self._offline.add(name)
            partition = self._remove(name)
            if partition is not None:
                partition.storage_failed()

    def is_offline(self, name: TopicPartition) -> bool:
        return name in self._offline

    def high_watermark(self, log: PartitionLog) -> int:
        """For the log manager: the checkpoint, and retention, which keeps what is not replicated yet."""
        name = log.topic_partition
        partition = self._topics.get(name.topic, {}).get(name.partition)
        if partition is None:
            return self._logs.registry.checkpointed_high_watermark(name)
        return partition.high_watermark.offset
