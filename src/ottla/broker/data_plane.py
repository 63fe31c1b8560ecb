"""The data of a broker: logs, partitions, what waits on them. Ticks once a second; what blocks has its own threads.

The logs are there first, since the broker's id may stand in their directories; the partitions when the broker knows who
it is (`host`). In between nobody leads or follows: a log's high watermark is the one that was checkpointed.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence

from ottla.broker.log_cleaning import LogCleaning
from ottla.broker.log_metrics import LogMetrics
from ottla.broker.stop_sequence import STEP_SECONDS_MAX
from ottla.broker.topic_configs import TopicConfigs
from ottla.clock import Clock, TimerWheel
from ottla.config import BrokerConfig
from ottla.errors import LogDirError, OttlaError
from ottla.handlers.fetch.deliver import FetchDelivery
from ottla.metadata.cache import MetadataCache
from ottla.model import TopicPartition
from ottla.observability.instruments import Counter
from ottla.observability.metrics import Metrics
from ottla.observability.topic_metrics import TopicMetrics
from ottla.replication.fetch_session_cache import FetchSessionCache
from ottla.replication.purgatory import Purgatory
from ottla.replication.replica_context import ReplicaContext
from ottla.replication.replica_manager import Fetchers, ReplicaManager
from ottla.storage.background import ThreadBackground
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.log_manager import LogManager
from ottla.storage.log_settings import log_settings

logger = logging.getLogger(__name__)

_TICK_SECONDS = 1.0


class DataPlane:
    """`load` reads the logs, `host` makes the partitions' home, `start` begins the ticks."""

    def __init__(
        self,
        config: BrokerConfig,
        topic_configs: TopicConfigs,
        clock: Clock,
        metrics: Metrics,
        on_fatal: Callable[[BaseException], None],
    ) -> None:
        self._config = config
        self._clock = clock
        self._metrics = metrics
        self._on_fatal = on_fatal
        self._loop = asyncio.get_running_loop()
        self._loading: asyncio.Future[None] | None = None
        self._ticking: asyncio.TimerHandle | None = None
        self._high_watermarks_due = 0.0
        self._upkeep_due = 0.0
        self._removals_seen = 0
        self._is_stopping = False
        self._hosted: ReplicaManager | None = None
        self._on_directory_failed: Callable[[], None] = lambda: None
        self.delivery = FetchDelivery(self._loop, metrics)
        self.fetch_sessions = FetchSessionCache(
            clock,
            config.int("max.incremental.fetch.session.cache.slots"),
            metrics.counter("kafka_server_fetchsessioncache_incrementalfetchsessionevictions_total"),
        )
        log_metrics = LogMetrics(metrics, self._loop)
        self.logs = LogManager(
            log_settings(config),
            topic_configs,
            clock,
            background=lambda path: ThreadBackground(path, self._loop.call_soon_threadsafe),
            call_soon=self._loop.call_soon_threadsafe,
            on_directory_failed=self._directory_failed,
            on_converted=log_metrics.converted,
            on_flushed=log_metrics.flush_times.record,
            high_watermark=self._high_watermark,
        )
        self._cleaning = LogCleaning(config, self.logs, clock, metrics, self._loop)

    async def load(self) -> None:
        self._loading = self._loop.run_in_executor(None, self.logs.load)
        await asyncio.shield(self._loading)
        self._cleaning.load()

    def host(
        self,
        metadata: MetadataCache,
        wheel: TimerWheel,
        context: ReplicaContext,
        make_fetchers: Callable[[ReplicaManager], Fetchers],
        on_directory_failed: Callable[[], None],
    ) -> ReplicaManager:
        """`on_directory_failed` is told after the partitions of that directory are offline."""
        purgatory = Purgatory(self._loop, wheel, _expired_fetches(self._metrics))
        topic_metrics = TopicMetrics(self._metrics)
        self._hosted = ReplicaManager(self.logs, metadata, purgatory, topic_metrics, context, make_fetchers)
        self._on_directory_failed = on_directory_failed
        return self._hosted

    @property
    def replicas(self) -> ReplicaManager:
        assert self._hosted is not None, "`host` was not called"
        return self._hosted

    def config_changed(self) -> None:
        """Some of the broker's keys have other values now. Before there are partitions only the logs have to know."""
        settings = log_settings(self._config)
        if self._hosted is not None:
            self._hosted.configure(settings)
        else:
            self.logs.registry.apply(settings)

    def start(self) -> None:
        self._tick()

    async def stop(self) -> None:
        """The clean stop: everything flushed and marked, in a thread because it waits for the disk."""
        self._is_stopping = True
        if self._ticking is not None:
            self._ticking.cancel()
        if self._loading is not None and not self._loading.done():  # A start that was broken off: its thread cannot be.
            await asyncio.wait([self._loading], timeout=STEP_SECONDS_MAX)
            if not self._loading.done():
                raise LogDirError(", ".join(self._config.log_dirs), "still being loaded")
        online = self.logs.dirs.online()
        await self._loop.run_in_executor(None, self.delivery.close)
        await self._loop.run_in_executor(None, self._cleaning.stop)
        await self._loop.run_in_executor(None, self.logs.close, self._broker_epoch())
        failed = [log_dir.path for log_dir in online if not log_dir.is_online]
        if failed:
            raise LogDirError(", ".join(failed), "not closed cleanly, recovery will run at the next start")

    def _tick(self) -> None:
        """Once a second what is due; in between the flushes of topics whose `flush.ms` is shorter than that."""
        delay = _TICK_SECONDS
        try:
            if self._loop.time() >= self._upkeep_due:
                self._upkeep_due = self._loop.time() + _TICK_SECONDS
                self.logs.tick()
                self._cleaning.tick()
                self._release_removed()
                self._maybe_checkpoint_high_watermarks()
            delay = self.logs.tick_flushes()
        except OttlaError as error:
            logger.error("upkeep of the logs: %s", error)
        finally:
            self._ticking = self._loop.call_later(delay, self._tick)

    def _release_removed(self) -> None:
        if self.logs.registry.removed_count != self._removals_seen:
            self._removals_seen = self.logs.registry.removed_count
            self.fetch_sessions.release_stopped()

    def _maybe_checkpoint_high_watermarks(self) -> None:
        now = self._loop.time()
        if now >= self._high_watermarks_due:
            interval_ms = self._config.int("replica.high.watermark.checkpoint.interval.ms")
            self._high_watermarks_due = now + interval_ms / 1000
            self.logs.durability.checkpoint_high_watermarks()

    def _broker_epoch(self) -> int:
        return -1 if self._hosted is None else self._hosted.context.broker_epoch()

    def _high_watermark(self, log: PartitionLog) -> int:
        if self._hosted is None:
            return self.logs.registry.checkpointed_high_watermark(log.topic_partition)
        return self._hosted.high_watermark(log)

    def _directory_failed(self, path: str, partitions: Sequence[TopicPartition], error: Exception) -> None:
        if self._is_stopping:
            return  # In the thread of the stop: nobody is served any more, and the controller sees the session end.
        if self._hosted is not None:
            self._hosted.log_directory_failed(partitions)
            self._on_directory_failed()
        if not self.logs.dirs.online():
            self._on_fatal(LogDirError(path, "it was the last one; the broker cannot go on without any"))


def _expired_fetches(metrics: Metrics) -> dict[bool, Counter]:
    """By whether they are a follower's."""
    name = "kafka_server_delayedfetchmetrics_expires_total"
    return {who == "follower": metrics.counter(name, {"fetcherType": who}) for who in ("consumer", "follower")}
