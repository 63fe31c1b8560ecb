"""Power cuts at every step of the storage layer, after the ALICE paper: record the calls, replay every prefix, recover.

The workload goes through what changes files: new partitions, rolls, group commits, checkpoints, truncation, retention,
deletion, a clean stop, and a second life after it. After every cut must hold:

- what a flush promised is there;
- what is there is what was appended, in order, without a gap: never a record that nobody wrote or that was cut off;
- indexes, epochs and producers say what the records say;
- the log can be appended to, stopped and started again.
"""

import itertools
import logging
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ottla.model import TopicPartition
from ottla.records.batch import iterate_batches
from ottla.storage.log.leader_epochs import LeaderEpochs
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.producers.producer_replay import replay_segments
from ottla.storage.producers.producer_state import ProducerStates
from storage.brokers import ORDERS, Storage, values_of
from storage.crash_model import CHOICES, Choice, CrashModel, HastyDisk, crash_points, random_choice
from support.disks import RecordingDisk

LATER = TopicPartition("later", 1)
TOPIC = {
    "segment.bytes": "450",
    "segment.index.bytes": "240",
    "index.interval.bytes": "100",
    "file.delete.delay.ms": "0",
}


@dataclass
class Era:
    """A stretch of the trace between two truncations, with the records that the log had in it."""

    since: int
    values: list[bytes] = field(default_factory=list)


@dataclass
class Workload:
    """Drives a manager over a recording disk and notes what was promised, and when."""

    root: Path
    disk: RecordingDisk = field(default_factory=RecordingDisk)
    promises: list[tuple[int, int]] = field(default_factory=list)
    eras: list[Era] = field(default_factory=lambda: [Era(0)])

    def __post_init__(self) -> None:
        self.storage = Storage(self.root / "logs", topic=TOPIC)
        self.sequence = itertools.count()
        self.numbers = itertools.count()
        self.log: PartitionLog

    @property
    def now(self) -> int:
        return len(self.disk.trace)

    def start(self) -> None:
        manager = self.storage.start(self.disk)
        self.log = manager.registry.create(ORDERS)

    def append(self, count: int, *, epoch: int = 0, size: int = 60) -> None:
        for _ in range(count):
            value = b"%05d " % next(self.numbers) + b"x" * size
            sequence = next(self.sequence)
            self.storage.append(self.log, value, epoch=epoch, producer_id=4, producer_epoch=0, base_sequence=sequence)
            self.eras[-1].values.append(value)

    def flush(self) -> None:
        end_offset = self.log.log_end_offset
        self.storage.manager.durability.flush(self.log, end_offset, lambda error: self._promise(end_offset))

    def checkpoint(self) -> None:
        self.storage.clock.advance_ms(100_000)
        self.storage.manager.tick()

    def _promise(self, end_offset: int) -> None:
        self.promises.append((self.now, end_offset))

    def truncate(self, offset: int) -> None:
        """A new leader's history parts from ours at `offset`. From its beginning either may be found."""
        era = Era(self.now, self.eras[-1].values[:offset])
        self.eras.append(era)
        self.promises = [(when, min(end, offset)) for when, end in self.promises] + [(self.now, 0)]
        self.storage.manager.durability.truncate_to(self.log, offset)
        era.since = self.now
        entry = self.log.producers.get(4)
        self.sequence = itertools.count(entry.last_sequence + 1 if entry else 0)


def run_workload(root: Path) -> Workload:
    work = Workload(root)
    work.start()
    work.append(3)
    work.flush()
    work.checkpoint()  # the recovery point is at the end of a segment that is closed only by the next append
    work.append(6)
    work.checkpoint()
    work.append(2, epoch=1)
    work.flush()
    work.append(3, epoch=1)
    work.flush()
    work.checkpoint()
    work.truncate(8)
    work.append(5, epoch=2)
    work.checkpoint()
    work.storage.manager.registry.create(LATER)
    work.flush()
    work.append(4, epoch=2)
    work.storage.manager.registry.delete(LATER)
    work.storage.manager.tick()
    work.storage.stop()
    work.promises.append((work.now, work.log.log_end_offset))
    work.start()
    work.append(4, epoch=3)
    work.flush()
    work.append(3, epoch=3)
    work.storage.crash()
    return work


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return run_workload(tmp_path_factory.mktemp("recorded"))


