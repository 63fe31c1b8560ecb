"""One of the broker's `log.dirs` while it runs: lock, identity, checkpoints, flusher, deletions, and the logs in it.

    .lock                              one broker at a time
    meta.properties                    whose it is
    .kafka_cleanshutdown               everything was synced at the last stop
    .ottla_whole                       nothing was lost since (`power_loss_marker`)
    *-offset-checkpoint                an offset for each partition
    <topic>-<partition>/               the logs

A directory that fails is offline until the broker starts again: nothing is read from it or written to it any more,
above all no clean-shutdown marker. One whose loading was not finished gets no marker either (KAFKA-13773).
"""

import logging
import os
import threading
from collections.abc import Callable

from ottla.disk.atomic_file import read_whole, write_atomically
from ottla.disk.directory import LogDirectory
from ottla.disk.handle_cache import HandleCache
from ottla.disk.system_disk import Disk
from ottla.errors import OttlaError
from ottla.errors.tree import LogDirError
from ottla.model import TopicPartition
from ottla.storage.background import Background
from ottla.storage.deletion import DeletionQueue
from ottla.storage.flushing import DirectoryFlusher
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir import clean_shutdown, meta_properties, power_loss_marker
from ottla.storage.log_dir.checkpoint_text import MalformedCheckpointError
from ottla.storage.log_dir.checkpoints import (
    LOG_START,
    RECOVERY_POINT,
    OffsetsByPartition,
    decode_offsets,
    encode_offsets,
)
from ottla.storage.log_dir.directory_lock import DirectoryLock
from ottla.storage.log_dir.load_progress import LoadProgress
from ottla.storage.log_dir.meta_properties import MetaProperties, decode_meta_properties
from ottla.storage.log_shutdown import close_logs

logger = logging.getLogger(__name__)

# A thread works on one partition after the other, and uses few of its files at once.
VIEW_HANDLES_MAX = 64


