from pathlib import Path

import pytest

from ottla.records.batch import stamp
from ottla.storage.log.log_hooks import NoHooks
from ottla.storage.log.partition_log import PartitionLog
from ottla.storage.segment.roll_rule import RollRule
from ottla.storage.segment.segment import Segment
from support.logs import NOW_MS, batch, create_log, read_all, topic_config

SIZE = len(batch(1))


class Closed(NoHooks):
    """Hooks that note what was closed."""

    def __init__(self) -> None:
        self.base_offsets: list[int] = []

    def segment_closed(self, log: PartitionLog, segment: Segment) -> None:
        assert segment is not log.active
        self.base_offsets.append(segment.base_offset)


def append(log: PartitionLog, *, timestamp: int = NOW_MS, now_ms: int = NOW_MS, count: int = 1) -> None:
    log.append_as_leader(batch(count, timestamp=timestamp), 0, now_ms=now_ms)


def bases(log: PartitionLog) -> list[int]:
    return [segment.base_offset for segment in log.segments]


def test_append_rolls_when_the_segment_would_grow_past_its_size(tmp_path: Path) -> None:
    hooks = Closed()
    log = create_log(tmp_path, hooks=hooks, segment_bytes=2 * SIZE)
    for _ in range(5):
        append(log)
    assert bases(log) == [0, 2, 4]
    assert hooks.base_offsets == [0, 2]
    log.check_invariants()


def test_append_rolls_when_a_record_is_later_than_the_first_by_segment_ms(tmp_path: Path) -> None:
    log = create_log(tmp_path, segment_ms=1000)
    append(log, timestamp=NOW_MS)
    append(log, timestamp=NOW_MS + 1000, now_ms=NOW_MS + 10**9)
    assert bases(log) == [0]
    append(log, timestamp=NOW_MS + 1001)
    assert bases(log) == [0, 2]
    append(log, timestamp=NOW_MS + 1002)
    assert bases(log) == [0, 2]


def test_append_rolls_by_the_clock_where_records_have_no_timestamp(tmp_path: Path) -> None:
    log = create_log(tmp_path, segment_ms=1000)
    append(log, timestamp=-1, now_ms=NOW_MS + 5000)
    append(log, timestamp=-1, now_ms=NOW_MS + 1000)
    assert bases(log) == [0]
    append(log, timestamp=-1, now_ms=NOW_MS + 1001)
    assert bases(log) == [0, 2]


def test_append_rolls_when_an_index_is_full(tmp_path: Path) -> None:
    log = create_log(tmp_path, segment_index_bytes=24, index_interval_bytes=0)
    for number in range(8):
        append(log, timestamp=NOW_MS + number)
    # Room for two time entries, of which one is for closing; the first batch has no entry.
    assert bases(log) == [0, 2, 4, 6]
    assert [segment.time_index.entries for segment in log.segments][:-1] == [1, 1, 1]
    log.check_invariants()


def test_append_rolls_when_a_relative_offset_would_not_fit(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    for offset in (0, 2**31 - 1, 2**31, 2**33, 2**40):
        records = batch(1)
        stamp(records, 0, offset, 0)
        log.append_as_follower(records, now_ms=NOW_MS)
    assert bases(log) == [0, 2**31, 2**33, 2**40]
    assert [record.offset for record in read_all(log)] == [0, 2**31 - 1, 2**31, 2**33, 2**40]
    log.check_invariants()


def test_rolling_takes_a_snapshot_of_the_producers(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    log.append_as_leader(batch(1, producer_id=5, producer_epoch=0, base_sequence=0), 0, now_ms=NOW_MS)
    log.roll(now_ms=NOW_MS)
    assert (Path(log.directory) / "00000000000000000001.snapshot").stat().st_size == 10 + 46


def test_an_empty_segment_is_not_rolled(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    active = log.active
    assert log.roll(now_ms=NOW_MS + 10**12) is active
    append(log, timestamp=NOW_MS + 10**11, now_ms=NOW_MS + 10**12)
    assert bases(log) == [0]


def test_rolling_past_a_gap_leaves_no_empty_segment_behind(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    log.roll(now_ms=NOW_MS, base_offset=70)
    assert bases(log) == [70]
    assert not (Path(log.directory) / "00000000000000000000.log").exists()


@pytest.mark.parametrize(("jitter", "after_ms"), [(0.0, 1000), (0.5, 800), (0.999, 601)])
def test_jitter_makes_partitions_roll_early_by_a_part_of_it(jitter: float, after_ms: int) -> None:
    assert RollRule(topic_config(segment_ms=1000, segment_jitter_ms=400), jitter).after_ms == after_ms


def test_partitions_have_jitters_of_their_own(tmp_path: Path) -> None:
    found = set()
    for number in range(10):
        root = tmp_path / str(number)
        root.mkdir()
        log = create_log(root, segment_ms=10**6, segment_jitter_ms=10**6)
        after_ms = log.roll_rule.after_ms
        log.configure(log.config)
        assert log.roll_rule.after_ms == after_ms
        found.add(after_ms)
    assert len(found) > 1


def test_jitter_is_bounded_by_segment_ms() -> None:
    assert RollRule(topic_config(segment_ms=1000, segment_jitter_ms=10**9), 0.999).after_ms > 0


def test_a_new_size_holds_from_the_next_append_on(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    append(log)
    append(log)
    log.configure(topic_config(segment_bytes=SIZE))
    append(log)
    append(log)
    assert bases(log) == [0, 2, 3]
