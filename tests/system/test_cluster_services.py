"""What a cluster offers besides surviving: Kafka's own tools, groups that move, unclean elections on demand."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource

from support.cluster import Cluster, cluster_in
from support.eventually import eventually
from support.java_client import JavaClient

RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with cluster_in(tmp_path, replica_selector_class=RACK_AWARE, auto_leader_rebalance_enable="false") as cluster:
        yield cluster


def send(cluster: Cluster, topic: str, count: int, **settings: object) -> None:
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "log_level": 0, **settings})
    errors: list[object] = []
    for number in range(count):
        producer.produce(topic, b"%d" % number, partition=0, on_delivery=lambda error, _: errors.append(error))
    producer.flush(60)
    assert errors == [None] * count


@pytest.mark.timeout(180)
def test_a_group_goes_on_when_its_coordinator_is_killed(cluster: Cluster) -> None:
    cluster.create_topic("orders")
    send(cluster, "orders", 10)
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap,
            "group.id": "readers",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "log_level": 0,
        }
    )
    try:
        consumer.subscribe(["orders"])
        read = [message.value() for message in consumer.consume(10, 60) if message.error() is None]
        assert len(read) == 10
        consumer.commit(asynchronous=False)
        coordinator = cluster.leader("__consumer_offsets")
        cluster.await_in_sync("__consumer_offsets")
        cluster.brokers[coordinator].kill()
        eventually(lambda: cluster.leader("__consumer_offsets") != coordinator)
        committed = eventually(lambda: consumer.committed([TopicPartition("orders", 0)], timeout=30))
        assert committed[0].offset == 10
        send(cluster, "orders", 5)
        more = [message.value() for message in consumer.consume(5, 60) if message.error() is None]
        assert more == [b"%d" % number for number in range(5)]
    finally:
        consumer.close()


@pytest.mark.long
@pytest.mark.timeout(180)
def test_java_producers_go_on_when_the_leader_is_killed(cluster: Cluster) -> None:
    cluster.create_topic("orders")
    with JavaClient("3.9.1", cluster.bootstrap) as java:
        first = [{"topic": "orders", "partition": 0, "value": f"a{number}".encode().hex()} for number in range(20)]
        java.ask("produce", records=first, config={"acks": "all"})
        cluster.brokers[cluster.leader("orders")].kill()
        second = [{"topic": "orders", "partition": 0, "value": f"b{number}".encode().hex()} for number in range(20)]
        java.ask("produce", records=second, config={"acks": "all"})
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap, "group.id": "g", "log_level": 0})
    try:
        _, end = consumer.get_watermark_offsets(TopicPartition("orders", 0), timeout=60)
        assert end == 40
    finally:
        consumer.close()


@pytest.mark.timeout(180)
def test_unclean_election_that_is_allowed_while_the_partition_is_offline_takes_effect(cluster: Cluster) -> None:
    cluster.create_topic("orders")
    leader = cluster.leader("orders")
    for follower in set(cluster.brokers) - {leader}:
        cluster.brokers[follower].kill()
    eventually(lambda: list(cluster.partition("orders").isrs) == [leader])
    cluster.brokers[leader].kill()
    survivor = cluster.other_than(leader)
    cluster.restart(survivor)
    eventually(lambda: survivor in cluster.admin.list_topics(timeout=10).brokers)
    assert cluster.partition("orders").leader == -1
    entry = ConfigEntry("unclean.leader.election.enable", "true", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, "orders", incremental_configs=[entry])
    cluster.admin.incremental_alter_configs([resource])[resource].result(30)
    assert cluster.leader("orders") == survivor


@pytest.mark.timeout(180)
def test_a_broker_that_is_back_leads_again_by_itself_what_it_should(tmp_path: Path) -> None:
    balance = {"leader_imbalance_check_interval_seconds": "1", "leader_imbalance_per_broker_percentage": "0"}
    with cluster_in(tmp_path, **balance) as cluster:
        cluster.create_topic("orders")
        first = cluster.leader("orders")
        cluster.brokers[first].kill()
        eventually(lambda: cluster.leader("orders") != first)
        cluster.restart(first)
        eventually(lambda: cluster.leader("orders") == first)
