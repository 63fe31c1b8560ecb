"""Messages of the formats v0 and v1 in the log: produced by old clients, or left in a directory by an old Kafka."""

import os
from pathlib import Path

import pytest

from ottla.errors.kafka import CorruptMessageError, InvalidRecordError, KafkaStorageError, MessageTooLargeError
from ottla.records.attributes import Codec
from ottla.records.batch import iterate_batches
from ottla.records.legacy import down_convert
from ottla.records.record import Record, encode_batch
from ottla.storage.log.batch_validation import BATCHES_OF_A_SET_MAX
from ottla.storage.log.log_results import NOT_FOUND, FoundOffset
from ottla.storage.log.partition_log import PartitionLog
from support.disks import FaultyDisk
from support.logs import NOW_MS, batch, create_log, read_all, take, topic_config

OLD_CODECS = [Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4]


def message_set(count: int = 3, *, magic: int = 1, codec: Codec = Codec.NONE, size: int = 5) -> memoryview:
    values = [b"%d" % number * size for number in range(count)]
    stamps = [NOW_MS + number for number in range(count)]
    keys = [b"key"] * count
    return memoryview(down_convert(batch(values, keys=keys, timestamps=stamps, compression=codec), magic))


def append(log: PartitionLog, messages: memoryview, version: int = 2) -> tuple[int, int, int]:
    info = log.append_as_leader(messages, 5, now_ms=NOW_MS, produce_version=version)
    return info.first_offset, info.last_offset, info.max_timestamp


@pytest.mark.parametrize("magic", [0, 1])
@pytest.mark.parametrize("codec", OLD_CODECS)
def test_message_sets_are_stored_as_batches_of_format_2(tmp_path: Path, magic: int, codec: Codec) -> None:
    log = create_log(tmp_path)
    log.append_as_leader(batch(2), 5, now_ms=NOW_MS)
    assert append(log, message_set(magic=magic, codec=codec)) == (2, 4, NOW_MS + 2 if magic else -1)
    data = take(log.read(2, 1 << 20, end_offset=log.end_position))
    [(_, header)] = iterate_batches(data)
    assert (header.compression, header.partition_leader_epoch) == (codec, 5)
    stamps = [NOW_MS, NOW_MS + 1, NOW_MS + 2] if magic else [-1, -1, -1]
    records = read_all(log, 2)
    assert [(r.offset, r.timestamp, r.key, r.value) for r in records] == [
        (2 + number, stamps[number], b"key", b"%d" % number * 5) for number in range(3)
    ]


