"""Spark writing to a topic, in a process of its own: `format("ottla")`, or Spark's own Kafka sink."""

import os
import time

from bench.processes import cpu_seconds
from bench.spark_driver import CORES, session

KEYS = 1000
# With the column of headers the size of an Arrow batch would be measured after each row (docs/spark.md).
SETTINGS = {"spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1)}


def write(port: int, pid: int, topic: str, rows: int, value_bytes: int, sink: str) -> dict[str, float]:
    """Rows a second from generated rows to acknowledged records; the first pass warms the JVM up."""
    spark = session(SETTINGS)
    filling = f"repeat('x', {value_bytes - 10})"
    value = f"CAST(concat({filling}, lpad(CAST(id AS STRING), 10, '0')) AS BINARY) AS value"

    def save(count: int) -> None:
        frame = spark.range(0, count, 1, CORES).selectExpr(f"CAST(id % {KEYS} AS STRING) AS key", value)
        writer = frame.write.format(sink).option("kafka.bootstrap.servers", f"127.0.0.1:{port}")
        writer.option("topic", topic).mode("append").save()

    save(rows)
    cpu, began = cpu_seconds(os.getpid()) + cpu_seconds(pid), time.perf_counter()
    save(rows)
    elapsed = time.perf_counter() - began
    used = cpu_seconds(os.getpid()) + cpu_seconds(pid) - cpu
    spark.stop()
    return {"m_rows_s": rows / elapsed / 1e6, "cpu_us": used * 1e6 / rows}
