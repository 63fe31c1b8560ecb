"""All partitions of all log directories: start, stop, create, delete, retain, fail."""

import errno
import os
import threading
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from ottla.disk.system_disk import SystemDisk
from ottla.errors import OperatorError
from ottla.errors.kafka import KafkaStorageError, OutOfOrderSequenceNumberError
from ottla.errors.tree import LogDirError
from ottla.model import TopicPartition
from ottla.records.batch import LOG_OVERHEAD, stamp
from ottla.records.record import Record, encode_batch
from ottla.storage.log.partition_directory import DirectoryKind
from ottla.storage.log_dir.checkpoints import CLEANER, HIGH_WATERMARK, LOG_START, RECOVERY_POINT
from ottla.storage.log_dir.log_dir_scan import take_inventory
from storage.brokers import ORDERS, Storage, values_of
from storage.partitions import PartitionWriter
from support.disks import FaultyDisk, os_error

TOPIC_ID = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
DAY_MS = 86_400_000


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(tmp_path / "a", topic={"segment.bytes": "300", "file.delete.delay.ms": "1000"})


def names(path: Path) -> set[str]:
    return {entry.name for entry in path.iterdir()}


def test_what_was_written_is_there_after_a_clean_stop(storage: Storage) -> None:
    log = storage.start().registry.create(ORDERS, TOPIC_ID)
    for number in range(10):
        storage.append(log, b"value %d" % number, b"x" * 100)
    storage.stop()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert len(found.segments) > 3
    assert values_of(found)[::2] == [b"value %d" % number for number in range(10)]
    assert (found.log_end_offset, found.recovery_point) == (20, 20)
    assert storage.manager.registry.topic_id(ORDERS) == TOPIC_ID
    found.check_invariants()


def test_what_was_written_is_there_after_a_kill(storage: Storage) -> None:
    log = storage.start().registry.create(ORDERS)
    for number in range(10):
        storage.append(log, b"value %d" % number, b"x" * 100)
    storage.crash()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert values_of(found)[::2] == [b"value %d" % number for number in range(10)]
    found.check_invariants()


def test_files_of_a_log_directory_are_kafkas_and_one_of_our_own(storage: Storage, tmp_path: Path) -> None:
    manager = storage.start()
    manager.dirs.write_meta(3, "Xk-9aBcDEf012345678901")
    log = manager.registry.create(ORDERS, TOPIC_ID)
    storage.append(log, b"value", epoch=4)
    storage.stop()
    root = tmp_path / "a"
    assert names(root) == {
        ".lock", ".kafka_cleanshutdown", ".ottla_whole", "meta.properties", "orders-0",
        RECOVERY_POINT, HIGH_WATERMARK, LOG_START,
    }  # fmt: skip
    assert (root / RECOVERY_POINT).read_text() == "0\n1\norders 0 1\n"
    assert (root / HIGH_WATERMARK).read_text() == "0\n1\norders 0 1\n"
    assert (root / LOG_START).read_text() == "0\n0\n"
    assert names(root / "orders-0") == {
        f"{0:020d}.log", f"{0:020d}.index", f"{0:020d}.timeindex", f"{1:020d}.snapshot",
        "leader-epoch-checkpoint", "partition.metadata",
    }  # fmt: skip
    assert (root / "orders-0" / "leader-epoch-checkpoint").read_text() == "0\n1\n4 0\n"
    assert (root / "orders-0" / "partition.metadata").read_text() == "version: 0\ntopic_id: ASNFZ4mrze8BI0VniavN7w"


def test_a_start_takes_the_marker_before_it_loads(storage: Storage, tmp_path: Path) -> None:
    storage.start().registry.create(ORDERS)
    storage.stop()
    assert ".kafka_cleanshutdown" in names(tmp_path / "a")
    storage.start()
    assert ".kafka_cleanshutdown" not in names(tmp_path / "a")
    assert storage.manager.dirs.all[0].was_clean
    storage.crash()
    storage.start()
    assert not storage.manager.dirs.all[0].was_clean


def test_duplicates_are_known_after_a_clean_stop_and_after_a_kill(storage: Storage) -> None:
    log = storage.start().registry.create(ORDERS)
    for sequence in range(4):
        storage.append(log, b"x" * 100, producer_id=9, producer_epoch=0, base_sequence=sequence)
    for end in (storage.stop, storage.crash):
        end()
        found = storage.start().registry.get(ORDERS)
        assert found is not None
        storage.append(found, b"x" * 100, producer_id=9, producer_epoch=0, base_sequence=3)
        assert found.log_end_offset == 4, "the last batch again is not appended again"


