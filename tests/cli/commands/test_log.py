"""`ottla log dump|verify|adopt`: files of a broker that has stopped."""

import json
import shutil
from pathlib import Path

import pytest

import ottla as clients
from ottla.testing import EmbeddedBroker
from support.command import Ottla


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log directory of a broker that had topics and records and was stopped."""
    directory = tmp_path_factory.mktemp("stopped")
    with EmbeddedBroker(directory=directory) as broker:
        broker.create_topic("clicks", partitions=2)
        broker.create_topic("views")
        with clients.Producer(broker.bootstrap_servers) as producer:
            for number in range(5):
                producer.send("clicks", b"value %d" % number, key=b"k", partition=0, headers=[("h", b"x"), ("h", None)])
                producer.flush()
    return directory / "logs-0"


@pytest.fixture
def copy(stopped: Path, tmp_path: Path) -> Path:
    return shutil.copytree(stopped, tmp_path / "logs")


def test_dump_shows_batches(stopped: Path) -> None:
    rows = Ottla().rows("log", "dump", str(stopped / "clicks-0"))
    assert [(row["base_offset"], row["count"], row["problem"]) for row in rows] == [(n, 1, None) for n in range(5)]


def test_dump_shows_records(stopped: Path) -> None:
    rows = Ottla().rows("log", "dump", "--records", str(stopped / "clicks-0" / f"{0:020d}.log"))
    assert [row["value"] for row in rows] == [f"value {number}" for number in range(5)]
    assert rows[0]["key"] == "k"
    assert rows[0]["headers"] == [["h", "x"], ["h", None]]


def test_verify_finds_nothing_wrong_with_a_stopped_brokers_directory(stopped: Path) -> None:
    rows = Ottla().rows("log", "verify", str(stopped))
    assert {Path(row["file"]).parent.name: row["batches"] for row in rows} == {
        "clicks-0": 5,
        "clicks-1": 0,
        "views-0": 0,
    }


def test_verify_says_where_a_damaged_file_stops_being_sound(copy: Path) -> None:
    path = copy / "clicks-0" / f"{0:020d}.log"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    done = Ottla().run("log", "verify", str(path), "--format", "jsonl")
    assert done.returncode == 1
    row = json.loads(done.stdout)
    assert row["next_offset"] == 4
    assert "crc" in row["problem"].lower()


def test_directory_without_its_zookeeper_is_adopted_with_all_its_records(copy: Path) -> None:
    assert [row["outcome"] for row in Ottla().rows("log", "adopt", str(copy), "--dry-run")] == ["would be adopted"] * 2
    rows = Ottla().rows("log", "adopt", str(copy))
    assert [(row["topic"], row["partitions"], row["outcome"]) for row in rows] == [
        ("clicks", 2, "adopted"),
        ("views", 1, "adopted"),
    ]
    assert [row["outcome"] for row in Ottla().rows("log", "adopt", str(copy))] == ["is there already"] * 2
    with EmbeddedBroker(directory=copy.parent, properties={"log.dirs": copy}) as broker:
        again = Ottla(broker.bootstrap_servers)
        assert [row["latest"] for row in again.rows("offsets", "clicks")] == [5, 0]
        with clients.Producer(broker.bootstrap_servers) as producer:
            assert producer.send("clicks", b"more", partition=0).result(30).offset == 5


def test_directory_that_is_in_use_is_not_adopted(tmp_path: Path) -> None:
    with EmbeddedBroker(directory=tmp_path):
        assert "in use" in Ottla().fails("log", "adopt", str(tmp_path / "logs-0"), code=2)


def test_directory_of_nobody_needs_a_broker_id(copy: Path) -> None:
    (copy / "meta.properties").unlink()
    assert "--broker-id" in Ottla().fails("log", "adopt", str(copy), code=2)
    assert len(Ottla().rows("log", "adopt", str(copy), "--broker-id", "3", "--dry-run")) == 2
