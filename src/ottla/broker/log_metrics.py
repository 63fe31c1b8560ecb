"""Metrics of logs and log directories, counted where they happen or asked for when somebody scrapes."""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from ottla.observability.conversion_metrics import Conversion, ConversionMetrics
from ottla.observability.metrics import Metrics
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_manager import LogManager

Sample = tuple[tuple[str, ...], float]


class LogMetrics:
    """What the logs tell by themselves: how long a round of syncs took, which records were converted."""

    def __init__(self, metrics: Metrics, loop: asyncio.AbstractEventLoop) -> None:
        self.flush_times = metrics.histogram("kafka_log_logflushstats_logflushrateandtimems")
        self._conversions = ConversionMetrics(metrics, "Produce")
        self._loop = loop

    def converted(self, log: PartitionLog, conversion: Conversion) -> None:
        """Conversion runs in threads; it is counted on the loop."""
        self._loop.call_soon_threadsafe(self._conversions.note, log.topic_partition.topic, conversion)


def register_loading_metrics(metrics: Metrics, logs: LogManager) -> None:
    """Those that are worth watching while the broker is not up yet."""
    prefix = "kafka_log_logmanager_"
    for log_dir in logs.dirs.all:
        directory, progress = {"dir": log_dir.path}, log_dir.progress
        metrics.gauge(prefix + "remaininglogstorecover", directory, partial(getattr, progress, "logs_left"))
        metrics.gauge(
            prefix + "remainingsegmentstorecover",
            {**directory, "threadNum": "0"},
            partial(getattr, progress, "segments_left"),
        )
    metrics.collect(
        "ottla_recovery_bytes_total",
        lambda: [((), sum(log_dir.progress.recovered_bytes for log_dir in logs.dirs.all))],
    )


def register_log_metrics(metrics: Metrics, logs: LogManager) -> None:
    per_log: dict[str, Callable[[PartitionLog], float]] = {
        "kafka_log_log_size": lambda log: log.size,
        "kafka_log_log_logstartoffset": lambda log: log.log_start_offset,
        "kafka_log_log_logendoffset": lambda log: log.log_end_offset,
        "kafka_log_log_numlogsegments": lambda log: len(log.segments),
    }
    for name, value in per_log.items():
        metrics.collect(name, partial(_samples, logs, value))
    metrics.gauge(
        "kafka_log_logmanager_offlinelogdirectorycount",
        function=lambda: len(logs.dirs.all) - len(logs.dirs.online()),
    )
    for log_dir in logs.dirs.all:
        metrics.gauge(
            "kafka_log_logmanager_logdirectoryoffline",
            {"logDirectory": log_dir.path},
            lambda log_dir=log_dir: float(not log_dir.is_online),  # type: ignore[misc]
        )
        for number, name in enumerate(("total", "usable")):
            metrics.gauge(
                f"ottla_log_directory_{name}_bytes",
                {"logDirectory": log_dir.path},
                lambda log_dir=log_dir, number=number: float(log_dir.directory.capacity()[number]),  # type: ignore[misc]
            )
    metrics.gauge("ottla_segment_handles_open", function=lambda: len(logs.dirs.handles))


def _samples(logs: LogManager, value: Callable[[PartitionLog], float]) -> Iterator[Sample]:
    for log in list(logs.registry.logs()):
        topic, index = log.topic_partition
        yield (topic, str(index)), value(log)