@pytest.mark.parametrize("end", ["stop", "crash"])
def test_all_of_the_last_five_batches_are_known_after_a_restart(storage: Storage, end: str) -> None:
    log = storage.start().registry.create(ORDERS)
    for sequence in range(8):
        storage.append(log, b"x" * 100, producer_id=9, producer_epoch=0, base_sequence=sequence)
    getattr(storage, end)()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    for sequence in range(3, 8):
        storage.append(found, b"x" * 100, producer_id=9, producer_epoch=0, base_sequence=sequence)
    assert found.log_end_offset == 8
    with pytest.raises(OutOfOrderSequenceNumberError):
        storage.append(found, b"x" * 100, producer_id=9, producer_epoch=0, base_sequence=2)


def test_new_partitions_go_to_the_directory_with_the_fewest(tmp_path: Path) -> None:
    storage = Storage(tmp_path / "a", tmp_path / "b")
    manager = storage.start()
    for partition in range(5):
        manager.registry.create(TopicPartition("orders", partition))
    assert [len(log_dir.logs) for log_dir in manager.dirs.all] == [3, 2]


def test_a_deleted_partition_is_renamed_at_once_and_removed_later(storage: Storage, tmp_path: Path) -> None:
    manager = storage.start()
    log = manager.registry.create(ORDERS)
    storage.append(log, b"value")
    read = log.read(0, 1000, end_offset=log.end_position)
    assert read.slice is not None
    manager.registry.delete(ORDERS)
    assert manager.registry.get(ORDERS) is None
    (renamed,) = (name for name in names(tmp_path / "a") if name.startswith("orders-0."))
    assert renamed.endswith("-delete")
    assert len(read.slice.read(0, len(read.slice))) == len(read.slice), "whoever reads it goes on"
    read.slice.close()
    manager.registry.create(ORDERS)
    storage.clock.advance_ms(999)
    manager.tick()
    assert renamed in names(tmp_path / "a")
    storage.clock.advance_ms(1)
    manager.tick()
    assert renamed not in names(tmp_path / "a")
    assert "orders-0" in names(tmp_path / "a")


def test_a_partition_that_was_being_deleted_is_removed_by_the_next_start(storage: Storage, tmp_path: Path) -> None:
    manager = storage.start()
    manager.registry.create(ORDERS)
    manager.registry.delete(ORDERS)
    storage.crash()
    storage.start().tick()
    assert storage.manager.registry.get(ORDERS) is None
    assert not [name for name in names(tmp_path / "a") if name.endswith("-delete")]


def test_half_of_a_move_between_log_directories_is_left_as_it_is(storage: Storage, tmp_path: Path) -> None:
    log = storage.start().registry.create(ORDERS, TOPIC_ID)
    storage.append(log, b"value")
    storage.stop()
    future = tmp_path / "a" / "orders-0.0123456789abcdef0123456789abcdef-future"
    future.mkdir()
    (future / f"{0:020d}.log").write_bytes(b"half a batch")
    for leave in (storage.stop, storage.crash):
        found = storage.start().registry.get(ORDERS)
        assert found is not None
        assert found.log_end_offset == 1
        leave()
        assert names(future) == {f"{0:020d}.log"}
        assert (future / f"{0:020d}.log").read_bytes() == b"half a batch"


@pytest.mark.parametrize("threads", [1, 3])
def test_as_many_partitions_are_recovered_at_once_as_there_are_threads(tmp_path: Path, threads: int) -> None:
    """Each waits for the others in the middle of its recovery: who goes alone waits in vain."""
    at_once = threading.Barrier(threads)

    class WaitingDisk(SystemDisk):
        def open(self, path: str, flags: int, /) -> int:
            if path.endswith(".log") and flags == 0:
                at_once.wait(10)
            return super().open(path, flags)

    storage = Storage(tmp_path / "a", recovery_threads_per_dir=threads)
    for partition in range(3):
        storage_log = (storage.manager if partition else storage.start()).registry.create(
            TopicPartition("orders", partition)
        )
        storage.append(storage_log, b"value")
    storage.crash()
    manager = storage.start(WaitingDisk())
    assert sum(log.log_end_offset for log in manager.registry.logs()) == 3


