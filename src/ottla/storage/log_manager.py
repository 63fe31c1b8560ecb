"""All partitions of all log directories of a broker: their life from the start to the stop, and the parts they need.

    dirs          the log directories: online or not, whose they are
    registry      which logs there are: create, find, configure, delete
    durability    flush, truncate, checkpoint
    lifecycle     here: open, load, tick, close; a directory that fails

Who uses logs takes the part that it needs. All is synchronous, on the event loop; what blocks is handed to the
directory's `Background`. The broker calls `tick` about once a second and `tick_flushes` as often as that asks for;
nothing else here has a timer, and no partition has a task or thread of its own.

    load      at start, before anything else; may be called from a thread
    tick      due deletions, retention and producer expiry of the partitions that are due, timed flushes, checkpoints
    close     flush all, checkpoint, marker last

Whoever gets a LogDirError from a log tells `dirs.fail`; that takes the partitions of that directory offline, and only
those. A slice of a log is read far from here and tells it by itself.
"""

import logging
from collections.abc import Callable, Sequence

from ottla.clock import Clock
from ottla.clock.clocks import monotonic_ms
from ottla.disk.system_disk import SYSTEM_DISK, Disk
from ottla.errors import OttlaError
from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from ottla.model import TopicPartition
from ottla.observability.conversion_metrics import Conversion
from ottla.storage.background import Background, InlineBackground
from ottla.storage.log.log_hooks import LogObservers
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_creation import LogFactory
from ottla.storage.log_dir.checkpoints import HIGH_WATERMARK
from ottla.storage.log_dir.directory_loading import LoadedDirectory, TopicConfigs, check_no_duplicates, load_directory
from ottla.storage.log_dir.log_dir import LogDir
from ottla.storage.log_dir.log_dirs import LogDirs
from ottla.storage.log_dir.power_loss_marker import system_boot_id
from ottla.storage.log_durability import LogDurability
from ottla.storage.log_maintenance import LogMaintenance
from ottla.storage.log_registry import LogRegistry
from ottla.storage.log_settings import LogSettings

logger = logging.getLogger(__name__)

DirectoryFailed = Callable[[str, Sequence[TopicPartition], Exception], None]


class LogManager:
    """`high_watermark(log)` is replication's; without it a log counts as replicated to its end.

    `call_soon` brings a function to the event loop from any thread: `loop.call_soon_threadsafe`. `on_converted` is told
    in whichever thread rewrote a producer's records, `on_flushed` how many milliseconds a round of syncs took.
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
        on_converted: Callable[[PartitionLog, Conversion], None] = lambda log, conversion: None,
        on_flushed: Callable[[float], None] = lambda milliseconds: None,
        high_watermark: Callable[[PartitionLog], int] = lambda log: log.log_end_offset,
        boot_id: Callable[[], str] = system_boot_id,
    ) -> None:
        self._topic_configs = topic_configs
        self._clock = clock
        self._call_soon = call_soon
        self._on_directory_failed = on_directory_failed
        self._boot_id = boot_id
        observers = LogObservers()
        self.dirs = LogDirs(settings, disk, background, self._directory_failed, on_flushed)
        self.durability = LogDurability(self.dirs, clock, observers, high_watermark, on_converted)
        factory = LogFactory(topic_configs, clock, self.dirs.handles, self.durability, self._read_failed)
        self.registry = LogRegistry(settings, self.dirs, factory, observers, clock)
        self._maintenance = LogMaintenance(self.registry, self.durability)
        self.registry.subscribe(self._maintenance)

    # Start

    def open(self) -> None:
        """Lock the directories and read whose they are. OperatorError when one is in use; a failed one goes offline."""
        self.dirs.open()

    def load(self) -> None:
        """Load every partition there is. Blocks, for long after a crash."""
        found: dict[str, LoadedDirectory] = {}
        threads = self.registry.settings.recovery_threads_per_dir
        for log_dir in self.dirs.online():
            try:
                found[log_dir.path] = load_directory(
                    log_dir, self._topic_configs, threads, self._clock.wall_ms(), self._boot_id()
                )
                self.registry.note_checkpointed(log_dir.read_checkpoint(HIGH_WATERMARK))
            except OttlaError as error:
                log_dir.fail(error)
        check_no_duplicates(found)
        for path, loaded in found.items():
            self._adopt(self.dirs.by_path(path), loaded)
        self.dirs.require_online()

    def _adopt(self, log_dir: LogDir, loaded: LoadedDirectory) -> None:
        due_ms = monotonic_ms(self._clock)
        for path in loaded.deleted:
            log_dir.deletions.add_directory(path, due_ms)
        for path in loaded.strays:
            logger.warning("%s is stray: its topic is not known here; left for you to look at", path)
        for path in loaded.futures:
            logger.warning("%s is the half of a move between log directories: left as it is", path)
        for parts, directory in loaded.logs.values():
            self.registry.adopt(log_dir, parts, directory)
        log_dir.loading_finished()

    @property
    def may_lack_records(self) -> bool:
        """Whether something that was written here before this start may be gone: a power cut, a new disk."""
        return any(log_dir.may_lack_records for log_dir in self.dirs.online())

    def mark_intact(self) -> None:
        """The controller knows what this broker may lack: from now on it lacks nothing that anybody counts on."""
        for log_dir in self.dirs.online():
            if log_dir.may_lack_records:
                log_dir.mark_intact(self._boot_id())

    # While it runs

    def tick(self) -> None:
        """What is due. About once a second."""
        self._maintenance.run(monotonic_ms(self._clock), self._clock.wall_ms())

    def tick_flushes(self) -> float:
        """Only the flushes that are due; in how many seconds to look again, a second at most."""
        self._maintenance.flush_due(monotonic_ms(self._clock))
        return self._maintenance.flush_interval_ms / 1000

    def _read_failed(self, error: LogDirError) -> None:
        """From any thread, or out of the middle of a send: whom the failure wakes must not find that half done."""
        self._call_soon(lambda: self.dirs.fail(error))

    def _directory_failed(self, log_dir: LogDir, error: Exception) -> None:
        partitions = list(log_dir.logs)
        for log in list(log_dir.logs.values()):
            self.registry.remove(log, KafkaStorageError(f"log directory {log_dir.path} is offline"))
        self._on_directory_failed(log_dir.path, partitions, error)

    # Stop

    def close(self, broker_epoch: int = -1) -> None:
        """The clean stop. A directory that fails on the way gets no marker, the others do."""
        self.durability.write_high_watermarks_now()
        for log_dir in self.dirs.online():
            try:
                log_dir.deletions.run_all()
                if log_dir.is_loaded:
                    log_dir.close_cleanly(broker_epoch)
            except OttlaError as error:
                log_dir.fail(error)
        self.dirs.release()

    def abandon(self) -> None:
        """The end without a promise: after a fatal error, and what a kill looks like in tests."""
        for log in self.registry.logs():
            log.close_files()
        self.dirs.release()
