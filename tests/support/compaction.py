"""Compacted logs of a log manager, and a cleaner that works in the test's own process."""

from collections.abc import Callable, Iterable
from pathlib import Path

from ottla.clock import ManualClock
from ottla.config import BrokerConfig
from ottla.model import TopicPartition
from ottla.observability.metrics import Metrics
from ottla.records.batch import stamp
from ottla.records.record import Record, encode_batch
from ottla.storage.background import Background, InlineBackground
from ottla.storage.cleaner.__main__ import run
from ottla.storage.cleaner.cleaner_metrics import CleanerMetrics
from ottla.storage.cleaner.job import CleaningJob, CleaningResult
from ottla.storage.cleaner.log_cleaner import LogCleaner
from ottla.storage.cleaner.settings import CleanerSettings
from ottla.storage.log.batch_validation import Origin
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_manager import LogManager
from ottla.storage.log_settings import log_settings
from support.logs import read_all

PARTITION = TopicPartition("compacted", 0)
KeyValue = tuple[bytes, bytes | None]


class CompactedLogs:
    """A log directory with one compacted partition. `restart` is what a broker does after a crash."""

    def __init__(self, root: Path, background: Background | None = None, **overrides: object) -> None:
        """`background` is that of the log directory."""
        self.root = root
        self._background = background or InlineBackground()
        self.clock = ManualClock()
        self.high_watermark: Callable[[PartitionLog], int] = lambda log: log.log_end_offset
        self.metrics = Metrics(self.clock)
        self._config = BrokerConfig.load({"log.dirs": str(root)})
        keys = {"cleanup_policy": "compact", "segment_bytes": 2000, "min_cleanable_dirty_ratio": 0.01, **overrides}
        self.topic_config = self._config.topic_config({key.replace("_", "."): str(v) for key, v in keys.items()})
        self._open()

    def _open(self) -> None:
        self.manager = LogManager(
            log_settings(self._config),
            lambda topic: self.topic_config,
            self.clock,
            background=lambda path: self._background,
            high_watermark=lambda log: self.high_watermark(log),
        )
        self.manager.open()
        self.manager.load()
        self.log: PartitionLog = self.manager.registry.create(PARTITION)
        self.cleaner = self.new_cleaner()

    def new_cleaner(self, run=None, background=None, backoff_ms: int = 0, **settings: int) -> LogCleaner:
        """`run` may be changed later, in the attribute of that name."""
        self.run = run or clean_here
        cleaner = LogCleaner(
            self.manager,
            lambda: CleanerSettings(backoff_ms=backoff_ms, **settings),
            self.clock,
            lambda job: self.run(job),
            background or InlineBackground(),
            CleanerMetrics(self.metrics),
        )
        cleaner.load()
        return cleaner

    def restart(self) -> None:
        """A crash: nothing is closed, the directory's lock is given back as the kernel would."""
        for log_dir in self.manager.dirs.all:
            log_dir.release()
        self._open()

    def append(self, records: Iterable[KeyValue], log: PartitionLog | None = None, **options: object) -> None:
        """One batch."""
        rows = [Record(number, self.clock.wall_ms(), *record) for number, record in enumerate(records)]
        batch = bytearray(encode_batch(rows, **options))
        stamp(batch, 0, 0, 0)
        log = log or self.log
        log.append_as_leader(memoryview(batch), 0, now_ms=self.clock.wall_ms(), origin=Origin.TRANSACTION)

    def roll(self, log: PartitionLog | None = None) -> None:
        """Close the active segment; what is closed counts as flushed."""
        log = log or self.log
        log.roll(now_ms=self.clock.wall_ms())
        log.mark_flushed(log.log_end_offset)

    def clean(self) -> None:
        self.cleaner.tick()
        assert not self.cleaner.is_busy

    def records(self) -> list[tuple[int, bytes | None, bytes | None]]:
        return [(record.offset, record.key, record.value) for record in read_all(self.log)]

    def names(self) -> list[str]:
        return sorted(path.name for path in Path(self.log.directory).iterdir())


def clean_here(job: CleaningJob) -> CleaningResult:
    """What the child would do, by the same lines of JSON."""
    return CleaningResult.decode(run(job.encode()))


def latest(records: list[tuple[int, bytes | None, bytes | None]]) -> dict[bytes, bytes | None]:
    """What a reader from the start on knows in the end; a tombstone is as good as nothing."""
    values = {key: value for _, key, value in records if key is not None}
    return {key: value for key, value in values.items() if value is not None}
