"""The cleaning process: jobs by pipe, and an end with its parent."""

import os
import signal
import subprocess
import sys

import pytest

from ottla.storage.cleaner.job import CleaningJob
from ottla.storage.cleaner.process import CleanerDiedError, CleanerProcess
from support.compaction import CompactedLogs, latest
from support.eventually import eventually


def written(root) -> CompactedLogs:
    logs = CompactedLogs(root, segment_bytes=1500)
    for number in range(120):
        logs.append([(b"key %d" % (number % 60), b"%d" % number * 20)])
    logs.roll()
    return logs


def test_the_child_cleans_what_it_is_told_to(tmp_path):
    logs = written(tmp_path)
    expected = latest(logs.records())
    process = CleanerProcess()
    try:
        logs.cleaner = logs.new_cleaner(run=process.run)
        logs.clean()
    finally:
        process.stop()
    assert latest(logs.records()) == expected
    assert [offset for offset, _, _ in logs.records()] == list(range(60, 120))


def test_a_child_that_was_killed_is_replaced(tmp_path):
    logs = written(tmp_path)
    process = CleanerProcess()
    try:
        assert process.run(empty_job(tmp_path)).groups == []
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(CleanerDiedError):
            process.run(empty_job(tmp_path))
        logs.cleaner = logs.new_cleaner(run=process.run)
        logs.clean()
    finally:
        process.stop()
    assert len(logs.records()) == 60


def test_a_job_that_cannot_be_done_is_answered_and_the_child_goes_on(tmp_path):
    process = CleanerProcess()
    try:
        job = empty_job(tmp_path)._replace(segments=[(0, 100)], end_offset=10)
        assert "LogDirError" in process.run(job).error or "No such file" in process.run(job).error
        assert process.run(empty_job(tmp_path)).error == ""
    finally:
        process.stop()


def empty_job(root) -> CleaningJob:
    return CleaningJob(str(root / "compacted-0"), [], 0, 0, 1000, 1000, 100, 1000, 0, 10, [], {})


def test_the_child_ends_with_its_parent_however_that_ends():
    """The parent is a process that starts a child, tells its id and is killed."""
    program = (
        "import sys, time; from ottla.storage.cleaner.process import CleanerProcess; "
        "from ottla.storage.cleaner.job import CleaningJob; process = CleanerProcess(); "
        "process.run(CleaningJob('/nowhere', [], 0, 0, 1, 1, 1, 1, 0, 1, [], {})); "
        "print(process.pid, flush=True); time.sleep(1000)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        child = int(parent.stdout.readline())
        assert is_alive(child)
    finally:
        parent.kill()
        parent.wait()
        parent.stdout.close()
    eventually(lambda: not is_alive(child))


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split()[2] != "Z"
    except FileNotFoundError:
        return False
