"""A log that cannot be cleaned, or is not the one that was, is nothing to the others."""

import errno
from pathlib import Path

import pytest

from ottla.errors import OttlaError
from ottla.model import TopicPartition
from ottla.storage.cleaner.job import CleaningJob, CleaningResult
from ottla.storage.log.partition_log import PartitionLog
from storage.brokers import QueuedBackground
from support.compaction import CompactedLogs, clean_here
from support.disks import FaultyDisk, os_error

HOUR_MS = 3_600_000
OTHER = TopicPartition("compacted", 1)


def fill(logs: CompactedLogs, log: PartitionLog) -> None:
    """Two closed segments, of which the second supersedes the first."""
    for _ in range(2):
        logs.append([(b"key", b"x")], log=log)
        logs.roll(log)


def two_logs(root, **overrides: object) -> tuple[CompactedLogs, PartitionLog]:
    logs = CompactedLogs(root, **overrides)
    fill(logs, logs.log)
    other = logs.manager.registry.create(OTHER)
    fill(logs, other)
    return logs, other


def is_clean(logs: CompactedLogs, log: PartitionLog) -> bool:
    return logs.cleaner.clean_offset(log.topic_partition) == log.log_end_offset


def fails_for(log: PartitionLog, jobs: list[str], **result):
    """A child that has an answer of its own for one log, and cleans the others."""

    def run(job: CleaningJob) -> CleaningResult:
        jobs.append(job.directory)
        if job.directory != log.directory:
            return clean_here(job)
        if not result:
            raise OttlaError("killed")
        return CleaningResult([], 0, 0, 0, 0, **result)

    return run


@pytest.mark.parametrize("result", [{}, {"error": "no room"}])
def test_a_log_whose_cleaning_fails_is_tried_again_after_the_others(tmp_path, result):
    logs, other = two_logs(tmp_path)
    jobs: list[str] = []
    logs.cleaner = logs.new_cleaner(run=fails_for(logs.log, jobs, **result), backoff_ms=1000)
    for _ in range(4):
        logs.clean()
    assert sorted(jobs) == [logs.log.directory, other.directory], "not a second time within the backoff"
    assert (is_clean(logs, logs.log), is_clean(logs, other)) == (False, True)
    fill(logs, other)
    logs.clock.advance_ms(1001)
    logs.clean()
    logs.clean()
    assert jobs[2:] == [other.directory, logs.log.directory]


def test_a_log_that_cannot_be_looked_at_holds_up_no_other(tmp_path):
    """How old its dirt is stands in its first batch, and there are no descriptors."""
    logs, other = two_logs(tmp_path, max_compaction_lag_ms=HOUR_MS)
    forget_first_batch(logs.log)
    logs.log.log_directory.disk = disk = FaultyDisk()
    disk.faults["open"] = os_error(errno.EMFILE)
    logs.cleaner = logs.new_cleaner(backoff_ms=1000)
    for _ in range(3):
        logs.clean()
    assert (is_clean(logs, logs.log), is_clean(logs, other)) == (False, True)
    disk.faults.clear()
    logs.clock.advance_ms(1001)
    logs.clean()
    assert is_clean(logs, logs.log)


def test_a_log_whose_first_batch_is_none_holds_up_no_other(tmp_path, caplog):
    logs, other = two_logs(tmp_path, max_compaction_lag_ms=HOUR_MS)
    forget_first_batch(logs.log)
    path = Path(logs.log.segments.first.log.path)
    path.write_bytes(bytes(path.stat().st_size))
    for _ in range(3):
        logs.clean()
    assert (is_clean(logs, logs.log), is_clean(logs, other)) == (False, True)
    assert caplog.text.count("compacted-0 is not cleaned any more") == 1


def forget_first_batch(log: PartitionLog) -> None:
    """As after a start: nobody has looked into the first segment yet."""
    first = log.segments.first
    first._first_timestamp = None
    for file in first.files:
        file.close()


