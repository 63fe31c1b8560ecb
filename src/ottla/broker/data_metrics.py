"""Metrics of logs and partitions. Counted where they happen, or asked for when somebody scrapes."""

import asyncio
from collections.abc import Callable, Iterator
from functools import partial

from ottla.broker.data_plane import DataPlane
from ottla.observability.conversion_metrics import Conversion, ConversionMetrics
from ottla.observability.metrics import Metrics
from ottla.replication.fetch_session_cache import FetchSessionCache
from ottla.replication.purgatory import Purgatory
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_manager import LogManager

Sample = tuple[tuple[str, ...], float]


def register_loading_metrics(metrics: Metrics, logs: LogManager) -> None:
    """Those that are worth watching while the broker is not up yet."""
    prefix = "kafka_log_logmanager_"
    for log_dir in logs.log_dirs:
        directory, progress = {"dir": log_dir.path}, log_dir.progress
        metrics.gauge(prefix + "remaininglogstorecover", directory, partial(getattr, progress, "logs_left"))
        metrics.gauge(
            prefix + "remainingsegmentstorecover",
            {**directory, "threadNum": "0"},
            partial(getattr, progress, "segments_left"),
        )
    metrics.collect(
        "ottla_recovery_bytes_total",
        lambda: [((), sum(log_dir.progress.recovered_bytes for log_dir in logs.log_dirs))],
    )


def register_data_metrics(metrics: Metrics, data: DataPlane, sessions: FetchSessionCache) -> None:
    _register_partitions(metrics, data)
    _register_logs(metrics, data.logs)
    _register_conversions(metrics, data.logs)
    _register_waiting(metrics, data.replicas.purgatory)
    _register_sessions(metrics, sessions)


def _register_partitions(metrics: Metrics, data: DataPlane) -> None:
    replicas = data.replicas
    prefix = "kafka_server_replicamanager_"
    metrics.gauge(prefix + "partitioncount", function=lambda: sum(1 for _ in replicas.partitions()))
    metrics.gauge(prefix + "leadercount", function=lambda: sum(p.is_leader for p in replicas.partitions()))
    metrics.gauge(prefix + "offlinereplicacount", function=lambda: replicas.offline_count)
    metrics.gauge(prefix + "produceridcount", function=lambda: sum(len(p.log.producers) for p in replicas.partitions()))


def _register_logs(metrics: Metrics, logs: LogManager) -> None:
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
        function=lambda: len(logs.log_dirs) - len(logs.online_dirs()),
    )
    flush_times = metrics.histogram("kafka_log_logflushstats_logflushrateandtimems")
    for log_dir in logs.log_dirs:
        log_dir.flusher.on_flushed = flush_times.record
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
    metrics.gauge("ottla_segment_handles_open", function=lambda: len(logs.handles))


def _samples(logs: LogManager, value: Callable[[PartitionLog], float]) -> Iterator[Sample]:
    for log in list(logs.logs()):
        topic, index = log.topic_partition
        yield (topic, str(index)), value(log)


def _register_conversions(metrics: Metrics, logs: LogManager) -> None:
    """Conversion runs in threads; it is counted on the loop."""
    conversions = ConversionMetrics(metrics, "Produce")
    loop = asyncio.get_running_loop()

    def converted(log: PartitionLog, conversion: Conversion) -> None:
        loop.call_soon_threadsafe(conversions.note, log.topic_partition.topic, conversion)

    logs.on_converted = converted


def _register_waiting(metrics: Metrics, purgatory: Purgatory) -> None:
    waiting = purgatory.waiting
    for from_follower, who in ((False, "consumer"), (True, "follower")):
        expired = metrics.counter("kafka_server_delayedfetchmetrics_expires_total", {"fetcherType": who})
        purgatory.expired_fetches[from_follower] = expired
    for operation in waiting:
        labels = {"delayedOperation": operation}
        for name in ("purgatorysize", "numdelayedoperations"):
            metrics.gauge(
                "kafka_server_delayedoperationpurgatory_" + name, labels, partial(waiting.__getitem__, operation)
            )


def _register_sessions(metrics: Metrics, sessions: FetchSessionCache) -> None:
    prefix = "kafka_server_fetchsessioncache_"
    metrics.gauge(prefix + "numincrementalfetchsessions", function=lambda: len(sessions))
    metrics.gauge(prefix + "numincrementalfetchpartitionscached", function=lambda: sessions.partition_count)
    sessions.evictions = metrics.counter(prefix + "incrementalfetchsessionevictions_total")