def test_a_stray_partition_is_kept_but_not_served(storage: Storage, tmp_path: Path) -> None:
    manager = storage.start()
    storage.append(manager.registry.create(ORDERS), b"value")
    manager.registry.set_aside(ORDERS)
    storage.stop()
    assert storage.start().registry.get(ORDERS) is None
    assert [name for name in names(tmp_path / "a") if name.endswith("-stray")]


def test_directories_that_are_no_partitions_are_left_alone(storage: Storage, tmp_path: Path) -> None:
    (tmp_path / "a" / "lost+found").mkdir(parents=True)
    storage.start()
    storage.stop()
    assert "lost+found" in names(tmp_path / "a")


def test_a_partition_in_two_directories_is_for_a_person_to_decide(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name / "orders-0").mkdir(parents=True)
    with pytest.raises(OperatorError, match="partition orders-0 is in"):
        Storage(tmp_path / "a", tmp_path / "b").start()


# -- failures ---------------------------------------------------------------------------------------------------------


def test_a_failed_directory_takes_only_its_own_partitions_offline(tmp_path: Path) -> None:
    storage = Storage(tmp_path / "a", tmp_path / "b")
    disk = FaultyDisk()
    manager = storage.start(disk)
    logs = [manager.registry.create(TopicPartition("orders", partition)) for partition in range(4)]
    disk.faults["pwrite"] = os_error(errno.EIO)
    with pytest.raises(LogDirError) as raised:
        storage.append(logs[0], b"value")
    del disk.faults["pwrite"]
    manager.dirs.fail(raised.value)
    manager.dirs.fail(raised.value)
    assert storage.failures == [(str(tmp_path / "a"), [TopicPartition("orders", 0), TopicPartition("orders", 2)])]
    assert manager.registry.get(TopicPartition("orders", 0)) is None
    storage.append(logs[1], b"value")
    assert manager.registry.create(TopicPartition("other", 0)).log_directory.path == str(tmp_path / "b")
    storage.stop()
    assert ".kafka_cleanshutdown" not in names(tmp_path / "a")
    assert ".kafka_cleanshutdown" in names(tmp_path / "b")


@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_slice_that_cannot_be_read_fails_its_directory_when_the_loop_comes_to_it(
    tmp_path: Path, is_loaded: bool
) -> None:
    storage = Storage(tmp_path / "a", tmp_path / "b")
    disk, due = FaultyDisk(), list[Callable[[], None]]()
    log = storage.start(disk, call_soon=due.append).registry.create(ORDERS)
    storage.append(log, b"value")
    if is_loaded:
        storage.stop()
        found = storage.start(disk, call_soon=due.append).registry.get(ORDERS)
        assert found is not None
        log = found
    part = log.read(0, 1000, end_offset=log.end_position).slice
    assert part is not None
    disk.faults["pread"] = os_error(errno.EIO)
    for _ in range(2):
        with pytest.raises(LogDirError):
            part.read(0, 10)
    part.close()
    assert storage.manager.registry.get(ORDERS) is log
    for call in due:
        call()
    assert storage.failures == [(str(tmp_path / "a"), [ORDERS])]
    assert storage.manager.registry.get(ORDERS) is None
    storage.stop()


def test_a_full_disk_refuses_the_append_and_nothing_else(storage: Storage) -> None:
    disk = FaultyDisk()
    log = storage.start(disk).registry.create(ORDERS)
    storage.append(log, b"before")
    disk.room = 10
    with pytest.raises(KafkaStorageError):
        storage.append(log, b"too much")
    assert log.log_end_offset == 1
    storage.manager.tick()
    disk.room = None
    storage.append(log, b"after")
    assert values_of(log) == [b"before", b"after"]
    assert storage.failures == []
    storage.stop()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert values_of(found) == [b"before", b"after"]


def test_no_room_while_loading_leaves_no_clean_marker(storage: Storage, tmp_path: Path) -> None:
    """KAFKA-13773: the next start must recover, whatever this one could not do."""
    log = storage.start().registry.create(ORDERS)
    storage.append(log, b"value")
    storage.crash()
    disk = FaultyDisk()
    disk.faults["truncate"] = os_error(errno.ENOSPC)
    with pytest.raises(LogDirError, match="none of the log directories"):
        storage.start(disk)
    storage.manager.close()
    assert ".kafka_cleanshutdown" not in names(tmp_path / "a")
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert values_of(found) == [b"value"]


def test_a_failed_sync_on_the_stop_leaves_no_clean_marker(storage: Storage, tmp_path: Path) -> None:
    disk = FaultyDisk()
    storage.append(storage.start(disk).registry.create(ORDERS), b"value")
    disk.faults["sync"] = os_error(errno.EIO)
    storage.stop()
    assert ".kafka_cleanshutdown" not in names(tmp_path / "a")


