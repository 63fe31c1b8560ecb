"""What a load did, for people and programs."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from ottla.model import TopicPartition
from ottla.spark.loader.plan import Plan
from ottla.spark.loader.task import TaskResult


@dataclass(slots=True)
class PartitionReport:
    """`lag`: offsets between what the table holds now and the partition's end when the load was planned."""

    start: int
    end: int
    rows: int = 0
    bytes: int = 0
    bad_records: int = 0
    lag: int = 0


@dataclass(slots=True)
class LoadReport:
    """`version`: the table's, after the last commit; None when there was nothing to commit."""

    version: int | None = None
    commits: int = 0
    files: int = 0
    file_bytes: int = 0
    rows: int = 0
    bytes: int = 0
    bad_records: int = 0
    skipped_offsets: int = 0
    lag: int = 0
    seconds: float = 0.0
    partitions: dict[TopicPartition, PartitionReport] = field(default_factory=dict)

    def note(self, plan: Plan, results: Iterable[TaskResult], version: int) -> None:
        """One commit more."""
        self.version = version
        self.commits += 1
        self.skipped_offsets += sum(gap.size for gap in plan.gaps)
        for wanted in plan.ranges:
            partition = wanted.topic_partition
            found = self.partitions.setdefault(partition, PartitionReport(wanted.start, wanted.end))
            found.end = wanted.end
            found.lag = plan.ends[partition] - wanted.end
        for result in results:
            self._note_task(result)
        self.lag = sum(found.lag for found in self.partitions.values())

    def _note_task(self, result: TaskResult) -> None:
        self.files += len(result.files)
        self.file_bytes += sum(file.bytes for file in result.files)
        for counted in (self, self.partitions[result.offset_range.topic_partition]):
            counted.rows += result.rows
            counted.bytes += result.bytes
            counted.bad_records += result.bad_records