def test_produce_3_and_up_takes_no_message_sets(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    with pytest.raises(InvalidRecordError):
        append(log, message_set(), version=3)
    with pytest.raises(InvalidRecordError):
        append(log, memoryview(b""))


def test_a_forced_codec_and_log_append_time_hold_for_message_sets_too(tmp_path: Path) -> None:
    log = create_log(tmp_path, compression_type="zstd", message_timestamp_type="LogAppendTime")
    append(log, message_set(codec=Codec.GZIP))
    [(_, header)] = iterate_batches(take(log.read(0, 1 << 20, end_offset=log.end_position)))
    assert header.compression is Codec.ZSTD
    assert [record.timestamp for record in read_all(log)] == [NOW_MS] * 3


def test_a_damaged_message_is_refused(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    damaged = bytearray(message_set())
    damaged[-1] ^= 1
    with pytest.raises(CorruptMessageError):
        append(log, memoryview(damaged))
    assert log.log_end_offset == 0


def test_messages_become_as_many_batches_as_their_size_needs(tmp_path: Path) -> None:
    log = create_log(tmp_path, max_message_bytes=500)
    assert append(log, message_set(9, size=100)) == (0, 8, NOW_MS + 8)
    assert len(list(iterate_batches(take(log.read(0, 1 << 20, end_offset=log.end_position))))) > 1
    assert [record.offset for record in read_all(log)] == list(range(9))
    log.check_invariants()


def test_all_messages_of_a_set_are_appended_or_none(tmp_path: Path) -> None:
    disk = FaultyDisk()
    log = create_log(tmp_path, disk=disk, max_message_bytes=500)
    disk.room = 1200
    with pytest.raises(KafkaStorageError):
        append(log, message_set(20, size=100))
    disk.room = None
    assert log.log_end_offset == 0
    log.check_invariants()
    with pytest.raises(MessageTooLargeError):
        append(log, memoryview(bytes(message_set(2)) + bytes(message_set(1, size=900))))
    assert log.log_end_offset == 0
    assert append(log, message_set(2))[0] == 0


def test_a_set_of_more_batches_than_one_turn_may_append_is_refused_whole(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    alternating = bytes(message_set(1, magic=0)) + bytes(message_set(1, magic=1))  # each begins a batch
    most = alternating * (BATCHES_OF_A_SET_MAX // 2)
    append(log, memoryview(most))
    assert log.log_end_offset == BATCHES_OF_A_SET_MAX
    with pytest.raises(InvalidRecordError, match="batches"):
        append(log, memoryview(most + bytes(message_set(1, magic=0))))
    assert log.log_end_offset == BATCHES_OF_A_SET_MAX


def large_when_opened(size: int, codec: Codec) -> bytes:
    return down_convert(batch([bytes(size)], keys=[b"key"], compression=codec), 1)


@pytest.mark.parametrize("codec", OLD_CODECS[1:])
def test_all_wrappers_of_a_set_together_open_to_no_more_than_one_may(tmp_path: Path, codec: Codec) -> None:
    """Otherwise a request of many small wrappers opens to a thousand times its size."""
    log = create_log(tmp_path)
    one = large_when_opened(6 << 20, codec)
    append(log, memoryview(one * 2))
    with pytest.raises(InvalidRecordError, match="larger than"):
        append(log, memoryview(one * 3))
    assert log.log_end_offset == 2


def test_the_bound_of_a_set_grows_with_the_topics_largest_batch_and_with_the_set(tmp_path: Path) -> None:
    log = create_log(tmp_path)
    incompressible = down_convert(batch([os.urandom(900_000)], compression=Codec.LZ4), 1)
    append(log, memoryview(incompressible * 20))
    log.configure(topic_config(max_message_bytes=2 << 20))
    append(log, memoryview(large_when_opened(6 << 20, Codec.GZIP) * 3))
    assert log.log_end_offset == 23


@pytest.mark.parametrize("codec", OLD_CODECS)
def test_timestamps_are_found_in_segments_that_an_old_kafka_wrote(tmp_path: Path, codec: Codec) -> None:
    log = create_log(tmp_path)
    old = message_set(codec=codec)
    log.active.append(bytes(old), 2, NOW_MS + 2)
    log.log_end_offset = 3
    assert log.offset_for_timestamp(NOW_MS + 1) == FoundOffset(1, NOW_MS + 1, -1)
    assert log.offset_of_max_timestamp() == FoundOffset(2, NOW_MS + 2, -1)
    assert log.offset_for_timestamp(NOW_MS + 3) == NOT_FOUND


def test_a_wrapper_that_opens_to_more_than_the_topic_allows_is_found_at_or_before_its_first_message(
    tmp_path: Path,
) -> None:
    """Its own offset is that of its last message, and would skip the others."""
    log = create_log(tmp_path, base_offset=10)
    values = [b"first", bytes(20 << 20)]
    records = [Record(12 + number, NOW_MS + number, b"key", value) for number, value in enumerate(values)]
    wrapper = down_convert(encode_batch(records, compression=Codec.GZIP), 1, size_max=1 << 30)
    log.active.append(wrapper, 13, NOW_MS + 1)
    log.log_end_offset = 14
    assert log.offset_for_timestamp(NOW_MS) == FoundOffset(10, NOW_MS + 1, -1)
    assert log.offset_of_max_timestamp() == FoundOffset(10, NOW_MS + 1, -1)
    log.configure(topic_config(max_message_bytes=3 << 20))
    assert log.offset_for_timestamp(NOW_MS) == FoundOffset(12, NOW_MS, -1)
    assert log.offset_of_max_timestamp() == FoundOffset(13, NOW_MS + 1, -1)
