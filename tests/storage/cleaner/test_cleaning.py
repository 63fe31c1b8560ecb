"""Compaction keeps the last record of every key, and offsets as they are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.records.attributes import Codec
from ottla.records.batch import iterate_batches
from ottla.records.control import ControlType, encode_end_txn_batch
from ottla.records.legacy import down_convert
from ottla.records.record import Record, encode_batch
from ottla.storage.log.batch_validation import Origin
from support.compaction import CompactedLogs, latest
from support.logs import read_all

A, B, C = b"a", b"b", b"c"
DAY_MS = 86_400_000


def test_only_the_last_record_of_each_key_stays_where_it_was(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1"), (B, b"2"), (A, b"3")])
    logs.append([(C, b"4")])
    logs.roll()
    logs.append([(B, b"5")])
    logs.roll()
    logs.clean()
    assert logs.records() == [(2, A, b"3"), (3, C, b"4"), (4, B, b"5")]
    assert logs.log.log_end_offset == 5
    logs.log.check_invariants()


def test_the_active_segment_is_not_touched_and_not_read(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1")])
    logs.roll()
    logs.append([(A, b"2")])
    logs.clean()
    assert logs.records() == [(0, A, b"1"), (1, A, b"2")]


def test_what_is_not_replicated_is_not_touched(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1")])
    logs.roll()
    logs.append([(A, b"2")])
    logs.roll()
    logs.high_watermark = lambda log: 1
    logs.clean()
    assert logs.records() == [(0, A, b"1"), (1, A, b"2")]


def test_a_batch_that_keeps_everything_stays_byte_for_byte(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1"), (B, b"2")], compression=Codec.ZSTD)
    logs.roll()
    before = logs.log.segments.first.log.read_at(0, 10_000)
    logs.append([(C, b"3")])
    logs.roll()
    logs.clean()
    assert logs.log.segments.first.log.read_at(0, len(before)) == before


@pytest.mark.parametrize("codec", list(Codec))
def test_compressed_batches_stay_compressed(tmp_path, codec):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1" * 100), (B, b"2" * 100)], compression=codec)
    logs.append([(A, b"3")])
    logs.roll()
    logs.clean()
    assert logs.records() == [(1, B, b"2" * 100), (2, A, b"3")]
    ((_, header),) = list(iterate_batches(logs.log.segments.first.log.read_at(0, 10_000)))[:1]
    assert (header.compression, header.base_offset, header.last_offset, header.records_count) == (codec, 0, 1, 1)


def test_segments_that_shrank_are_merged(tmp_path):
    logs = CompactedLogs(tmp_path, segment_bytes=1000)
    for number in range(200):
        logs.append([(b"key %d" % (number % 10), b"x" * 50)])
    logs.roll()
    assert len(logs.log.segments) > 10
    logs.clean()
    assert len(logs.log.segments) <= 4
    assert [offset for offset, _, _ in logs.records()] == list(range(190, 200))
    assert all(segment.size <= 1000 for segment in logs.log.segments)


def test_a_second_cleaning_reads_only_what_is_dirty_into_its_map(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1"), (B, b"1")])
    logs.roll()
    logs.clean()
    assert logs.cleaner.clean_offset(logs.log.topic_partition) == 2
    logs.append([(A, b"2")])
    logs.roll()
    logs.clean()
    assert logs.records() == [(1, B, b"1"), (2, A, b"2")]


def test_a_full_map_cleans_a_part_and_the_rest_later(tmp_path):
    logs = CompactedLogs(tmp_path)
    for round_number in range(3):
        for number in range(30):
            logs.append([(b"%d" % number, b"%d" % round_number)])
    logs.roll()
    logs.cleaner = logs.new_cleaner(map_entries_max=10)
    logs.clean()
    assert 0 < logs.cleaner.clean_offset(logs.log.topic_partition) < 90
    for _ in range(20):
        logs.clean()
    assert [offset for offset, _, _ in logs.records()] == list(range(60, 90))


# Tombstones


def test_a_tombstone_stays_for_its_time_after_it_was_first_cleaned(tmp_path):
    logs = CompactedLogs(tmp_path, delete_retention_ms=DAY_MS)
    logs.append([(A, b"1"), (B, b"1")])
    logs.append([(A, None)])
    logs.roll()
    logs.clock.advance_ms(5 * DAY_MS)
    logs.clean()
    assert logs.records() == [(1, B, b"1"), (2, A, None)]
    logs.clock.advance_ms(DAY_MS - 1)
    more(logs)
    assert (2, A, None) in logs.records()
    logs.clock.advance_ms(1)
    more(logs)
    assert A not in [key for _, key, _ in logs.records()]
    assert latest(logs.records())[B] == b"1"


def test_records_keep_their_timestamps_where_the_delete_horizon_is_noted(tmp_path):
    logs = CompactedLogs(tmp_path, delete_retention_ms=DAY_MS)
    written_ms = logs.clock.wall_ms()
    logs.append([(A, None), (B, b"1")])
    logs.roll()
    logs.clock.advance_ms(1000)
    logs.clean()
    data = logs.log.segments.first.log.read_at(0, 10_000)
    ((_, header),) = iterate_batches(data)
    assert header.delete_horizon_ms == written_ms + 1000 + DAY_MS
    assert header.max_timestamp == written_ms
    assert {record.timestamp for record in read_all(logs.log)} == {written_ms}


def more(logs: CompactedLogs) -> None:
    """Something dirty, so that the log is cleaned again."""
    logs.append([(C, b"%d" % logs.clock.wall_ms())])
    logs.roll()
    logs.clean()


# Transactions and producers


def transaction(logs: CompactedLogs, records, producer_id: int, end: ControlType) -> None:
    logs.append(records, producer_id=producer_id, producer_epoch=0, base_sequence=0, is_transactional=True)
    marker = encode_end_txn_batch(
        end, producer_id=producer_id, producer_epoch=0, coordinator_epoch=0, timestamp=logs.clock.wall_ms()
    )
    logs.log.append_as_leader(memoryview(bytearray(marker)), 0, now_ms=logs.clock.wall_ms(), origin=Origin.COORDINATOR)


def test_an_aborted_record_takes_nobodys_place(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"good")])
    transaction(logs, [(A, b"bad")], 7, ControlType.ABORT)
    logs.roll()
    logs.clean()
    assert latest(consumed(logs)) == {A: b"good"}


def test_a_committed_record_takes_the_place_of_an_older_one(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"old")])
    transaction(logs, [(A, b"new")], 7, ControlType.COMMIT)
    logs.roll()
    logs.clean()
    assert consumed(logs) == [(1, A, b"new")]


def test_the_marker_of_a_transaction_of_which_nothing_is_left_goes_after_its_time(tmp_path):
    logs = CompactedLogs(tmp_path, delete_retention_ms=DAY_MS)
    transaction(logs, [(A, b"1")], 7, ControlType.COMMIT)
    transaction(logs, [(B, b"1")], 8, ControlType.COMMIT)
    logs.append([(A, b"2")])
    logs.roll()
    logs.log.producers.clear(logs.log.log_end_offset)
    logs.clean()
    assert markers(logs) == [1, 3]
    logs.clock.advance_ms(DAY_MS)
    more(logs)
    assert markers(logs) == [3], "something of the other transaction is left"


def test_an_open_transaction_holds_the_cleaner_up(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1")])
    logs.roll()
    logs.append([(A, b"2")], producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True)
    logs.roll()
    logs.clean()
    assert [offset for offset, _, _ in logs.records()] == [0, 1]


def test_the_last_batch_of_a_producer_keeps_its_sequence_without_records(tmp_path):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1"), (A, b"2")], producer_id=7, producer_epoch=0, base_sequence=0)
    logs.append([(A, b"3")])
    logs.roll()
    logs.clean()
    assert logs.records() == [(2, A, b"3")]
    (_, header), *_ = iterate_batches(logs.log.segments.first.log.read_at(0, 10_000))
    assert (header.producer_id, header.last_sequence, header.records_count) == (7, 1, 0)
    logs.restart()
    assert logs.log.producers.get(7).last_sequence == 1


def consumed(logs: CompactedLogs):
    """Without control records, whose keys mean something else."""
    control = set(markers(logs))
    return [record for record in logs.records() if record[0] not in control]


def markers(logs: CompactedLogs) -> list[int]:
    return [
        header.base_offset
        for segment in logs.log.segments
        for _, header in iterate_batches(segment.log.read_at(0, segment.size))
        if header.is_control
    ]


# Damage


def test_a_log_with_a_damaged_batch_is_left_as_it_is(tmp_path, caplog):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1"), (A, b"2")])
    logs.roll()
    path = tmp_path / "compacted-0" / "00000000000000000000.log"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    logs.clean()
    assert path.read_bytes() == data
    assert "is not cleaned any more: CorruptMessageError" in caplog.text
    logs.clean()


# Everything

OPERATIONS = st.lists(
    st.one_of(
        st.lists(
            st.tuples(st.sampled_from([A, B, C, b"d"]), st.sampled_from([None, b"x", b"y" * 30])),
            min_size=1,
            max_size=6,
        ),
        st.sampled_from(["roll", "clean", "restart", "a day"]),
    ),
    max_size=30,
)


@settings(max_examples=60, deadline=None)
@given(operations=OPERATIONS, map_entries_max=st.sampled_from([1, 3, 1000]))
def test_compaction_equals_a_dictionary(tmp_path_factory, operations, map_entries_max):
    logs = CompactedLogs(tmp_path_factory.mktemp("logs"), segment_bytes=600, delete_retention_ms=DAY_MS)
    written: list[tuple[int, bytes, bytes | None]] = []
    for operation in operations:
        if operation == "roll":
            logs.roll()
        elif operation == "clean":
            logs.cleaner = logs.new_cleaner(map_entries_max=map_entries_max)
            logs.clean()
        elif operation == "restart":
            logs.restart()
        elif operation == "a day":
            logs.clock.advance_ms(DAY_MS)
        else:
            written += [(logs.log.log_end_offset + n, *record) for n, record in enumerate(operation)]
            logs.append(operation)
    found = logs.records()
    assert set(found) <= set(written)
    assert found == sorted(found, key=lambda record: record[0])
    assert latest(found) == latest(written)
    assert logs.log.log_end_offset == len(written)
    logs.log.check_invariants()


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP])
@pytest.mark.parametrize("magic", [0, 1])
def test_messages_of_an_old_kafka_are_compacted_with_the_rest(tmp_path, magic, codec):
    logs = CompactedLogs(tmp_path)
    logs.append([(A, b"1")])
    old = [Record(number, 0, key, value) for number, (key, value) in enumerate([(A, b"2"), (B, b"3"), (C, b"4")], 1)]
    logs.log.active.append(down_convert(encode_batch(old, compression=codec), magic), 3, -1)
    logs.log.log_end_offset = 4
    logs.append([(B, b"5")])
    logs.roll()
    logs.append([(C, b"6")])
    logs.clean()
    assert logs.records() == [(1, A, b"2"), (3, C, b"4"), (4, B, b"5"), (5, C, b"6")]
    logs.log.check_invariants()
