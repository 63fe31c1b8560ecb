"""The columns of JSON: as a person writes them, as records need them, and what files they make."""

import contextlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ottla.errors import ConfigError
from ottla.spark.loader.data_file import DataFile
from ottla.spark.loader.ddl import parse_schema
from ottla.spark.loader.file_writer import FileSet
from ottla.spark.loader.json_types import Misfit, grow_fields, merge_fields, shape
from ottla.spark.loader.rewriting import plan_compaction

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False) | st.sampled_from(["x", "1"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)
RECORDS = st.lists(st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4), max_size=6)

SETTINGS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def fitting(records: list[dict[str, Any]]) -> tuple[list[pa.Field], list[dict[str, Any]]]:
    fields: list[pa.Field] = []
    fit = []
    for record in records:
        try:
            fields = grow_fields(fields, record)
            fit.append(record)
        except Misfit:
            continue
    return fields, fit


@SETTINGS
@given(RECORDS)
def test_columns_that_grew_with_records_do_not_grow_with_them_again(records: list[dict[str, Any]]) -> None:
    """An empty array that was there before its column can turn out not to fit, but not to need more."""
    fields, fit = fitting(records)
    for record in fit:
        with contextlib.suppress(Misfit):
            assert grow_fields(fields, record) is fields


@SETTINGS
@given(RECORDS)
def test_records_of_one_shape_make_the_same_columns(records: list[dict[str, Any]]) -> None:
    by_shape: dict[Any, list[pa.Field]] = {}
    for record in records:
        try:
            grown = grow_fields([], record)
        except Misfit:
            continue
        assert by_shape.setdefault(shape(record), grown) == grown


@SETTINGS
@given(RECORDS, RECORDS)
def test_merged_columns_keep_the_names_of_both(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> None:
    one, other = fitting(first)[0], fitting(second)[0]
    merged = merge_fields(one, other)
    assert {field.name for field in merged} == {field.name for field in [*one, *other]}
    assert merge_fields(merged, other) == merged
    assert merge_fields(merged, one) == merged


def test_schema_is_read_as_spark_writes_it() -> None:
    found = parse_schema("id long, `a b` STRING, tags array<array<int>>, place: struct<city: string, at timestamp>")
    assert found == pa.schema(
        [
            pa.field("id", pa.int64()),
            pa.field("a b", pa.string()),
            pa.field("tags", pa.list_(pa.field("element", pa.list_(pa.field("element", pa.int32()))))),
            pa.field("place", pa.struct([("city", pa.string()), ("at", pa.timestamp("us", tz="UTC"))])),
        ]
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("id", "did not expect its end"),
        ("id number", "there is no type number"),
        ("id long,, x int", "did not expect ','"),
        ("a array<int", "did not expect its end"),
        ("a int, A int", "has a twice"),
        ("a int; b int", "did not expect ';'"),
    ],
)
def test_schema_that_cannot_be_is_refused(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        parse_schema(text)


def test_files_are_closed_at_their_size(tmp_path: Path) -> None:
    data = pa.table({"value": pa.array([b"%0100d" % number for number in range(1000)], pa.binary())})
    files = FileSet(tmp_path, "t", data.schema, file_bytes=50_000, compression="none", suffix=".staged")
    for _ in range(5):
        files.write(data)
    done = files.close()
    assert len(done) == 5
    for file in done:
        on_disk = tmp_path / f"{file.path}.staged"
        assert (file.rows, file.bytes) == (pq.read_metadata(on_disk).num_rows, on_disk.stat().st_size)


def test_compaction_joins_small_files_of_one_place_up_to_the_size() -> None:
    files = [DataFile(f"day=1/{number}.parquet", 1, 40) for number in range(5)]
    files += [DataFile("day=2/a.parquet", 1, 40), DataFile("day=1/big.parquet", 1, 60)]
    groups = plan_compaction(files, 100)
    assert [len(group) for group in groups] == [2, 2]
    assert all(file.path.startswith("day=1/") for group in groups for file in group)
    buckets = [
        DataFile("b00001-x.parquet", 1, 1),
        DataFile("b00002-x.parquet", 1, 1),
        DataFile("b00001-y.parquet", 1, 1),
    ]
    assert [[file.bucket for file in group] for group in plan_compaction(buckets, 100)] == [[1, 1]]
