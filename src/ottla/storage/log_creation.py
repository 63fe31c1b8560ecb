"""Makes the log of a partition: of what was loaded at the start, or of an empty directory."""

import contextlib
import logging
import os
import uuid
from collections.abc import Callable

from ottla.clock import Clock
from ottla.config.topic_config import TopicConfig
from ottla.disk.directory import LogDirectory
from ottla.disk.handle_cache import HandleCache
from ottla.disk.log_file import LogFile
from ottla.errors import OttlaError
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from ottla.model import TopicPartition
from ottla.storage.log.loading import LoadedLog, LoadRequest, load_log
from ottla.storage.log.log_hooks import LogHooks
from ottla.storage.log.partition_directory import PARTITION_METADATA, encode_partition_metadata
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir.directory_loading import TopicConfigs
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.segment.segment_list import SegmentList

logger = logging.getLogger(__name__)


class LogFactory:
    """`on_read_failure` is told when a slice of a log cannot be read, in whichever thread that is."""

    def __init__(
        self,
        topic_configs: TopicConfigs,
        clock: Clock,
        handles: HandleCache,
        hooks: LogHooks,
        on_read_failure: Callable[[LogDirError], None],
    ) -> None:
        self.topic_configs = topic_configs
        self._clock = clock
        self._handles = handles
        self._hooks = hooks
        self._on_read_failure = on_read_failure

    def adopt(self, parts: LoadedLog, directory: LogDirectory, *, validate_compressed: bool) -> PartitionLog:
        """The log of what a thread has loaded: from now on the event loop owns its files."""
        directory.hand_over(self._handles, self._on_read_failure)
        config = self.topic_configs(parts.topic_partition.topic)
        return self._make(parts, directory, config, validate_compressed)

    def create(
        self, log_dir: LogDir, partition: TopicPartition, topic_id: uuid.UUID | None, *, validate_compressed: bool
    ) -> PartitionLog:
        """Names and small files are made durable by the flusher's next round, not here: topics have many partitions."""
        path = os.path.join(log_dir.path, str(partition))
        directory = LogDirectory(log_dir.path, log_dir.directory.disk, self._handles, self._on_read_failure)
        config = self.topic_configs(partition.topic)
        is_new = True
        try:
            directory.disk.make_directory(path)
        except FileExistsError:
            logger.warning("%s is there already: its files are taken over", path)
            is_new = False
        except OSError as error:
            raise directory.storage_error(error) from error
        try:
            if topic_id is not None:
                _write_partition_metadata(directory, path, topic_id)
            return self._load_new(directory, path, partition, config, validate_compressed)
        except KafkaStorageError:  # It may be made elsewhere the next time, and must not be found twice.
            if is_new:
                with contextlib.suppress(OttlaError):
                    directory.remove_tree(path)
            raise

    def _load_new(
        self,
        directory: LogDirectory,
        path: str,
        partition: TopicPartition,
        config: TopicConfig,
        validate_compressed: bool,
    ) -> PartitionLog:
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
        log = self._make(load_log(directory, request), directory, config, validate_compressed)
        # The index files are written on rolls and flushes: until then a partition needs one descriptor, not three.
        for index in (log.active.offset_index, log.active.time_index):
            index.file.close()
        return log

    def _make(
        self, parts: LoadedLog, directory: LogDirectory, config: TopicConfig, validate_compressed: bool
    ) -> PartitionLog:
        return PartitionLog(
            parts.topic_partition,
            parts.path,
            directory,
            config,
            SegmentList(parts.segments),
            leader_epochs=parts.leader_epochs,
            producers=parts.producers,
            snapshots=parts.snapshots,
            log_start_offset=parts.log_start_offset,
            log_end_offset=parts.log_end_offset,
            recovery_point=parts.recovery_point,
            hooks=self._hooks,
            validate_compressed=validate_compressed,
        )


def _write_partition_metadata(directory: LogDirectory, path: str, topic_id: uuid.UUID) -> None:
    file = LogFile.create(os.path.join(path, PARTITION_METADATA), directory)
    file.append(encode_partition_metadata(topic_id))
    file.close()
