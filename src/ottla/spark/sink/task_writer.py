"""One task of the sink: Arrow batches to a producer of its own, until every record is acknowledged.

What is in flight is bounded by the producer's `buffer.memory` (`send_arrow` waits when it is full), and the wait for
an acknowledgement by its `delivery.timeout.ms`. Futures that are done are looked at on the way, so that a task fails
soon after its first record did.
"""

from collections import deque
from collections.abc import Iterable

import pyarrow as pa

from ottla.clients.errors import SerializationError
from ottla.clients.producer.futures import BulkFuture
from ottla.clients.producer.producer import Producer
from ottla.spark.sink.options import SinkOptions

_NEVER_LEFT_OUT = ("topic", "value")
_NULL_TOPIC = "null topic present in the data. Use the topic option for setting a default topic."


def write_batches(options: SinkOptions, columns: tuple[str, ...], batches: Iterable[pa.RecordBatch]) -> int:
    """Send the rows of all batches and wait for their acknowledgements. Returns how many there were."""
    producer = Producer(options.bootstrap_servers, **options.producer)  # type: ignore[arg-type]
    try:
        return _send_all(producer, options.topic, columns, batches)
    finally:
        producer.close(timeout_ms=0)  # all is acknowledged, or the task has failed and nothing is waited for


def _send_all(
    producer: Producer, topic: str | None, columns: tuple[str, ...], batches: Iterable[pa.RecordBatch]
) -> int:
    waiting: deque[BulkFuture] = deque()
    rows = 0
    for batch in batches:
        waiting.append(producer.send_arrow(topic, to_be_sent(batch, columns)))
        rows += batch.num_rows
        while waiting and waiting[0].done():
            waiting.popleft().result()
    for future in waiting:
        future.result()
    return rows


def to_be_sent(batch: pa.RecordBatch, columns: tuple[str, ...]) -> pa.RecordBatch:
    """The columns that are written, without those that only have nulls: a copied topic often has no headers or keys."""
    if "topic" in columns and batch.column("topic").null_count:
        raise SerializationError(_NULL_TOPIC)
    return batch.select(
        [name for name in columns if name in _NEVER_LEFT_OUT or batch.column(name).null_count < batch.num_rows]
    )
