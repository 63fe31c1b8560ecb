"""What is done to partitions from time to time: retention, and the bounds on what is known of producers."""

import errno
import mmap
import os
from pathlib import Path

import pytest

from ottla.model import TopicPartition
from ottla.records.batch import iterate_batches
from ottla.records.record import Record, encode_batch
from ottla.storage.log_settings import PRODUCERS_MAX
from storage.brokers import ORDERS, Storage
from support.disks import FaultyDisk, os_error

DAY_MS = 86_400_000


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    return Storage(tmp_path / "a", topic={"segment.bytes": "300", "file.delete.delay.ms": "1000"})


# -- retention --------------------------------------------------------------------------------------------------------


def visit(storage: Storage) -> None:
    """Long enough for every partition to be visited."""
    for _ in range(3):
        storage.clock.advance_ms(400_000)
        storage.manager.tick()


@pytest.mark.parametrize(("interval_ms", "is_visited"), [(10_000, True), (DAY_MS, False)])
def test_retention_is_looked_at_as_often_as_the_broker_is_told_to(
    tmp_path: Path, interval_ms: int, is_visited: bool
) -> None:
    storage = Storage(
        tmp_path / "a",
        topic={"segment.bytes": "300", "retention.ms": "1"},
        retention_check_interval_ms=interval_ms,
        producer_check_interval_ms=DAY_MS,
    )
    log = storage.start().registry.create(ORDERS)
    storage.append(log, b"x" * 200)
    storage.manager.tick()
    storage.clock.advance_ms(20_000)  # the first visit is at a time of the partition's own within the interval
    storage.manager.tick()
    assert (log.log_start_offset == 1) is is_visited


def test_segments_older_than_retention_ms_go_the_active_one_too(storage: Storage) -> None:
    storage.overrides["retention.ms"] = str(DAY_MS)
    log = storage.start().registry.create(ORDERS)
    for _ in range(6):
        storage.append(log, b"x" * 200)
    storage.append(log, b"y" * 200, now_ms=storage.clock.wall_ms() + DAY_MS)
    visit(storage)
    assert log.log_start_offset == 0
    storage.clock.advance_ms(DAY_MS)
    visit(storage)
    assert log.log_start_offset == 6
    storage.clock.advance_ms(DAY_MS)
    visit(storage)
    assert (log.log_start_offset, log.log_end_offset) == (7, 7)
    log.check_invariants()


def test_file_time_counts_where_records_have_no_timestamp(storage: Storage) -> None:
    storage.overrides["retention.ms"] = str(DAY_MS)
    log = storage.start().registry.create(ORDERS)
    storage.append(log, b"value", now_ms=-1)
    path = log.active.log.path
    os.utime(path, (storage.clock.wall_ms() / 1000, storage.clock.wall_ms() / 1000))
    visit(storage)
    assert log.log_start_offset == 0
    os.utime(path, (0, 0))
    visit(storage)
    assert log.log_start_offset == 1


@pytest.mark.parametrize("end", ["stop", "crash"])
def test_file_time_is_not_renewed_by_a_restart(storage: Storage, end: str) -> None:
    log = storage.start().registry.create(ORDERS)
    for _ in range(4):
        storage.append(log, b"x" * 200, now_ms=-1)
    for segment in log.segments:
        os.utime(segment.log.path, (1_000_000_000, 1_000_000_000))
    getattr(storage, end)()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    storage.append(found, b"x" * 200, now_ms=-1)
    assert [segment.largest_timestamp for segment in found.segments][:4] == [1_000_000_000_000] * 4


def test_a_file_time_that_cannot_be_read_ends_the_directory_and_not_the_upkeep(tmp_path: Path) -> None:
    storage, disk = Storage(tmp_path / "a", tmp_path / "b"), FaultyDisk()
    manager = storage.start(disk)
    storage.append(manager.registry.create(ORDERS), b"value", now_ms=-1)
    disk.faults["stat"] = os_error(errno.EIO)
    visit(storage)
    assert storage.failures == [(str(tmp_path / "a"), [ORDERS])]


