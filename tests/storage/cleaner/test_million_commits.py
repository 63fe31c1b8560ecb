"""A million commits to ten keys end in less than two segments, before and after SIGKILL at each kind of step."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ottla.coordinators.offsets.group_offsets import CommittedOffset
from ottla.coordinators.offsets.records import decode_offset_key, decode_offset_value, offset_record
from ottla.coordinators.runtime.coordinator_log import encode_records
from ottla.model import TopicPartition
from ottla.records.attributes import Codec
from support.compaction import CompactedLogs, latest

KEYS = 10
SEGMENT_BYTES = 1 << 20
RECORDS_PER_BATCH = 25
TESTS = Path(__file__).resolve().parents[2]


def write_commits(root: Path, count: int) -> None:
    logs = CompactedLogs(root, segment_bytes=SEGMENT_BYTES)
    for first in range(0, count, RECORDS_PER_BATCH):
        records = [
            offset_record("group", TopicPartition("t", number % KEYS), CommittedOffset(number, -1, "", 1))
            for number in range(first, min(count, first + RECORDS_PER_BATCH))
        ]
        batch = encode_records(records, logs.clock.wall_ms(), Codec.NONE)
        logs.log.append_as_leader(memoryview(batch), 0, now_ms=logs.clock.wall_ms())
    logs.roll()
    logs.log.flush()
    for log_dir in logs.manager.dirs.all:
        log_dir.release()


def clean_in_a_process(root: Path, step: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(TESTS / "support" / "killed_cleaner.py"), str(root), str(step)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        check=False,
    )


def check_offsets(root: Path, count: int, *, is_cleaned: bool) -> None:
    logs = CompactedLogs(root, segment_bytes=SEGMENT_BYTES)
    committed = {
        decode_offset_key(key)[1].partition: decode_offset_value(value, 0).offset
        for key, value in latest(logs.records()).items()
    }
    assert committed == {number % KEYS: number for number in range(count - KEYS, count)}
    assert not [name for name in logs.names() if name.endswith((".cleaned", ".swap"))]
    if is_cleaned:
        assert logs.log.size < 2 * SEGMENT_BYTES
        assert len(logs.log.segments) <= 2
    for log_dir in logs.manager.dirs.all:
        log_dir.release()


def kill_and_clean(tmp_path: Path, count: int, choose_steps) -> None:
    (tmp_path / "original").mkdir()
    write_commits(tmp_path / "original", count)
    shutil.copytree(tmp_path / "original", tmp_path / "whole")
    steps = int(clean_in_a_process(tmp_path / "whole", -1).stdout)
    check_offsets(tmp_path / "whole", count, is_cleaned=True)
    for step in choose_steps(steps):
        root = tmp_path / f"step {step}"
        shutil.copytree(tmp_path / "original", root)
        assert clean_in_a_process(root, step).returncode == -9, step
        check_offsets(root, count, is_cleaned=False)
        assert clean_in_a_process(root, -1).returncode == 0
        check_offsets(root, count, is_cleaned=True)
        shutil.rmtree(root)


def test_thirty_thousand_commits_to_ten_keys(tmp_path):
    kill_and_clean(tmp_path, 30_000, lambda steps: [4, steps - 2])


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_million_commits_to_ten_keys(tmp_path):
    def each_kind_and_some_between(steps: int) -> list[int]:
        return [*range(8), *range(8, steps - 6, max(1, steps // 12)), *range(steps - 6, steps)]

    kill_and_clean(tmp_path, 1_000_000, each_kind_and_some_between)
