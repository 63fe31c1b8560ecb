"""A job of Spark's own Kafka source changes the name of its format, and goes on from the same checkpoint."""

import pytest

from support.filled_topics import fill, numbered
from support.peers import require_path
from support.spark import CONNECTOR_JARS


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("before", "after"), [("kafka", "ottla"), ("ottla", "kafka")])
def test_a_checkpoint_is_taken_over(spark, ottla_broker, ottla_topic, tmp_path, before, after):
    require_path(CONNECTOR_JARS)
    servers = ottla_broker.bootstrap_servers
    batches = []

    def run(source):
        reader = spark.readStream.format(source).option("kafka.bootstrap.servers", servers)
        frame = reader.options(subscribe=ottla_topic, startingOffsets="earliest", maxOffsetsPerTrigger="4").load()
        writer = frame.writeStream.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True)
        note = lambda batch, _: batches.append([int(bytes(row.value)) for row in batch.collect()])  # noqa: E731
        writer.foreachBatch(note).start().awaitTermination()

    fill(servers, ottla_topic, numbered(6))
    run(before)
    assert batches == [[0, 1, 2, 3], [4, 5]]
    fill(servers, ottla_topic, numbered(3, 6))
    run(after)
    assert batches[2:] == [[6, 7, 8]]
