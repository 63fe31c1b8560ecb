"""Which partition a key belongs to, as Java's default partitioner says, for one key and for a column of keys."""

from array import array
from typing import NamedTuple

from ottla.records.batch import Buffer
from ottla.records.kernels import kernel_columns, kernel_murmur2
from ottla.records.kernels.spans import SPAN_COLUMNS, IntArray, Spans, new_spans

NO_PARTITION = -1

murmur2 = kernel_murmur2.murmur2
partition_for_key = kernel_murmur2.partition_for_key


class GroupedRows(NamedTuple):
    """Rows of spans by partition: those of partition p are rows starts[p] to starts[p + 1]."""

    spans: Spans
    starts: IntArray

    def rows_of(self, partition: int) -> memoryview:
        start, end = self.starts[partition], self.starts[partition + 1]
        return memoryview(self.spans)[start * SPAN_COLUMNS : end * SPAN_COLUMNS]


def partition_rows(keys: Buffer, spans: Spans, partitions_count: int) -> IntArray:
    """The partition of each row's key; NO_PARTITION for a row without a key, for the producer to choose."""
    partitions = array("i", bytes(4 * (len(spans) // SPAN_COLUMNS)))
    kernel_murmur2.partition_spans(keys, spans, partitions_count, partitions)
    return partitions


def group_by_partition(spans: Spans, partitions: IntArray, partitions_count: int) -> GroupedRows:
    """Rows put together by partition, each partition's in their old order."""
    starts = array("q", bytes(8 * (partitions_count + 1)))
    grouped = new_spans(len(partitions))
    kernel_columns.group_rows(spans, SPAN_COLUMNS, partitions, starts, grouped)
    return GroupedRows(grouped, starts)
