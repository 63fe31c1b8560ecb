"""The tables against Kafka 3.9's own definitions and against the 0.8.2 manual's tables (copies in tests/data)."""

import csv
from collections.abc import Mapping
from pathlib import Path

import pytest

from ottla.config import keys
from ottla.config.definition import ACCEPTED, HONOURED, MAPPED, ConfigKey
from ottla.config.effective import default_value
from ottla.config.validators import check_value
from ottla.config.values import parse_value, value_text

DATA = Path(__file__).parent.parent / "data"

LOOKUPS = {
    "broker": keys.broker_keys,
    "topic": keys.topic_keys,
    "producer": keys.producer_keys,
    "consumer": keys.consumer_keys,
    "admin": keys.admin_keys,
    "old producer": keys.old_producer_keys,
    "old consumer": keys.old_consumer_keys,
}

SECTIONS = {
    "3.1": "broker",
    "3.1-topic": "topic",
    "3.2": "old consumer",
    "3.3": "old producer",
    "3.4": "producer",
}

# The deviations from Kafka's defaults that the architecture allows.
DEVIATIONS = {
    "listeners": "PLAINTEXT://localhost:9092",
    "log.dirs": "./data/logs",
    "log.dir": None,
    "queued.max.request.bytes": "67108864",
}

# The manual's 3.1 lists keys that Kafka 3.9 no longer has; everything else of ours is named ottla.*.
DYNAMIC_QUOTAS = {
    "leader.replication.throttled.rate",
    "follower.replication.throttled.rate",
    "replica.alter.log.dirs.io.max.bytes.per.second",
}
AUTHORIZER_KEYS = {"super.users", "allow.everyone.if.no.acl.found"}


def read_tsv(name: str) -> list[dict[str, str]]:
    with open(DATA / name, newline="", encoding="utf-8") as file:
        return [
            {key: value or "" for key, value in row.items()}
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


KAFKA_ROWS = read_tsv("config-keys-3.9.tsv")
MANUAL_ROWS = read_tsv("config-keys-manual.tsv")


def kafka_default(row: dict[str, str]) -> str | None:
    """The recorded default as a properties file would hold it: the list prints [a, b], classes print `class x`."""
    text = row["default"]
    if text == "null":
        return None
    if row["type"] == "LIST":
        return ",".join(part.strip().removeprefix("class ") for part in text.strip("[]").split(","))
    return text.removeprefix("class ")


def kafka_valid(text: str) -> str:
    if text.startswith("[0.8.0, "):
        return "a Kafka version"
    if text.startswith("The default value of -1"):
        return "[-1,...]"
    return "partition:broker pairs" if text.startswith("[partitionId]") else text


@pytest.mark.parametrize("kind", ["broker", "topic", "producer", "consumer", "admin"])
def test_every_key_of_kafka_is_known_with_its_type_default_and_bounds(kind: str) -> None:
    known = LOOKUPS[kind]()
    for row in KAFKA_ROWS:
        if row["kind"] != kind:
            continue
        key = known[row["key"]]
        default = DEVIATIONS[key.name] if kind == "broker" and key.name in DEVIATIONS else kafka_default(row)
        expected = (row["type"], default, kafka_valid(row["valid"]), row["importance"], row["update"])
        assert (key.type, key.default, key.valid, key.importance, key.update_mode) == expected, key.name


def test_kafka_version_bounds_hold_for_every_version_that_kafka_lists() -> None:
    row = next(row for row in KAFKA_ROWS if row["key"] == "log.message.format.version")
    for version in row["valid"].strip("[]").split(", "):
        check_value("log.message.format.version", "a Kafka version", version)


@pytest.mark.parametrize("section", SECTIONS)
def test_every_key_of_the_manual_is_known(section: str) -> None:
    rows = [row for row in MANUAL_ROWS if row["section"] == section]
    assert len(rows) > 10
    missing = {row["key"] for row in rows} - LOOKUPS[SECTIONS[section]]().keys()
    assert not missing


@pytest.mark.parametrize("section", ["3.2", "3.3"])
def test_old_clients_have_the_manuals_defaults(section: str) -> None:
    known = LOOKUPS[SECTIONS[section]]()
    for row in MANUAL_ROWS:
        if row["section"] != section:
            continue
        text = {"null": None, '""': "", "group id value": None}.get(row["default"], row["default"])
        if text and "*" in text:
            left, right = text.split("*")
            text = str(int(left) * int(right))
        assert known[row["key"]].default == text, row["key"]


def test_no_broker_key_is_invented_outside_the_ottla_namespace() -> None:
    documented = {row["key"] for row in KAFKA_ROWS if row["kind"] == "broker"}
    documented |= {row["key"] for row in MANUAL_ROWS if row["section"] == "3.1"}
    extra = keys.broker_keys().keys() - documented - DYNAMIC_QUOTAS - AUTHORIZER_KEYS
    assert all(name.startswith("ottla.") for name in extra), sorted(extra)


@pytest.mark.parametrize("kind", LOOKUPS)
def test_every_status_is_explained(kind: str) -> None:
    for key in LOOKUPS[kind]().values():
        assert key.status in (HONOURED, ACCEPTED, MAPPED), key.name
        assert (key.reason is not None) == (key.status == ACCEPTED), key.name
        assert (key.maps_to is not None) == (key.status == MAPPED), key.name
        assert key.doc.endswith("."), key.name


def map_target_keys(kind: str) -> Mapping[str, ConfigKey]:
    return {"old producer": keys.producer_keys, "old consumer": keys.consumer_keys}.get(kind, LOOKUPS[kind])()


@pytest.mark.parametrize("kind", LOOKUPS)
def test_mapped_keys_lead_to_keys_that_exist(kind: str) -> None:
    targets = map_target_keys(kind)
    assert all(key.maps_to in targets for key in LOOKUPS[kind]().values() if key.maps_to)


@pytest.mark.parametrize("kind", LOOKUPS)
def test_every_default_is_valid_and_survives_the_way_to_text_and_back(kind: str) -> None:
    for key in LOOKUPS[kind]().values():
        value = default_value(key)
        if value is not None:
            check_value(key.name, key.valid, value)
        assert parse_value(key.name, key.type, value_text(value)) == value


def test_topic_keys_fall_back_to_broker_keys_of_the_same_type() -> None:
    for key in keys.topic_keys().values():
        if key.broker_key:
            assert keys.broker_keys()[key.broker_key].type == key.type, key.name
