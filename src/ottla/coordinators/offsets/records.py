"""The offsets in `__consumer_offsets`, in the versions that Kafka 3.9 writes. Keys and values begin with their version.

    KEY                                VALUE
    1 OffsetCommitKey                  3 OffsetCommitValue; 1 where the commit brought its own expiry
      group, topic, partition            offset, leader epoch, metadata, commit timestamp

A record without a value is a tombstone: the offset was deleted or has expired. Read is every version that Kafka ever
wrote. Keys of other versions belong to groups.
"""

from ottla.coordinators.offsets.group_offsets import NO_EXPIRY, CommittedOffset
from ottla.coordinators.runtime.step import KeyValue
from ottla.model import TopicPartition
from ottla.protocol.coordinator_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from ottla.protocol.versioned import decode_versioned, encode_versioned, payload_version

OFFSET_KEY_VERSION = 1
OFFSET_VALUE_VERSION = 3
OFFSET_VALUE_VERSION_WITH_EXPIRY = 1


def offset_key(group_id: str, partition: TopicPartition) -> bytes:
    key = OffsetCommitKey(group=group_id, topic=partition.topic, partition=partition.partition)
    return encode_versioned(key, OFFSET_KEY_VERSION)


def offset_value(offset: CommittedOffset) -> bytes:
    value = OffsetCommitValue(
        offset=offset.offset,
        leader_epoch=offset.leader_epoch,
        metadata=offset.metadata,
        commit_timestamp=offset.commit_timestamp_ms,
        expire_timestamp=offset.expire_timestamp_ms,
    )
    has_expiry = offset.expire_timestamp_ms != NO_EXPIRY
    return encode_versioned(value, OFFSET_VALUE_VERSION_WITH_EXPIRY if has_expiry else OFFSET_VALUE_VERSION)


def offset_record(group_id: str, partition: TopicPartition, offset: CommittedOffset) -> KeyValue:
    return KeyValue(offset_key(group_id, partition), offset_value(offset))


def offset_tombstone(group_id: str, partition: TopicPartition) -> KeyValue:
    return KeyValue(offset_key(group_id, partition), None)


# Reading


def is_offset_key(key: bytes) -> bool:
    return payload_version(key) in OffsetCommitKey.VERSIONS


def decode_offset_key(key: bytes) -> tuple[str, TopicPartition]:
    decoded, _ = decode_versioned(OffsetCommitKey, key)
    return decoded.group, TopicPartition(decoded.topic, decoded.partition)


def decode_offset_value(value: bytes, record_offset: int) -> CommittedOffset:
    decoded, _ = decode_versioned(OffsetCommitValue, value)
    return CommittedOffset(
        decoded.offset,
        decoded.leader_epoch,
        decoded.metadata,
        decoded.commit_timestamp,
        decoded.expire_timestamp,
        record_offset,
    )
