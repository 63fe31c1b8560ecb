"""A driver of its own, to be killed: `stream_copy.py SERVERS SOURCE TARGET CHECKPOINT` copies a topic, then ends."""

import sys

from pyspark.sql import SparkSession

BATCH_MAX = "3000"


def main(servers: str, source: str, target: str, checkpoint: str) -> None:
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.driver.host", "127.0.0.1").config("spark.log.level", "ERROR").getOrCreate()
    reader = spark.readStream.format("ottla").option("kafka.bootstrap.servers", servers).option("subscribe", source)
    rows = reader.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", BATCH_MAX).load()
    writer = rows.select("key", "value").writeStream.format("ottla").option("kafka.bootstrap.servers", servers)
    query = writer.option("topic", target).option("checkpointLocation", checkpoint).trigger(availableNow=True).start()
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
