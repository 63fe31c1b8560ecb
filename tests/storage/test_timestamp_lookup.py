from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.records.attributes import Codec
from ottla.storage.log_offsets import NOT_FOUND, FoundOffset
from ottla.storage.partition_log import PartitionLog
from support.logs import NOW_MS, batch, create_log, read_all


def append(log: PartitionLog, *timestamps: int, epoch: int = 0, **options: Any) -> None:
    log.append_as_leader(batch(len(timestamps), timestamps=timestamps, **options), epoch, now_ms=NOW_MS)


def test_the_first_record_at_or_past_the_timestamp_is_found_with_its_own(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    append(log, 10, 20, epoch=1)
    append(log, 30, 40, epoch=2)
    assert log.offset_for_timestamp(15) == FoundOffset(1, 20, 1)
    assert log.offset_for_timestamp(30) == FoundOffset(2, 30, 2)
    assert log.offset_for_timestamp(0) == FoundOffset(0, 10, 1)
    assert log.offset_for_timestamp(41) == NOT_FOUND == (-1, -1, -1)


@pytest.mark.parametrize("codec", list(Codec))
def test_compressed_batches_are_opened(tmp_path: Path, codec: Codec) -> None:
    log = create_log(tmp_path)
    append(log, 10, 20, 30, compression=codec)
    assert log.offset_for_timestamp(25) == FoundOffset(2, 30, 0)


def test_log_append_time_is_that_of_every_record(tmp_path: Path) -> None:
    log = create_log(tmp_path, message_timestamp_type="LogAppendTime")
    append(log, 10, 20)
    append(log, 10, 20)
    assert log.offset_for_timestamp(NOW_MS) == FoundOffset(0, NOW_MS, 0)
    log.increment_log_start_offset(1)
    assert log.offset_for_timestamp(NOW_MS) == FoundOffset(1, NOW_MS, 0)


def test_records_below_the_log_start_are_not_found(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    append(log, 50, 20, 40)
    log.increment_log_start_offset(1)
    assert log.offset_for_timestamp(30) == FoundOffset(2, 40, 0)
    assert log.offset_for_timestamp(45) == NOT_FOUND


def test_an_empty_log_and_one_without_timestamps_have_none(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    assert log.offset_of_max_timestamp() == log.offset_for_timestamp(0) == NOT_FOUND
    append(log, -1, -1)
    assert log.offset_of_max_timestamp() == log.offset_for_timestamp(0) == NOT_FOUND


@settings(deadline=None, max_examples=60)
@given(
    batches=st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=4), min_size=1, max_size=30),
    wanted=st.lists(st.integers(0, 65), min_size=1, max_size=10),
    start=st.integers(0, 20),
    is_closed=st.booleans(),
)
def test_every_search_equals_a_search_of_the_list(
    batches: list[list[int]],
    wanted: list[int],
    start: int,
    is_closed: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    log = create_log(tmp_path_factory.mktemp("log"), segment_bytes=600, index_interval_bytes=0)
    for timestamps in batches:
        append(log, *timestamps)
    log.increment_log_start_offset(min(start, log.log_end_offset))
    if is_closed:
        log.close()
    records = read_all(log)
    for timestamp in wanted:
        expected = next((FoundOffset(r.offset, r.timestamp, 0) for r in records if r.timestamp >= timestamp), NOT_FOUND)
        assert log.offset_for_timestamp(timestamp) == expected
    largest = max(records, key=lambda record: record.timestamp, default=None)
    expected = FoundOffset(largest.offset, largest.timestamp, 0) if largest else NOT_FOUND
    assert log.offset_of_max_timestamp() == expected
    log.close()
