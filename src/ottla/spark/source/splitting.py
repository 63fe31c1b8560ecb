"""Ranges of offsets to tasks. Pure.

With `minPartitions` or `maxRecordsPerPartition` the ranges are divided as Spark's Kafka source divides them, one task
for each piece. Otherwise the work is laid out evenly: a task costs Spark about 30 ms whatever it does, and the longest
task decides when a stage is over, so large partitions are cut and small ones are put together until there are as
many tasks as cores, each with the same number of offsets. Only where there is far more to do than cores (a cluster
behind a small driver) are there more tasks than that, up to one per topic partition.
"""

import os
from collections.abc import Iterable, Sequence
from math import ceil

from ottla.spark.ranges import OffsetRange

Task = tuple[OffsetRange, ...]
# Fewer rows than this are not worth a task of their own; with more than the second, a task is worth its start anywhere.
TASK_ROWS_MIN = 50_000
TASK_ROWS_MANY = 500_000


def core_count() -> int:
    """The cores of this machine that may be used."""
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def plan_tasks(
    ranges: Iterable[OffsetRange], *, min_partitions: int | None, max_records: int | None, cores: int
) -> list[Task]:
    filled = sorted(wanted for wanted in ranges if wanted.size > 0)
    if min_partitions is None and max_records is None:
        return _balance(filled, _task_count(filled, cores))
    return [(piece,) for piece in divide(filled, min_partitions, max_records)]


def _task_count(ranges: Sequence[OffsetRange], cores: int) -> int:
    rows = sum(wanted.size for wanted in ranges)
    many = min(len(ranges), ceil(rows / TASK_ROWS_MANY))
    return min(max(cores, many), max(1, rows // TASK_ROWS_MIN))


def _balance(ranges: Sequence[OffsetRange], tasks_count: int) -> list[Task]:
    """Consecutive pieces, cut where a task has its share."""
    rows_left = sum(wanted.size for wanted in ranges)
    tasks: list[Task] = []
    task: list[OffsetRange] = []
    share = room = ceil(rows_left / tasks_count)
    for wanted in ranges:
        start = wanted.start
        while start < wanted.end:
            end = min(wanted.end, start + room)
            task.append(wanted._replace(start=start, end=end))
            room -= end - start
            start = end
            if not room:
                tasks.append(tuple(task))
                task, room = [], share
    return [*tasks, tuple(task)] if task else tasks


def divide(ranges: Sequence[OffsetRange], min_partitions: int | None, max_records: int | None) -> list[OffsetRange]:
    """As Spark's Kafka source does it: at most `max_records` in a piece, then about `min_partitions` pieces."""
    pieces = list(ranges)
    if max_records is not None:
        pieces = [piece for wanted in pieces for piece in cut(wanted, ceil(wanted.size / max_records))]
    if min_partitions is None or min_partitions <= len(pieces):
        return pieces
    rows = sum(piece.size for piece in pieces)
    whole = [piece for piece in pieces if _part_count(piece.size, rows, min_partitions) == 1]
    rows_to_cut = rows - sum(piece.size for piece in whole)
    parts_to_cut = max(min_partitions - len(whole), 1)
    kept = {piece.topic_partition for piece in whole}
    return [
        part
        for piece in pieces
        for part in cut(
            piece, 1 if piece.topic_partition in kept else _part_count(piece.size, rows_to_cut, parts_to_cut)
        )
    ]


def _part_count(size: int, rows: int, parts: int) -> int:
    return max(int(size / rows * parts + 0.5), 1)


def cut(wanted: OffsetRange, parts: int) -> list[OffsetRange]:
    """Into that many pieces; the last takes what does not divide."""
    bounds = []
    start, left = wanted.start, wanted.size
    for part in range(parts):
        size = left // (parts - part)
        left -= size
        bounds.append(wanted._replace(start=start, end=start + size))
        start += size
    return [piece for piece in bounds if piece.size]
