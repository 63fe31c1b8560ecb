"""Changelog topics to tables with the last row of every key; partitioning; compaction."""

import datetime
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from ottla.spark.loader.compaction import compact
from ottla.spark.loader.settings import TableLayout
from ottla.testing import EmbeddedBroker
from support.load_tables import SchedulerHere, open_target, read_table
from support.load_topics import Topic, records_of, upsert_layout

FORMATS = ["parquet", "delta", "iceberg"]


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as embedded:
        yield embedded


@pytest.fixture
def topic(broker: EmbeddedBroker, tmp_path: Path) -> Topic:
    return Topic(broker, tmp_path, partitions=2)


def by_key(kind: str, directory: Path) -> dict[bytes, bytes]:
    rows = read_table(kind, directory).select(["key", "value"]).to_pylist()
    found = {row["key"]: row["value"] for row in rows}
    assert len(found) == len(rows), "a key has two rows"
    return found


@pytest.mark.parametrize("kind", FORMATS)
def test_upsert_keeps_the_last_value_and_a_tombstone_deletes(kind: str, topic: Topic, tmp_path: Path) -> None:
    expected: dict[bytes, bytes] = {}
    for load in range(3):
        changes = [(b"k%d" % (number % 40), b"%d-%d" % (load, number)) for number in range(load * 10, 60)]
        deletions: list[tuple[bytes, bytes | None]] = [(b"k%d" % number, None) for number in range(load, 40, 9)]
        topic.produce([*changes, *deletions])
        expected.update(changes)
        for key, _nothing in deletions:
            expected.pop(key, None)
        topic.load(kind, upsert_layout(), records_max=60)
        assert by_key(kind, tmp_path) == expected


def test_upsert_of_json_has_the_fields_of_the_last_value(topic: Topic, tmp_path: Path) -> None:
    topic.produce([(b"a", {"n": 1}), (b"b", {"n": 2}), (b"a", {"n": 3, "more": "x"})])
    topic.load("parquet", upsert_layout("json"))
    topic.produce([(b"b", None), (b"c", {"n": 0.5})])
    topic.load("parquet", upsert_layout("json"))
    rows = read_table("parquet", tmp_path).sort_by("kafka_key").select(["kafka_key", "n", "more"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [(b"a", 3.0, "x"), (b"c", 0.5, None)]


def test_record_without_a_key_is_bad_in_an_upsert(broker: EmbeddedBroker, topic: Topic, tmp_path: Path) -> None:
    letters = broker.create_topic(f"{topic.name}-dead")
    topic.produce([(None, b"lost"), (b"a", b"1")])
    assert topic.load("parquet", upsert_layout(), dead_letter_topic=letters).bad_records == 1
    assert by_key("parquet", tmp_path) == {b"a": b"1"}
    assert [record.value for record in records_of(broker, letters)] == [b"lost"]


@pytest.mark.parametrize("kind", FORMATS)
def test_rows_lie_in_folders_of_their_hour(kind: str, topic: Topic, tmp_path: Path) -> None:
    noon = int(datetime.datetime(2026, 11, 15, 12, tzinfo=datetime.UTC).timestamp() * 1000)
    for hours in (0, 1, 13):
        topic.produce([b"%d" % hours] * 3, timestamp_ms=noon + hours * 3_600_000)
    topic.load(kind, TableLayout(partition_by=("hour",)))
    rows = read_table(kind, tmp_path).select(["record_date", "record_hour", "value"]).to_pylist()
    found = {(str(row["record_date"]), row["record_hour"], row["value"]) for row in rows}
    assert found == {("2026-11-15", 12, b"0"), ("2026-11-15", 13, b"1"), ("2026-11-16", 1, b"13")}
    assert len(rows) == 9
    if kind == "parquet":
        seen = duckdb.sql(
            f"select record_date, record_hour, count(*) from read_parquet('{tmp_path}/table/**/*.parquet') "
            "group by all order by all"
        ).fetchall()
        assert [(str(date), hour, count) for date, hour, count in seen] == [
            ("2026-11-15", 12, 3), ("2026-11-15", 13, 3), ("2026-11-16", 1, 3),
        ]  # fmt: skip


def test_rows_lie_in_folders_of_a_column(topic: Topic, tmp_path: Path) -> None:
    topic.produce([{"country": "DK"}, {"country": None}, {"country": "Æ/1"}, {"country": "DK"}])
    topic.load("parquet", TableLayout(columns="json", partition_by=("country",)), given_schema="country string, x int")
    assert sorted(path.name for path in (tmp_path / "table").glob("country=*")) == [
        "country=%C3%86%2F1", "country=DK", "country=__HIVE_DEFAULT_PARTITION__",
    ]  # fmt: skip
    assert sorted(map(str, read_table("parquet", tmp_path).column("country").to_pylist())) == [
        "DK",
        "DK",
        "None",
        "Æ/1",
    ]


@pytest.mark.parametrize("kind", FORMATS)
def test_compaction_joins_small_files_and_keeps_rows_and_offsets(kind: str, topic: Topic, tmp_path: Path) -> None:
    layout = TableLayout(partition_by=("day",))
    for number in range(4):
        topic.produce([b"%d" % number])
        topic.load(kind, layout)
    table = open_target(kind, tmp_path)
    planned = compact(topic.settings(layout), table, SchedulerHere(), dry_run=True)
    assert (planned.files_before, planned.files_after) == (4, 1)
    assert compact(topic.settings(layout), table, SchedulerHere()).files_after == 1
    assert len(table.state([]).files) == 1
    assert sorted(read_table(kind, tmp_path).column("value").to_pylist()) == [b"0", b"1", b"2", b"3"]
    topic.produce([b"4"])
    assert topic.load(kind, layout).rows == 1
    assert read_table(kind, tmp_path).num_rows == 5
