"""Kafka's tools that ask and change a cluster, beside Kafka 3.9's own on the same broker."""

import json
from pathlib import Path

import pytest

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla


@pytest.fixture(scope="module", autouse=True)
def topics(broker: EmbeddedBroker) -> None:
    broker.create_topic("at-clicks", partitions=2)
    with clients.Producer(broker.bootstrap_servers) as producer:
        for number in range(6):
            producer.send("at-clicks", b"value", partition=0, timestamp_ms=1_700_000_000_000 + number)


@pytest.mark.parametrize(
    "line",
    [
        "kafka-configs --describe --entity-type topics --entity-name at-clicks",
        "kafka-configs --describe --topic at-clicks --all",
        "kafka-configs --alter --entity-type topics --entity-name at-clicks --add-config max.message.bytes=64000",
        "kafka-configs --describe --topic at-clicks",
        "kafka-configs --alter --topic at-clicks --add-config nope=1",
        "kafka-configs --alter --topic at-clicks --delete-config max.message.bytes",
        "kafka-configs --alter --entity-type brokers --entity-name 0 --add-config log.cleaner.threads=2",
        "kafka-configs --alter --entity-type brokers --entity-default --add-config log.cleaner.threads=3",
        "kafka-configs --describe --entity-type brokers --entity-name 0",
        "kafka-configs --describe --entity-type brokers --entity-default",
        "kafka-configs --describe --entity-type brokers",
        "kafka-configs --describe --broker 0 --all",
        "kafka-configs --alter --entity-type brokers --entity-name 0 --delete-config log.cleaner.threads",
        "kafka-configs --alter --broker-defaults --delete-config log.cleaner.threads",
        "kafka-broker-api-versions",
        "kafka-get-offsets --topic at-clicks",
        "kafka-get-offsets --topic at-clicks --time -2",
        "kafka-get-offsets --topic at-.* --time 1700000000003",
        "kafka-get-offsets --topic at-clicks --time max-timestamp",
        "kafka-get-offsets --topic-partitions at-clicks:1,at-clicks:0-1",
        "kafka-get-offsets --topic at-clicks --partitions 1",
        "kafka-get-offsets --topic nope",
        "kafka-get-offsets --time soon",
        "kafka-log-dirs --describe --topic-list at-clicks",
        "kafka-log-dirs --describe --broker-list 7",
        "kafka-leader-election --election-type preferred --topic at-clicks --partition 0",
        "kafka-leader-election --election-type preferred --all-topic-partitions",
        "kafka-leader-election --election-type unclean --topic at-clicks --partition 9",
    ],
)
def test_prints_what_kafka_prints(side_by_side, line: str) -> None:  # type: ignore[no-untyped-def]
    side_by_side(*line.split())


def test_cluster_and_features(side_by_side) -> None:  # type: ignore[no-untyped-def]
    server = side_by_side.bootstrap
    assert "Cluster ID: " in side_by_side("kafka-cluster", "cluster-id", *server, connect=False)
    side_by_side("kafka-cluster", "unregister", *server, "--id", "0", connect=False)
    side_by_side("kafka-features", *server, "describe", connect=False)


def test_records_are_deleted(side_by_side, tmp_path: Path, ottla: Ottla) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "offsets.json"
    offsets = [("at-clicks", 1, 30), ("at-clicks", 0, 2)]
    document = {"partitions": [dict(zip(("topic", "partition", "offset"), one, strict=True)) for one in offsets]}
    file.write_text(json.dumps(document | {"version": 1}))
    said = side_by_side("kafka-delete-records", "--offset-json-file", str(file), ordered=False)
    assert "partition: at-clicks-0\tlow_watermark: 2" in said
    assert [row["earliest"] for row in ottla.rows("offsets", "at-clicks")] == [2, 0]


def test_preferred_replica_election_finds_the_brokers_in_zookeeper(ottla: Ottla, broker: EmbeddedBroker) -> None:
    said = ottla("kafka-preferred-replica-election", "--zookeeper", broker.zookeeper_connect)
    assert said.startswith("Successfully started preferred replica election for partitions Set(")
    assert "[at-clicks,0]" in said
