"""The Spark jobs: from raw events to counts by window and to sessions, both while the events come in.

    activity ── parse ──┬── 5 minutes x page ──► topic page-counts and Delta table page-counts (foreachBatch)
                        └── pauses of 10 min ──► topic sessions (writeStream.format("ottla"))

A window is written when its time is over for good: when an event came that is WATERMARK younger than its end. Events
that are later than that are left out by Spark.
"""

from pathlib import Path
from typing import Any

from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from pyspark.sql import functions as f

SCHEMA = "at TIMESTAMP, visitor STRING, event STRING, page STRING, query STRING"
WATERMARK = "10 minutes"
WINDOW = "5 minutes"
SESSION_GAP = "10 minutes"
# The activity in so many micro-batches at least: a watermark moves from one to the next.
BATCHES_MIN = 5


class Jobs:
    """The queries of one run, their checkpoints and tables below one folder."""

    def __init__(self, spark: Any, servers: str, directory: Path, events_count: int) -> None:
        self._spark = spark
        self._batch_max = max(1, events_count // BATCHES_MIN)
        self._servers = servers
        self._checkpoints = directory / "checkpoints"
        self.counts_table = directory / "page-counts.delta"

    def start(self) -> list[Any]:
        events = self._events()
        return [self._start_counts(page_counts(events)), self._start_sessions(sessions(events))]

    def _events(self) -> Any:
        source = self._spark.readStream.format("ottla").option("kafka.bootstrap.servers", self._servers)
        records = (
            source.option("subscribe", "activity")
            .option("startingOffsets", "earliest")
            .option("maxOffsetsPerTrigger", self._batch_max)
            .load()
        )
        parsed = records.select(f.from_json(f.col("value").cast("string"), SCHEMA).alias("event"))
        return parsed.select("event.*").withWatermark("at", WATERMARK)

    def _start_counts(self, counts: Any) -> Any:
        writer = counts.writeStream.foreachBatch(self._write_counts).queryName("page counts")
        return writer.option("checkpointLocation", str(self._checkpoints / "counts")).start()

    def _write_counts(self, counts: Any, batch_id: int) -> None:
        """A micro-batch to both: the topic at least once, the table once, by the batch's number."""
        counts.persist()
        rows = counts.select(f.col("page").alias("key"), f.to_json(f.struct("*")).alias("value"))
        rows.write.format("ottla").mode("append").options(**self._sink("page-counts")).save()
        append_once(self.counts_table, counts.toArrow(), batch_id)
        counts.unpersist()

    def _start_sessions(self, found: Any) -> Any:
        rows = found.select(f.col("visitor").alias("key"), f.to_json(f.struct("*")).alias("value"))
        writer = rows.writeStream.format("ottla").options(**self._sink("sessions")).queryName("sessions")
        return writer.option("checkpointLocation", str(self._checkpoints / "sessions")).start()

    def _sink(self, topic: str) -> dict[str, str]:
        return {"kafka.bootstrap.servers": self._servers, "topic": topic}


def page_counts(events: Any) -> Any:
    """Views of each page in each window; searches stand under the page `search`."""
    page = f.coalesce("page", f.lit("search"))
    counted = events.groupBy(f.window("at", WINDOW), page.alias("page")).agg(
        f.count("*").alias("views"), f.approx_count_distinct("visitor").alias("visitors")
    )
    return counted.select(f.col("window.start").alias("start"), "page", "views", "visitors")


def sessions(events: Any) -> Any:
    """What a visitor did without a longer pause."""
    grouped = events.groupBy(f.session_window("at", SESSION_GAP).alias("session"), "visitor")
    summed = grouped.agg(
        f.count("page").alias("pages"),
        f.count("query").alias("searches"),
        (f.max("at").cast("double") - f.min("at").cast("double")).alias("seconds"),
    )
    return summed.select("visitor", f.col("session.start").alias("start"), "pages", "searches", "seconds")


def append_once(path: Path, table: Any, batch_id: int) -> None:
    """One commit with the rows and the number of the batch: what is run again after a crash is not written again."""
    application = "ottla-demo"
    if DeltaTable.is_deltatable(str(path)):
        written = DeltaTable(str(path)).transaction_version(application)
        if written is not None and batch_id <= written:
            return
    commit = CommitProperties(app_transactions=[Transaction(application, batch_id)])
    write_deltalake(str(path), table, mode="append", commit_properties=commit)
