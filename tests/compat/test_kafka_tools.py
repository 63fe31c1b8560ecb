"""Kafka 3.9.1's own tools, unchanged, print with Ottla what they print with Kafka 3.9.1."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.admin_errors.world import make_world
from support.kafka_tools import KafkaTools, kafka_tools
from support.peers import run_kafka_class
from support.tool_transcripts import TRANSCRIPTS, Entry, TranscribedTools, read_transcript

# A broker that no other test uses: all topics and groups are listed.
OWN_BROKER = {"offsets.retention.minutes": "10078"}
COMMANDS = [entry for path in sorted(TRANSCRIPTS.glob("*.txt")) for entry in read_transcript(path)]


@pytest.fixture(scope="module")
def address(brokers: Any) -> str:
    address: str = brokers.get("ottla", **OWN_BROKER).address
    make_world(address)
    return address


@pytest.fixture(scope="module")
def java() -> Iterator[KafkaTools]:
    with kafka_tools() as tools:
        yield tools


@pytest.fixture(scope="module")
def transcribed(java: KafkaTools, address: str, tmp_path_factory: pytest.TempPathFactory) -> TranscribedTools:
    return TranscribedTools(java, address, tmp_path_factory.mktemp("tools"))


@pytest.mark.parametrize("entry", COMMANDS, ids=lambda entry: entry.command)
def test_tool_prints_what_it_prints_with_kafka(transcribed: TranscribedTools, entry: Entry):
    assert transcribed.run(entry.command) == entry.output


def test_kafka_broker_api_versions_knows_every_api_that_it_shows(java: KafkaTools, address: str):
    ended = java.run("kafka-broker-api-versions", "--bootstrap-server", address)
    assert (ended.code, ended.stderr) == (0, "")
    assert f"{address} (id: 0 rack: null) -> (" in ended.stdout
    assert re.search(r"JoinGroup\(11\): 0 to 9 \[usable: 9\]", ended.stdout)


@pytest.mark.long
def test_perf_tests_run_to_their_end(java: KafkaTools, address: str):
    producer = ("--topic", "perf", "--num-records", "5000", "--record-size", "100", "--throughput", "-1")
    ended = java.run("kafka-producer-perf-test", *producer, "--producer-props", f"bootstrap.servers={address}")
    assert ended.code == 0, ended.stderr
    assert "5000 records sent" in ended.stdout
    consumer = ("--topic", "perf", "--messages", "5000", "--bootstrap-server", address)
    ended = java.run("kafka-consumer-perf-test", *consumer)
    assert ended.code == 0, ended.stderr
    row = ended.stdout.splitlines()[-1].split(", ")
    assert int(row[4]) >= 5000


@pytest.mark.long
def test_verifiable_producer_and_consumer_agree(address: str):
    sender = ("--topic", "verified", "--max-messages", "30", "--bootstrap-server", address)
    sent = _events(run_kafka_class("3.9.1", "org.apache.kafka.tools.VerifiableProducer", *sender).stdout)
    acknowledged = [event["offset"] for event in sent if event["name"] == "producer_send_success"]
    assert sorted(acknowledged) == list(range(30))
    reader = ("--topic", "verified", "--group-id", "verifiers", "--max-messages", "30", "--reset-policy", "earliest")
    run = run_kafka_class("3.9.1", "org.apache.kafka.tools.VerifiableConsumer", *reader, "--bootstrap-server", address)
    read = _events(run.stdout)
    assert sum(event["count"] for event in read if event["name"] == "records_consumed") == 30
    committed = [event for event in read if event["name"] == "offsets_committed"]
    assert (committed[-1]["offsets"][0]["offset"], committed[-1]["success"]) == (30, True)


def _events(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]
