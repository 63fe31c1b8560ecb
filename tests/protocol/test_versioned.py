import pytest

from ottla.errors import DecodeError
from ottla.protocol.coordinator_records.group_metadata import GroupMetadataKey
from ottla.protocol.coordinator_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from ottla.protocol.messages.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from ottla.protocol.versioned import decode_versioned, encode_versioned, payload_version


def test_version_stands_in_front() -> None:
    key = OffsetCommitKey(group="g", topic="t", partition=2)
    encoded = encode_versioned(key, 1)
    assert encoded == b"\x00\x01\x00\x01g\x00\x01t\x00\x00\x00\x02"
    assert payload_version(encoded) == 1
    assert decode_versioned(OffsetCommitKey, encoded) == (key, 1)


def test_version_of_a_key_tells_its_kind() -> None:
    assert payload_version(encode_versioned(GroupMetadataKey(group="g"), 2)) == 2
    with pytest.raises(DecodeError, match="OffsetCommitKey has no version 2"):
        decode_versioned(OffsetCommitKey, encode_versioned(GroupMetadataKey(group="g"), 2))


@pytest.mark.parametrize("version", range(5))
def test_offset_commit_value_round_trips_in_all_versions(version: int) -> None:
    value = OffsetCommitValue(offset=5, metadata="m", commit_timestamp=7)
    assert decode_versioned(OffsetCommitValue, encode_versioned(value, version)) == (value, version)


def test_newer_consumers_are_read_as_the_newest_known_version() -> None:
    subscription = ConsumerProtocolSubscription(topics=["a"], rack_id="r")
    encoded = b"\x00\x09" + encode_versioned(subscription, 3)[2:] + b"what version 9 adds"
    assert decode_versioned(ConsumerProtocolSubscription, encoded, newer_as_latest=True) == (subscription, 9)
    with pytest.raises(DecodeError, match="no version 9"):
        decode_versioned(ConsumerProtocolSubscription, encoded)


def test_bytes_left_over_are_refused() -> None:
    encoded = encode_versioned(OffsetCommitKey(), 0) + b"x"
    with pytest.raises(DecodeError, match="1 bytes are left over"):
        decode_versioned(OffsetCommitKey, encoded)


@pytest.mark.parametrize("data", [b"", b"\x00", b"\xff\xff", b"\x00\x00", b"\x7f\xff"])
def test_bad_payload_is_a_decode_error(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_versioned(ConsumerProtocolAssignment, data)
    with pytest.raises(DecodeError):
        decode_versioned(ConsumerProtocolAssignment, data, newer_as_latest=True)
