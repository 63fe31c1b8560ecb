"""`ottla load` on a real broker and a real Spark."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ottla
from ottla.spark.loader.load import Loader
from ottla.spark.loader.scheduler import SparkScheduler, TaskFailedError
from ottla.spark.loader.settings import LoadSettings
from ottla.testing import EmbeddedBroker
from support.command import run_here
from support.load_tables import open_target, read_offsets, read_table, target_name, visible_offsets


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker() as embedded:
        yield embedded


@pytest.fixture(autouse=True)
def _shared_spark(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command runs its tasks on the session that all tests share."""
    monkeypatch.setattr(SparkScheduler, "_start", lambda self: spark.sparkContext)
    monkeypatch.setattr(SparkScheduler, "close", lambda self: None)


def produce(broker: EmbeddedBroker, topic: str, count: int, partition: int = 0) -> None:
    with ottla.Producer(broker.bootstrap_servers) as producer:
        for number in range(count):
            producer.send(topic, b"value %d" % number, key=b"key", partition=partition)


def load(broker: EmbeddedBroker, *arguments: str) -> list[dict[str, Any]]:
    ended = run_here("load", *arguments, "-b", broker.bootstrap_servers, "--format", "json")
    assert ended.code == 0, ended.stderr
    found: list[dict[str, Any]] = json.loads(ended.stdout)
    return found


def test_loads_go_on_where_the_last_one_ended_and_readers_see_every_record_once(
    broker: EmbeddedBroker, spark: Any, tmp_path: Path
) -> None:
    import duckdb

    broker.create_topic("visits", partitions=2)
    table = tmp_path / "visits"
    produce(broker, "visits", 100)
    produce(broker, "visits", 50, partition=1)
    report = load(broker, "visits", "--to", f"parquet:{table}", "--max-records", "60")
    assert [(row["partition"], row["start"], row["end"], row["rows"], row["lag"]) for row in report] == [
        (0, 0, 100, 100, 0),
        (1, 0, 50, 50, 0),
    ]
    produce(broker, "visits", 10)
    assert [row["rows"] for row in load(broker, "visits", "--to", f"parquet:{table}")] == [10]
    assert load(broker, "visits", "--to", f"parquet:{table}") == []

    expected = sorted([*range(110), *range(50)])
    assert visible_offsets(table) == expected
    seen = spark.read.parquet(str(table))
    assert sorted(row.offset for row in seen.select("offset").collect()) == expected
    assert seen.filter("offset = 7 and partition = 0").collect()[0].value == b"value 7"
    assert duckdb.sql(f"select count(*), count(distinct (partition, \"offset\")) from '{table}/*.parquet'").fetchall() \
        == [(160, 160)]  # fmt: skip


def test_dry_run_shows_what_would_be_loaded_and_writes_nothing(broker: EmbeddedBroker, tmp_path: Path) -> None:
    broker.create_topic("planned")
    produce(broker, "planned", 3)
    found = load(broker, "planned", "--to", f"parquet:{tmp_path / 'table'}", "--dry-run")
    assert found == [{"topic": "planned", "partition": 0, "start": 0, "end": 3, "offsets": 3}]
    assert not (tmp_path / "table").exists()


def test_records_deleted_before_they_were_loaded_stop_the_load(broker: EmbeddedBroker, tmp_path: Path) -> None:
    broker.create_topic("short")
    produce(broker, "short", 5)
    load(broker, "short", "--to", f"parquet:{tmp_path / 'table'}")
    produce(broker, "short", 5)
    run_here("records", "delete", "short:0", "--before", "8", "--yes", "-b", broker.bootstrap_servers)
    ended = run_here("load", "short", "--to", f"parquet:{tmp_path / 'table'}", "-b", broker.bootstrap_servers)
    assert ended.code == 2
    assert "the records 5 to 7 were deleted" in ended.stderr
    load(broker, "short", "--to", f"parquet:{tmp_path / 'table'}", "--allow-gaps")
    assert visible_offsets(tmp_path / "table") == [0, 1, 2, 3, 4, 8, 9]


@pytest.mark.parametrize("kind", ["delta", "iceberg"])
def test_lake_tables_are_read_by_spark_duckdb_and_pyarrow(
    kind: str, broker: EmbeddedBroker, spark: Any, tmp_path: Path
) -> None:
    import duckdb

    topic = broker.create_topic(f"json-{kind}")
    with ottla.Producer(broker.bootstrap_servers) as producer:
        for number in range(20):
            producer.send(topic, json.dumps({"n": number, "even": number % 2 == 0}).encode())
    arguments = [topic, "--to", target_name(kind, tmp_path), "--schema", "json", "--partition-by", "day"]
    assert [row["rows"] for row in load(broker, *arguments, "--max-records", "7")] == [20]

    rows = read_table(kind, tmp_path)
    assert sorted(rows.column("n").to_pylist()) == list(range(20))
    assert duckdb.sql("select sum(n), count(*) filter (even) from rows").fetchall() == [(190, 10)]
    opened = open_target(kind, tmp_path)
    files = [str(opened.read_path(file)) for file in opened.state(()).files]
    assert spark.read.parquet(*files).agg({"n": "sum"}).collect()[0][0] == 190


