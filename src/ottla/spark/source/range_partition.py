"""What a task gets (pickled) and does: read its ranges one after the other."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import InputPartition

from ottla.spark.ranges import read_ranges
from ottla.spark.source.source_options import SourceOptions
from ottla.spark.source.splitting import Task


class RangesPartition(InputPartition):
    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.task = task


def read_task(options: SourceOptions, partition: InputPartition) -> Iterator[Any]:
    """The Arrow batches of a task. Spark makes up a partition without ranges where there is nothing to read."""
    ranges = partition.task if isinstance(partition, RangesPartition) else ()
    return read_ranges(
        options.client,
        ranges,
        include_headers=options.include_headers,
        fail_on_data_loss=options.fail_on_data_loss,
        batch_rows=options.batch_rows,
        poll_timeout_ms=options.poll_timeout_ms,
    )
