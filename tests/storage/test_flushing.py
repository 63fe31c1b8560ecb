"""When records are durable: group commit, closed segments, recovery points that never promise too much."""

import errno
import threading
from pathlib import Path

import pytest

from ottla.clock.clocks import monotonic_ms
from ottla.errors.kafka import KafkaStorageError, OutOfOrderSequenceNumberError
from ottla.errors.tree import LogDirError
from ottla.model import TopicPartition
from ottla.storage import flushing
from ottla.storage.background import ThreadBackground
from ottla.storage.log.batch_validation import Origin
from ottla.storage.log.partition_log import PartitionLog
from storage.brokers import ORDERS, QueuedBackground, Storage, values_of
from support.disks import FaultyDisk, RecordingDisk, os_error
from support.logs import NOW_MS, batch


class Answers(list[Exception | None]):
    """What those who waited were told."""

    def __call__(self, error: Exception | None) -> None:
        self.append(error)


class Rig:
    """One log directory whose background work is run by the test."""

    def __init__(self, path: Path, disk: RecordingDisk | FaultyDisk, **topic: str) -> None:
        self.disk = disk
        self.background = QueuedBackground()
        self.storage = Storage(path, topic={key.replace("_", "."): value for key, value in topic.items()})
        self.manager = self.storage.start(disk, lambda path: self.background)

    def create(self, partition: int = 0) -> PartitionLog:
        log = self.manager.registry.create(TopicPartition("orders", partition))
        self.background.run_all()
        return log

    def syncs(self) -> list[str]:
        """Log files that were synced, and the trace is cleared."""
        assert isinstance(self.disk, RecordingDisk)
        found = [
            Path(call[1]).parent.name for call in self.disk.trace if call[0] == "sync" and call[1].endswith(".log")
        ]
        self.disk.trace.clear()
        return found


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path / "a", RecordingDisk())


def test_one_sync_answers_all_who_wait(rig: Rig) -> None:
    log, answers = rig.create(), Answers()
    for number in range(5):
        rig.storage.append(log, b"value")
        rig.manager.durability.flush(log, number + 1, answers)
    rig.syncs()
    assert answers == []
    rig.background.run_next()
    assert answers == [None], "the first round had only the first request in it"
    rig.background.run_next()
    assert answers == [None] * 5
    assert rig.syncs() == ["orders-0"] * 2
    assert log.recovery_point == 5
    assert rig.background.queue == []


def test_a_round_syncs_every_log_that_somebody_waits_for(rig: Rig) -> None:
    logs, answers = [rig.create(0), rig.create(1)], Answers()
    for log in logs:
        rig.storage.append(log, b"value")
        rig.manager.durability.flush(log, 1)
    for log in logs:
        rig.storage.append(log, b"value")
        rig.manager.durability.flush(log, 2, answers)
    rig.syncs()
    rig.background.run_next()
    assert rig.syncs() == ["orders-0"]
    rig.background.run_next()
    assert sorted(rig.syncs()) == ["orders-0", "orders-1"]
    assert answers == [None, None]


def test_what_is_durable_already_is_answered_at_once(rig: Rig) -> None:
    log, answers = rig.create(), Answers()
    rig.storage.append(log, b"value")
    rig.manager.durability.flush(log, 1)
    rig.background.run_all()
    rig.manager.durability.flush(log, 1, answers)
    assert answers == [None]
    assert rig.background.queue == []


def test_records_appended_while_a_sync_runs_are_not_taken_for_durable(rig: Rig) -> None:
    log = rig.create()
    rig.storage.append(log, b"before")
    rig.manager.durability.flush(log, 1)
    rig.storage.append(log, b"during")
    rig.background.run_all()
    assert log.recovery_point == 1


def test_a_truncation_while_a_sync_runs_keeps_the_recovery_point_below_it(rig: Rig) -> None:
    log = rig.create()
    for _ in range(4):
        rig.storage.append(log, b"old")
    rig.manager.durability.flush(log, 4)
    rig.manager.durability.truncate_to(log, 2)
    for _ in range(4):
        rig.storage.append(log, b"new")
    rig.background.run_all()
    assert log.recovery_point == 2