def test_damaged_checkpoints_are_taken_as_empty(storage: Storage, tmp_path: Path) -> None:
    log = storage.start().registry.create(ORDERS)
    storage.append(log, b"value")
    storage.stop()
    for name in (RECOVERY_POINT, HIGH_WATERMARK, LOG_START):
        (tmp_path / "a" / name).write_bytes(os.urandom(50))
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert values_of(found) == [b"value"]


def test_a_checkpointed_high_watermark_is_never_past_the_end(storage: Storage, tmp_path: Path) -> None:
    log = storage.start().registry.create(ORDERS)
    storage.append(log, b"a", b"b")
    storage.stop()
    assert storage.start().registry.checkpointed_high_watermark(ORDERS) == 2
    storage.stop()
    (tmp_path / "a" / HIGH_WATERMARK).write_text("0\n1\norders 0 100\n")
    assert storage.start().registry.checkpointed_high_watermark(ORDERS) == 2


def test_a_recovery_point_past_the_end_is_brought_back(storage: Storage, tmp_path: Path) -> None:
    """KAFKA-10101."""
    log = storage.start().registry.create(ORDERS)
    storage.append(log, b"a")
    storage.crash()
    (tmp_path / "a" / RECOVERY_POINT).write_text("0\n1\norders 0 100\n")
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert found.recovery_point == found.log_end_offset == 1
    storage.append(found, b"b")
    with open(found.active.log.path, "ab") as file:
        file.write(b"\0" * LOG_OVERHEAD)
    storage.crash()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert values_of(found) == [b"a", b"b"]


def test_a_kill_takes_no_records_behind_gaps_that_a_leader_has_compacted(tmp_path: Path) -> None:
    storage = Storage(tmp_path / "a", topic={"segment.bytes": "300"})
    storage.start().mark_intact()
    log = storage.manager.registry.create(ORDERS)
    for offset in range(0, 40, 5):
        batch = bytearray(encode_batch([Record(0, 0, b"key", b"x" * 100)]))
        stamp(batch, 0, offset, 0)
        log.append_as_follower(memoryview(batch), now_ms=0)
    assert len(log.segments) > 2
    storage.crash()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert (found.log_end_offset, len(values_of(found))) == (36, 8)


def test_inventory_lists_partitions_with_topic_ids(storage: Storage, tmp_path: Path) -> None:
    manager = storage.start()
    manager.dirs.write_meta(3, "Xk-9aBcDEf012345678901")
    storage.append(manager.registry.create(TopicPartition("orders", 1), TOPIC_ID), b"value", epoch=6)
    manager.registry.create(TopicPartition("logs", 0))
    storage.stop()
    found = take_inventory(str(tmp_path / "a"))
    assert found.meta is not None
    assert found.meta.broker_id == 3
    assert [(entry.topic_partition, entry.kind, entry.topic_id) for entry in found.partitions] == [
        (TopicPartition("logs", 0), DirectoryKind.CURRENT, None),
        (TopicPartition("orders", 1), DirectoryKind.CURRENT, TOPIC_ID),
    ]
    assert found.partitions[1].latest_epoch == 6
    assert found.partitions[1].size_bytes > 0


@pytest.mark.parametrize(
    ("was_ours", "cleaned", "policy", "is_kept"),
    [
        (True, False, "delete", False),
        (True, False, "compact", True),
        (True, True, "delete", True),
        (False, False, "delete", True),
    ],
)
def test_gap_between_segments_ends_a_log_only_where_it_can_be_a_loss(
    tmp_path: Path, was_ours: bool, cleaned: bool, policy: str, is_kept: bool
) -> None:
    """Not in a log that is or was compacted, nor in a directory that another broker has left: there nobody knows."""
    root = tmp_path / "a"
    root.mkdir()
    writer = PartitionWriter(root)
    writer.append(b"before")
    writer.end += 5
    writer.roll()
    writer.append(b"after")
    writer.crash()
    if was_ours:
        (root / ".ottla_whole").write_text('{"version":0,"bootId":"another"}')
    if cleaned:
        (root / CLEANER).write_text("0\n1\norders 0 1\n")
    log = Storage(root, topic={"cleanup.policy": policy}).start().registry.get(ORDERS)
    assert log is not None
    assert values_of(log) == ([b"before", b"after"] if is_kept else [b"before"])
