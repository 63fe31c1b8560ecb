"""`ottla topics`."""

from support.command import Ottla


def test_created_topic_is_listed_and_described(ottla: Ottla, name: str) -> None:
    ottla("topics", "create", name, "-p", "3", "-c", "retention.ms=100000")
    assert {"topic": name, "partitions": 3, "replication_factor": 1} in ottla.rows("topics", "list")
    described = ottla.rows("topics", "describe", name)
    assert [row["partition"] for row in described] == [0, 1, 2]
    assert described[0] == {
        "topic": name, "partition": 0, "leader": 0, "replicas": [0], "in_sync_replicas": [0],
        "log_start_offset": 0, "log_end_offset": 0,
    }  # fmt: skip
    assert "retention.ms" in ottla("configs", "topic", name)


def test_topic_that_is_there_already_is_an_error_that_says_what_to_do(ottla: Ottla, topic: str) -> None:
    said = ottla.fails("topics", "create", topic)
    assert f"Topic '{topic}' already exists" in said
    assert "--if-not-exists" in said
    ottla("topics", "create", topic, "--if-not-exists")


def test_unknown_topic_is_an_error_that_says_where_to_look(ottla: Ottla) -> None:
    assert "ottla topics list" in ottla.fails("topics", "describe", "nobody-made-this")


def test_alter_adds_partitions_and_changes_configs(ottla: Ottla, topic: str) -> None:
    ottla("topics", "alter", topic, "-p", "4", "-c", "max.message.bytes=64000")
    assert len(ottla.rows("topics", "describe", topic)) == 4
    assert ottla.rows("configs", "topic", topic)[0]["value"] == "64000"
    ottla("topics", "alter", topic, "-d", "max.message.bytes")
    assert ottla.rows("configs", "topic", topic) == []


def test_dry_runs_change_nothing(ottla: Ottla, topic: str, name: str) -> None:
    ottla("topics", "create", f"{name}-2", "--dry-run")
    ottla("topics", "alter", topic, "-p", "9", "-c", "retention.ms=1", "--dry-run")
    ottla("topics", "delete", topic, "--dry-run")
    names = {row["topic"] for row in ottla.rows("topics", "list")}
    assert f"{name}-2" not in names
    assert len(ottla.rows("topics", "describe", topic)) == 2
    assert ottla.rows("configs", "topic", topic) == []


def test_deleted_topic_is_gone(ottla: Ottla, topic: str) -> None:
    ottla("topics", "delete", topic)
    assert topic not in ottla("topics", "list")


def test_nothing_to_alter_is_a_usage_error(ottla: Ottla, topic: str) -> None:
    assert "nothing to alter" in ottla.fails("topics", "alter", topic, code=2)
