"""Which log is cleaned, and how far."""

from ottla.model import TopicPartition
from ottla.storage.cleaner.planning import choose_plan, plan_cleaning
from support.compaction import CompactedLogs

HOUR_MS = 3_600_000


def written(root, count: int = 4, **overrides) -> CompactedLogs:
    """So many closed segments of ten records each."""
    logs = CompactedLogs(root, **overrides)
    for _ in range(count):
        for number in range(10):
            logs.append([(b"%d" % number, b"x" * 20)])
        logs.roll()
    return logs


def plan(logs: CompactedLogs, clean_offset: int = -1, high_watermark: int | None = None):
    end = logs.log.log_end_offset if high_watermark is None else high_watermark
    return plan_cleaning(logs.log, clean_offset, high_watermark=end, now_ms=logs.clock.wall_ms())


def test_closed_segments_below_the_high_watermark_may_be_cleaned(tmp_path):
    logs = written(tmp_path)
    assert plan(logs).end_offset == 40
    assert plan(logs, high_watermark=25).end_offset == 20
    assert plan(logs, high_watermark=9) is None


def test_what_is_not_flushed_is_not_cleaned(tmp_path):
    logs = written(tmp_path)
    logs.log.recovery_point = 30
    assert plan(logs).end_offset == 30


def test_a_log_that_was_cleaned_to_its_last_closed_segment_has_nothing_to_clean(tmp_path):
    assert plan(written(tmp_path), clean_offset=40) is None


def test_an_offset_that_cannot_be_means_that_nothing_is_clean(tmp_path):
    logs = written(tmp_path)
    assert plan(logs, clean_offset=99).first_dirty_offset == 0
    assert plan(logs, clean_offset=10).first_dirty_offset == 10


def test_a_log_is_due_when_it_is_dirtier_than_its_topic_allows(tmp_path):
    logs = written(tmp_path, min_cleanable_dirty_ratio=0.5)
    assert plan(logs, clean_offset=0).is_due
    assert plan(logs, clean_offset=10).is_due
    assert not plan(logs, clean_offset=20).is_due
    assert plan(logs, clean_offset=20).dirty_ratio == 0.5


def test_young_records_wait(tmp_path):
    logs = written(tmp_path, 2, min_compaction_lag_ms=HOUR_MS)
    logs.clock.advance_ms(HOUR_MS + 1)
    for number in range(10):
        logs.append([(b"%d" % number, b"x")])
    logs.roll()
    assert plan(logs).end_offset == 20


def test_old_dirt_is_due_however_little_it_is(tmp_path):
    logs = written(tmp_path, min_cleanable_dirty_ratio=1, max_compaction_lag_ms=HOUR_MS)
    assert not plan(logs).is_due
    logs.clock.advance_ms(HOUR_MS + 1)
    assert plan(logs).is_due


def test_the_dirtiest_log_comes_first_and_what_is_overdue_before_it(tmp_path):
    logs = written(tmp_path)
    whole, half = plan(logs), plan(logs, clean_offset=20)
    overdue = half._replace(overdue_ms=1)
    assert choose_plan([half, None, whole], {}) is whole
    assert choose_plan([whole, overdue, half], {}) is overdue
    assert choose_plan([None], {}) is None


def test_what_failed_comes_behind_all_others_and_the_longest_ago_first(tmp_path):
    logs = written(tmp_path)
    failed = plan(logs)._replace(overdue_ms=1)
    other = plan(logs)._replace(log=logs.manager.registry.create(TopicPartition("compacted", 1)))
    assert choose_plan([failed, other], {failed.log.topic_partition: 5.0}) is other
    times = {failed.log.topic_partition: 5.0, other.log.topic_partition: 6.0}
    assert choose_plan([other, failed], times) is failed
