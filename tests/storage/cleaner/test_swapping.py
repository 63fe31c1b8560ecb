"""A crash at any step of a swap loses nothing, and changes while the cleaner works are respected."""

import shutil

import pytest

from ottla.disk.system_disk import SystemDisk
from ottla.errors import OttlaError
from support.compaction import CompactedLogs, clean_here, latest

COUNT = 14


class Crash(BaseException):
    """Not an error that anybody handles."""


class DiskThatStops(SystemDisk):
    """Works for so many renames and syncs of directories, then the power goes."""

    left: int | None = None

    def rename(self, source, target):
        self._count()
        super().rename(source, target)

    def sync_directory(self, path):
        self._count()
        super().sync_directory(path)

    def _count(self):
        if self.left is not None:
            if self.left == 0:
                raise Crash
            self.left -= 1


def written(root, disk=None) -> CompactedLogs:
    """Several groups of segments, of which half of the records are superseded."""
    logs = CompactedLogs(root, segment_bytes=500)
    if disk is not None:
        logs.log.log_directory.disk = disk
    for number in range(COUNT):
        logs.append([(b"key %d" % (number % (COUNT // 2)), b"x" * 60)])
    logs.roll()
    return logs


def steps_of_a_cleaning(tmp_path) -> int:
    disk = DiskThatStops()
    logs = written(tmp_path, disk)
    disk.left = 10_000
    logs.clean()
    return 10_000 - disk.left


def test_a_crash_at_each_step_keeps_the_last_record_of_every_key(tmp_path):
    (tmp_path / "count").mkdir()
    steps = steps_of_a_cleaning(tmp_path / "count")
    assert steps > 15
    for step in range(steps):
        root = tmp_path / str(step)
        root.mkdir()
        disk = DiskThatStops()
        logs = written(root, disk)
        expected = latest(logs.records())
        disk.left = step
        with pytest.raises(Crash):
            logs.clean()
        check_after_restart(logs, expected)
        shutil.rmtree(root)


def check_after_restart(logs: CompactedLogs, expected) -> None:
    logs.restart()
    assert not [name for name in logs.names() if name.endswith((".cleaned", ".swap"))]
    assert latest(logs.records()) == expected
    assert logs.log.log_end_offset == COUNT
    logs.log.check_invariants()
    logs.log.mark_flushed(COUNT)
    logs.clean()
    assert latest(logs.records()) == expected
    assert [offset for offset, _, _ in logs.records()] == list(range(COUNT // 2, COUNT))


def test_a_cleaner_that_dies_is_started_again_and_its_leftovers_go(tmp_path):
    logs = written(tmp_path)
    expected = latest(logs.records())

    def dies(job):
        clean_here(job)
        raise OttlaError("killed")

    logs.cleaner = logs.new_cleaner(run=dies)
    logs.clean()
    assert [name for name in logs.names() if name.endswith(".cleaned")]
    logs.cleaner = logs.new_cleaner()
    logs.clean()
    assert not [name for name in logs.names() if name.endswith(".cleaned")]
    assert latest(logs.records()) == expected


# The log changes while the cleaner works


class Waiting:
    """A background that runs its work when the test says so."""

    def __init__(self):
        self.work = []

    def submit(self, work, done):
        self.work.append((work, done))

    def run(self):
        for work, done in self.work:
            work()
            done(None)

    def close(self):
        pass


def test_appends_go_on_while_the_cleaner_works(tmp_path):
    logs = written(tmp_path)
    background = Waiting()
    logs.cleaner = logs.new_cleaner(background=background)
    logs.cleaner.tick()
    logs.append([(b"key 0", b"newest")])
    logs.roll()
    background.run()
    assert latest(logs.records())[b"key 0"] == b"newest"
    logs.log.check_invariants()


def test_a_log_that_is_truncated_meanwhile_is_not_swapped(tmp_path):
    logs = written(tmp_path)
    background = Waiting()
    logs.cleaner = logs.new_cleaner(background=background)
    logs.cleaner.tick()
    logs.manager.durability.truncate_to(logs.log, 5)
    before = logs.records()
    background.run()
    assert logs.records() == before
    assert not [name for name in logs.names() if name.endswith((".cleaned", ".swap"))]
    logs.log.check_invariants()


def test_a_log_that_is_deleted_meanwhile_stays_deleted(tmp_path):
    logs = written(tmp_path)
    background = Waiting()
    logs.cleaner = logs.new_cleaner(background=background)
    logs.cleaner.tick()
    logs.manager.registry.delete(logs.log.topic_partition)
    background.run()
    assert not logs.cleaner.is_busy
    assert logs.manager.registry.get(logs.log.topic_partition) is None
    assert not (tmp_path / "compacted-0").exists()


def test_segments_that_retention_deletes_meanwhile_stay_deleted(tmp_path):
    logs = written(tmp_path)
    background = Waiting()
    logs.cleaner = logs.new_cleaner(background=background)
    logs.cleaner.tick()
    logs.log.delete_oldest(2, now_ms=logs.clock.wall_ms())
    start = logs.log.log_start_offset
    background.run()
    assert logs.log.log_start_offset == start
    assert logs.records()[0][0] >= start
    logs.log.check_invariants()


def test_how_far_the_log_was_cleaned_survives_a_restart(tmp_path):
    logs = written(tmp_path)
    logs.clean()
    assert logs.cleaner.clean_offset(logs.log.topic_partition) == COUNT
    assert (tmp_path / "cleaner-offset-checkpoint").read_text() == f"0\n1\ncompacted 0 {COUNT}\n"
    logs.restart()
    assert logs.cleaner.clean_offset(logs.log.topic_partition) == COUNT
    logs.cleaner.log_truncated(logs.log, 5)
    assert logs.cleaner.clean_offset(logs.log.topic_partition) == 5


def test_the_cleaner_tells_of_itself(tmp_path):
    logs = written(tmp_path)
    logs.clean()
    text = b"".join(logs.metrics.render()).decode()
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert 0 < float(values["kafka_log_logcleaner_cleaner_recopy_percent"]) < 60
    assert float(values["kafka_log_logcleanermanager_max_dirty_percent"]) == 100
    uncleanable = f'kafka_log_logcleanermanager_uncleanable_partitions_count{{logDirectory="{tmp_path}"}}'
    assert float(values[uncleanable]) == 0
