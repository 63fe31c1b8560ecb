"""`ottla groups`."""

from pathlib import Path

import pytest

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla

LONG_AGO_MS = 1_600_000_000_000


@pytest.fixture
def group(broker: EmbeddedBroker, topic: str, name: str) -> str:
    """A group that has read 3 of 10 records of partition 0, which are years old, and all of partition 1."""
    with clients.Producer(broker.bootstrap_servers) as producer:
        for _ in range(10):
            producer.send(topic, b"value", partition=0, timestamp_ms=LONG_AGO_MS)
    offsets = {clients.TopicPartition(topic, 0): 3, clients.TopicPartition(topic, 1): 0}
    with clients.Admin(broker.bootstrap_servers) as admin:
        admin.alter_group_offsets(name, offsets).check()
    return name


def test_groups_are_listed_with_their_state(ottla: Ottla, group: str) -> None:
    assert {"group": group, "state": "Empty", "protocol_type": "", "members": 0} in ottla.rows("groups", "list")


def test_lag_is_told_in_records_and_in_seconds(ottla: Ottla, group: str, topic: str) -> None:
    rows = ottla.rows("groups", "describe", group)
    assert [(row["partition"], row["current_offset"], row["log_end_offset"], row["lag"]) for row in rows] == [
        (0, 3, 10, 7),
        (1, 0, 0, 0),
    ]
    assert rows[0]["lag_seconds"] > 365 * 86400
    assert rows[1]["lag_seconds"] == 0


def test_members_are_shown_with_what_they_have(ottla: Ottla, topic: str, name: str) -> None:
    with clients.Consumer(ottla.bootstrap_server, group_id=name, client_id="me") as consumer:
        consumer.subscribe([topic])
        while not consumer.assignment():
            consumer.poll(100)
        rows = ottla.rows("groups", "describe", name, "--members")
        assert [(row["client_id"], row["assignment"]) for row in rows] == [("me", [f"{topic}-0", f"{topic}-1"])]
        assert "stop its consumers first" in ottla.fails("groups", "reset", name, "--to-earliest", code=2).lower()
        assert "Stop its consumers first" in ottla.fails("groups", "delete", name)


def test_reset_moves_offsets_and_a_dry_run_does_not(ottla: Ottla, group: str, topic: str, tmp_path: Path) -> None:
    def offsets(*arguments: str) -> list[int]:
        return [row["new_offset"] for row in ottla.rows("groups", "reset", group, *arguments)]

    assert offsets("--to-latest", "--dry-run") == [10, 0]
    assert [row["current_offset"] for row in ottla.rows("groups", "describe", group)] == [3, 0]
    assert offsets("--to-latest") == [10, 0]
    assert [row["current_offset"] for row in ottla.rows("groups", "describe", group)] == [10, 0]
    assert offsets("--shift-by", "-4") == [6, 0]
    assert offsets("--to-offset", "99", f"{topic}:0") == [10]
    assert offsets("--to-datetime", "2030-01-01T00:00:00Z", f"{topic}:0") == [10]
    assert offsets("--by-duration", "P99999D", f"{topic}:0") == [0]
    file = tmp_path / "offsets.csv"
    file.write_text(f"{topic},0,7\n")
    assert offsets("--from-file", str(file)) == [7]


def test_deleted_group_is_gone(ottla: Ottla, group: str) -> None:
    ottla("groups", "delete", group, "--dry-run")
    ottla("groups", "delete", group)
    assert "ottla groups list" in ottla.fails("groups", "describe", group)


def test_reset_without_a_target_is_a_usage_error(ottla: Ottla, group: str) -> None:
    ottla.fails("groups", "reset", group, code=2)
    ottla.fails("groups", "reset", group, "--to-latest", "--to-earliest", code=2)
