from pathlib import Path

import pytest

from ottla.errors.kafka import CorruptMessageError, OffsetOutOfRangeError
from ottla.records.attributes import Codec
from ottla.records.batch import stamp
from ottla.records.legacy import down_convert
from ottla.storage.log.partition_log import PartitionLog
from support.logs import NOW_MS, batch, create_log, read_all, take


@pytest.fixture
def leader(tmp_path: Path) -> PartitionLog:
    (tmp_path / "leader").mkdir()
    return create_log(tmp_path / "leader", segment_bytes=3000, index_interval_bytes=200)


@pytest.fixture
def follower(tmp_path: Path) -> PartitionLog:
    (tmp_path / "follower").mkdir()
    return create_log(tmp_path / "follower", segment_bytes=1000, index_interval_bytes=200)


def stamped(offset: int, count: int = 1, *, epoch: int = 0) -> memoryview:
    records = batch(count)
    stamp(records, 0, offset, epoch)
    return records


def joined(*parts: memoryview) -> memoryview:
    return memoryview(b"".join(parts))


def replicate(leader: PartitionLog, follower: PartitionLog, max_bytes: int) -> None:
    while follower.log_end_offset < leader.log_end_offset:
        data = take(
            leader.read(follower.log_end_offset, max_bytes, end_offset=leader.end_position, minimum_one_batch=True)
        )
        follower.append_as_follower(memoryview(data), now_ms=NOW_MS)


@pytest.mark.parametrize("max_bytes", [1, 500, 2500, 1 << 20])
def test_a_follower_becomes_equal_to_its_leader_byte_for_byte(
    leader: PartitionLog, follower: PartitionLog, max_bytes: int
) -> None:
    for number in range(60):
        producer = {"producer_id": number % 3, "producer_epoch": 0, "base_sequence": number // 3 * 2}
        leader.append_as_leader(batch(2, timestamp=NOW_MS + number, **producer), number // 20, now_ms=NOW_MS)
    replicate(leader, follower, max_bytes)
    follower.check_invariants()
    assert read_all(follower) == read_all(leader)
    for offset in range(0, 120, 7):
        ours = take(follower.read(offset, 100, end_offset=follower.end_position))
        theirs = take(leader.read(offset, 100, end_offset=leader.end_position))
        assert ours[:61] == theirs[:61]
    assert follower.leader_epochs.entries == leader.leader_epochs.entries == [(0, 0), (1, 40), (2, 80)]
    assert {i: e.batches for i, e in follower.producers.items()} == {i: e.batches for i, e in leader.producers.items()}


def test_index_entries_point_at_batches_within_what_was_fetched(follower: PartitionLog) -> None:
    follower.append_as_follower(joined(*(stamped(offset) for offset in range(10))), now_ms=NOW_MS)
    assert follower.segments.first.offset_index.entries > 1
    follower.check_invariants()


def test_offsets_may_leave_gaps_but_not_go_back(follower: PartitionLog) -> None:
    info = follower.append_as_follower(joined(stamped(3), stamped(9, 2)), now_ms=NOW_MS)
    assert info is not None
    assert (info.first_offset, info.last_offset) == (3, 10)
    with pytest.raises(OffsetOutOfRangeError):
        follower.append_as_follower(stamped(10), now_ms=NOW_MS)
    with pytest.raises(CorruptMessageError):
        follower.append_as_follower(joined(stamped(12), stamped(12)), now_ms=NOW_MS)
    assert follower.log_end_offset == 11
    follower.check_invariants()


def test_a_batch_cut_off_at_the_end_waits_for_the_next_fetch(follower: PartitionLog) -> None:
    whole = joined(stamped(0), stamped(1))
    follower.append_as_follower(whole[:-1], now_ms=NOW_MS)
    assert follower.log_end_offset == 1
    assert follower.append_as_follower(stamped(1)[:-1], now_ms=NOW_MS) is None


def test_one_bad_batch_keeps_all_of_them_out(follower: PartitionLog) -> None:
    bad = stamped(1)
    bad[-1] ^= 1
    with pytest.raises(CorruptMessageError):
        follower.append_as_follower(joined(stamped(0), bad), now_ms=NOW_MS)
    assert follower.log_end_offset == 0


def test_an_empty_log_takes_a_batch_that_begins_before_its_start(follower: PartitionLog) -> None:
    follower.truncate_fully(5, now_ms=NOW_MS)
    follower.append_as_follower(stamped(3, 4), now_ms=NOW_MS)
    assert (follower.log_start_offset, follower.log_end_offset) == (5, 7)
    assert follower.segments.first.base_offset == 3
    assert [record.offset for record in read_all(follower)] == [5, 6]
    follower.check_invariants()


def test_a_batch_larger_than_a_segment_gets_one_of_its_own(follower: PartitionLog) -> None:
    large = memoryview(bytearray(batch([b"x" * 5000])))
    stamp(large, 0, 1, 0)
    follower.append_as_follower(joined(stamped(0), large, stamped(2)), now_ms=NOW_MS)
    assert [segment.base_offset for segment in follower.segments] == [0, 1, 2]
    assert [record.offset for record in read_all(follower)] == [0, 1, 2]


def leave_old_messages(log: PartitionLog, count: int, magic: int, codec: Codec) -> None:
    """As a leader's log has them that an old Kafka has written."""
    records = batch(count, timestamp=NOW_MS, compression=codec)
    stamp(records, 0, log.log_end_offset, 0)
    log.active.append(down_convert(records, magic), log.log_end_offset + count - 1, NOW_MS if magic else -1)
    log.log_end_offset += count


@pytest.mark.parametrize("max_bytes", [1, 500, 1 << 20])
@pytest.mark.parametrize("codec", [Codec.NONE, Codec.GZIP, Codec.LZ4])
@pytest.mark.parametrize("magic", [0, 1])
def test_messages_of_an_old_kafka_are_followed_and_kept_in_format_2(
    leader: PartitionLog, follower: PartitionLog, magic: int, codec: Codec, max_bytes: int
) -> None:
    leave_old_messages(leader, 5, magic, codec)
    leave_old_messages(leader, 3, magic, Codec.NONE)
    leader.append_as_leader(batch(2), 1, now_ms=NOW_MS)
    leave_old_messages(leader, 4, magic, codec)
    leader.append_as_leader(batch(2), 2, now_ms=NOW_MS)
    replicate(leader, follower, max_bytes)
    follower.check_invariants()
    assert [record.offset for record in read_all(follower)] == list(range(16))
    assert follower.leader_epochs.entries == [(1, 8), (2, 14)]


def test_damaged_message_of_an_old_kafka_is_not_taken(leader: PartitionLog, follower: PartitionLog) -> None:
    leave_old_messages(leader, 3, 1, Codec.NONE)
    data = bytearray(take(leader.read(0, 1 << 20, end_offset=leader.end_position)))
    data[-1] ^= 1
    with pytest.raises(CorruptMessageError):
        follower.append_as_follower(memoryview(data), now_ms=NOW_MS)
    assert follower.log_end_offset == 0
