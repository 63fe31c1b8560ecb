"""Where a table lies: what is a directory, what is an URL of one, and what is refused instead of becoming a folder."""

from pathlib import Path

import pytest

from ottla.errors import ConfigError
from ottla.spark.loader.settings import TableLayout
from ottla.spark.loader.tables.location import local_directory
from ottla.spark.loader.tables.opening import open_table
from support.load_tables import SCHEMA, append, visible_offsets

FORMATS = ["parquet", "delta", "iceberg"]
REMOTE = ["s3://bucket/x", "S3A://bucket/x", "gs://bucket/x", "abfss://box@account/x", "hdfs:///x", "s3:/bucket/x"]


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", REMOTE)
def test_table_of_another_place_is_refused_and_nothing_is_written(
    kind: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="not supported yet"):
        open_table(f"{kind}:{name}/web.clicks", TableLayout())
    assert not list(tmp_path.iterdir())


def test_file_url_is_the_directory_that_it_names(tmp_path: Path) -> None:
    table = open_table(f"parquet:{(tmp_path / 'a b').as_uri()}", TableLayout())
    append(table, table.state([]), range(3))
    assert visible_offsets(tmp_path / "a b") == [0, 1, 2]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/data/clicks", "/data/clicks"),
        ("file:///data/clicks", "/data/clicks"),
        ("file:/data/clicks", "/data/clicks"),
        ("file://localhost/data/clicks", "/data/clicks"),
        ("/data/a:b/c", "/data/a:b/c"),
    ],
)
def test_local_names(name: str, path: str) -> None:
    assert local_directory(name) == Path(path)


def test_tilde_is_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert local_directory("~/clicks") == tmp_path / "clicks"


def test_file_url_with_a_host_is_refused_with_what_was_meant() -> None:
    with pytest.raises(ConfigError, match="write file:///data/clicks"):
        local_directory("file://data/clicks")


@pytest.mark.parametrize("name", ["{}/ib", "{}/ib/", "{}/web.", "{}/.clicks", "ib"])
def test_iceberg_without_a_table_is_refused_with_the_form(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"write iceberg:DIRECTORY/NAMESPACE\.TABLE"):
        open_table("iceberg:" + name.format(tmp_path), TableLayout())
    assert not list(tmp_path.iterdir())


def test_iceberg_catalog_is_made_with_the_table_and_not_before(tmp_path: Path) -> None:
    table = open_table(f"iceberg:{tmp_path}/lake/web.clicks", TableLayout())
    assert table.state([]).version == -1
    assert not list(tmp_path.iterdir())
    table.prepare(SCHEMA)
    assert (tmp_path / "lake" / "catalog.db").exists()


def test_iceberg_warehouse_of_another_place_is_refused(tmp_path: Path) -> None:
    catalog = {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db", "warehouse": "s3://bucket/lake"}
    with pytest.raises(ConfigError, match="not supported yet"):
        open_table("iceberg:web.clicks", TableLayout(), catalog)
    assert not list(tmp_path.iterdir())


def test_iceberg_table_that_its_catalog_would_put_elsewhere_is_not_made(tmp_path: Path) -> None:
    from pyiceberg.catalog import load_catalog

    properties = {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db"}
    load_catalog("default", **properties).create_namespace("web", {"location": "s3://bucket/web"})
    with pytest.raises(ConfigError, match="not supported yet"):
        open_table("iceberg:web.clicks", TableLayout(), properties).prepare(SCHEMA)
    assert load_catalog("default", **properties).list_tables("web") == []
