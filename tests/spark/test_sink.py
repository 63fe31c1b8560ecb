"""`df.write.format("ottla")` and `df.writeStream.format("ottla")`, in Spark, on an Ottla broker."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException

from ottla.testing import EmbeddedBroker
from support.spark_topics import sink, values_of

ROWS = 2000


@pytest.fixture(scope="module")
def broker() -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(process=True) as broker:
        yield broker


@pytest.fixture
def topic(broker: EmbeddedBroker, request: pytest.FixtureRequest) -> str:
    return broker.create_topic(request.node.originalname[:60], partitions=3)


def numbers(spark: Any, count: int = ROWS) -> Any:
    return spark.range(0, count, 1, 3).selectExpr("CAST(id % 7 AS STRING) AS key", "CAST(id AS STRING) AS value")


def test_a_batch_is_appended(spark: Any, broker: EmbeddedBroker, topic: str) -> None:
    rows = numbers(spark).selectExpr(
        "*", "'" + topic + "' AS topic", "if(value = '3', 2, CAST(NULL AS INT)) AS partition",
        "if(value = '3', array(named_struct('key', 'h', 'value', CAST('x' AS BINARY))), NULL) AS headers",
    )  # fmt: skip

    sink(rows.write, broker).mode("append").save()

    read = spark.read.format("ottla").option("kafka.bootstrap.servers", broker.address).option("subscribe", topic)
    found = read.option("includeHeaders", "true").load().collect()
    assert Counter(int(row.value) for row in found) == Counter(range(ROWS))
    (marked,) = [row for row in found if bytes(row.value) == b"3"]
    assert marked.partition == 2
    assert [(header.key, bytes(header.value)) for header in marked.headers] == [("h", b"x")]
    assert len({row.partition for row in found if bytes(row.key) == b"1"}) == 1


def test_a_stream_is_appended_and_goes_on_from_its_checkpoint(
    spark: Any, broker: EmbeddedBroker, topic: str, tmp_path: Path
) -> None:
    target = broker.create_topic(f"{topic}-copy", partitions=2)

    def run() -> None:
        reader = spark.readStream.format("ottla").option("kafka.bootstrap.servers", broker.address)
        stream = reader.option("subscribe", topic).option("startingOffsets", "earliest").load()
        writer = sink(stream.select("key", "value").writeStream, broker, target)
        query = writer.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start()
        assert query.awaitTermination(100)

    for _ in range(2):
        sink(numbers(spark).write, broker, topic).mode("append").save()
        run()

    assert Counter(values_of(broker, target, 2 * ROWS)) == Counter([b"%d" % n for n in range(ROWS)] * 2)


@pytest.mark.long
def test_counts_are_written_in_complete_mode_and_in_update_mode_by_batches(
    spark: Any, broker: EmbeddedBroker, topic: str, tmp_path: Path
) -> None:
    sink(numbers(spark, 70).write, broker, topic).mode("append").save()
    complete, update = (broker.create_topic(f"{topic}-{mode}") for mode in ("complete", "update"))
    reader = spark.readStream.format("ottla").option("kafka.bootstrap.servers", broker.address)
    counts = reader.option("subscribe", topic).option("startingOffsets", "earliest").load().groupBy("key").count()
    rows = counts.selectExpr("key", "CAST(count AS STRING) AS value").writeStream.trigger(availableNow=True)

    whole = sink(rows, broker, complete).outputMode("complete").option("checkpointLocation", str(tmp_path / "1"))
    assert whole.start().awaitTermination(100)
    by_batch = rows.foreachBatch(lambda batch, _id: sink(batch.write, broker, update).mode("append").save())
    changed = by_batch.outputMode("update").option("checkpointLocation", str(tmp_path / "2"))
    assert changed.start().awaitTermination(100)

    assert values_of(broker, complete, 7) == values_of(broker, update, 7) == [b"10"] * 7


def test_what_cannot_be_written_is_refused_before_anything_is(spark: Any, broker: EmbeddedBroker, topic: str) -> None:
    rows = numbers(spark)
    with pytest.raises(PySparkException, match="Required attribute 'value' not found"):
        sink(rows.select("key").write, broker, topic).mode("append").save()
    with pytest.raises(PySparkException, match="Save mode Overwrite not allowed for Kafka: a topic is append only"):
        sink(rows.write, broker, topic).mode("overwrite").save()
    with pytest.raises(AnalysisException, match='Please use either the "Append" or "Overwrite" mode'):
        sink(rows.write, broker, topic).save()
