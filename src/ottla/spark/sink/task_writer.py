"""One task of the sink: Arrow batches to a producer of its own, until every record is acknowledged.

What is in flight is bounded by the producer's `buffer.memory`: `send_arrow` waits when it is full. Futures that are
done are looked at on the way, so that a task fails soon after its first record did.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ottla.clients.errors import SerializationError
from ottla.clients.producer.futures import BulkFuture
from ottla.clients.producer.producer import Producer
from ottla.spark.sink.options import SinkOptions

# Spark waits for a task as long as the producer does: `delivery.timeout.ms` bounds every record.
_NULL_TOPIC = "null topic present in the data. Use the topic option for setting a default topic."


def write_batches(options: SinkOptions, columns: tuple[str, ...], batches: Iterable[pa.RecordBatch]) -> int:
    """Send the rows of all batches and wait for their acknowledgements. Returns how many there were."""
    producer = Producer(options.bootstrap_servers, **options.producer)  # type: ignore[arg-type]
    try:
        return _send_all(producer, options.topic, columns, batches)
    finally:
        producer.close()


def _send_all(
    producer: Producer, topic: str | None, columns: tuple[str, ...], batches: Iterable[pa.RecordBatch]
) -> int:
    waiting: deque[BulkFuture] = deque()
    rows = 0
    for batch in batches:
        for name, part in rows_by_topic(batch.select(columns), topic):
            waiting.append(producer.send_arrow(name, part))
        rows += batch.num_rows
        while waiting and waiting[0].done():
            waiting.popleft().result()
    for future in waiting:
        future.result()
    return rows


def rows_by_topic(batch: pa.RecordBatch, topic: str | None) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows of each topic, in their order, in a batch without the column topic."""
    batch = _without_empty_headers(batch)
    if topic is not None:
        yield topic, batch
        return
    topics = batch.column("topic")
    if topics.null_count:
        raise SerializationError(_NULL_TOPIC)
    others = batch.drop_columns(["topic"])
    names = pc.unique(topics).to_pylist()
    for name in names:
        yield name, others if len(names) == 1 else others.filter(_equal(topics, name))


def _equal(column: Any, name: str) -> Any:
    return pc.equal(column, pa.scalar(name, column.type))


def _without_empty_headers(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The usual case of a copied topic: a column of headers, and no record has any."""
    if "headers" in batch.schema.names and batch.column("headers").null_count == batch.num_rows:
        return batch.drop_columns(["headers"])
    return batch
