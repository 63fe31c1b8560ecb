"""A batch is refused, or it is there for ever: what recovery would cut must never have been acknowledged."""

from pathlib import Path

import pytest

from ottla.errors import KafkaError
from ottla.storage.log.partition_log import PartitionLog
from support.hostile_messages import HostileMessages
from support.logs import NOW_MS, create_log, next_offset, open_log, read_all, take

PRODUCE_VERSIONS = (2, 3, 7, 9, 13)


def fill(log: PartitionLog, seed: int, count: int = 500) -> None:
    messages = HostileMessages(seed, ["t"], [])
    accepted = 0
    for _ in range(count):
        records = memoryview(bytearray(messages.records()))
        end = log.log_end_offset
        try:
            log.append_as_leader(records, 0, now_ms=NOW_MS, produce_version=messages.rng.choice(PRODUCE_VERSIONS))
            accepted += 1
        except KafkaError:
            assert log.log_end_offset == end
    assert count / 10 < accepted < count


def batches(log: PartitionLog) -> bytes:
    found, offset = b"", 0
    while offset < log.log_end_offset:
        data = take(log.read(offset, 1, end_offset=log.end_position, minimum_one_batch=True))
        found += data
        offset = next_offset(data)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("stamps", ["CreateTime", "LogAppendTime"])
def test_what_was_accepted_is_recovered(tmp_path: Path, seed: int, stamps: str) -> None:
    config = {"segment_bytes": 100_000, "message_timestamp_type": stamps}
    log = create_log(tmp_path, **config)
    fill(log, seed)
    expected = batches(log)
    log.log_directory.handles.close_all()
    recovered = open_log(tmp_path, is_clean=False, **config)
    recovered.check_invariants()
    assert recovered.log_end_offset == log.log_end_offset
    assert batches(recovered) == expected
    recovered.log_directory.handles.close_all()


@pytest.mark.parametrize("seed", range(4))
def test_what_was_accepted_is_taken_by_a_follower(tmp_path: Path, seed: int) -> None:
    for name in ("leader", "follower"):
        (tmp_path / name).mkdir()
    leader, follower = create_log(tmp_path / "leader"), create_log(tmp_path / "follower")
    fill(leader, seed)
    while follower.log_end_offset < leader.log_end_offset:
        data = take(
            leader.read(follower.log_end_offset, 50_000, end_offset=leader.end_position, minimum_one_batch=True)
        )
        follower.append_as_follower(memoryview(data), now_ms=NOW_MS)
    assert batches(follower) == batches(leader)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_accepted_can_be_read_where_compressed_batches_are_opened(tmp_path: Path, seed: int) -> None:
    log = create_log(tmp_path)
    log.configure(log.config, validate_compressed=True)
    fill(log, seed)
    offsets = [record.offset for record in read_all(log)]
    assert offsets == list(range(log.log_end_offset))
