"""The offsets in `__consumer_offsets`; Kafka's own tool reads them in `group/test_records`."""

import pytest

from ottla.coordinators.offsets.group_offsets import CommittedOffset
from ottla.coordinators.offsets.records import decode_offset_key, decode_offset_value, offset_record
from ottla.model import TopicPartition
from ottla.protocol.coordinator_records.offset_commit import OffsetCommitValue
from ottla.protocol.versioned import encode_versioned, payload_version

PARTITION = TopicPartition("orders", 3)


def test_an_offset_comes_back_with_where_its_record_stands():
    offset = CommittedOffset(42, 5, "note", 1_700_000_000_000)
    key, value = offset_record("g", PARTITION, offset)
    assert decode_offset_key(key) == ("g", PARTITION)
    assert decode_offset_value(value, 99) == offset._replace(record_offset=99)


def test_offsets_are_written_in_the_versions_of_kafka_3_9():
    plain = offset_record("g", PARTITION, CommittedOffset(42, 5, "", 1))
    with_expiry = offset_record("g", PARTITION, CommittedOffset(42, 5, "", 1, expire_timestamp_ms=2))
    assert payload_version(plain.key) == 1
    assert payload_version(plain.value) == 3
    assert payload_version(with_expiry.value) == 1
    assert decode_offset_value(with_expiry.value, 0).expire_timestamp_ms == 2


@pytest.mark.parametrize("version", range(5))
def test_every_version_of_a_committed_offset_is_read(version):
    value = OffsetCommitValue(offset=42, metadata="note", commit_timestamp=7)
    decoded = decode_offset_value(encode_versioned(value, version), 0)
    assert (decoded.offset, decoded.metadata, decoded.commit_timestamp_ms) == (42, "note", 7)
    assert decoded.leader_epoch == -1
