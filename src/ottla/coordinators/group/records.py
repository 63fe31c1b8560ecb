"""What stands in `__consumer_offsets`, in the versions that Kafka 3.9 writes. Keys and values begin with their version.

    KEY                                VALUE
    1 OffsetCommitKey                  3 OffsetCommitValue; 1 where the commit brought its own expiry
      group, topic, partition            offset, leader epoch, metadata, commit timestamp
    2 GroupMetadataKey                 3 GroupMetadataValue
      group                              protocol type, generation, protocol, leader, when it came into its state,
                                         members with subscription and assignment

A record without a value is a tombstone: the offset was deleted or has expired, the group is gone. Read is every version
that Kafka ever wrote. Keys of versions above 2 belong to newer kinds of groups and are left alone.
"""

from typing import TYPE_CHECKING

from ottla.coordinators.group.committed_offsets import NO_EXPIRY, CommittedOffset
from ottla.coordinators.group.step import KeyValue
from ottla.model import TopicPartition
from ottla.protocol.coordinator_records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from ottla.protocol.coordinator_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from ottla.protocol.versioned import decode_versioned, encode_versioned, payload_version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ottla.coordinators.group.group import Group

OFFSET_KEY_VERSION = 1
OFFSET_VALUE_VERSION = 3
OFFSET_VALUE_VERSION_WITH_EXPIRY = 1
GROUP_KEY_VERSION = 2
GROUP_VALUE_VERSION = 3


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


def group_key(group_id: str) -> bytes:
    return encode_versioned(GroupMetadataKey(group=group_id), GROUP_KEY_VERSION)


def group_tombstone(group_id: str) -> KeyValue:
    return KeyValue(group_key(group_id), None)


def group_record(group: "Group", assignments: "Mapping[str, bytes]") -> KeyValue:
    """The group as it stands, with these assignments."""
    protocol_name = group.protocol_name
    value = GroupMetadataValue(
        protocol_type=group.protocol_type or "",
        generation=group.generation,
        protocol=protocol_name,
        leader=group.leader_id,
        current_state_timestamp=group.state_timestamp_ms,
        members=[
            MemberMetadata(
                member_id=member.member_id,
                group_instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                rebalance_timeout=member.rebalance_timeout_ms,
                session_timeout=member.session_timeout_ms,
                subscription=member.metadata(protocol_name or ""),
                assignment=assignments.get(member.member_id, b""),
            )
            for member in group.members.values()
        ],
    )
    return KeyValue(group_key(group.group_id), encode_versioned(value, GROUP_VALUE_VERSION))


# Reading


def is_offset_key(key: bytes) -> bool:
    return payload_version(key) in OffsetCommitKey.VERSIONS


def is_group_key(key: bytes) -> bool:
    return payload_version(key) in GroupMetadataKey.VERSIONS


def decode_offset_key(key: bytes) -> tuple[str, TopicPartition]:
    decoded, _ = decode_versioned(OffsetCommitKey, key)
    return decoded.group, TopicPartition(decoded.topic, decoded.partition)


def decode_group_key(key: bytes) -> str:
    return decode_versioned(GroupMetadataKey, key)[0].group


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


def decode_group_value(value: bytes) -> GroupMetadataValue:
    """Version 0 has no rebalance timeout: there it was the session timeout."""
    decoded, version = decode_versioned(GroupMetadataValue, value)
    if version == 0:
        for member in decoded.members:
            member.rebalance_timeout = member.session_timeout
    return decoded