def test_only_closed_segments_are_synced_by_themselves(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "a", RecordingDisk(), segment_bytes="300")
    log = rig.create()
    rig.syncs()
    rig.storage.append(log, b"x" * 200)
    assert rig.background.queue == []
    rig.storage.append(log, b"x" * 200)
    rig.background.run_all()
    assert rig.syncs() == ["orders-0"]
    assert log.recovery_point == log.active.base_offset == 1


def test_the_epochs_are_on_disk_before_the_recovery_point_passes_them(rig: Rig) -> None:
    log = rig.create()
    rig.storage.append(log, b"value", epoch=3)
    rig.manager.durability.flush(log, 1)
    assert log.leader_epochs.dirty
    rig.background.run_all()
    assert not log.leader_epochs.dirty
    assert Path(log.directory, "leader-epoch-checkpoint").read_text() == "0\n1\n3 0\n"


def test_flush_messages_asks_for_a_flush_when_so_many_are_not_durable(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "a", RecordingDisk(), flush_messages="3")
    log = rig.create()
    rig.storage.append(log, b"a", b"b")
    assert not rig.manager.durability.must_flush(log)
    rig.storage.append(log, b"c")
    assert rig.manager.durability.must_flush(log)


def test_flush_ms_flushes_by_itself(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "a", RecordingDisk(), flush_ms="5000")
    log = rig.create()
    rig.manager.tick()
    rig.storage.append(log, b"value")
    rig.storage.clock.advance_ms(3000)
    rig.manager.tick()
    rig.background.run_all()
    assert log.recovery_point == 0
    rig.storage.clock.advance_ms(1000)  # the next look, a second from now, might be too late
    rig.manager.tick()
    rig.background.run_all()
    assert log.recovery_point == 1


@pytest.mark.parametrize(("flush_ms", "interval"), [("5000", 1.0), ("2000", 1.0), ("300", 0.15), ("1", 0.01)])
def test_short_flush_ms_is_kept(tmp_path: Path, flush_ms: str, interval: float) -> None:
    """Whenever a message comes, it is durable `flush.ms` later: as near to that as there are looks at all."""
    rig = Rig(tmp_path / "a", RecordingDisk(), flush_ms=flush_ms)
    log = rig.create()
    for phase in range(1, 10):
        assert rig.manager.tick_flushes() == interval
        rig.background.run_all()
        rig.storage.clock.advance_ms(int(interval * 100 * phase))
        rig.storage.append(log, b"value")
        waited = interval * 1000 - int(interval * 100 * phase)
        rig.storage.clock.advance_ms(int(waited))
        while True:
            rig.manager.tick_flushes()
            rig.background.run_all()
            if log.recovery_point == log.log_end_offset:
                break
            waited += interval * 1000
            rig.storage.clock.advance_ms(int(interval * 1000))
        assert waited <= max(int(flush_ms), 10)


def test_without_flush_ms_a_look_a_second_is_enough(tmp_path: Path) -> None:
    rig = Rig(tmp_path / "a", RecordingDisk())
    rig.create()
    assert rig.manager.tick_flushes() == 1.0


def test_a_failed_sync_is_told_takes_the_directory_offline_and_is_not_tried_again(tmp_path: Path) -> None:
    disk = FaultyDisk()
    rig = Rig(tmp_path / "a", disk)
    log, answers = rig.create(), Answers()
    rig.storage.append(log, b"value")
    rig.manager.durability.flush(log, 1, answers)
    disk.faults["sync"] = os_error(errno.EIO)
    rig.background.run_all()
    assert [type(answer) for answer in answers] == [LogDirError]
    assert rig.storage.failures == [(str(tmp_path / "a"), [ORDERS])]
    assert rig.manager.registry.get(ORDERS) is None
    del disk.faults["sync"]
    disk.calls.clear()
    rig.background.run_all()
    rig.manager.tick()
    assert "sync" not in disk.calls


def test_a_log_deleted_while_a_sync_runs_does_no_harm(rig: Rig) -> None:
    log, answers = rig.create(), Answers()
    rig.storage.append(log, b"value", epoch=1)
    rig.manager.durability.flush(log, 1, answers)
    rig.manager.registry.delete(ORDERS)
    rig.background.run_all()
    assert [type(answer) for answer in answers] == [KafkaStorageError], "its files are gone, synced or not"
    assert rig.storage.failures == []


