from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.records.attributes import Codec
from ottla.records.batch import rewrite_crc
from ottla.storage.log.log_results import NOT_FOUND, FoundOffset
from ottla.storage.log.partition_log import PartitionLog
from support.logs import NOW_MS, batch, create_log, read_all


def append(log: PartitionLog, *timestamps: int, epoch: int = 0, **options: Any) -> None:
    values = options.pop("values", len(timestamps))
    log.append_as_leader(batch(values, timestamps=timestamps, **options), epoch, now_ms=NOW_MS)


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


LARGE = 20 << 20  # opened, and more than a topic allows unless its batches may be large


def append_large(log: PartitionLog, *timestamps: int) -> None:
    append(log, *timestamps, values=[bytes(LARGE), *[b"small"] * (len(timestamps) - 1)], compression=Codec.ZSTD)


def test_a_topic_of_large_batches_has_them_opened(tmp_path: Path) -> None:
    log = create_log(tmp_path, max_message_bytes=3 << 20)
    append_large(log, 10, 20, 30)
    assert log.offset_for_timestamp(15) == FoundOffset(1, 20, 0)


def test_what_opens_to_more_than_the_topic_allows_is_found_from_its_first_record_on(tmp_path: Path) -> None:
    """It was taken on its header, or under another configuration: who looks for it gets more, and misses nothing."""
    log = create_log(tmp_path)
    append(log, 1, 2)
    append_large(log, 10, 30, 20)
    append(log, 5)
    assert log.offset_for_timestamp(15) == FoundOffset(2, 30, 0)
    assert log.offset_of_max_timestamp() == FoundOffset(2, 30, 0)
    log.increment_log_start_offset(4)
    assert log.offset_for_timestamp(15) == FoundOffset(4, 30, 0)
    assert log.offset_of_max_timestamp() == FoundOffset(4, 30, 0)


def test_the_largest_timestamp_past_one_that_cannot_be_opened_is_found(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    append(log, 50)
    append_large(log, 10, 30, 20)
    append(log, 25)
    log.increment_log_start_offset(2)
    assert log.offset_of_max_timestamp() == FoundOffset(2, 30, 0)
    log.increment_log_start_offset(4)
    assert log.offset_of_max_timestamp() == FoundOffset(4, 25, 0)


def test_compressed_records_that_are_none_are_found_by_their_header(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    records = batch(2, timestamps=[10, 20], compression=Codec.ZSTD)
    records[70:74] = b"\xff\xff\xff\xff"
    rewrite_crc(records, 0)
    log.append_as_leader(records, 0, now_ms=NOW_MS)
    assert log.offset_for_timestamp(15) == log.offset_of_max_timestamp() == FoundOffset(0, 20, 0)


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
