"""Classic groups in `__consumer_offsets`, in the versions that Kafka 3.9 writes. Keys and values begin with a version.

    KEY                                VALUE
    2 GroupMetadataKey                 3 GroupMetadataValue
      group                              protocol type, generation, protocol, leader, when it came into its state,
                                         members with subscription and assignment

A record without a value is a tombstone: the group is gone. Read is every version that Kafka ever wrote. Keys of the
versions 0 and 1 are offsets (`offsets.records`); those above 2 belong to newer kinds of groups and are left alone.
"""

from collections.abc import Mapping

from ottla.coordinators.group.group import Group
from ottla.coordinators.runtime.step import KeyValue
from ottla.protocol.coordinator_records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from ottla.protocol.versioned import decode_versioned, encode_versioned, payload_version

GROUP_KEY_VERSION = 2
GROUP_VALUE_VERSION = 3


def group_key(group_id: str) -> bytes:
    return encode_versioned(GroupMetadataKey(group=group_id), GROUP_KEY_VERSION)


def group_tombstone(group_id: str) -> KeyValue:
    return KeyValue(group_key(group_id), None)


def group_record(group: Group, assignments: Mapping[str, bytes]) -> KeyValue:
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


def is_group_key(key: bytes) -> bool:
    return payload_version(key) in GroupMetadataKey.VERSIONS


def decode_group_key(key: bytes) -> str:
    return decode_versioned(GroupMetadataKey, key)[0].group


def decode_group_value(value: bytes) -> GroupMetadataValue:
    """Version 0 has no rebalance timeout: there it was the session timeout."""
    decoded, version = decode_versioned(GroupMetadataValue, value)
    if version == 0:
        for member in decoded.members:
            member.rebalance_timeout = member.session_timeout
    return decoded
