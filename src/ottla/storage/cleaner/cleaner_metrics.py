"""What the log cleaner tells of itself."""

from collections.abc import Callable, Iterable

from ottla.observability.metrics import Metrics

PerDirectory = Callable[[], Iterable[tuple[tuple[str, ...], float]]]


class CleanerMetrics:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self.dead_processes = metrics.gauge("kafka_log_logcleaner_deadthreadcount")
        self.recopy_percent = metrics.gauge("kafka_log_logcleaner_cleaner_recopy_percent")
        self.map_percent = metrics.gauge("kafka_log_logcleaner_max_buffer_utilization_percent")
        self.clean_time_seconds = metrics.gauge("kafka_log_logcleaner_max_clean_time_secs")
        self.delay_seconds = metrics.gauge("kafka_log_logcleaner_max_compaction_delay_secs")
        self.dirty_percent = metrics.gauge("kafka_log_logcleanermanager_max_dirty_percent")

    def observe(
        self, since_last_run_ms: Callable[[], float], uncleanable: PerDirectory, uncleanable_bytes: PerDirectory
    ) -> None:
        """What is asked at each scrape: by log directory where it is about partitions."""
        self._metrics.gauge("kafka_log_logcleanermanager_time_since_last_run_ms", function=since_last_run_ms)
        self._metrics.collect("kafka_log_logcleanermanager_uncleanable_partitions_count", uncleanable)
        self._metrics.collect("kafka_log_logcleanermanager_uncleanable_bytes", uncleanable_bytes)
