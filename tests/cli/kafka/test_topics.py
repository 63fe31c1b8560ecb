"""`kafka-topics`, beside Kafka 3.9's, and with --zookeeper, beside the manual."""

import pytest

from ottla.testing import EmbeddedBroker
from support.command import Ottla


@pytest.fixture(scope="module", autouse=True)
def topics(broker: EmbeddedBroker) -> None:
    broker.create_topic("tt-clicks", partitions=3)
    broker.create_topic("tt-views", configs={"retention.ms": "100000", "cleanup.policy": "compact"})
    broker.create_topic("tt_x")


@pytest.mark.parametrize(
    "arguments",
    [
        "--describe --topic tt-clicks",
        "--describe --topic tt-views",
        "--describe --topic nope",
        "--describe --topic nope --if-exists",
        "--describe --under-replicated-partitions",
        "--describe --unavailable-partitions",
        "--describe --topics-with-overrides --topic tt-.*",
        "--list --topic tt-.*",
        "--create --topic tt-views",
        "--create --topic tt-views --if-not-exists",
        "--create --topic rf3 --replication-factor 3",
        "--create --topic p0 --partitions 0",
        "--create --topic tt.x",
        "--create --topic bad%name",
        "--create --topic c --config nope=1",
        "--create --topic c --config retention.ms=x",
        "--alter --topic tt-clicks --partitions 1",
        "--alter --topic nope --partitions 1",
        "--alter --topic nope --partitions 1 --if-exists",
        "--delete --topic nope",
        "--delete --topic nope --if-exists",
        "--create",
        "--list --describe",
        "",
    ],
)
def test_prints_what_kafka_prints(side_by_side, arguments: str) -> None:  # type: ignore[no-untyped-def]
    side_by_side("kafka-topics", *arguments.split())


def test_all_topics_are_listed_and_described(side_by_side) -> None:  # type: ignore[no-untyped-def]
    assert "tt-clicks" in side_by_side("kafka-topics", "--list")
    side_by_side("kafka-topics", "--describe", ordered=False)
    side_by_side("kafka-topics", "--describe", "--at-min-isr-partitions", ordered=False)


def test_topic_comes_and_goes(ottla: Ottla, broker: EmbeddedBroker, name: str) -> None:
    server = ("--bootstrap-server", broker.bootstrap_servers)
    assert ottla("kafka-topics", *server, "--create", "--topic", name, "--partitions", "2").endswith(
        f"Created topic {name}.\n"
    )
    assert ottla("kafka-topics.sh", *server, "--alter", "--topic", name, "--partitions", "4") == ""
    assert "PartitionCount: 4" in ottla("kafka-topics", *server, "--describe", "--topic", name)
    assert ottla("kafka-topics", *server, "--delete", "--topic", name) == ""
    assert name not in ottla("kafka-topics", *server, "--list")


def test_zookeeper_forms_print_the_manuals_text(ottla: Ottla, broker: EmbeddedBroker) -> None:
    def topics(*arguments: str) -> str:
        return ottla("kafka-topics", "--zookeeper", broker.zookeeper_connect, *arguments)

    topics("--create", "--replication-factor", "1", "--partitions", "1", "--topic", "test")
    assert "test" in topics("--list").splitlines()
    assert topics("--describe", "--topic", "test") == (
        "Topic:test\tPartitionCount:1\tReplicationFactor:1\tConfigs:\n"
        "\tTopic: test\tPartition: 0\tLeader: 0\tReplicas: 0\tIsr: 0\n"
    )
    topics("--alter", "--topic", "test", "--config", "max.message.bytes=128000")
    assert "Configs:max.message.bytes=128000\n" in topics("--describe", "--topic", "test")
    topics("--alter", "--topic", "test", "--deleteConfig", "max.message.bytes")
    assert "Configs:\n" in topics("--describe", "--topic", "test")
    topics("--delete", "--topic", "test")
    assert "test" not in topics("--list").splitlines()


def test_zookeeper_that_does_not_answer_is_said(ottla: Ottla) -> None:
    assert "no ZooKeeper answers" in ottla.fails("kafka-topics", "--zookeeper", "127.0.0.1:1", "--list", code=2)
