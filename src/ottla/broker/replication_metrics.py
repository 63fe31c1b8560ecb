"""Metrics of replication: what is out of sync, how far followers are behind, what the controller sees."""

from collections.abc import Callable, Iterator

from ottla.broker.control_plane import ControlPlane
from ottla.observability.metrics import Metrics
from ottla.replication.partition import Partition
from ottla.replication.replica_manager import ReplicaManager

_FETCHERS = {"clientId": "Replica"}


def register_replication_metrics(metrics: Metrics, replicas: ReplicaManager, control: ControlPlane) -> None:
    _register_isr(metrics, replicas)
    _register_partitions(metrics, replicas)
    _register_fetchers(metrics, control)
    _register_controller(metrics, control)


def _register_isr(metrics: Metrics, replicas: ReplicaManager) -> None:
    prefix = "kafka_server_replicamanager_"
    metrics.gauge(prefix + "underreplicatedpartitions", function=lambda: sum(map(_is_under_replicated, _led(replicas))))
    metrics.gauge(
        prefix + "underminisrpartitioncount", function=lambda: sum(not p.has_enough_replicas for p in _led(replicas))
    )
    metrics.gauge(prefix + "atminisrpartitioncount", function=lambda: sum(map(_is_at_minimum, _led(replicas))))


def _register_partitions(metrics: Metrics, replicas: ReplicaManager) -> None:
    """One series for each led partition, made when somebody looks."""
    for name, value in {
        "underreplicated": _is_under_replicated,
        "underminisr": lambda partition: not partition.has_enough_replicas,
        "atminisr": _is_at_minimum,
        "insyncreplicascount": lambda partition: len(partition.isr),
        "replicascount": lambda partition: len(partition.replicas),
    }.items():
        metrics.collect(f"kafka_cluster_partition_{name}", _of_each_led(replicas, value))


def _of_each_led(
    replicas: ReplicaManager, value: Callable[[Partition], float]
) -> Callable[[], Iterator[tuple[tuple[str, ...], float]]]:
    def samples() -> Iterator[tuple[tuple[str, ...], float]]:
        for partition in list(_led(replicas)):
            topic, number = partition.topic_partition
            yield (topic, str(number)), value(partition)

    return samples


def _register_fetchers(metrics: Metrics, control: ControlPlane) -> None:
    fetchers = control.replication.fetchers
    prefix = "kafka_server_replicafetchermanager_"
    metrics.gauge(prefix + "maxlag", _FETCHERS, fetchers.max_lag)
    metrics.gauge(
        prefix + "failedpartitionscount",
        _FETCHERS,
        lambda: sum(followed.failures > 0 for followed in fetchers.followed()),
    )

    def lags() -> Iterator[tuple[tuple[str, ...], float]]:
        for name, followed in list(fetchers.named()):
            topic, partition = followed.partition.topic_partition
            yield (name, topic, str(partition)), followed.lag

    metrics.collect("kafka_server_fetcherlagmetrics_consumerlag", lags)


def _register_controller(metrics: Metrics, control: ControlPlane) -> None:
    controller = control.controller
    prefix = "kafka_controller_kafkacontroller_"
    metrics.gauge(prefix + "offlinepartitionscount", function=lambda: controller.offline_partitions)
    metrics.gauge(prefix + "preferredreplicaimbalancecount", function=lambda: controller.preferred_imbalance)


def _led(replicas: ReplicaManager) -> Iterator[Partition]:
    return (partition for partition in replicas.partitions() if partition.is_leader)


def _is_under_replicated(partition: Partition) -> bool:
    return len(partition.isr) < len(partition.replicas)


def _is_at_minimum(partition: Partition) -> bool:
    return len(partition.isr) == min(partition.log.config.min_insync_replicas, len(partition.replicas))
