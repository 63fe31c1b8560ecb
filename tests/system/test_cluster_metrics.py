"""The metrics of the manual's chapter 6.6, read from a live cluster while what they tell of happens."""

import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, NewTopic
from prometheus_client.parser import text_string_to_metric_families

from support.broker import OttlaProcess
from support.cluster import Cluster, cluster_in
from support.eventually import eventually
from support.ports import free_port

MANAGER = "kafka_server_replicamanager_"
CONTROLLER = "kafka_controller_kafkacontroller_"
PARTITION = "kafka_cluster_partition_"
STATS = "kafka_controller_controllerstats_"
LAG = "kafka_server_fetcherlagmetrics_consumerlag"


class MeteredBroker(OttlaProcess):
    def __init__(self, directory: Path, properties: Mapping[str, str] | None = None) -> None:
        self.metrics_port = free_port()
        super().__init__(directory, {**(properties or {}), "ottla.metrics.port": str(self.metrics_port)})

    def metrics(self) -> dict[str, float]:
        """Each family with the sum of its series."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=10) as page:
            text = page.read().decode()
        values: dict[str, float] = {}
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                values[sample.name] = values.get(sample.name, 0) + sample.value
        return values


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A long session: a stopped broker is out of sync before it is gone."""
    with cluster_in(
        tmp_path_factory.mktemp("metrics"),
        make_broker=MeteredBroker,
        zookeeper_session_timeout_ms="30000",
        replica_lag_time_max_ms="1500",
        auto_leader_rebalance_enable="false",
    ) as cluster:
        yield cluster


def metric(cluster: Cluster, broker_id: int, name: str) -> float:
    broker = cluster.brokers[broker_id]
    assert isinstance(broker, MeteredBroker)
    return broker.metrics()[name]


def create(cluster: Cluster, topic: str, *replicas: int) -> None:
    cluster.admin.create_topics([NewTopic(topic, num_partitions=1, replica_assignment=[list(replicas)])])[topic].result(
        30
    )
    eventually(lambda: list(cluster.partition(topic).isrs) == list(replicas))


@pytest.mark.timeout(180)
def test_a_follower_that_stops_shows_in_the_leaders_metrics_until_it_is_in_sync_again(cluster: Cluster) -> None:
    leader = cluster.controller()  # Who writes the ISR must not be the one that stops.
    follower, other = sorted(cluster.brokers.keys() - {leader})
    create(cluster, "lagging", leader, follower, other)
    assert sum(metric(cluster, broker, CONTROLLER + "activecontrollercount") for broker in cluster.brokers) == 1
    assert metric(cluster, leader, MANAGER + "partitioncount") == 1
    assert metric(cluster, leader, MANAGER + "leadercount") == 1
    assert metric(cluster, follower, MANAGER + "leadercount") == 0
    assert metric(cluster, leader, MANAGER + "underreplicatedpartitions") == 0
    assert metric(cluster, follower, LAG) == 0
    cluster.brokers[follower].pause()
    try:
        producer = Producer({"bootstrap.servers": cluster.brokers[leader].address, "acks": "all", "log_level": 0})
        for _ in range(50):
            producer.produce("lagging", b"x" * 1000, partition=0)
        assert producer.flush(25) == 0  # acknowledged when the ISR is without it
        assert metric(cluster, leader, MANAGER + "underreplicatedpartitions") == 1
        assert metric(cluster, leader, MANAGER + "isrshrinks_total") == 1
        assert metric(cluster, leader, PARTITION + "underreplicated") == 1
        assert metric(cluster, leader, PARTITION + "insyncreplicascount") == 2
        assert metric(cluster, leader, PARTITION + "replicascount") == 3
    finally:
        cluster.brokers[follower].resume()
    eventually(lambda: metric(cluster, leader, MANAGER + "isrexpands_total") == 1)
    assert metric(cluster, leader, MANAGER + "underreplicatedpartitions") == 0
    eventually(lambda: metric(cluster, follower, "kafka_server_replicafetchermanager_maxlag") == 0)
    assert metric(cluster, follower, LAG) == 0


@pytest.mark.timeout(180)
def test_elections_clean_and_unclean_and_what_has_no_leader_show_on_the_controller(cluster: Cluster) -> None:
    controller = cluster.controller()
    first, second = sorted(cluster.brokers.keys() - {controller})
    elections = metric(cluster, controller, STATS + "leaderelectionrateandtimems_count")
    create(cluster, "offline", first, second)
    assert metric(cluster, controller, STATS + "leaderelectionrateandtimems_count") > elections
    for broker_id in (first, second):
        assert cluster.brokers[broker_id].stop() == 0
    eventually(lambda: metric(cluster, controller, CONTROLLER + "offlinepartitionscount") == 1)
    assert metric(cluster, controller, STATS + "uncleanleaderelections_total") == 0
    cluster.restart(first)
    entry = ConfigEntry("unclean.leader.election.enable", "true", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, "offline", incremental_configs=[entry])
    cluster.admin.incremental_alter_configs([resource])[resource].result(30)
    eventually(lambda: metric(cluster, controller, STATS + "uncleanleaderelections_total") == 1)
    assert metric(cluster, controller, CONTROLLER + "offlinepartitionscount") == 0
    cluster.restart(second)