def test_continuous_load_takes_what_comes(
    broker: EmbeddedBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.create_topic("endless")
    rounds = []

    def pause(seconds: float) -> None:
        """Between two rounds; the third is the last."""
        rounds.append(seconds)
        if len(rounds) == 3:
            raise KeyboardInterrupt
        produce(broker, "endless", 2)

    monkeypatch.setattr("ottla.cli.load_run.pause", pause)
    ended = run_here("load", "endless", "--to", f"parquet:{tmp_path / 'table'}", "--continuous", "--interval", "5",
                     "-b", broker.bootstrap_servers)  # fmt: skip
    assert ended.code == 0, ended.stderr
    assert ended.stderr.count("2 rows") == 2
    assert visible_offsets(tmp_path / "table") == [0, 1, 2, 3]


def test_continuous_load_outlives_a_commit_that_came_second(
    broker: EmbeddedBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broker.create_topic("raced")
    produce(broker, "raced", 2)
    name = target_name("parquet", tmp_path)
    table = open_target("parquet", tmp_path)
    commit = type(table).commit

    def commit_second(self: Any, state: Any, change: Any) -> int:
        """Another load is committed first, once."""
        monkeypatch.setattr(type(table), "commit", commit)
        load(broker, "raced", "--to", name)
        return int(commit(self, state, change))

    def pause(seconds: float) -> None:
        if pauses:
            raise KeyboardInterrupt
        pauses.append(seconds)

    pauses: list[float] = []
    monkeypatch.setattr(type(table), "commit", commit_second)
    monkeypatch.setattr("ottla.cli.load_run.pause", pause)
    ended = run_here("load", "raced", "--to", name, "--continuous", "-b", broker.bootstrap_servers)
    assert (ended.code, "was committed first; trying again" in ended.stderr) == (0, True), ended.stderr
    assert read_offsets("parquet", tmp_path) == [0, 1]


def test_bad_record_ends_the_command_with_where_and_why(broker: EmbeddedBroker, tmp_path: Path) -> None:
    broker.create_topic("no-json")
    produce(broker, "no-json", 1)
    ended = run_here("load", "no-json", "--to", f"parquet:{tmp_path / 'table'}", "--schema", "json",
                     "-b", broker.bootstrap_servers)  # fmt: skip
    assert ended.code == 2
    assert "no-json-0, offset 0: no JSON" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_tasks_that_fail_after_their_work_are_tried_again_and_load_nothing_twice(
    broker: EmbeddedBroker, spark: Any, tmp_path: Path
) -> None:
    broker.create_topic("flaky", partitions=2)
    for partition in range(2):
        produce(broker, "flaky", 50, partition)

    class FlakyScheduler(SparkScheduler):
        def run(self, function: Any, tasks: Any, on_rows: Any) -> Any:
            def fail_at_first(task: Any) -> Any:
                from pyspark import TaskContext

                result = function(task)
                if TaskContext.get().attemptNumber() < 2:
                    raise RuntimeError("not this time")
                return result

            return super().run(fail_at_first, tasks, on_rows)

    settings = LoadSettings(topics=("flaky",), client={"bootstrap.servers": broker.bootstrap_servers})
    table = open_target("parquet", tmp_path)
    report = Loader(settings, table, FlakyScheduler(context=spark.sparkContext)).load()
    assert (report.rows, report.files) == (100, 2)
    assert read_offsets("parquet", tmp_path) == sorted([*range(50), *range(50)])


def test_task_that_always_fails_ends_the_load_with_its_reason(spark: Any) -> None:
    def fail(task: int) -> int:
        raise ValueError(f"task {task} cannot")

    with pytest.raises(TaskFailedError, match=r"failed 4 times: ValueError: task 1 cannot"):
        SparkScheduler(context=spark.sparkContext).run(fail, [1], lambda rows: None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["visits", "--to", "csv:/tmp/x"], "parquet:PATH"),
        (["--to", "parquet:/tmp/x"], "which topic"),
        (["visits", "--to", "parquet:/tmp/x", "--mode", "upsert", "--partition-by", "day"], "upsert"),
        (
            ["nobody-made-this", "--to", "parquet:/tmp/x"],
            "'nobody-made-this' does not exist. `ottla topics",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(broker: EmbeddedBroker, arguments: list[str], said: str) -> None:
    ended = run_here("load", *arguments, "-b", broker.bootstrap_servers)
    assert ended.code in (1, 2)
    assert said in ended.stderr
