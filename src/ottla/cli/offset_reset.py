"""Where the offsets of a group go when they are reset: the same rules for `ottla groups reset` and Kafka's own tool.

An offset outside the log becomes the nearest one inside it. A time after the last record is the end of the log.
"""

import csv
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ottla.clients.admin.types import OffsetSpec
from ottla.errors.tree import OperatorError
from ottla.model import TopicPartition

if TYPE_CHECKING:
    from ottla import Admin


@dataclass(frozen=True, slots=True, kw_only=True)
class ResetTo:
    """Exactly one of them is set."""

    earliest: bool = False
    latest: bool = False
    current: bool = False
    offset: int | None = None
    shift_by: int | None = None
    time_ms: int | None = None
    duration_ms: int | None = None
    file: str | None = None

    def count(self) -> int:
        """How many are set."""
        values = (self.offset, self.shift_by, self.time_ms, self.duration_ms, self.file)
        return sum(one is not None for one in values) + self.earliest + self.latest + self.current


def plan_reset(
    admin: "Admin", group: str, partitions: Collection[TopicPartition], to: ResetTo
) -> dict[TopicPartition, int]:
    """The new offsets. OperatorError for a shift of what was never committed."""
    if to.file is not None:
        wanted: Mapping[TopicPartition, int] = read_offsets_file(to.file, group)
        return _clamped(admin, wanted)
    if to.earliest:
        return _at(admin, partitions, OffsetSpec.EARLIEST)
    if to.latest:
        return _at(admin, partitions, OffsetSpec.LATEST)
    if to.time_ms is not None:
        return _at(admin, partitions, to.time_ms)
    if to.duration_ms is not None:
        return _at(admin, partitions, max(0, int(time.time() * 1000) - to.duration_ms))
    if to.offset is not None:
        return _clamped(admin, dict.fromkeys(partitions, to.offset))
    committed = {one: found.offset for one, found in admin.list_group_offsets(group, partitions).items()
                 if found.offset >= 0}  # fmt: skip
    if to.shift_by is not None:
        missing = [one for one in partitions if one not in committed]
        if missing:
            raise OperatorError(f"cannot shift what {group} never committed: {', '.join(map(str, sorted(missing)))}")
        return _clamped(admin, {one: committed[one] + to.shift_by for one in partitions})
    uncommitted = [one for one in partitions if one not in committed]
    return _clamped(admin, committed) | (_at(admin, uncommitted, OffsetSpec.LATEST) if uncommitted else {})


def _at(admin: "Admin", partitions: Collection[TopicPartition], time_ms: int) -> dict[TopicPartition, int]:
    found = admin.list_offsets(dict.fromkeys(partitions, time_ms)).check()
    late = [one for one in partitions if found[one].offset < 0]
    ends = admin.list_offsets(dict.fromkeys(late, OffsetSpec.LATEST)).check() if late else {}
    return {one: ends[one].offset if one in ends else found[one].offset for one in partitions}


def _clamped(admin: "Admin", offsets: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
    first = admin.list_offsets(dict.fromkeys(offsets, OffsetSpec.EARLIEST)).check()
    end = admin.list_offsets(dict.fromkeys(offsets, OffsetSpec.LATEST)).check()
    return {one: min(max(wanted, first[one].offset), end[one].offset) for one, wanted in offsets.items()}


def committed_partitions(admin: "Admin", group: str) -> list[TopicPartition]:
    """Everything that the group has an offset of."""
    return sorted(one for one, found in admin.list_group_offsets(group).items() if found.offset >= 0)


def read_offsets_file(path: str, group: str) -> dict[TopicPartition, int]:
    """CSV as `--export` writes it: topic,partition,offset, or with the group in front."""
    try:
        rows: Iterable[list[str]] = list(csv.reader(Path(path).read_text().splitlines()))
        offsets = {}
        for row in rows:
            if len(row) == 4 and row[0] != group:
                continue
            topic, partition, offset = row[-3:]
            offsets[TopicPartition(topic, int(partition))] = int(offset)
    except OSError as error:
        raise OperatorError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise OperatorError(f"{path}: every line must be topic,partition,offset ({error})") from error
    return offsets
