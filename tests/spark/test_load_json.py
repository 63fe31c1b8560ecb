"""JSON to columns: inferred, given, evolving; and what becomes of records that do not fit."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.spark.loader.errors import BadRecordError
from ottla.spark.loader.settings import TableLayout
from ottla.testing import EmbeddedBroker
from support.load_tables import read_table
from support.load_topics import Topic, records_of

JSON = TableLayout(columns="json")
FORMATS = ["parquet", "delta", "iceberg"]


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as embedded:
        yield embedded


@pytest.fixture
def topic(broker: EmbeddedBroker, tmp_path: Path) -> Topic:
    return Topic(broker, tmp_path, partitions=2)


def rows_of(kind: str, directory: Path, *columns: str) -> list[tuple[object, ...]]:
    table = read_table(kind, directory).sort_by([("kafka_partition", "ascending"), ("kafka_offset", "ascending")])
    return [tuple(row.values()) for row in table.select(columns).to_pylist()]


@pytest.mark.parametrize("kind", FORMATS)
def test_fields_become_columns_and_new_ones_come_with_later_records(kind: str, topic: Topic, tmp_path: Path) -> None:
    topic.produce([{"id": 1, "name": "Ottla"}, None, {"id": 2, "place": {"city": "Prague"}, "tags": []}])
    assert topic.load(kind, JSON).rows == 3
    topic.produce([{"id": 3, "place": {"city": "Berlin", "zip": "1"}, "tags": ["x"]}, {"new": True}])
    topic.load(kind, JSON)
    found = rows_of(kind, tmp_path, "id", "name", "place", "tags", "new")
    assert [row[0] for row in found] == [1, None, 2, 3, None]
    assert [row[1] for row in found] == ["Ottla", None, None, None, None]
    assert [(row[2] or {}).get("city") for row in found] == [None, None, "Prague", "Berlin", None]  # type: ignore[attr-defined]
    assert [(row[2] or {}).get("zip") for row in found] == [None, None, None, "1", None]  # type: ignore[attr-defined]
    assert [row[3] for row in found] == [None, None, None, ["x"], None]
    assert [row[4] for row in found] == [None, None, None, None, True]


def test_tasks_that_see_different_columns_write_the_same(topic: Topic, tmp_path: Path) -> None:
    """All files of a load have one schema, so that any reader takes them."""
    import pyarrow.parquet as pq

    topic.produce([{"a": 1}, {"a": 2}], partition=0)
    topic.produce([{"a": 1.5, "b": "x"}], partition=1)
    topic.load("parquet", JSON)
    schemas = {str(pq.read_schema(path)) for path in (tmp_path / "table").glob("*.parquet")}
    assert len(schemas) == 1
    assert rows_of("parquet", tmp_path, "a", "b") == [(1.0, None), (2.0, None), (1.5, "x")]


@pytest.mark.parametrize("kind", FORMATS)
def test_number_is_widened_with_all_that_was_there(kind: str, topic: Topic, tmp_path: Path) -> None:
    topic.produce([{"a": 1}])
    topic.load(kind, JSON, given_schema="a int")
    topic.produce([{"a": 2**40}])
    topic.load(kind, JSON)
    topic.produce([{"a": 0.5, "b": "new"}])
    topic.load(kind, JSON)
    table = read_table(kind, tmp_path)
    assert str(table.schema.field("a").type) == "double"
    assert rows_of(kind, tmp_path, "a", "b") == [(1.0, None), (float(2**40), None), (0.5, "new")]


def test_given_columns_are_there_before_their_values(topic: Topic, tmp_path: Path) -> None:
    topic.produce([{"at": "2026-11-15T12:00:00Z", "more": 1}])
    topic.load(
        "parquet", JSON, given_schema="at timestamp, `who` string, tags array<string>, place struct<city: string>"
    )
    assert {"at", "who", "tags", "place", "more"} <= set(read_table("parquet", tmp_path).column_names)
    assert str(rows_of("parquet", tmp_path, "at")[0][0]) == "2026-11-15 12:00:00+00:00"


@pytest.mark.parametrize("kind", FORMATS)
def test_bad_records_go_to_the_dead_letter_topic_with_the_reason(
    kind: str, broker: EmbeddedBroker, topic: Topic, tmp_path: Path
) -> None:
    letters = broker.create_topic(f"{topic.name}-dead")
    topic.produce([{"id": 1}, b"{", {"id": "one"}, b"[]", {"id": 2}])
    report = topic.load(kind, JSON, dead_letter_topic=letters)
    assert (report.rows, report.bad_records) == (2, 3)
    assert rows_of(kind, tmp_path, "id") == [(1,), (2,)]
    found = {int(dict(record.headers)["ottla.offset"]): record for record in records_of(broker, letters)}
    assert sorted(found) == [1, 2, 3]
    headers = dict(found[2].headers)
    assert (headers["ottla.topic"], headers["ottla.partition"]) == (topic.name.encode(), b"0")
    assert headers["ottla.reason"] == b"id is int64, and this is string"
    assert (found[2].key, json.loads(found[2].value)) == (b"key", {"id": "one"})


def test_bad_record_stops_the_load_where_there_is_no_dead_letter_topic(topic: Topic, tmp_path: Path) -> None:
    topic.produce([{"id": 1}, b"{"])
    with pytest.raises(BadRecordError, match=rf"{topic.name}-0, offset 1: no JSON.*--dead-letter"):
        topic.load("parquet", JSON)
    assert not list((tmp_path / "table").glob("*.parquet"))
