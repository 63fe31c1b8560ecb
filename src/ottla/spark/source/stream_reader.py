"""What Spark calls for `spark.readStream.format("ottla")`.

One such object lives in a Python process of the driver as long as the query runs; others are made only to be pickled
for tasks, and never ask the cluster anything. For every micro-batch Spark asks for `latestOffset` (which decides how
far the batch goes), then for `partitions` of that range, and when it is done with the batch before, `commit`.

Offsets are JSON of the form that Spark's Kafka source uses. A batch that was planned before a crash is planned again
from the checkpoint, with the same range.
"""

import logging
import time
from collections.abc import Iterator
from typing import Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    ReadMinRows,
    SupportsTriggerAvailableNow,
)

from ottla.errors import KafkaError
from ottla.spark.offsets import PartitionOffsets
from ottla.spark.options import JobOptions
from ottla.spark.source.admission import MinimumRows, limit_offsets
from ottla.spark.source.batch_ranges import plan_ranges, report_losses
from ottla.spark.source.offset_limits import begins_at_end
from ottla.spark.source.offset_reader import OffsetReader
from ottla.spark.source.partition_json import OffsetsByTopic, from_plain, to_plain
from ottla.spark.source.range_partition import input_partitions, read_task
from ottla.spark.source.source_options import SourceOptions, parse_stream_options

logger = logging.getLogger(__name__)

_FIRST_BATCH_LOST = (
    "The query failed in its first micro-batch, which began at the latest offsets of that time; these are not known "
    "any more. Start with a new checkpoint, or name offsets or a time to start at."
)


class OttlaStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    def __init__(self, options: JobOptions) -> None:
        self._options: SourceOptions = parse_stream_options(options)
        self._opened: OffsetReader | None = None
        self._initial: PartitionOffsets | None = None
        self._latest: PartitionOffsets = {}
        self._is_available_now = False
        self._target: PartitionOffsets | None = None
        minimum = self._options.min_offsets_per_trigger
        self._minimum = None if minimum is None else MinimumRows(minimum, self._options.max_trigger_delay_ms)

    def __getstate__(self) -> dict[str, Any]:
        """For tasks: without connections."""
        return self.__dict__ | {"_opened": None}

    @property
    def _reader(self) -> OffsetReader:
        if self._opened is None:
            self._opened = OffsetReader(self._options)
        return self._opened

    # How far a batch goes

    def initialOffset(self) -> OffsetsByTopic:  # noqa: N802 (Spark's names, here and below)
        if self._initial is None:  # Spark asks more than once, and means the same answer
            self._initial = self._reader.resolve(self._options.starting, is_start=True)
        return to_plain(self._initial)

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        if self._options.max_offsets_per_trigger is not None:
            return ReadMaxRows(self._options.max_offsets_per_trigger)
        if self._options.min_offsets_per_trigger is not None:
            return ReadMinRows(self._options.min_offsets_per_trigger)
        return ReadAllAvailable()

    def latestOffset(self, start: OffsetsByTopic, limit: ReadLimit) -> OffsetsByTopic:  # noqa: N802
        begin = from_plain(start)
        self._latest = self._end_of_data(begin)
        return to_plain(self._admit(begin, self._latest, limit))

    def _end_of_data(self, begin: PartitionOffsets) -> PartitionOffsets:
        if not self._is_available_now:
            return self._reader.latest(begin)
        if self._target is None:
            self._target = self._reader.latest(begin)
        return self._target

    def _admit(self, begin: PartitionOffsets, end: PartitionOffsets, limit: ReadLimit) -> PartitionOffsets:
        if isinstance(limit, ReadAllAvailable):
            return end
        # A query that ends with what is there now would end without a last small batch: it is not held back.
        minimum = None if self._is_available_now else self._minimum
        if minimum is not None and minimum.holds_back(begin, end, time.monotonic()):
            return begin
        if not isinstance(limit, ReadMaxRows):
            return end
        starts = begin | self._reader.earliest_of(end.keys() - begin.keys())
        return limit_offsets(limit.max_rows, starts, end)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        self._is_available_now = True

    def reportLatestOffset(self) -> OffsetsByTopic | None:  # noqa: N802
        """What is there, admitted or not: Spark reports the difference as lag."""
        return to_plain(self._latest) if self._latest else None

    # A batch

    def partitions(self, start: OffsetsByTopic, end: OffsetsByTopic) -> list[InputPartition]:
        begin = from_plain(start)
        self._check_first_batch(begin)
        ranges = plan_ranges(begin, from_plain(end), self._reader, self._options)
        return input_partitions(ranges, self._options)

    def _check_first_batch(self, begin: PartitionOffsets) -> None:
        """Spark logs where a batch ends, and asks for the initial offset again when the first one is to be read again.

        That shows in its not having asked how far the batch goes. If the query began at the end of the data, that
        end has moved on meanwhile, and where the batch began is not to be known.
        """
        if begin == self._initial and not self._latest and begins_at_end(self._options.starting):
            report_losses([_FIRST_BATCH_LOST], self._options)

    def read(self, partition: InputPartition) -> Iterator[Any]:
        return read_task(self._options, partition)

    def commit(self, end: OffsetsByTopic) -> None:
        """The batch that ends here is done. Progress for others to see: a failure does not stop the query."""
        if self._options.commit_group is None:
            return
        try:
            self._reader.commit(self._options.commit_group, from_plain(end))
        except KafkaError as error:
            logger.warning("committing offsets for group %s failed: %s", self._options.commit_group, error)

    def stop(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.close()
