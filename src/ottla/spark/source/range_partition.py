"""Tasks: how ranges go to them, what one of them gets (pickled) and does: read its ranges one after the other."""

from collections.abc import Iterator, Sequence
from typing import Any

from pyspark.sql.datasource import InputPartition

from ottla.spark.ranges import OffsetRange, read_ranges
from ottla.spark.source.source_options import SourceOptions
from ottla.spark.source.splitting import Task, core_count, plan_tasks


class RangesPartition(InputPartition):
    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.task = task


def input_partitions(ranges: Sequence[OffsetRange], options: SourceOptions) -> list[InputPartition]:
    tasks = plan_tasks(
        ranges, min_partitions=options.min_partitions, max_records=options.max_records_per_partition, cores=core_count()
    )
    return [RangesPartition(task) for task in tasks]


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
