"""The log's side of transactions: markers, the first unstable offset, what was aborted. Coordinators come later."""

from pathlib import Path

import pytest

from ottla.errors.kafka import InvalidProducerEpochError, InvalidTxnStateError, TransactionCoordinatorFencedError
from ottla.errors.tree import LogDirError
from ottla.records.batch import iterate_batches
from ottla.records.control import ControlType
from ottla.storage.log.partition_log import PartitionLog
from support.disks import RoomForLogsDisk
from support.logs import NOW_MS, append_in_transaction, batch, create_log, end_transaction, open_log, take


@pytest.fixture
def log(tmp_path: Path) -> PartitionLog:
    return create_log(tmp_path, segment_bytes=700, index_interval_bytes=200)


def aborted(log: PartitionLog, first: int, end_offset: int) -> list[tuple[int, int]]:
    return [(found.producer_id, found.first_offset) for found in log.aborted_transactions(first, end_offset)]


def unstable(log: PartitionLog, high_watermark: int | None = None) -> int | None:
    """Where readers stop when everything, or so much, is replicated."""
    place = log.first_unstable_offset(log.log_end_offset if high_watermark is None else high_watermark)
    return place.offset if place else None


def test_the_oldest_undecided_transaction_holds_back_readers(log: PartitionLog) -> None:
    assert unstable(log) is None
    first = append_in_transaction(log, 1, 0)
    second = append_in_transaction(log, 2, 0)
    assert unstable(log) == first
    marker = end_transaction(log, 1, ControlType.COMMIT)
    assert unstable(log, marker) == first
    assert unstable(log, marker + 1) == second
    end_transaction(log, 2, ControlType.ABORT)
    assert unstable(log) is None


def test_the_first_unstable_offset_comes_with_its_place(log: PartitionLog) -> None:
    log.append_as_leader(batch(3), 0, now_ms=NOW_MS)
    first = append_in_transaction(log, 1, 0)
    assert log.first_unstable_offset(log.log_end_offset) == log.position_of(first)
    assert log.position_of(first).position == len(batch(3))


def test_aborted_transactions_are_listed_for_the_ranges_that_they_touch(log: PartitionLog) -> None:
    spans = {}
    for number in range(12):
        producer = number % 3
        first = append_in_transaction(log, producer, number // 3 * 2)
        marker = end_transaction(log, producer, ControlType.ABORT if number % 2 else ControlType.COMMIT)
        if number % 2:
            spans[(producer, first)] = marker
    assert len(log.segments) > 2
    for start in range(log.log_end_offset):
        for stop in range(start + 1, log.log_end_offset + 1, 3):
            expected = [key for key, marker in spans.items() if key[1] < stop and marker >= start]
            assert aborted(log, start, stop) == expected


def test_what_is_told_with_a_read_is_bounded_by_what_was_read(log: PartitionLog) -> None:
    """Every transaction with a record in it, and few others: entries of the index are 200 bytes apart."""
    for number in range(60):
        append_in_transaction(log, number % 3, number // 3 * 2)
        end_transaction(log, number % 3, ControlType.ABORT)
    assert len(log.segments) > 10
    for first in range(log.log_end_offset):
        for size in (150, 400, 5_000):
            read = log.read(first, size, end_offset=log.end_position, minimum_one_batch=True)
            data = take(read)
            last = max(header.last_offset for _, header in iterate_batches(data, partial_tail=True))
            told = log.aborted_in_read(read, first, log.log_end_offset)
            needed = log.aborted_transactions(first, last + 1)
            assert told[: len(needed)] == needed
            assert len(told) <= len(needed) + 3


def test_an_abort_in_a_later_segment_is_found_for_the_records_before_it(log: PartitionLog) -> None:
    first = append_in_transaction(log, 1, 0)
    for _ in range(20):
        log.append_as_leader(batch(1), 0, now_ms=NOW_MS)
    end_transaction(log, 1, ControlType.ABORT)
    assert log.active.base_offset > first + 2
    assert aborted(log, first, first + 1) == [(1, first)]
    assert aborted(log, first + 3, first + 4) == [(1, first)]


def test_aborts_survive_a_clean_and_an_unclean_stop(log: PartitionLog, tmp_path: Path) -> None:
    for number in range(8):
        append_in_transaction(log, 1, number * 2)
        end_transaction(log, 1, ControlType.ABORT if number % 2 else ControlType.COMMIT)
    append_in_transaction(log, 2, 0)
    expected = aborted(log, 0, log.log_end_offset)
    entries = [segment.txn_index.entries for segment in log.segments]
    assert expected
    crashed = open_log(tmp_path, is_clean=False, segment_bytes=700)
    assert [segment.txn_index.entries for segment in crashed.segments] == entries
    assert unstable(crashed) == unstable(log)
    crashed.close()
    again = open_log(tmp_path, recovery_point=crashed.log_end_offset, segment_bytes=700)
    assert aborted(again, 0, again.log_end_offset) == expected
    assert unstable(again) == unstable(log)
    again.check_invariants()


def test_truncation_reopens_a_transaction_whose_marker_it_removes(log: PartitionLog) -> None:
    first = append_in_transaction(log, 1, 0)
    marker = end_transaction(log, 1, ControlType.ABORT)
    assert aborted(log, 0, 99) == [(1, first)]
    log.truncate_to(marker, now_ms=NOW_MS)
    assert aborted(log, 0, 99) == []
    assert unstable(log) == first


def test_a_log_start_past_an_open_transaction_is_where_readers_stop(log: PartitionLog) -> None:
    append_in_transaction(log, 1, 0, count=5)
    log.increment_log_start_offset(3)
    assert unstable(log) == 3


def test_what_does_not_fit_an_open_transaction_is_refused(log: PartitionLog) -> None:
    append_in_transaction(log, 1, 0)
    with pytest.raises(InvalidTxnStateError):
        log.append_as_leader(batch(1, producer_id=1, producer_epoch=0, base_sequence=2), 0, now_ms=NOW_MS)
    end_transaction(log, 1, ControlType.COMMIT, coordinator_epoch=5)
    with pytest.raises(TransactionCoordinatorFencedError):
        end_transaction(log, 1, ControlType.COMMIT, coordinator_epoch=4)
    append_in_transaction(log, 1, 0, epoch=3)
    with pytest.raises(InvalidProducerEpochError):
        end_transaction(log, 1, ControlType.COMMIT, coordinator_epoch=5)
    assert log.log_end_offset == 5


def test_an_abort_that_cannot_be_noted_takes_the_directory_offline(tmp_path: Path) -> None:
    """Its marker is in the log: without the note what was aborted would be given to consumers."""
    disk = RoomForLogsDisk()
    log = create_log(tmp_path, disk=disk)
    first = append_in_transaction(log, 1, 0)
    disk.is_full = True
    with pytest.raises(LogDirError):
        end_transaction(log, 1, ControlType.ABORT)
    assert unstable(log) == first
    disk.is_full = False
    recovered = open_log(tmp_path, is_clean=False)
    assert aborted(recovered, 0, recovered.log_end_offset) == [(1, first)]
    assert unstable(recovered) is None
