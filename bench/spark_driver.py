"""Spark as a client, in a process of its own: `format("ottla")`, Spark's own Kafka connector, and the ceiling of both.

The JVM warms up on a pass of every query that does not count. CPU is that of this process and all its children: the
JVM and its Python workers.
"""

import os
import sys
import time
from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from bench.driver import ROOT
from bench.processes import cpu_seconds
from bench.spark_ceiling import CeilingSource

CONNECTOR_JARS = ROOT / ".peers" / "spark-connector"
OTTLA, CONNECTOR = "ottla", "kafka"
CORES = 2


def session(settings: dict[str, str] | None = None) -> SparkSession:
    """As a user would have it, but quiet and without a port of its own."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = str(ROOT)
    builder = SparkSession.builder.master(f"local[{CORES}]").appName("bench")
    jars = ",".join(str(path) for path in sorted(CONNECTOR_JARS.glob("*.jar")))
    values = {
        "spark.ui.enabled": "false",
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

    def ceiling_frame() -> DataFrame:
        return spark.read.format("ceiling").option("rows", rows).option("valueBytes", value_bytes).load()

    found = topic_frame().count()
    if found != rows:
        raise RuntimeError(f"{found} rows of {rows}")
    result: dict[str, float] = {}
    for name, query in QUERIES.items():
        query(topic_frame())
        query(ceiling_frame())
        broker_cpu, cpu = cpu_seconds(pid), cpu_seconds(os.getpid())
        seconds = _seconds(query, topic_frame())
        result[f"{name}_cpu_us"] = (cpu_seconds(os.getpid()) - cpu + cpu_seconds(pid) - broker_cpu) * 1e6 / rows
        ceiling = _seconds(query, ceiling_frame())
        result[f"{name}_m_rows_s"] = rows / seconds / 1e6
        result[f"{name}_of_ceiling"] = ceiling / seconds
    spark.stop()
    return result


def _seconds(query: Callable[[DataFrame], None], frame: DataFrame) -> float:
    began = time.perf_counter()
    query(frame)
    return time.perf_counter() - began
