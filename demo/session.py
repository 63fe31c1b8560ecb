"""The Spark session of the demo: this machine, no web page, little talk."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ottla.spark.interpreter import use_this_python
from ottla.spark.java import ensure_java

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    # Every partition of a state costs time in each micro-batch, and these states are small.
    "spark.sql.shuffle.partitions": "1",
    # The default one forks a process for each file that it writes.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    # Rows go to the sink in Arrow batches; their size need not be measured after each row.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
}
# A JVM that lives for a minute does not earn back what its best compiler costs. `ottla load` inherits it.
QUICK_JVM = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def start_session(directory: Path) -> Any:
    """A session whose JVM writes what it has to say to spark.log in the directory."""
    ensure_java()
    use_this_python()
    os.environ.setdefault("SPARK_SUBMIT_OPTS", QUICK_JVM)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[*]").appName("ottla demo")
    for key, value in (SETTINGS | {"spark.local.dir": str(directory / "spark")}).items():
        builder = builder.config(key, value)
    with errors_to(directory / "spark.log"):
        return builder.getOrCreate()


@contextlib.contextmanager
def errors_to(path: Path) -> Iterator[None]:
    """Standard error to a file, for this process and those that it starts meanwhile: the JVM keeps it."""
    ours = os.dup(2)
    with path.open("ab") as file:
        os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(ours, 2)
        os.close(ours)
