"""A topic to Parquet, in a process of its own: `ottla load`'s loader, or a job of Spark's own Kafka connector.

Both run on a Spark whose JVM and Python workers are warm: the first pass does not count. Spark's start is in neither
figure. The loader syncs its files and commits; the connector's job does what Spark does.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq

from bench.processes import cpu_seconds
from bench.spark_driver import CORES, session
from ottla.spark.loader.load import Loader
from ottla.spark.loader.scheduler import SparkScheduler
from ottla.spark.loader.settings import LoadSettings, TableLayout
from ottla.spark.loader.tables.parquet_directory import ParquetDirectory

PASSES = 3


def load(port: int, pid: int, topic: str, rows: int) -> dict[str, float]:
    """By the loader, on the Spark that `ottla load` starts."""
    scheduler = SparkScheduler(f"local[{CORES}]")

    def run(path: Path) -> None:
        settings = LoadSettings(topics=(topic,), client={"bootstrap.servers": f"127.0.0.1:{port}"})
        Loader(settings, ParquetDirectory(path, TableLayout()), scheduler).load()

    try:
        return _measure(run, pid, rows)
    finally:
        scheduler.close()


def connector(port: int, pid: int, topic: str, rows: int) -> dict[str, float]:
    """By Spark's own connector."""
    spark = session()

    def run(path: Path) -> None:
        reader = spark.read.format("kafka").option("kafka.bootstrap.servers", f"127.0.0.1:{port}")
        reader.option("subscribe", topic).load().write.parquet(str(path))

    try:
        return _measure(run, pid, rows)
    finally:
        spark.stop()


def _measure(run: Callable[[Path], None], pid: int, rows: int) -> dict[str, float]:
    """The best of some passes: what the machine does besides is in the others."""
    folder = Path(tempfile.mkdtemp(prefix="ottla-bench-load-"))
    seconds, cpu = [], []
    try:
        for number in range(1 + PASSES):
            path = folder / str(number)
            began, cpu_began = time.perf_counter(), _cpu(pid)
            run(path)
            seconds.append(time.perf_counter() - began)
            cpu.append(_cpu(pid) - cpu_began)
            _check(path, rows)
            shutil.rmtree(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"m_rows_s": rows / min(seconds[1:]) / 1e6, "cpu_us": min(cpu[1:]) * 1e6 / rows}


def _check(path: Path, rows: int) -> None:
    found = sum(pq.read_metadata(file).num_rows for file in path.glob("*.parquet"))
    if found != rows:
        raise RuntimeError(f"{found} rows of {rows} in {path}")


def _cpu(broker_pid: int) -> float:
    """Of the broker, this process and all below it."""
    return cpu_seconds(broker_pid) + cpu_seconds(os.getpid())