def test_a_namesake_of_a_damaged_log_is_cleaned(tmp_path):
    logs, _ = two_logs(tmp_path)
    logs.cleaner = logs.new_cleaner(run=fails_for(logs.log, [], error="torn", is_damaged=True))
    for _ in range(3):
        logs.clean()
    assert not is_clean(logs, logs.log)
    logs.manager.registry.delete(logs.log.topic_partition)
    namesake = logs.manager.registry.create(logs.log.topic_partition)
    fill(logs, namesake)
    logs.run = clean_here
    logs.clean()
    assert is_clean(logs, namesake)


def test_what_was_clean_of_a_deleted_log_is_dirty_in_its_namesake(tmp_path):
    logs, other = two_logs(tmp_path)
    logs.clean()
    logs.clean()
    partition = logs.log.topic_partition
    logs.manager.registry.delete(partition)
    assert logs.cleaner.clean_offset(partition) == -1
    logs.cleaner.tick()
    checkpoint = tmp_path / "cleaner-offset-checkpoint"
    assert checkpoint.read_text() == f"0\n1\ncompacted 1 {other.log_end_offset}\n"


def test_lines_of_logs_that_are_not_there_or_are_shorter_mean_nothing(tmp_path):
    logs, other = two_logs(tmp_path)
    (tmp_path / "cleaner-offset-checkpoint").write_text("0\n3\ncompacted 0 3\ncompacted 1 2\ncompacted 2 5\n")
    cleaner = logs.new_cleaner()
    partitions = [logs.log.topic_partition, other.topic_partition, TopicPartition("compacted", 2)]
    assert [cleaner.clean_offset(partition) for partition in partitions] == [-1, 2, -1]


@pytest.mark.parametrize("change", ["deleted", "cut"])
def test_what_the_child_says_of_a_log_that_changed_meanwhile_is_not_believed(tmp_path, change):
    logs = CompactedLogs(tmp_path)
    fill(logs, logs.log)
    background = QueuedBackground()
    run = fails_for(logs.log, [], error="torn", is_damaged=True)
    logs.cleaner = logs.new_cleaner(run=run, background=background)
    logs.cleaner.tick()
    if change == "deleted":
        logs.manager.registry.delete(logs.log.topic_partition)
        logs.log = logs.manager.registry.create(logs.log.topic_partition)
    else:
        logs.manager.durability.truncate_to(logs.log, 1)
    background.run_all()
    fill(logs, logs.log)
    logs.run = clean_here
    logs.cleaner.tick()
    background.run_all()
    assert is_clean(logs, logs.log)


def test_a_log_that_is_deleted_while_its_names_are_synced_does_not_end_the_directory(tmp_path):
    background = QueuedBackground()
    logs = CompactedLogs(tmp_path, background=background)
    background.run_all()
    fill(logs, logs.log)
    background.run_all()
    logs.cleaner.tick()
    logs.manager.registry.delete(logs.log.topic_partition)  # The sync of the directory is under way and finds it gone.
    background.run_all()
    assert logs.manager.dirs.online()
    assert not logs.cleaner.is_busy


def test_a_reader_that_remembers_where_a_segment_ended_gets_what_is_left_of_it(tmp_path):
    """The high watermark knows its place in a file; the cleaner puts a smaller one there."""
    logs = CompactedLogs(tmp_path)
    for value in (b"x" * 50, b"y"):
        logs.append([(b"key", value)])
    end = logs.log.end_position
    logs.roll()
    logs.clean()
    read = logs.log.read(0, 10_000, end_offset=end, minimum_one_batch=True)
    assert read.slice is not None
    assert len(read.slice) == logs.log.segments.first.size < end.position
    read.slice.close()


def test_a_set_that_is_refused_in_the_middle_leaves_nothing_behind_that_counts_as_clean(tmp_path):
    """The log cuts itself, and nobody asks the log manager first."""
    logs = CompactedLogs(tmp_path)
    fill(logs, logs.log)
    logs.clean()
    logs.log.truncate_to(1, now_ms=logs.clock.wall_ms())
    assert logs.cleaner.clean_offset(logs.log.topic_partition) == 1
