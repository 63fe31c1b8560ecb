"""The Spark session of the demo: this machine, no web page, little talk."""

import os
import sys
from pathlib import Path
from typing import Any

from ottla.spark.java import ensure_java

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    # As many as cores: every partition of a state costs time in each micro-batch.
    "spark.sql.shuffle.partitions": "2",
    # The default one forks a process for each file that it writes.
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager"
    ),
    # Rows go to the sink in Arrow batches; their size need not be measured after each row.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
}


def start_session(directory: Path) -> Any:
    ensure_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    # What the JVM says before Spark has set its log level is nothing that a viewer needs.
    os.environ.setdefault("SPARK_SUBMIT_OPTS", "-Dlog4j2.level=ERROR")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[*]").appName("ottla demo")
    for key, value in (SETTINGS | {"spark.local.dir": str(directory / "spark")}).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