class LogDir:
    """`on_failure(directory, error)` is told once, when the directory goes offline."""

    __slots__ = (
        "_checkpoints_lock",
        "_lock",
        "_on_failure",
        "_written",
        "background",
        "deletions",
        "directory",
        "flusher",
        "is_loaded",
        "is_online",
        "logs",
        "may_lack_records",
        "meta",
        "path",
        "progress",
        "was_clean",
    )

    def __init__(
        self,
        path: str,
        disk: Disk,
        handles: HandleCache,
        background: Background,
        on_failure: Callable[["LogDir", Exception], None],
        on_flushed: Callable[[float], None] = lambda milliseconds: None,
    ) -> None:
        self.path = path
        self.directory = LogDirectory(path, disk, handles)
        self.background = background
        self.flusher = DirectoryFlusher(self.directory, background, self.fail, on_flushed)
        self.deletions = DeletionQueue(self.directory, background, self.fail)
        self.logs: dict[TopicPartition, PartitionLog] = {}
        self.meta: MetaProperties | None = None
        self.progress = LoadProgress()
        self.is_online = True
        self.is_loaded = False
        self.was_clean = False
        self.may_lack_records = False
        self._on_failure = on_failure
        self._lock: DirectoryLock | None = None
        self._written: dict[str, bytes] = {}
        self._checkpoints_lock = threading.Lock()

    def open(self) -> None:
        """Create it if need be, lock it, see whose it is. OperatorError: in use, or not ours."""
        try:
            os.makedirs(self.path, exist_ok=True)
            self._lock = DirectoryLock(self.path)
        except OSError as error:
            raise LogDirError(self.path, str(error)) from error
        data = read_whole(self.directory, os.path.join(self.path, meta_properties.FILE_NAME))
        if data is not None:
            self.meta = decode_meta_properties(data, os.path.join(self.path, meta_properties.FILE_NAME))

    def own_view(self) -> LogDirectory:
        """A LogDirectory with descriptors of its own, for a thread; later it may be handed over."""
        return LogDirectory(self.path, self.directory.disk, HandleCache(VIEW_HANDLES_MAX))

    def add(self, log: PartitionLog) -> None:
        self.logs[log.topic_partition] = log

    def remove(self, log: PartitionLog) -> None:
        del self.logs[log.topic_partition]

    def fail(self, error: Exception) -> None:
        """Take the directory offline, once."""
        if self.is_online:
            self.is_online = False
            logger.error("log directory %s is offline with %d partitions: %s", self.path, len(self.logs), error)
            self._on_failure(self, error)

    # -- files of the directory ---------------------------------------------------------------------------------------

    def write_meta(self, meta: MetaProperties) -> None:
        if meta != self.meta:
            write_atomically(self.directory, os.path.join(self.path, meta_properties.FILE_NAME), meta.encode())
            self.meta = meta

    def read_checkpoint(self, name: str) -> OffsetsByPartition:
        """A damaged one is as good as none: more is recovered than needs be, or a low watermark is found again."""
        path = os.path.join(self.path, name)
        data = read_whole(self.directory, path)
        if data is None:
            return {}
        try:
            return decode_offsets(data, path)
        except MalformedCheckpointError as error:
            logger.warning("%s: taken as empty", error)
            return {}

    def write_checkpoint(self, name: str, offsets: OffsetsByPartition) -> None:
        """In the background, unless it would say the same as the last one."""
        content = encode_offsets(offsets)
        if self._written.get(name) == content or not self.is_online:
            return
        self._written[name] = content
        directory = self.own_view()
        self.background.submit(
            lambda: self._write_newest(directory, name), lambda error: self._checkpoint_written(name, error)
        )

    def write_checkpoint_now(self, name: str, offsets: OffsetsByPartition) -> None:
        """Blocks until it is durable."""
        self._written[name] = encode_offsets(offsets)
        try:
            self._write_newest(self.own_view(), name)
        except OttlaError:
            del self._written[name]
            raise

    def _write_newest(self, directory: LogDirectory, name: str) -> None:
        """Never what was asked for earlier: a recovery point that was lowered must not be raised again by a late write.

        In the loop or in the background's thread, one at a time.
        """
        with self._checkpoints_lock:
            content = self._written.get(name)
            if content is not None:
                write_atomically(directory, os.path.join(self.path, name), content)

    def _checkpoint_written(self, name: str, error: Exception | None) -> None:
        if error is None:
            return
        self._written.pop(name, None)
        if isinstance(error, LogDirError):
            self.fail(error)
        else:
            logger.warning("%s of %s could not be written, to be tried again: %s", name, self.path, error)

    def read_markers(self, boot_id: str) -> None:
        """How the last run ended here, and whether it lost anything. The marker of a clean stop is used up by this."""
        self.was_clean = clean_shutdown.take_marker(self.own_view())
        self.may_lack_records = not power_loss_marker.read_marker(
            self.own_view(), was_clean=self.was_clean, boot_id=boot_id
        )

    def loading_finished(self) -> None:
        self.is_loaded = True

    def mark_intact(self, boot_id: str) -> None:
        """In the background: nothing waits for it, a broker that is killed before tells the controller once more."""
        self.may_lack_records = False
        directory = self.own_view()
        self.background.submit(
            lambda: power_loss_marker.mark_intact(directory, boot_id),
            lambda error: None if error is None else self.fail(error),
        )

    def recovery_points(self) -> OffsetsByPartition:
        return {partition: self.flusher.checkpoint_point(log) for partition, log in self.logs.items()}

    def log_start_offsets(self) -> OffsetsByPartition:
        """Only those that the first segment does not tell."""
        return {
            partition: log.log_start_offset
            for partition, log in self.logs.items()
            if log.log_start_offset > log.segments.first.base_offset
        }

    # -- stop ---------------------------------------------------------------------------------------------------------

    def close_cleanly(self, broker_epoch: int) -> None:
        """Sync everything, say so in the checkpoints, and put the marker last. Blocks."""
        self.background.close()
        close_logs({log: self.flusher.checkpoint_point(log) for log in self.logs.values()}, self.own_view())
        ends = {partition: log.recovery_point for partition, log in self.logs.items()}
        self.write_checkpoint_now(RECOVERY_POINT, ends)
        self.write_checkpoint_now(LOG_START, self.log_start_offsets())
        clean_shutdown.write_marker(self.own_view(), broker_epoch)

    def release(self) -> None:
        self.background.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None
