"""All log directories of a broker: opened together, found by path, failing one by one."""

import os
from collections.abc import Callable

from ottla.disk.handle_cache import HandleCache
from ottla.disk.system_disk import Disk
from ottla.errors import OttlaError
from ottla.errors.tree import LogDirError
from ottla.storage.background import Background
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_dir import meta_properties
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.log_dir.meta_properties import MetaProperties
from ottla.storage.log_settings import LogSettings


class LogDirs:
    """`on_failure(directory, error)` is told once of each directory that goes offline."""

    def __init__(
        self,
        settings: LogSettings,
        disk: Disk,
        background: Callable[[str], Background],
        on_failure: Callable[[LogDir, Exception], None],
        on_flushed: Callable[[float], None],
    ) -> None:
        self.handles = HandleCache(settings.segment_handles_max)
        self.all = tuple(
            LogDir(os.path.abspath(path), disk, self.handles, background(path), on_failure, on_flushed)
            for path in settings.log_dirs
        )
        self._by_path = {log_dir.path: log_dir for log_dir in self.all}

    def open(self) -> None:
        """Lock the directories and read whose they are. OperatorError when one is in use; a failed one goes offline."""
        for log_dir in self.all:
            try:
                log_dir.open()
            except LogDirError as error:
                log_dir.fail(error)
        self.require_online()

    def release(self) -> None:
        for log_dir in self.all:
            log_dir.release()

    def online(self) -> list[LogDir]:
        return [log_dir for log_dir in self.all if log_dir.is_online]

    @property
    def has_offline(self) -> bool:
        return any(not log_dir.is_online for log_dir in self.all)

    def require_online(self) -> None:
        if not any(log_dir.is_online for log_dir in self.all):
            raise LogDirError(", ".join(self._by_path), "none of the log directories can be used")

    def by_path(self, path: str) -> LogDir:
        return self._by_path[path]

    def of(self, log: PartitionLog) -> LogDir:
        return self._by_path[log.log_directory.path]

    def fail(self, error: LogDirError) -> None:
        """Somebody got this error from a log: its directory is offline from now on."""
        log_dir = self._by_path.get(error.directory)
        if log_dir is not None:
            log_dir.fail(error)

    # Whose they are

    def found_meta(self) -> list[tuple[str, MetaProperties]]:
        """What `meta_properties.check_same_broker` and `check_same_cluster` look at."""
        return [
            (os.path.join(log_dir.path, meta_properties.FILE_NAME), log_dir.meta)
            for log_dir in self.all
            if log_dir.meta is not None
        ]

    def write_meta(self, broker_id: int, cluster_id: str) -> None:
        for log_dir in self.online():
            found = log_dir.meta or MetaProperties()
            meta = MetaProperties(
                version=found.version, broker_id=broker_id, cluster_id=cluster_id, others=found.others
            )
            try:
                log_dir.write_meta(meta)
            except OttlaError as error:
                log_dir.fail(error)
