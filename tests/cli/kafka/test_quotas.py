"""kafka-configs for users, clients and ips, beside Kafka 3.9's own tool on Kafka's own broker."""

import re
from collections.abc import Iterator

import pytest

from support.command import Ottla, run_here
from support.kafka import kafka_broker
from support.kafka_tools import KafkaTools

LINES = [
    "--alter --entity-type users --entity-name ada --add-config producer_byte_rate=1024,consumer_byte_rate=2048",
    "--alter --user ada --client shop --add-config request_percentage=50",
    "--alter --entity-type clients --entity-default --add-config consumer_byte_rate=10",
    "--alter --ip-defaults --add-config connection_creation_rate=5",
    "--describe --entity-type users --entity-name ada",
    "--describe --entity-type users --entity-name ada --entity-type clients --entity-name shop",
    "--describe --entity-type users --entity-type clients",
    "--describe --entity-type clients",
    "--describe --client-defaults",
    "--describe --ip-defaults",
    "--alter --user ada --delete-config producer_byte_rate",
    "--describe --user ada",
]


@pytest.fixture(scope="module")
def kafka_address() -> Iterator[str]:
    with kafka_broker("3.9.1") as broker:
        yield broker.address


@pytest.mark.long
def test_quotas_are_changed_and_shown_as_kafka_does(java: KafkaTools, kafka_address: str) -> None:
    for line in LINES:
        arguments = ("--bootstrap-server", kafka_address, *line.split())
        theirs, ours = java.run("kafka-configs", *arguments), run_here("kafka-configs", *arguments)
        assert _comparable(ours.stdout) == _comparable(theirs.stdout), f"{line}: {theirs} {ours}"
        assert ours.code == theirs.code == 0


def _comparable(text: str) -> list[list[str]]:
    """Java prints entities and their values in the order of hash maps."""
    return sorted(sorted(re.split(r", | are ", line)) for line in text.splitlines())


def test_a_broker_without_quotas_says_so(ottla: Ottla) -> None:
    said = ottla.fails(
        "kafka-configs", "--bootstrap-server", ottla.bootstrap_server, "--describe", "--entity-type", "users"
    )
    assert "UnsupportedVersionException" in said


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("--alter --user ada --add-config nope=1", "Unexpected config names: nope"),
        ("--alter --user ada --add-config producer_byte_rate=much", "Cannot parse quota configuration value"),
        ("--alter --entity-type users --add-config producer_byte_rate=1", "An entity-name or default entity"),
        ("--describe --entity-type planets", "Invalid entity type planets"),
        ("--describe --entity-type topics --entity-type users", "Only users and clients"),
    ],
)
def test_what_cannot_be_a_quota_is_refused(ottla: Ottla, line: str, text: str) -> None:
    arguments = ("--bootstrap-server", ottla.bootstrap_server, *line.split())
    ended = run_here("kafka-configs", *arguments)
    assert ended.code == 1
    assert text in ended.stderr
