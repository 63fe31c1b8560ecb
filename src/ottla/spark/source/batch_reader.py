"""What Spark calls for `spark.read.format("ottla")`: plan the tasks on the driver, read in each.

Both ends are looked up when the query is planned. Spark refuses a reader that can push filters down while its own
setting for that is off, so there are two classes; which one is wanted shows in the process that asks: with the setting
on, Spark plans in a worker of its own kind.
"""

import sys
from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import DataSourceReader, Filter, InputPartition

from ottla.spark.options import JobOptions
from ottla.spark.ranges import OffsetRange
from ottla.spark.source.filters import Narrowing
from ottla.spark.source.offset_reader import OffsetReader
from ottla.spark.source.range_partition import input_partitions, read_task
from ottla.spark.source.source_options import SourceOptions, parse_batch_options

PUSHDOWN_WORKER = "pyspark.sql.worker.data_source_pushdown_filters"


class OttlaBatchReader(DataSourceReader):
    def __init__(self, options: SourceOptions) -> None:
        self._options = options
        self._narrowing = Narrowing()

    def partitions(self) -> list[InputPartition]:
        reader = OffsetReader(self._options)
        try:
            ranges = self._ranges(reader)
        finally:
            reader.close()
        return input_partitions(ranges, self._options)

    def _ranges(self, reader: OffsetReader) -> list[OffsetRange]:
        start = reader.resolve(self._options.starting, is_start=True)
        end = reader.resolve(self._options.ending, is_start=False)
        if start.keys() != end.keys():
            raise ValueError(
                f"different topic partitions for starting offsets topics[{','.join(map(str, sorted(start)))}] and "
                f"ending offsets topics[{','.join(map(str, sorted(end)))}]"
            )
        ranges = [OffsetRange(*partition, offset, end[partition]) for partition, offset in start.items()]
        for wanted in ranges:
            _check_order(wanted)
        time_ms = self._narrowing.time_ms
        since = {} if time_ms is None else reader.first_since(dict.fromkeys(start, time_ms))
        return self._narrowing.apply(ranges, since)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        return read_task(self._options, partition)


class OttlaFilteringReader(OttlaBatchReader):
    """The reader for `spark.sql.python.filterPushdown.enabled`."""

    def pushFilters(self, filters: list[Filter]) -> list[Filter]:  # noqa: N802 (Spark's name)
        return self._narrowing.push(filters)


def make_batch_reader(options: JobOptions) -> OttlaBatchReader:
    kind = OttlaFilteringReader if _is_pushdown_worker() else OttlaBatchReader
    return kind(parse_batch_options(options))


def _is_pushdown_worker() -> bool:
    main = getattr(sys.modules.get("__main__"), "__spec__", None)
    return PUSHDOWN_WORKER in sys.modules or (main is not None and main.name == PUSHDOWN_WORKER)


def _check_order(wanted: OffsetRange) -> None:
    if wanted.start > wanted.end:
        raise ValueError(
            f"The resolved start offset {wanted.start} is greater than the resolved end offset {wanted.end} for topic "
            f"{wanted.topic} partition {wanted.partition}.\nPlease investigate in this order:\n"
            "1. Check whether start offset is set beyond the end offset or the latest available offset after "
            "resolution. Possible inputs are:\n"
            "  (a) Start offset is set to a timestamp, and the end offset is set to an index of offset.\n"
            "  (b) Start offset is set to an index of offset, and the end offset is set to a timestamp.\n"
            "  (c) Start offset is set, and the end offset is set to latest.\n"
            "2. Check whether the Kafka topic-partition is deleted and re-created."
        )
