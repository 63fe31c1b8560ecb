"""Which logs there are: by partition, in which directory, with which topic id; made, configured and taken away."""

import os
import uuid
from collections.abc import Iterable, Iterator

from ottla.clock import Clock
from ottla.clock.clocks import monotonic_ms
from ottla.config.topic_config import TopicConfig
from ottla.disk.atomic_file import write_atomically
from ottla.disk.directory import LogDirectory
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from ottla.model import ZERO_UUID, TopicPartition
from ottla.storage.log.loading import LoadedLog
from ottla.storage.log.log_hooks import LogObserver, LogObservers
from ottla.storage.log.partition_directory import (
    PARTITION_METADATA,
    DirectoryKind,
    encode_partition_metadata,
    renamed_directory,
)
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_creation import LogFactory
from ottla.storage.log_dir.checkpoints import OffsetsByPartition
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.log_dir.log_dirs import LogDirs
from ottla.storage.log_settings import LogSettings


class LogRegistry:
    """`settings` are those that hold now. `observers` are told of each log that comes, goes or is configured anew."""

    def __init__(
        self, settings: LogSettings, dirs: LogDirs, factory: LogFactory, observers: LogObservers, clock: Clock
    ) -> None:
        self.settings = settings
        self.dirs = dirs
        self._factory = factory
        self._observers = observers
        self._clock = clock
        self._logs: dict[TopicPartition, PartitionLog] = {}
        self._topic_ids: dict[TopicPartition, uuid.UUID] = {}
        self._loaded_high_watermarks: OffsetsByPartition = {}
        self.removed_count = 0

    def subscribe(self, observer: LogObserver) -> None:
        """From now on, for as long as there are logs."""
        self._observers.add(observer)

    # Finding

    def get(self, partition: TopicPartition) -> PartitionLog | None:
        return self._logs.get(partition)

    def logs(self) -> Iterator[PartitionLog]:
        return iter(self._logs.values())

    def topic_id(self, partition: TopicPartition) -> uuid.UUID | None:
        """From `partition.metadata`; None in directories of brokers that knew no topic ids."""
        return self._topic_ids.get(partition)

    def checkpointed_high_watermark(self, partition: TopicPartition) -> int:
        """The high watermark that was written down before the last stop, at most the log's end now; 0 if none was."""
        log = self._logs.get(partition)
        noted = self._loaded_high_watermarks.get(partition, 0)
        return noted if log is None else max(log.log_start_offset, min(noted, log.log_end_offset))

    # Coming

    def adopt(self, log_dir: LogDir, parts: LoadedLog, directory: LogDirectory) -> None:
        """A log that was found at the start."""
        if parts.topic_id is not None:
            self._topic_ids[parts.topic_partition] = parts.topic_id
        log = self._factory.adopt(parts, directory, validate_compressed=self.settings.validate_compressed)
        self._add(log_dir, log)

    def note_checkpointed(self, high_watermarks: OffsetsByPartition) -> None:
        self._loaded_high_watermarks.update(high_watermarks)

    def create(self, partition: TopicPartition, topic_id: uuid.UUID | None = None) -> PartitionLog:
        """The log of a partition that is new here, or the one that is there already and learns its topic's id.

        A new one goes to the online directory that has the fewest.
        """
        existing = self._logs.get(partition)
        if existing is not None:
            self._note_topic_id(existing, topic_id)
            return existing
        log_dir = self._emptiest_dir()
        try:
            log = self._factory.create(
                log_dir, partition, topic_id, validate_compressed=self.settings.validate_compressed
            )
        except LogDirError as error:
            log_dir.fail(error)
            raise
        if topic_id is not None:
            self._topic_ids[partition] = topic_id
        self._add(log_dir, log)
        log_dir.flusher.created(log)
        return log

    def _add(self, log_dir: LogDir, log: PartitionLog) -> None:
        self._logs[log.topic_partition] = log
        log_dir.add(log)
        self._observers.log_added(log)

    def _note_topic_id(self, log: PartitionLog, topic_id: uuid.UUID | None) -> None:
        """Write `partition.metadata` where it is missing or damaged: a later namesake must not get the log."""
        if topic_id is None or topic_id == ZERO_UUID or log.topic_partition in self._topic_ids:
            return
        path = os.path.join(log.directory, PARTITION_METADATA)
        try:
            write_atomically(log.log_directory, path, encode_partition_metadata(topic_id))
        except LogDirError as error:
            self.dirs.of(log).fail(error)
            raise
        self._topic_ids[log.topic_partition] = topic_id

    def _emptiest_dir(self) -> LogDir:
        online = self.dirs.online()
        if not online:
            raise KafkaStorageError("no log directory is online")
        return min(online, key=lambda log_dir: len(log_dir.logs))

    # Going

    def delete(self, partition: TopicPartition) -> None:
        """Take a partition away: its directory is renamed now and removed after `file.delete.delay.ms`."""
        self._take_away(partition, DirectoryKind.DELETED)

    def set_aside(self, partition: TopicPartition) -> None:
        """Keep the files of a partition that the cluster does not know, under a `-stray` name."""
        self._take_away(partition, DirectoryKind.STRAY)

    def _take_away(self, partition: TopicPartition, kind: DirectoryKind) -> None:
        log = self._logs.get(partition)
        if log is None:
            return
        log_dir = self.dirs.of(log)
        deleted = KafkaStorageError(f"partition {partition} was deleted")
        log_dir.flusher.forget(log, deleted)  # First: a round of its thread would find the files gone.
        try:
            log.rename_directory(os.path.join(log_dir.path, renamed_directory(partition, kind)))
        except LogDirError as error:
            log_dir.fail(error)
            raise
        self.remove(log, deleted)
        if kind is DirectoryKind.DELETED:
            due_ms = monotonic_ms(self._clock) + log.config.file_delete_delay_ms
            log_dir.deletions.add_directory(log.directory, due_ms)

    def remove(self, log: PartitionLog, error: Exception) -> None:
        """The log is served no longer, and nothing more is written to it; who waits for its flush gets the error."""
        partition = log.topic_partition
        log_dir = self.dirs.of(log)
        del self._logs[partition]
        log_dir.remove(log)
        self._topic_ids.pop(partition, None)
        log_dir.flusher.forget(log, error)
        self.removed_count += 1
        self._observers.log_removed(log)
        log.close_files()

    # Configuration

    def configure(self, topic: str) -> None:
        """The configuration of a topic changed."""
        self._configure(log for log in self._logs.values() if log.topic_partition.topic == topic)

    def apply(self, settings: LogSettings) -> None:
        """The broker's own configuration changed, and with it maybe the defaults of all topics.

        Directories and descriptors stay as they were at the start.
        """
        self.settings = settings
        self._configure(self._logs.values())

    def _configure(self, logs: Iterable[PartitionLog]) -> None:
        by_topic: dict[str, TopicConfig] = {}
        for log in logs:
            topic = log.topic_partition.topic
            if topic not in by_topic:
                by_topic[topic] = self._factory.topic_configs(topic)
            log.configure(by_topic[topic], validate_compressed=self.settings.validate_compressed)
            self._observers.log_configured(log)