def test_waiting_for_a_log_that_is_deleted_ends_with_an_error(rig: Rig) -> None:
    log, answers = rig.create(), Answers()
    rig.storage.append(log, b"value")
    rig.manager.durability.flush(log, 1)
    rig.manager.durability.flush(log, 1, answers)
    rig.manager.registry.delete(ORDERS)
    assert [type(answer) for answer in answers] == [KafkaStorageError]


def test_a_thread_does_the_work_and_the_loop_hears_of_it(tmp_path: Path) -> None:
    """`call_soon` is what the event loop gives; here the test takes the calls out of a list."""
    calls: list[object] = []
    told = threading.Event()

    def call_soon(function: object) -> None:
        calls.append(function)
        told.set()

    storage = Storage(tmp_path / "a")
    manager = storage.start(background=lambda path: ThreadBackground(path, call_soon))
    log = manager.registry.create(ORDERS)
    assert told.wait(30)
    calls.pop(0)()  # type: ignore[operator]
    told.clear()
    storage.append(log, b"value")
    answers = Answers()
    manager.durability.flush(log, 1, answers)
    assert told.wait(30)
    assert answers == []
    calls.pop(0)()  # type: ignore[operator]
    assert answers == [None]
    assert log.recovery_point == 1
    storage.stop()
    found = storage.start().registry.get(ORDERS)
    assert found is not None
    assert values_of(found) == [b"value"]


def test_every_round_tells_how_long_it_took(rig: Rig) -> None:
    log = rig.create()
    rounds = len(rig.storage.flush_times)
    rig.storage.append(log, b"value")
    rig.manager.durability.flush(log, 1)
    rig.background.run_all()
    assert len(rig.storage.flush_times) == rounds + 1
    assert rig.storage.flush_times[-1] >= 0


def test_a_round_holds_few_descriptors_however_much_is_unflushed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flushing, "ROUND_FILES_MAX", 9)
    rig = Rig(tmp_path / "a", RecordingDisk(), segment_bytes="300")
    log, answers = rig.create(), Answers()
    for _ in range(20):
        rig.storage.append(log, b"x" * 200)
    assert len(log.segments) == 20
    other = rig.create(1)
    rig.background.run_all()
    log.recovery_point = 0
    rig.storage.append(other, b"value")
    rig.manager.durability.flush(log, 20, answers)
    rig.manager.durability.flush(other, 1, answers)
    while rig.background.queue:
        assert sum(file.pins for segment in log.segments for file in segment.files) <= 9 + 2
        rig.background.run_next()
    assert answers == [None, None]
    assert (log.recovery_point, other.recovery_point) == (20, 1)


def test_a_round_without_descriptors_keeps_none(tmp_path: Path) -> None:
    disk = FaultyDisk()
    rig = Rig(tmp_path / "a", disk, segment_bytes="300")
    log, answers = rig.create(), Answers()
    for _ in range(3):
        rig.storage.append(log, b"x" * 200)
    rig.background.run_all()
    for segment in log.segments:
        for file in segment.files:
            file.close()
    log.recovery_point = 0
    disk.faults["open"] = os_error(errno.EMFILE)
    rig.manager.durability.flush(log, 3, answers)
    rig.background.run_all()
    assert sum(file.pins for segment in log.segments for file in segment.files) == 0
    del disk.faults["open"]
    rig.manager.durability.flush(log, 3, answers)
    rig.background.run_all()
    assert (answers, log.recovery_point) == ([None, None], 3)


def test_who_waits_for_a_flush_without_room_is_told_when_there_is_room_again(tmp_path: Path) -> None:
    disk = FaultyDisk()
    rig = Rig(tmp_path / "a", disk)
    poor, rich = rig.create(0), rig.create(1)
    poor_answers, rich_answers = Answers(), Answers()
    rig.storage.append(rich, b"value")
    rig.manager.durability.flush(rich, 1)
    rig.background.run_all()
    disk.faults["rename"] = os_error(errno.ENOSPC)
    rig.storage.append(poor, b"value of an epoch that is not in the file yet")
    rig.storage.append(rich, b"value")
    rig.manager.durability.flush(poor, 1, poor_answers)
    rig.manager.durability.flush(rich, 2, rich_answers)
    rig.background.run_all()
    assert (poor_answers, rich_answers) == ([], [None]), "want of room for one is nothing to the others"
    rig.manager.tick()
    rig.background.run_all()
    assert poor_answers == []
    del disk.faults["rename"]
    rig.manager.tick()
    rig.background.run_all()
    assert (poor_answers, poor.recovery_point) == ([None], 1)


