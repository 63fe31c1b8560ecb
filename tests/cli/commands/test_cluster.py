"""`ottla cluster`, `brokers`, `offsets`, `records`, `leaders`: what is read and changed on a whole cluster."""

import json

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla


def fill(broker: EmbeddedBroker, topic: str, count: int = 10) -> None:
    with clients.Producer(broker.bootstrap_servers) as producer:
        for number in range(count):
            producer.send(topic, b"value %d" % number, partition=0, timestamp_ms=1_700_000_000_000 + number)


def test_cluster_at_a_glance(ottla: Ottla) -> None:
    found = json.loads(ottla("cluster", "--format", "json"))
    assert found["brokers"] == [0]
    assert found["controller"] == 0
    assert found["offline"] == 0


def test_brokers_show_what_they_lead(ottla: Ottla, topic: str, broker: EmbeddedBroker) -> None:
    row = ottla.rows("brokers")[0]
    assert row["address"] == broker.address
    assert row["controller"] is True
    assert row["leaders"] >= 2


def test_offsets_show_where_partitions_begin_and_end(ottla: Ottla, topic: str, broker: EmbeddedBroker) -> None:
    fill(broker, topic)
    assert ottla.rows("offsets", topic) == [
        {"topic": topic, "partition": 0, "earliest": 0, "latest": 10, "messages": 10},
        {"topic": topic, "partition": 1, "earliest": 0, "latest": 0, "messages": 0},
    ]
    assert len(ottla.rows("offsets", f"{topic}:1")) == 1


def test_offsets_at_a_time(ottla: Ottla, topic: str, broker: EmbeddedBroker) -> None:
    fill(broker, topic)
    rows = ottla.rows("offsets", topic, "--at", "1700000000004")
    assert [(row["offset"], row["timestamp"]) for row in rows] == [(4, 1_700_000_000_004), (None, None)]


def test_partition_that_is_not_there_is_an_error(ottla: Ottla, topic: str) -> None:
    assert "no partition 7" in ottla.fails("offsets", f"{topic}:7")
    assert "topic:0" in ottla.fails("offsets", f"{topic}:x", code=2)
    assert "is no time" in ottla.fails("offsets", topic, "--at", "yesterday", code=2)


def test_election_is_not_needed_where_the_preferred_replica_leads(ottla: Ottla, topic: str) -> None:
    assert ottla.rows("leaders", "elect", topic, "--dry-run") == []
    assert ottla.rows("leaders", "elect", topic) == []
