"""The job that runs here and on a cluster alike: `cluster_job.py MASTER SERVERS SOURCE TARGET [KEY=VALUE...]`.

It copies a topic through Spark, slowly enough for something to be killed meanwhile. With `job.stuck=true` the first
attempt of one task never ends: only a speculative one does.
"""

import sys
import time
from typing import Any

from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

TASKS = 12
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.executor.memory": "512m",
}


def slowly(stuck: bool) -> Any:
    def work(value: bytes) -> bytes:
        context = TaskContext.get()
        if stuck and context is not None and context.partitionId() == 0 and context.attemptNumber() == 0:
            time.sleep(3600)
        if value.endswith(b"00"):
            time.sleep(0.02)
        return value

    return f.udf(work, "binary", useArrow=False)


def main(master: str, servers: str, source: str, target: str, *given: str) -> None:
    settings = SETTINGS | dict(pair.split("=", 1) for pair in given)
    stuck = settings.pop("job.stuck", "false") == "true"
    builder = SparkSession.builder.master(master)
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    reader = spark.read.format("ottla").option("kafka.bootstrap.servers", servers).option("subscribe", source)
    rows = reader.option("minPartitions", TASKS).load().select("key", slowly(stuck)("value").alias("value"))
    writer = rows.write.format("ottla").option("kafka.bootstrap.servers", servers).option("topic", target)
    writer.mode("append").save()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