def test_oldest_segments_go_while_the_log_stays_above_retention_bytes(storage: Storage) -> None:
    storage.overrides |= {"retention.bytes": "1000", "retention.ms": "-1"}
    log = storage.start().registry.create(ORDERS)
    for _ in range(20):
        storage.append(log, b"x" * 200)
    size = log.active.size
    visit(storage)
    assert 1000 <= log.size < 1000 + size
    assert log.log_start_offset == log.segments.first.base_offset > 0


def test_segments_below_the_log_start_offset_go_even_of_a_compacted_topic(storage: Storage, tmp_path: Path) -> None:
    storage.overrides |= {"cleanup.policy": "compact"}
    log = storage.start().registry.create(ORDERS)
    for number in range(6):
        data = encode_batch([Record(0, storage.clock.wall_ms(), b"key %d" % number, b"x" * 200)])
        log.append_as_leader(memoryview(bytearray(data)), 0, now_ms=storage.clock.wall_ms())
    log.increment_log_start_offset(4)
    visit(storage)
    assert log.segments.first.base_offset == 4
    storage.clock.advance_ms(2000)
    storage.manager.tick()
    assert not list((tmp_path / "a" / "orders-0").glob("*.deleted"))


def test_nothing_past_the_high_watermark_is_deleted(tmp_path: Path) -> None:
    storage = Storage(tmp_path / "a", topic={"segment.bytes": "300", "retention.ms": "1000"})
    storage.start()
    log = storage.manager.registry.create(ORDERS)
    for _ in range(6):
        storage.append(log, b"x" * 200)
    storage.high_watermark = lambda log: 3
    visit(storage)
    assert log.log_start_offset == 3


def test_a_moved_log_start_survives_a_clean_stop_and_a_checkpointed_one_a_kill(storage: Storage) -> None:
    log = storage.start().registry.create(ORDERS)
    for _ in range(3):
        storage.append(log, b"a", b"b", b"c")
    log.increment_log_start_offset(4)
    storage.stop()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert found.log_start_offset == 4
    found.increment_log_start_offset(5)
    storage.clock.advance_ms(120_000)
    storage.manager.tick()
    storage.crash()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert found.log_start_offset == 5


# -- producers --------------------------------------------------------------------------------------------------------


def test_producers_over_all_partitions_are_bounded(tmp_path: Path) -> None:
    storage = Storage(tmp_path / "a", producers_max=100)
    manager = storage.start()
    logs = [manager.registry.create(TopicPartition("orders", partition)) for partition in range(3)]
    for number in range(300):
        storage.append(logs[number % 3], b"x", producer_id=number, producer_epoch=0, base_sequence=0)
        storage.clock.advance_ms(1)
        if number % 50 == 49:
            for _ in range(10):
                manager.tick()
    assert sum(len(log.producers) for log in logs) <= 100
    assert logs[299 % 3].producers.get(299) is not None


@pytest.mark.long
def test_ten_million_producer_ids_take_no_more_memory_than_half_a_million(tmp_path: Path) -> None:
    """Five batches each, as much as is remembered of a producer; a tick after every 50,000 of them."""
    storage = Storage(tmp_path / "a")
    log = storage.start().registry.create(ORDERS)
    ((_, header),) = iterate_batches(encode_batch([Record(0, 0, None, b"x")], producer_epoch=0, base_sequence=0))
    most_bytes = most_ids = 0
    for producer_id in range(10_000_000):
        for sequence in range(5):
            mine = header._replace(producer_id=producer_id, base_sequence=sequence)
            log.producers.update(mine, 5 * producer_id + sequence, storage.clock.wall_ms())
        if producer_id % 50_000 == 0:
            storage.clock.advance_ms(1000)
            storage.manager.tick()
            most_ids = max(most_ids, len(log.producers))
            most_bytes = max(most_bytes, resident_bytes())
            if producer_id == 600_000:
                bound = 1.2 * most_bytes
    assert most_ids <= PRODUCERS_MAX + 50_000
    assert most_bytes < bound


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


def test_producers_expire(tmp_path: Path) -> None:
    storage = Storage(tmp_path / "a", producer_expiration_ms=1_000_000)
    log = storage.start().registry.create(ORDERS)
    storage.append(log, b"x", producer_id=1, producer_epoch=0, base_sequence=0)
    visit(storage)
    assert len(log.producers) == 0
