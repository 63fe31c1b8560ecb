"""Loads killed with -9 at random moments, driver and workers: the table is exact, in every format and mode."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.testing import EmbeddedBroker
from support.killed_load import load_under_kills, process_command, spark_command
from support.load_tables import read_table
from support.load_topics import Topic

RECORDS = 4000
KEYS = 300


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(process=True) as embedded:
        yield embedded


@pytest.fixture(scope="module")
def topic(broker: EmbeddedBroker, tmp_path_factory: pytest.TempPathFactory) -> Topic:
    """Two partitions; a key is always in the same one, and every ninth change deletes."""
    found = Topic(broker, tmp_path_factory.mktemp("loads"), partitions=2)
    for partition in range(2):
        found.produce(
            ((b"%d-%d" % (partition, number % KEYS), None if number % 9 == 0 else b"%d" % number)
             for number in range(RECORDS)),
            partition=partition,
        )  # fmt: skip
    return found


def check(kind: str, mode: str, directory: Path) -> None:
    table = read_table(kind, directory)
    if mode == "append":
        positions = list(zip(table.column("partition").to_pylist(), table.column("offset").to_pylist(), strict=True))
        assert sorted(positions) == [(partition, offset) for partition in range(2) for offset in range(RECORDS)]
        return
    last = {(partition, number % KEYS): number for partition in range(2) for number in range(RECORDS)}
    expected = {b"%d-%d" % key: b"%d" % number for key, number in last.items() if number % 9}
    rows = table.select(["key", "value"]).to_pylist()
    assert {row["key"]: row["value"] for row in rows} == expected
    assert len(rows) == len(expected)


def load_until_hit(kills: int, command: list[str], delay_max: float, kind: str, mode: str, directory: Path) -> None:
    """When a load gets through before it is killed, the table is checked and the next begins from nothing."""
    hit, seed = 0, 0
    while hit < kills:
        seed += 1
        hit += load_under_kills(command, kills=5, delay_max=delay_max, seed=seed)
        check(kind, mode, directory)
        for folder in ("table", "lake"):
            shutil.rmtree(directory / folder, ignore_errors=True)


@pytest.mark.timeout(120)
def test_table_is_exact_after_kills(topic: Topic, tmp_path: Path) -> None:
    command = process_command(topic.broker.bootstrap_servers, topic.name, "parquet", tmp_path, "append")
    load_under_kills(command, kills=3, delay_max=2.5, seed=7)
    check("parquet", "append", tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("mode", ["append", "upsert"])
@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_table_is_exact_after_twenty_kills(kind: str, mode: str, topic: Topic, tmp_path: Path) -> None:
    command = process_command(topic.broker.bootstrap_servers, topic.name, kind, tmp_path, mode)
    load_until_hit(20, command, 4.0, kind, mode, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["parquet", "delta", "iceberg"])
def test_table_is_exact_after_kills_of_spark(kind: str, topic: Topic, tmp_path: Path) -> None:
    command = spark_command(topic.broker.bootstrap_servers, topic.name, kind, tmp_path, "append")
    load_until_hit(7, command, 10.0, kind, "append", tmp_path)