class Checker:
    """Recovers one crash state and asserts what must hold of it."""

    def __init__(self, workload: Workload, point: int, root: Path) -> None:
        self.workload = workload
        self.point = point
        self.storage = Storage(root / "logs", topic=TOPIC)

    def check(self) -> None:
        log = self._start()
        if log is None:
            assert self._promised() == 0, "the partition is gone"
            return
        found = values_of(log)
        assert self._matches_history(found), (len(found), found[-3:])
        assert len(found) >= self._promised()
        log.check_invariants()
        _check_derived(log)
        self.storage.append(log, b"after the crash", epoch=9)
        self.storage.stop()
        again = self._start()
        assert again is not None
        assert values_of(again) == [*found, b"after the crash"]
        self.storage.crash()

    def _start(self) -> PartitionLog | None:
        return self.storage.start(HastyDisk()).registry.get(ORDERS)

    def _promised(self) -> int:
        return max((end for when, end in self.workload.promises if when <= self.point), default=0)

    def _matches_history(self, found: list[bytes | None]) -> bool:
        """A prefix of what the log held in this era; before a truncation is durable, also of the era before."""
        eras = self.workload.eras
        number = max(number for number, era in enumerate(eras) if era.since <= self.point)
        possible = eras[number : number + 2]
        return any(found == era.values[: len(found)] for era in possible)


def _check_derived(log: PartitionLog) -> None:
    """Epochs and producers, compared with those of a walk over all records."""
    epochs = LeaderEpochs()
    for segment in log.segments:
        for _, header in iterate_batches(segment.log.read_at(0, segment.size)):
            if header.partition_leader_epoch > epochs.latest_epoch:
                epochs.assign(header.partition_leader_epoch, header.base_offset)
    assert log.leader_epochs.entries == epochs.entries
    producers = ProducerStates()
    replay_segments(producers, log.segments, 0, log.log_end_offset, 0)
    assert _sequences(log.producers) == _sequences(producers)


def _sequences(producers: ProducerStates) -> dict[int, tuple[int, int]]:
    return {key: (entry.last_sequence, entry.last_offset) for key, entry in producers.items()}


@contextmanager
def quiet_storage() -> Iterator[None]:
    """Thousands of recoveries would say thousands of times what they cut."""
    logger = logging.getLogger("ottla.storage")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


@quiet_storage()
def check_states(workload: Workload, tmp_path: Path, points: Iterator[int], choices: tuple[Choice, ...]) -> int:
    model = CrashModel(workload.root)
    model.apply(("make_directory", str(workload.root / "logs")))
    model.root.synced = 1
    applied = checked = 0
    for point in points:
        for call in workload.disk.trace[applied:point]:
            model.apply(call)
        applied = point
        for choice in choices:
            target = tmp_path / "state"
            model.materialize(target, choice)
            try:
                Checker(workload, point, target).check()
            except Exception as error:
                error.add_note(f"power cut after call {point} ({workload.disk.trace[point - 1][:2]}), {choice}")
                raise
            shutil.rmtree(target)
            checked += 1
    return checked


def test_no_power_cut_loses_a_promise_or_invents_a_record(workload: Workload, tmp_path: Path) -> None:
    """A sample: the ends of each choice at every few calls. The whole is in the long run."""
    points = crash_points(workload.disk.trace, step=17)
    assert check_states(workload, tmp_path, points, CHOICES) > 100


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_no_power_cut_at_any_call_loses_a_promise_or_invents_a_record(workload: Workload, tmp_path: Path) -> None:
    points = crash_points(workload.disk.trace, step=1)
    choices = (*CHOICES, *map(random_choice, range(8)))
    assert check_states(workload, tmp_path, points, choices) > 1000