def test_a_partition_that_is_deleted_while_its_flush_is_put_off_tells_who_waits(tmp_path: Path) -> None:
    disk = FaultyDisk()
    rig = Rig(tmp_path / "a", disk)
    log, answers = rig.create(), Answers()
    rig.storage.append(log, b"value of an epoch that is not in the file yet")
    disk.faults["rename"] = os_error(errno.ENOSPC)
    rig.manager.durability.flush(log, 1, answers)
    rig.background.run_all()
    del disk.faults["rename"]
    rig.manager.registry.delete(log.topic_partition)
    assert [type(answer) for answer in answers] == [KafkaStorageError]


def test_a_thousand_logs_that_wait_without_descriptors_are_all_told_in_the_end(tmp_path: Path) -> None:
    disk = FaultyDisk()
    rig = Rig(tmp_path / "a", disk)
    logs, answers = [rig.create(number) for number in range(1_000)], Answers()
    for log in logs:
        rig.storage.append(log, b"value")
        log.active.log.close()
    disk.faults["open"] = os_error(errno.EMFILE)
    for log in logs:
        rig.manager.durability.flush(log, 1, answers)
    rig.background.run_all()
    assert answers == []
    del disk.faults["open"]
    rig.manager.tick()
    rig.background.run_all()
    assert answers == [None] * 1_000
    rig.storage.crash()


def test_a_file_that_cannot_be_opened_for_a_flush_ends_the_directory_and_not_the_append(tmp_path: Path) -> None:
    disk = FaultyDisk()
    rig = Rig(tmp_path / "a", disk)
    log, answers = rig.create(), Answers()
    rig.storage.append(log, b"value")
    log.active.log.close()
    disk.faults["open"] = os_error(errno.EIO)
    rig.manager.durability.flush(log, 1, answers)
    assert rig.manager.dirs.online(), "not under the hands of whoever asked"
    rig.background.run_all()
    assert [type(answer) for answer in answers] == [LogDirError]
    assert not rig.manager.dirs.online()
    rig.manager.tick()


def test_what_is_cut_off_while_it_is_appended_is_not_taken_for_durable(tmp_path: Path) -> None:
    """What an old client sends may become several batches: all are appended or none."""
    rig = Rig(tmp_path / "a", RecordingDisk(), segment_bytes="300")
    log = rig.create()
    rig.storage.append(log, b"first")
    log.flush()
    sequences = (0, 1, 9)
    batches = [
        prepared
        for sequence in sequences
        for prepared in log.validation.prepare(
            batch([b"x" * 150], producer_id=1, producer_epoch=0, base_sequence=sequence), NOW_MS, Origin.CLIENT
        )
    ]
    with pytest.raises(OutOfOrderSequenceNumberError):
        log.append_prepared(batches, 0, now_ms=NOW_MS)
    rig.storage.append(log, b"another")
    rig.background.run_all()
    assert (log.log_end_offset, log.recovery_point) == (2, 1)


def test_a_segment_that_is_deleted_before_it_was_synced_is_not_looked_for(tmp_path: Path) -> None:
    disk = FaultyDisk()
    rig = Rig(tmp_path / "a", disk, segment_bytes="300", file_delete_delay_ms="0")
    log, answers = rig.create(), Answers()
    disk.faults["sync_directory"] = os_error(errno.EMFILE)
    for _ in range(3):
        rig.storage.append(log, b"x" * 200)
        rig.background.run_all()
    log.delete_oldest(2, now_ms=NOW_MS)
    del disk.faults["sync_directory"]
    rig.storage.clock.advance_ms(1)
    rig.manager.dirs.all[0].deletions.run_due(monotonic_ms(rig.storage.clock))
    remove, removed = rig.background.queue.pop()
    remove()
    rig.manager.durability.flush(log, 3, answers)
    removed(None)
    rig.background.run_all()
    assert (answers, log.recovery_point) == ([None], 3)
    assert rig.manager.dirs.online()
