"""The perf tools and the verifiable ones: lines of the same shape as Kafka 3.9's, and figures that add up."""

import json
import re

import pytest

from ottla.testing import EmbeddedBroker
from support.command import Ottla, run_here
from support.kafka_tools import CLASSES, KafkaTools
from support.peers import run_kafka_class

NUMBER = re.compile(r"\d+(\.\d+)?")


def shape(text: str) -> list[str]:
    """The lines with every number as N; how many digits stand after the point is kept."""
    return [NUMBER.sub(lambda found: "N" if found[1] is None else f"N.{len(found[1]) - 1}", line)
            for line in text.splitlines()]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def topic(broker: EmbeddedBroker) -> None:
    broker.create_topic("lt-load")


def test_producer_perf_test_prints_kafkas_line(java: KafkaTools, broker: EmbeddedBroker) -> None:
    line = ("--topic", "lt-load", "--num-records", "500", "--record-size", "100", "--throughput", "-1",
            "--producer-props", f"bootstrap.servers={broker.bootstrap_servers}", "acks=all")  # fmt: skip
    theirs = java.run("kafka-producer-perf-test", *line)
    ours = run_here("kafka-producer-perf-test", *line)
    assert shape(ours.stdout) == shape(theirs.stdout)
    assert ours.stdout.startswith("500 records sent, ")


def test_consumer_perf_test_prints_kafkas_line(java: KafkaTools, broker: EmbeddedBroker) -> None:
    broker.create_topic("lt-read")
    run_here("kafka-producer-perf-test", "--topic", "lt-read", "--num-records", "300", "--record-size", "1000",
             "--throughput", "-1", "--producer-props", f"bootstrap.servers={broker.bootstrap_servers}")  # fmt: skip
    line = ("--bootstrap-server", broker.bootstrap_servers, "--topic", "lt-read", "--messages", "300")
    theirs = java.run("kafka-consumer-perf-test", *line)
    ours = run_here("kafka-consumer-perf-test", *line)
    assert shape(ours.stdout) == shape(theirs.stdout)
    figures = dict(zip(*(row.split(", ") for row in ours.stdout.splitlines()), strict=True))
    assert figures["data.consumed.in.nMsg"] == "300"
    assert figures["data.consumed.in.MB"] == f"{300_000 / 1024 / 1024:.4f}"


def test_end_to_end_latency(broker: EmbeddedBroker) -> None:
    done = run_here("kafka-e2e-latency", broker.bootstrap_servers, "lt-load", "20", "all", "50")
    assert shape(done.stdout)[1:] == ["Avg latency: N.4 ms", "", "Percentiles: Nth = N, Nth = N, N.1th = N"]


def test_verifiable_producer_and_consumer_tell_of_every_record(broker: EmbeddedBroker) -> None:
    def events(text: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in text.splitlines()]

    broker.create_topic("lt-numbers")
    server = ("--bootstrap-server", broker.bootstrap_servers, "--topic", "lt-numbers")
    # A JVM of its own: Kafka's tool tells the last of it as the JVM ends.
    tool = CLASSES["kafka-verifiable-producer"]
    theirs = events(run_kafka_class("3.9.1", tool, *server, "--max-messages", "3").stdout)
    ours = events(run_here("kafka-verifiable-producer", *server, "--max-messages", "3").stdout)
    assert [event["name"] for event in ours] == [event["name"] for event in theirs]
    assert [set(event) for event in ours] == [set(event) for event in theirs]
    assert [event["offset"] for event in ours if event["name"] == "producer_send_success"] == [3, 4, 5]
    group = ("--group-id", "lt-group", "--max-messages", "6", "--verbose")
    read = events(run_here("kafka-verifiable-consumer", *server, *group).stdout)
    assert [event["value"] for event in read if event["name"] == "record_data"] == ["0", "1", "2", "0", "1", "2"]
    names = [event["name"] for event in read]
    assert names[:2] == ["startup_complete", "partitions_assigned"]
    assert "offsets_committed" in names


def test_native_perf_commands(ottla: Ottla) -> None:
    def figures(*arguments: str) -> dict[str, float]:
        found: dict[str, float] = json.loads(ottla("perf", *arguments, "--format", "json"))
        return found

    assert figures("produce", "lt-load", "-n", "200")["records"] == 200
    assert figures("consume", "lt-load", "-n", "200")["records_per_second"] > 0
    assert figures("latency", "lt-load", "-n", "5")["records"] == 5
    assert "only" in ottla.fails("perf", "consume", "lt-load", "-n", "1000000", "--timeout", "0.5")
