"""`ottla configs`."""

from support.command import Ottla


def test_keys_are_set_shown_and_taken_back(ottla: Ottla, topic: str) -> None:
    ottla("configs", "topic", topic, "retention.ms=60000", "cleanup.policy=compact")
    shown = {row["key"]: (row["value"], row["source"]) for row in ottla.rows("configs", "topic", topic)}
    assert shown == {
        "retention.ms": ("60000", "dynamic_topic_config"),
        "cleanup.policy": ("compact", "dynamic_topic_config"),
    }
    ottla("configs", "topic", topic, "-d", "retention.ms")
    assert [row["key"] for row in ottla.rows("configs", "topic", topic)] == ["cleanup.policy"]


def test_one_key_is_shown_wherever_its_value_comes_from(ottla: Ottla, topic: str) -> None:
    assert ottla.rows("configs", "topic", topic, "segment.bytes")[0]["value"] == str(1 << 30)
    assert ottla.rows("configs", "broker", "0", "num.partitions")[0]["value"] == "1"


def test_all_shows_the_defaults(ottla: Ottla, topic: str) -> None:
    assert len(ottla.rows("configs", "topic", topic, "--all")) > 20


def test_value_that_cannot_be_is_refused_by_the_broker(ottla: Ottla, topic: str) -> None:
    assert "retention.ms" in ottla.fails("configs", "topic", topic, "retention.ms=soon")
    assert "nope" in ottla.fails("configs", "topic", topic, "nope=1")


def test_broker_without_id_is_a_usage_error(ottla: Ottla) -> None:
    ottla.fails("configs", "broker", code=2)
    ottla.fails("configs", "broker", "zero", code=2)
