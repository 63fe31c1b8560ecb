"""All partitions of all log directories of a broker: load, create, find, delete, retain, flush, stop.

Synchronous, on the event loop; what blocks is handed to the directory's `Background`. The broker calls `tick` about
once a second and `tick_flushes` as often as that asks for; nothing else here has a timer, and no partition has a task
or thread of its own.

    load      at start, before anything else; may be called from a thread
    create    a new partition goes to the online directory that has the fewest
    tick      due deletions, retention and producer expiry of the partitions that are due, timed flushes, checkpoints
    close     flush all, checkpoint, marker last

Whoever gets a LogDirError from a log tells `fail_directory`; that takes the partitions of that directory offline, and
only those. A slice of a log is read far from here and tells it by itself. What is truncated is truncated here and not
in the log itself: the recovery point must be lowered on disk first, or after a crash recovery would trust records that
were written in the place of others.
"""

import contextlib
import logging
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence

from ottla.clock import Clock
from ottla.config.topic_config import TopicConfig
from ottla.disk.atomic_file import write_atomically
from ottla.disk.directory import LogDirectory
from ottla.disk.handle_cache import HandleCache
from ottla.disk.log_file import LogFile
from ottla.disk.system_disk import SYSTEM_DISK, Disk
from ottla.errors import OttlaError
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from ottla.model import ZERO_UUID, TopicPartition
from ottla.observability.conversion_metrics import Conversion
from ottla.storage.background import Background, Done, InlineBackground
from ottla.storage.log.loading import LoadedLog, LoadRequest, load_log
from ottla.storage.log.partition_directory import (
    PARTITION_METADATA,
    DirectoryKind,
    encode_partition_metadata,
    renamed_directory,
)
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir import meta_properties
from ottla.storage.log_dir.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT, OffsetsByPartition
from ottla.storage.log_dir.directory_loading import LoadedDirectory, TopicConfigs, check_no_duplicates, load_directory
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.log_dir.meta_properties import MetaProperties
from ottla.storage.log_dir.power_loss_marker import system_boot_id
from ottla.storage.log_maintenance import Upkeep
from ottla.storage.log_settings import LogSettings
from ottla.storage.segment.segment import Segment
from ottla.storage.segment.segment_list import SegmentList

logger = logging.getLogger(__name__)

DirectoryFailed = Callable[[str, Sequence[TopicPartition], Exception], None]


