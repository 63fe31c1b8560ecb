"""Changes of names on a disk that is full: finished or refused whole, never left half done.

On ext4 a rename seldom needs room; on a file system that copies on write, or under a quota, it does.
"""

import errno
import uuid
from pathlib import Path

import pytest

from ottla.errors.kafka import KafkaStorageError
from ottla.errors.tree import LogDirError
from ottla.model import TopicPartition
from ottla.storage.log.partition_log import PartitionLog
from storage.brokers import ORDERS, Storage, values_of
from support.disks import FaultyDisk, os_error

NO_ROOM = os_error(errno.ENOSPC)


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(tmp_path / "a", topic={"segment.bytes": "300", "retention.ms": "1000"})


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


def filled(storage: Storage, disk: FaultyDisk) -> PartitionLog:
    log = storage.start(disk).registry.create(ORDERS)
    for number in range(12):
        storage.append(log, b"value %d" % number + b"." * 100)
    assert len(log.segments) > 3
    return log


def restarted(storage: Storage) -> PartitionLog:
    storage.stop()
    log = storage.start().registry.get(ORDERS)
    assert log is not None
    log.check_invariants()
    return log


def test_a_truncation_is_finished_and_its_records_never_come_back(storage: Storage, disk: FaultyDisk) -> None:
    log = filled(storage, disk)
    kept = values_of(log)[:4]
    disk.faults["rename"] = NO_ROOM
    with pytest.raises(KafkaStorageError):  # The recovery point cannot be lowered: nothing has happened.
        storage.manager.durability.truncate_to(log, 4)
    assert log.log_end_offset == 12
    log.truncate_to(4, now_ms=storage.clock.wall_ms())
    del disk.faults["rename"]
    storage.append(log, b"new")
    assert values_of(restarted(storage)) == [*kept, b"new"]


def test_a_truncation_that_cannot_be_finished_ends_its_directory(storage: Storage, disk: FaultyDisk) -> None:
    log = filled(storage, disk)
    disk.faults["rename"] = disk.faults["unlink"] = NO_ROOM
    with pytest.raises(LogDirError):
        log.truncate_to(4, now_ms=storage.clock.wall_ms())


def test_retention_deletes_all_the_same(storage: Storage, disk: FaultyDisk, tmp_path: Path) -> None:
    log = filled(storage, disk)
    disk.faults["rename"] = NO_ROOM
    for _ in range(3):
        storage.clock.advance_ms(400_000)
        storage.manager.tick()
    assert (log.log_start_offset, storage.failures) == (12, [])
    assert [path.name for path in tmp_path.glob("a/orders-0/*.log")] == [f"{12:020d}.log"]
    del disk.faults["rename"]
    assert restarted(storage).log_start_offset == 12


def test_a_topic_whose_deletion_is_refused_is_still_there_and_a_namesake_does_not_get_it(
    storage: Storage, disk: FaultyDisk
) -> None:
    log = filled(storage, disk)
    disk.faults["rename"] = NO_ROOM
    with pytest.raises(KafkaStorageError):
        storage.manager.registry.delete(ORDERS)
    assert storage.manager.registry.get(ORDERS) is log
    del disk.faults["rename"]
    storage.manager.registry.delete(ORDERS)
    assert storage.manager.registry.create(ORDERS).log_end_offset == 0


@pytest.mark.parametrize("call", ["pwrite", "make_directory"])
def test_a_partition_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path, disk: FaultyDisk, call: str) -> None:
    storage = Storage(tmp_path / "a", tmp_path / "b")
    storage.start(disk)
    disk.faults[call] = NO_ROOM
    with pytest.raises(KafkaStorageError):
        storage.manager.registry.create(ORDERS, uuid.uuid4())
    del disk.faults[call]
    storage.manager.registry.create(TopicPartition("others", 0))
    storage.manager.registry.create(ORDERS, uuid.uuid4())
    storage.stop()
    storage.start()
    assert {log.topic_partition.topic for log in storage.manager.registry.logs()} == {"orders", "others"}


def test_a_recovery_point_that_could_not_be_lowered_is_lowered_by_the_next_try(
    storage: Storage, disk: FaultyDisk, tmp_path: Path
) -> None:
    log = filled(storage, disk)
    storage.manager.durability.flush(log, 12)
    storage.manager.durability.checkpoint_recovery_points()
    checkpoint = tmp_path / "a" / "recovery-point-offset-checkpoint"
    before = checkpoint.read_text()
    disk.faults["pwrite"] = NO_ROOM
    for _ in range(2):
        with pytest.raises(KafkaStorageError):
            storage.manager.durability.truncate_to(log, 1)
        assert (log.log_end_offset, checkpoint.read_text()) == (12, before)
    del disk.faults["pwrite"]
    assert storage.manager.durability.truncate_to(log, 1)
    assert checkpoint.read_text().splitlines()[-1] == "orders 0 1"


def test_a_removal_that_finds_no_descriptor_is_put_off(storage: Storage, disk: FaultyDisk, tmp_path: Path) -> None:
    class NoDescriptor(FaultyDisk):
        def list_directory(self, path: str, /) -> list[str]:
            if "list_directory" in self.faults:
                raise self.faults["list_directory"]
            return super().list_directory(path)

    disk = NoDescriptor()
    filled(storage, disk)
    storage.manager.registry.delete(ORDERS)
    disk.faults["list_directory"] = os_error(errno.EMFILE)
    storage.clock.advance_ms(100_000)
    storage.manager.tick()
    assert (list(tmp_path.glob("a/*-delete")) != [], storage.failures) == (True, [])
    del disk.faults["list_directory"]
    storage.clock.advance_ms(100_000)
    storage.manager.tick()
    assert list(tmp_path.glob("a/*-delete")) == []
