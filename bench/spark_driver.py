"""Spark as a client, in a process of its own: `format("ottla")`, Spark's own Kafka connector, and the ceiling of both.

The JVM warms up on a pass of every query that does not count. CPU is that of this process and all its children: the
JVM and its Python workers.
"""

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f
from pyspark.sql.streaming import StreamingQuery

import ottla
from bench.driver import ROOT
from bench.processes import cpu_seconds
from bench.spark_ceiling import CeilingSource
from bench.spark_sources import CONNECTOR_JARS

CORES = 2
PLAIN_FILES = "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
FEED_INTERVAL_S = 0.01
RECORDS_AT_ONCE = 20
FEED_TIMEOUT_S = 300.0


def session(settings: dict[str, str] | None = None) -> SparkSession:
    """As a user would have it, but quiet and without a port of its own."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = str(ROOT)
    builder = SparkSession.builder.master(f"local[{CORES}]").appName("bench")
    jars = ",".join(str(path) for path in sorted(CONNECTOR_JARS.glob("*.jar")))
    values = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.driver.memory": "2g",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": str(CORES),
        "spark.jars": jars,
    }
    for key, value in (values | (settings or {})).items():
        builder = builder.config(key, value)
    made = builder.getOrCreate()
    made.dataSource.register(CeilingSource)
    return made


def count(frame: DataFrame) -> None:
    frame.count()


def noop(frame: DataFrame) -> None:
    frame.write.format("noop").mode("overwrite").save()


def aggregate(frame: DataFrame) -> None:
    sums = (f.count("*"), f.sum(f.length("value")), f.max("timestamp"), f.max("offset"))
    frame.groupBy("topic", "partition").agg(*sums).collect()


QUERIES: dict[str, Callable[[DataFrame], None]] = {"count": count, "noop": noop, "aggregate": aggregate}


def read(port: int, pid: int, topic: str, rows: int, value_bytes: int, source: str) -> dict[str, float]:
    """Rows a second of each query, from the source and from the ceiling, in turn."""
    spark = session()

    def topic_frame() -> DataFrame:
        reader = spark.read.format(source).option("kafka.bootstrap.servers", f"127.0.0.1:{port}")
        return reader.option("subscribe", topic).load()

    def ceiling_frame(count: int = rows) -> DataFrame:
        return spark.read.format("ceiling").option("rows", count).option("valueBytes", value_bytes).load()

    found = topic_frame().count()
    if found != rows:
        raise RuntimeError(f"{found} rows of {rows}")
    result: dict[str, float] = {}
    for name, query in QUERIES.items():
        query(topic_frame())
        query(ceiling_frame(rows // 5))
        measured, ceiling = _run(query, topic_frame(), pid), _run(query, ceiling_frame(), pid)
        result[f"{name}_m_rows_s"] = rows / measured.seconds / 1e6
        result[f"{name}_cpu_us"] = measured.cpu_s * 1e6 / rows
        result[f"{name}_of_ceiling"] = ceiling.seconds / measured.seconds
        result[f"{name}_cpu_of_ceiling"] = ceiling.cpu_s / measured.cpu_s
    spark.stop()
    return result


class Cost(NamedTuple):
    seconds: float
    cpu_s: float


def _run(query: Callable[[DataFrame], None], frame: DataFrame, broker_pid: int) -> Cost:
    """Time, and the CPU of Spark (JVM and Python workers) and of the broker."""
    cpu, began = cpu_seconds(os.getpid()) + cpu_seconds(broker_pid), time.perf_counter()
    query(frame)
    elapsed = time.perf_counter() - began
    return Cost(elapsed, cpu_seconds(os.getpid()) + cpu_seconds(broker_pid) - cpu)


def micro_batches(port: int, topic: str, source: str, batches: int) -> dict[str, float]:
    """How long a micro-batch takes that has next to nothing to do: a record every 10 ms comes in meanwhile."""
    plain = {"spark.sql.streaming.checkpointFileManagerClass": PLAIN_FILES}
    kinds: dict[str, dict[str, str]] = {"default": {}, "plain_files": plain}
    return {f"{name}_p50_ms": _micro_batch_ms(port, topic, source, batches, kinds[name]) for name in kinds}


def _micro_batch_ms(port: int, topic: str, source: str, batches: int, settings: dict[str, str]) -> float:
    spark = session(settings)
    reader = spark.readStream.format(source).option("kafka.bootstrap.servers", f"127.0.0.1:{port}")
    with tempfile.TemporaryDirectory() as checkpoint:
        writer = reader.option("subscribe", topic).load().writeStream.format("noop")
        query = writer.option("checkpointLocation", checkpoint).start()
        _feed(port, topic, query, 2 * batches)
        durations = _durations(query)
        query.processAllAvailable()
        query.stop()
    spark.stop()
    return statistics.median(durations[batches:])  # the first half warms up


def _durations(query: StreamingQuery) -> list[int]:
    return [progress.durationMs["triggerExecution"] for progress in query.recentProgress if progress.numInputRows]


def _feed(port: int, topic: str, query: StreamingQuery, batches: int) -> None:
    """Until that many batches had something to do."""
    deadline = time.monotonic() + FEED_TIMEOUT_S
    with ottla.Producer(f"127.0.0.1:{port}") as producer:
        while query.isActive and len(_durations(query)) < batches and time.monotonic() < deadline:
            for _ in range(RECORDS_AT_ONCE):
                producer.send(topic, b"v").result(30)
                time.sleep(FEED_INTERVAL_S)
