"""Metrics of the broker's part in the cluster: the controller, the image of the cluster, the session with ZooKeeper."""

from ottla import __version__
from ottla.broker.control_plane import ControlPlane
from ottla.coordination.kazoo_session import KazooSession
from ottla.coordination.session import SessionEvent, SessionState
from ottla.metadata.cache import MetadataCache
from ottla.observability.metrics import Metrics

_SESSION_STATES = {
    SessionState.CONNECTING: 0,
    SessionState.CONNECTED: 1,
    SessionState.SUSPENDED: 2,
    SessionState.EXPIRED: 3,
    SessionState.CLOSED: 4,
}


def register_control_metrics(metrics: Metrics, control: ControlPlane, metadata: MetadataCache) -> None:
    prefix = "kafka_controller_kafkacontroller_"
    controller = control.controller

    def in_office(value: float) -> float:
        return value if controller.is_active else 0.0

    metrics.gauge(prefix + "activecontrollercount", function=lambda: float(controller.is_active))
    metrics.gauge(prefix + "globaltopiccount", function=lambda: in_office(len(metadata.image.topics)))
    metrics.gauge(
        prefix + "globalpartitioncount",
        function=lambda: in_office(sum(len(topic.partitions) for topic in metadata.image.topics.values())),
    )
    metrics.gauge(prefix + "activebrokercount", function=lambda: in_office(len(metadata.image.brokers)))
    metrics.gauge(prefix + "topicstodeletecount", function=lambda: float(controller.topics_to_delete))
    metrics.gauge("kafka_server_metadataloader_currentcontrollerid", function=lambda: metadata.image.controller_id)
    metrics.gauge("kafka_controller_controllereventmanager_eventqueuesize", function=lambda: controller.queue_size)


def register_identity(metrics: Metrics, cluster_id: str) -> None:
    metrics.gauge("kafka_server_kafkaserver_info", {"clusterId": cluster_id, "version": __version__}).value = 1


def register_session_metrics(metrics: Metrics, session: KazooSession) -> None:
    prefix = "kafka_server_sessionexpirelistener_"
    metrics.gauge(prefix + "sessionstate", function=lambda: _SESSION_STATES[session.state])
    metrics.gauge("ottla_zookeeper_lease_seconds", function=lambda: session.lease_remaining_s)
    connects = metrics.counter(prefix + "zookeepersyncconnects_total")
    counters = {
        SessionEvent.RESUMED: connects,
        SessionEvent.RENEWED: connects,
        SessionEvent.SUSPENDED: metrics.counter(prefix + "zookeeperdisconnects_total"),
        SessionEvent.EXPIRED: metrics.counter(prefix + "zookeeperexpires_total"),
    }
    connects.value += 1

    def count(event: SessionEvent) -> None:
        if event in counters:
            counters[event].value += 1

    session.subscribe(count)
