"""Kafka's own tools and ZooKeeper's own shell see a live cluster as they see Kafka's."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Producer

from support.cluster import Cluster, cluster_in
from support.eventually import eventually
from support.kafka_tools import CLASSES, KafkaTools, kafka_tools
from support.peers import kafka_classpath, require_command
from support.zkcli import run_zkcli

TOPIC = "my-replicated-topic"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster_in(
        tmp_path_factory.mktemp("tools"), auto_leader_rebalance_enable="false", min_insync_replicas="3"
    ) as cluster:
        yield cluster


def described(tools: KafkaTools, cluster: Cluster, *filters: str) -> int:
    """How many partitions kafka-topics --describe shows."""
    outcome = tools.run("kafka-topics", "--bootstrap-server", cluster.bootstrap, "--describe", *filters)
    assert outcome.code == 0, outcome
    return outcome.stdout.count("Partition: ")


def elect(tools: KafkaTools, cluster: Cluster, kind: str, *which: str) -> str:
    arguments = ("--bootstrap-server", cluster.bootstrap, "--election-type", kind, *which)
    outcome = tools.run("kafka-leader-election", *arguments)
    assert outcome.code == 0, outcome
    return outcome.stdout


@pytest.mark.timeout(240)
def test_kafkas_tools_see_a_dead_broker_and_give_the_lead_back(cluster: Cluster, tmp_path: Path) -> None:
    cluster.create_topic(TOPIC, 3)
    leader = cluster.leader(TOPIC)
    with kafka_tools() as tools:
        assert described(tools, cluster, "--at-min-isr-partitions") == 3
        cluster.brokers[leader].kill()
        eventually(lambda: cluster.leader(TOPIC) != leader)
        assert described(tools, cluster, "--under-replicated-partitions") == 3
        assert described(tools, cluster, "--under-min-isr-partitions") == 3
        assert described(tools, cluster, "--unavailable-partitions") == 0
        cluster.restart(leader)
        cluster.await_in_sync(TOPIC)
        assert described(tools, cluster, "--under-replicated-partitions") == 0
        one = elect(tools, cluster, "preferred", "--topic", TOPIC, "--partition", "0")
        assert f"Successfully completed leader election (PREFERRED) for partitions {TOPIC}-0" in one
        assert "Valid replica already elected for partitions" in elect(
            tools, cluster, "preferred", "--path-to-json-file", named_partition(tmp_path)
        )
        elect(tools, cluster, "preferred", "--all-topic-partitions")
    assert cluster.leader(TOPIC) == leader


def named_partition(directory: Path) -> str:
    path = directory / "election.json"
    path.write_text(json.dumps({"partitions": [{"topic": TOPIC, "partition": 0}]}))
    return str(path)


@pytest.mark.timeout(180)
def test_kafkas_replica_verification_finds_replicas_equal(cluster: Cluster) -> None:
    cluster.create_topic("verified")
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "log_level": 0})
    for number in range(100):
        producer.produce("verified", b"%d" % number)
    assert producer.flush(30) == 0
    command = [
        require_command("java"), "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
        "-cp", kafka_classpath("3.9.1"), CLASSES["kafka-replica-verification"],
        "--broker-list", cluster.bootstrap, "--topics-include", "verified", "--report-interval-ms", "500",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as tool:
        assert tool.stdout is not None
        try:
            report = next(line for line in tool.stdout if "max lag is" in line)
        finally:
            tool.kill()
    assert "max lag is 0 for partition verified-0 at offset" in report
    assert "among 1 partitions" in report


@pytest.mark.timeout(180)
def test_zkcli_lists_the_cluster_as_the_manual_does(cluster: Cluster) -> None:
    cluster.create_topic("listed")
    leader = cluster.leader("listed")
    cluster.brokers[leader].kill()
    eventually(lambda: cluster.leader("listed") != leader)
    output = run_zkcli(
        cluster.zookeeper,
        "ls /",
        "ls /brokers/ids",
        "ls /brokers/topics",
        "get /brokers/topics/listed",
        "get /brokers/topics/listed/partitions/0/state",
        "get /controller",
        f"get /brokers/ids/{cluster.leader('listed')}",
    )
    alive = sorted(cluster.brokers.keys() - {leader})
    for expected in (
        "[admin, brokers, cluster, config, consumers, controller, controller_epoch, isr_change_notification, "
        "latest_producer_id_block, log_dir_event_notification, zookeeper]",
        f"[{alive[0]}, {alive[1]}]",
        '{"partitions":{"0":[',
        f'"leader":{cluster.leader("listed")}',
        '"version":1',
        f'"brokerid":{cluster.controller()}',
        '"endpoints":["PLAINTEXT://127.0.0.1:',
    ):
        assert expected in output, output
    cluster.restart(leader)
