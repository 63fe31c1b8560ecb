"""The records of one range of offsets as Arrow record batches: the whole work of a task, for the source and the loader.

    for batch in read_range(options, OffsetRange("clicks", 0, 0, 1_000_000)):
        ...

Fetched record batches are decoded by the kernels, several at once, straight into the buffers of Arrow columns. Control
batches are left out, and with `read_committed` those of aborted transactions. The batches of a range hold each of its
records once, in the order of their offsets.
"""

from collections.abc import Iterable, Iterator

import pyarrow as pa

from ottla.clients.consumer.fetched import DecompressedBatch, FetchedPartition
from ottla.spark.leader_links import LeaderLinks
from ottla.spark.options import ClientOptions
from ottla.spark.range_fetcher import OffsetRange, RangeFetcher
from ottla.spark.record_batches import RecordBatchBuilder

__all__ = ["BATCH_ROWS_DEFAULT", "POLL_TIMEOUT_MS_DEFAULT", "OffsetRange", "read_range", "read_ranges"]

# Spark is at its best with batches of 4,000 to 100,000 rows.
BATCH_ROWS_DEFAULT = 65_536
# An Arrow column of bytes has int32 offsets; compressed batches may grow a lot when they are opened.
BATCH_BYTES_MAX = 64 * 1024 * 1024
POLL_TIMEOUT_MS_DEFAULT = 120_000


def read_range(
    client_options: ClientOptions,
    offset_range: OffsetRange,
    *,
    include_headers: bool = False,
    isolation_level: str | None = None,
    fail_on_data_loss: bool = True,
    batch_rows: int = BATCH_ROWS_DEFAULT,
    poll_timeout_ms: float = POLL_TIMEOUT_MS_DEFAULT,
) -> Iterator[pa.RecordBatch]:
    """Batches of about `batch_rows` rows, none of them empty, with the columns of `schema.arrow_schema`.

    `isolation_level` stands above that of the options. DataLossError: records are gone. KafkaError: the cluster could
    not be read for `poll_timeout_ms`.
    """
    if isolation_level is not None:
        client_options = ClientOptions({**client_options.settings, "isolation.level": isolation_level})
    return read_ranges(
        client_options,
        [offset_range],
        include_headers=include_headers,
        fail_on_data_loss=fail_on_data_loss,
        batch_rows=batch_rows,
        poll_timeout_ms=poll_timeout_ms,
    )


def read_ranges(
    client_options: ClientOptions,
    offset_ranges: Iterable[OffsetRange],
    *,
    include_headers: bool,
    fail_on_data_loss: bool,
    batch_rows: int,
    poll_timeout_ms: float,
) -> Iterator[pa.RecordBatch]:
    """`read_range` for one after the other, over the same connections."""
    with LeaderLinks(client_options) as links:
        for wanted in offset_ranges:
            fetcher = RangeFetcher(
                client_options, wanted, links, fail_on_data_loss=fail_on_data_loss, poll_timeout_ms=poll_timeout_ms
            )
            builder = RecordBatchBuilder(wanted.topic, wanted.partition, include_headers=include_headers)
            yield from _build_batches(fetcher, builder, wanted.end, batch_rows)


def _build_batches(
    fetcher: RangeFetcher, builder: RecordBatchBuilder, end: int, batch_rows: int
) -> Iterator[pa.RecordBatch]:
    for fetched in fetcher.fetches():
        # Where this fetch began: a batch may hold records before it, read already or deleted meanwhile.
        start = fetched.position
        for group in _groups(fetched, end, batch_rows):
            batch = builder.build(group, start, end)
            if batch.num_rows:
                yield batch


def _groups(fetched: FetchedPartition, end: int, rows_max: int) -> Iterator[list[DecompressedBatch]]:
    """Batches that go together into one of Arrow's."""
    group: list[DecompressedBatch] = []
    rows = size = 0
    for opened in fetched.decompressed_batches():
        if opened.header.base_offset >= end:
            break
        group.append(opened)
        rows += opened.header.records_count
        size += opened.section.end - opened.section.start
        if rows >= rows_max or size >= BATCH_BYTES_MAX:
            yield group
            group, rows, size = [], 0, 0
    if group:
        yield group
