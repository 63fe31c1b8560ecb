"""Metrics of partitions and of the requests that wait on them, counted where they happen or asked for by a scrape."""

from functools import partial

from ottla.broker.data_plane import DataPlane
from ottla.observability.metrics import Metrics
from ottla.replication.fetch_session_cache import FetchSessionCache
from ottla.replication.purgatory import Purgatory


def register_data_metrics(metrics: Metrics, data: DataPlane, sessions: FetchSessionCache) -> None:
    _register_partitions(metrics, data)
    _register_waiting(metrics, data.replicas.purgatory)
    _register_sessions(metrics, sessions)


def _register_partitions(metrics: Metrics, data: DataPlane) -> None:
    replicas = data.replicas
    prefix = "kafka_server_replicamanager_"
    metrics.gauge(prefix + "partitioncount", function=lambda: sum(1 for _ in replicas.partitions()))
    metrics.gauge(prefix + "leadercount", function=lambda: sum(p.is_leader for p in replicas.partitions()))
    metrics.gauge(prefix + "offlinereplicacount", function=lambda: replicas.offline_count)
    metrics.gauge(prefix + "produceridcount", function=lambda: sum(len(p.log.producers) for p in replicas.partitions()))


def _register_waiting(metrics: Metrics, purgatory: Purgatory) -> None:
    waiting = purgatory.waiting
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