class LogManager:
    """`high_watermark(log)` is replication's; without it a log counts as replicated to its end.

    `call_soon` brings a function to the event loop from any thread: `loop.call_soon_threadsafe`.
    """

    def __init__(
        self,
        settings: LogSettings,
        topic_configs: TopicConfigs,
        clock: Clock,
        *,
        disk: Disk = SYSTEM_DISK,
        background: Callable[[str], Background] = lambda path: InlineBackground(),
        call_soon: Callable[[Callable[[], None]], object] = lambda call: call(),
        on_directory_failed: DirectoryFailed = lambda path, partitions, error: None,
        high_watermark: Callable[[PartitionLog], int] = lambda log: log.log_end_offset,
        boot_id: Callable[[], str] = system_boot_id,
    ) -> None:
        self.settings = settings
        self._topic_configs = topic_configs
        self._clock = clock
        self._call_soon = call_soon
        self._on_directory_failed = on_directory_failed
        self._high_watermark = high_watermark
        self._boot_id = boot_id
        self.handles = HandleCache(settings.segment_handles_max)
        self._logs: dict[TopicPartition, PartitionLog] = {}
        self._topic_ids: dict[TopicPartition, uuid.UUID] = {}
        self._loaded_high_watermarks: OffsetsByPartition = {}
        self.log_dirs = [
            LogDir(os.path.abspath(path), disk, self.handles, background(path), self._directory_failed)
            for path in settings.log_dirs
        ]
        self._by_path = {log_dir.path: log_dir for log_dir in self.log_dirs}
        self._upkeep = Upkeep(self)
        self.removed_count = 0
        self.on_truncated: Callable[[PartitionLog, int], None] = lambda log, offset: None
        self.on_removed: Callable[[PartitionLog], None] = lambda log: None
        self.on_converted: Callable[[PartitionLog, Conversion], None] = lambda log, conversion: None

    # -- start and stop -----------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Lock the directories and read whose they are. OperatorError when one is in use; a failed one goes offline."""
        for log_dir in self.log_dirs:
            try:
                log_dir.open()
            except LogDirError as error:
                log_dir.fail(error)
        self._require_online()

    def found_meta(self) -> list[tuple[str, MetaProperties]]:
        """What `meta_properties.check_same_broker` and `check_same_cluster` look at."""
        return [
            (os.path.join(log_dir.path, meta_properties.FILE_NAME), log_dir.meta)
            for log_dir in self.log_dirs
            if log_dir.meta is not None
        ]

    def write_meta(self, broker_id: int, cluster_id: str) -> None:
        for log_dir in self.online_dirs():
            found = log_dir.meta or MetaProperties()
            meta = MetaProperties(
                version=found.version, broker_id=broker_id, cluster_id=cluster_id, others=found.others
            )
            try:
                log_dir.write_meta(meta)
            except OttlaError as error:
                log_dir.fail(error)

    def load(self) -> None:
        """Load every partition there is. Blocks, for long after a crash."""
        found: dict[str, LoadedDirectory] = {}
        for log_dir in self.online_dirs():
            try:
                found[log_dir.path] = load_directory(
                    log_dir,
                    self._topic_configs,
                    self.settings.recovery_threads_per_dir,
                    self._clock.wall_ms(),
                    self._boot_id(),
                )
                self._loaded_high_watermarks.update(log_dir.read_checkpoint(HIGH_WATERMARK))
            except OttlaError as error:
                log_dir.fail(error)
        check_no_duplicates(found)
        for path, loaded in found.items():
            self._adopt(self._by_path[path], loaded)
        self._require_online()

    @property
    def may_lack_records(self) -> bool:
        """Whether something that was written here before this start may be gone: a power cut, a new disk."""
        return any(not log_dir.is_whole for log_dir in self.online_dirs())

    def vouch(self) -> None:
        """The controller knows what this broker may lack: from now on it counts as whole."""
        for log_dir in self.online_dirs():
            if not log_dir.is_whole:
                log_dir.vouch(self._boot_id())

    def close(self, broker_epoch: int = -1) -> None:
        """The clean stop. A directory that fails on the way gets no marker, the others do."""
        self._write_high_watermarks_now()
        for log_dir in self.online_dirs():
            try:
                log_dir.deletions.run_all()
                if log_dir.is_loaded:
                    log_dir.close_cleanly(broker_epoch)
            except OttlaError as error:
                log_dir.fail(error)
        self._release()

    def abandon(self) -> None:
        """The end without a promise: after a fatal error, and what a kill looks like in tests."""
        for log in self._logs.values():
            _close_files(log)
        self._release()

    def _release(self) -> None:
        for log_dir in self.log_dirs:
            log_dir.release()

    def _require_online(self) -> None:
        if not any(log_dir.is_online for log_dir in self.log_dirs):
            raise LogDirError(", ".join(self._by_path), "none of the log directories can be used")

    def _adopt(self, log_dir: LogDir, loaded: LoadedDirectory) -> None:
        due_ms = self.monotonic_ms()
        for path in loaded.deleted:
            log_dir.deletions.add_directory(path, due_ms)
        for path in loaded.strays:
            logger.warning("%s is stray: its topic is not known here; left for you to look at", path)
        for path in loaded.futures:
            logger.warning("%s is the half of a move between log directories: left as it is", path)
        for partition, (parts, directory) in loaded.logs.items():
            directory.handles = self.handles
            log = self._logs[partition] = log_dir.logs[partition] = self._make_log(parts, directory)
            self._upkeep.add(log)
        log_dir.is_loaded = True

    def _make_log(self, parts: LoadedLog, directory: LogDirectory) -> PartitionLog:
        if parts.topic_id is not None:
            self._topic_ids[parts.topic_partition] = parts.topic_id
        directory.on_failed = self._slice_failed
        return PartitionLog(
            parts.topic_partition,
            parts.path,
            directory,
            self._topic_configs(parts.topic_partition.topic),
            SegmentList(parts.segments),
            leader_epochs=parts.leader_epochs,
            producers=parts.producers,
            snapshots=parts.snapshots,
            log_start_offset=parts.log_start_offset,
            log_end_offset=parts.log_end_offset,
            recovery_point=parts.recovery_point,
            hooks=self,
            validate_compressed=self.settings.validate_compressed,
        )

    # -- partitions ---------------------------------------------------------------------------------------------------

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

    def online_dirs(self) -> list[LogDir]:
        return [log_dir for log_dir in self.log_dirs if log_dir.is_online]

    @property
    def has_offline_dirs(self) -> bool:
        return any(not log_dir.is_online for log_dir in self.log_dirs)

    def log_dir_of(self, log: PartitionLog) -> LogDir:
        return self._by_path[log.log_directory.path]

    def create(self, partition: TopicPartition, topic_id: uuid.UUID | None = None) -> PartitionLog:
        """The log of a partition that is new here, or the one that is there already and learns its topic's id."""
        existing = self._logs.get(partition)
        if existing is not None:
            self._note_topic_id(existing, topic_id)
            return existing
        log_dir = self._emptiest_dir()
        try:
            log = self._create_in(log_dir, partition, topic_id)
        except LogDirError as error:
            log_dir.fail(error)
            raise
        self._logs[partition] = log_dir.logs[partition] = log
        self._upkeep.add(log)
        if topic_id is not None:
            self._topic_ids[partition] = topic_id
        log_dir.flusher.created(log)
        return log

    def _note_topic_id(self, log: PartitionLog, topic_id: uuid.UUID | None) -> None:
        """Write `partition.metadata` where it is missing or damaged: a later namesake must not get the log."""
        if topic_id is None or topic_id == ZERO_UUID or log.topic_partition in self._topic_ids:
            return
        path = os.path.join(log.directory, PARTITION_METADATA)
        try:
            write_atomically(log.log_directory, path, encode_partition_metadata(topic_id))
        except LogDirError as error:
            self.log_dir_of(log).fail(error)
            raise
        self._topic_ids[log.topic_partition] = topic_id

    def _emptiest_dir(self) -> LogDir:
        online = self.online_dirs()
        if not online:
            raise KafkaStorageError("no log directory is online")
        return min(online, key=lambda log_dir: len(log_dir.logs))

    def _create_in(self, log_dir: LogDir, partition: TopicPartition, topic_id: uuid.UUID | None) -> PartitionLog:
        """Names and small files are made durable by the flusher's next round, not here: topics have many partitions."""
        path = os.path.join(log_dir.path, str(partition))
        directory = LogDirectory(log_dir.path, log_dir.directory.disk, self.handles)
        config = self._topic_configs(partition.topic)
        try:
            directory.disk.make_directory(path)
        except FileExistsError:
            logger.warning("%s is there already: its files are taken over", path)
            return self._fill(directory, path, partition, topic_id, config)
        except OSError as error:
            raise directory.storage_error(error) from error
        try:
            return self._fill(directory, path, partition, topic_id, config)
        except KafkaStorageError:  # It may be made elsewhere the next time, and must not be found twice.
            with contextlib.suppress(OttlaError):
                directory.remove_tree(path)
            raise

    def _fill(
        self,
        directory: LogDirectory,
        path: str,
        partition: TopicPartition,
        topic_id: uuid.UUID | None,
        config: TopicConfig,
    ) -> PartitionLog:
        """Everything that a new partition's directory holds."""
        if topic_id is not None:
            file = LogFile.create(os.path.join(path, PARTITION_METADATA), directory)
            file.append(encode_partition_metadata(topic_id))
            file.close()
        request = LoadRequest(
            topic_partition=partition,
            path=path,
            is_clean=False,
            recovery_point=0,
            log_start_offset=0,
            index_bytes_max=config.segment_index_bytes,
            index_interval_bytes=config.index_interval_bytes,
            may_have_gaps=config.is_compacted,
            now_ms=self._clock.wall_ms(),
        )
        log = self._make_log(load_log(directory, request), directory)
        # The index files are written on rolls and flushes: until then a partition needs one descriptor, not three.
        for index in (log.active.offset_index, log.active.time_index):
            index.file.close()
        return log

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
        log_dir = self.log_dir_of(log)
        deleted = KafkaStorageError(f"partition {partition} was deleted")
        log_dir.flusher.forget(log, deleted)  # First: a round of its thread would find the files gone.
        try:
            log.rename_directory(os.path.join(log_dir.path, renamed_directory(partition, kind)))
        except LogDirError as error:
            log_dir.fail(error)
            raise
        self._remove(log, deleted)
        _close_files(log)
        if kind is DirectoryKind.DELETED:
            due_ms = self.monotonic_ms() + log.config.file_delete_delay_ms
            log_dir.deletions.add_directory(log.directory, due_ms)

    def _remove(self, log: PartitionLog, error: Exception) -> None:
        partition = log.topic_partition
        log_dir = self.log_dir_of(log)
        del self._logs[partition], log_dir.logs[partition]
        self._topic_ids.pop(partition, None)
        self._upkeep.remove(log)
        log_dir.flusher.forget(log, error)
        self.removed_count += 1
        self.on_removed(log)

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
                by_topic[topic] = self._topic_configs(topic)
            log.configure(by_topic[topic], validate_compressed=self.settings.validate_compressed)
            self._upkeep.reconfigured(log)

    # -- truncation ---------------------------------------------------------------------------------------------------

    def truncate_to(self, log: PartitionLog, offset: int) -> bool:
        """Cut off the end of a log, durably. False when it ends before `offset` anyway."""
        if offset >= log.log_end_offset:
            return log.truncate_to(offset, now_ms=self._clock.wall_ms())
        self._lower_recovery_point(log, offset)
        is_cut = log.truncate_to(offset, now_ms=self._clock.wall_ms())
        self._sync_truncation(log)
        return is_cut

    def truncate_fully(self, log: PartitionLog, new_start: int) -> None:
        """Drop all records of a log; it goes on at `new_start`."""
        self._lower_recovery_point(log, 0)
        log.truncate_fully(new_start, now_ms=self._clock.wall_ms())
        self._sync_truncation(log)

    def _lower_recovery_point(self, log: PartitionLog, offset: int) -> None:
        log_dir = self.log_dir_of(log)
        if offset < log.recovery_point:  # Until it is written the old one stands: a refused truncation is tried again.
            lowered = min(offset, log_dir.flusher.checkpoint_point(log))
            log_dir.write_checkpoint_now(RECOVERY_POINT, log_dir.recovery_points() | {log.topic_partition: lowered})
            log.recovery_point = offset

    def _sync_truncation(self, log: PartitionLog) -> None:
        """So that no segment that was dropped comes back after a crash, beside records written since."""
        with log.log_directory.no_way_back():
            log.active.log.sync()
            log.log_directory.sync_directory(log.directory)

    # -- flush --------------------------------------------------------------------------------------------------------

    def flush(self, log: PartitionLog, up_to_offset: int, done: Done | None = None) -> None:
        """Make everything below the offset durable (group commit), then call `done` with None or the error."""
        self.log_dir_of(log).flusher.request(log, up_to_offset, done)

    def must_flush(self, log: PartitionLog) -> bool:
        """Whether so much is unflushed that `flush.messages` wants a flush before the next acknowledgement."""
        return log.log_end_offset - log.recovery_point >= log.config.flush_messages

    def segment_closed(self, log: PartitionLog, segment: Segment) -> None:
        """From the log, on a roll (`LogHooks`)."""
        self.log_dir_of(log).flusher.segment_closed(log, segment)

    def log_truncated(self, log: PartitionLog, offset: int) -> None:
        """From the log, before it is cut (`LogHooks`)."""
        self.on_truncated(log, offset)
        self.log_dir_of(log).flusher.truncated(log, offset)

    def records_converted(self, log: PartitionLog, conversion: Conversion) -> None:
        self.on_converted(log, conversion)

    def segments_deleted(self, log: PartitionLog, segments: Sequence[Segment]) -> None:
        """From the log (`LogHooks`)."""
        due_ms = self.monotonic_ms() + log.config.file_delete_delay_ms
        log_dir = self.log_dir_of(log)
        log_dir.flusher.segments_deleted(log, segments)
        log_dir.deletions.add_segments(segments, due_ms)

    # -- upkeep -------------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """What is due. About once a second."""
        self._upkeep.run(self.monotonic_ms(), self._clock.wall_ms())

    def tick_flushes(self) -> float:
        """Only the flushes that are due; in how many seconds to look again, a second at most."""
        self._upkeep.flush_due(self.monotonic_ms())
        return self._upkeep.flush_interval_ms / 1000

    def monotonic_ms(self) -> int:
        """What delays are counted by: the wall clock may jump."""
        return int(self._clock.monotonic() * 1000)

    def high_watermark(self, log: PartitionLog) -> int:
        return self._high_watermark(log)

    def checkpoint_recovery_points(self) -> None:
        for log_dir in self.online_dirs():
            log_dir.write_checkpoint(RECOVERY_POINT, log_dir.recovery_points())

    def checkpoint_log_starts(self) -> None:
        for log_dir in self.online_dirs():
            log_dir.write_checkpoint(LOG_START, log_dir.log_start_offsets())

    def checkpoint_high_watermarks(self) -> None:
        """For replication, every `replica.high.watermark.checkpoint.interval.ms`."""
        for log_dir in self.online_dirs():
            log_dir.write_checkpoint(HIGH_WATERMARK, self._high_watermarks(log_dir))

    def _high_watermarks(self, log_dir: LogDir) -> OffsetsByPartition:
        return {partition: self._high_watermark(log) for partition, log in log_dir.logs.items()}

    def _write_high_watermarks_now(self) -> None:
        for log_dir in self.online_dirs():
            try:
                log_dir.write_checkpoint_now(HIGH_WATERMARK, self._high_watermarks(log_dir))
            except OttlaError as error:
                log_dir.fail(error)

    # -- failure ------------------------------------------------------------------------------------------------------

    def fail_directory(self, error: LogDirError) -> None:
        """Somebody got this error from a log: its directory is offline from now on."""
        log_dir = self._by_path.get(error.directory)
        if log_dir is not None:
            log_dir.fail(error)

    def _slice_failed(self, error: LogDirError) -> None:
        """From any thread, or out of the middle of a send: whom the failure wakes must not find that half done."""
        self._call_soon(lambda: self.fail_directory(error))

    def _directory_failed(self, log_dir: LogDir, error: Exception) -> None:
        partitions = list(log_dir.logs)
        for log in list(log_dir.logs.values()):
            self._remove(log, KafkaStorageError(f"log directory {log_dir.path} is offline"))
            _close_files(log)
        self._on_directory_failed(log_dir.path, partitions, error)


def _close_files(log: PartitionLog) -> None:
    """Give back descriptors without writing anything."""
    for segment in log.segments:
        for file in segment.files:
            file.close()
