"""A LogManager for tests, on directories of the test's own, with a clock that stands still."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ottla.clock import ManualClock
from ottla.config.broker_config import BrokerConfig
from ottla.config.topic_config import TopicConfig
from ottla.disk.system_disk import SYSTEM_DISK, Disk
from ottla.model import TopicPartition
from ottla.records.batch import iterate_batches
from ottla.records.record import Record, decode_batch, encode_batch
from ottla.storage.background import Background, Done, InlineBackground, Work
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_manager import LogManager
from ottla.storage.log_settings import LogSettings

ORDERS = TopicPartition("orders", 0)


class QueuedBackground:
    """Work waits until the test runs it: what happens in between happens while a sync is under way."""

    def __init__(self) -> None:
        self.queue: list[tuple[Work, Done]] = []

    def submit(self, work: Work, done: Done) -> None:
        self.queue.append((work, done))

    def run_next(self) -> None:
        work, done = self.queue.pop(0)
        InlineBackground().submit(work, done)

    def run_all(self) -> None:
        while self.queue:
            self.run_next()

    def close(self) -> None:
        self.run_all()


class Storage:
    """Log directories that outlive their manager: `start`, use `manager`, then `stop` or `crash`."""

    def __init__(self, *directories: Path, topic: Mapping[str, str] | None = None, **settings: Any) -> None:
        self.directories = directories
        self.overrides = dict(topic or {})
        self.settings = settings
        self.clock = ManualClock()
        self.failures: list[tuple[str, list[TopicPartition]]] = []
        self.high_watermark: Callable[[PartitionLog], int] = lambda log: log.log_end_offset
        self.flush_times: list[float] = []
        self.manager: LogManager

    def topic_config(self, name: str) -> TopicConfig:
        return BrokerConfig.load({}).topic_config(self.overrides)

    def start(
        self,
        disk: Disk = SYSTEM_DISK,
        background: Callable[[str], Background] = lambda path: InlineBackground(),
        call_soon: Callable[[Callable[[], None]], object] = lambda call: call(),
    ) -> LogManager:
        settings = LogSettings(log_dirs=tuple(map(str, self.directories)), **self.settings)
        self.manager = LogManager(
            settings,
            self.topic_config,
            self.clock,
            disk=disk,
            background=background,
            call_soon=call_soon,
            high_watermark=lambda log: self.high_watermark(log),
            on_flushed=self.flush_times.append,
            on_directory_failed=lambda path, partitions, error: self.failures.append((path, list(partitions))),
        )
        self.manager.open()
        self.manager.load()
        return self.manager

    def stop(self) -> None:
        self.manager.close(broker_epoch=5)

    def crash(self) -> None:
        """What a kill leaves: files as the page cache has them, no promise."""
        self.manager.abandon()

    def append(self, log: PartitionLog, *values: bytes, epoch: int = 0, **batch: Any) -> None:
        now_ms = batch.pop("now_ms", self.clock.wall_ms())
        records = [Record(number, now_ms, None, value) for number, value in enumerate(values)]
        data = bytearray(encode_batch(records, **batch))
        log.append_as_leader(memoryview(data), epoch, now_ms=self.clock.wall_ms())


def values_of(log: PartitionLog) -> list[bytes | None]:
    """All values from the log's start to its end, as a reader gets them."""
    found: list[bytes | None] = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        read = log.read(offset, 1 << 20, end_offset=log.end_position, minimum_one_batch=True)
        assert read.slice is not None
        data = read.slice.read(0, len(read.slice))
        read.slice.close()
        for position, header in iterate_batches(data):
            found += [record.value for record in decode_batch(data, position) if record.offset >= offset]
            offset = header.next_offset
    return found
