"""Records of `__consumer_offsets` as JSON, as `kafka-dump-log --offsets-decoder` prints them.

A key is {"type", "data"}, a value {"version", "data"}, fields in the order and under the names of Kafka's schema; the
subscription and assignment inside a member are decoded too.
"""

import json
from typing import Any

from ottla.coordinators.group.records import is_group_key
from ottla.coordinators.offsets.records import is_offset_key
from ottla.errors import DecodeError
from ottla.protocol.coordinator_records.group_metadata import GroupMetadataKey, GroupMetadataValue, MemberMetadata
from ottla.protocol.coordinator_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from ottla.protocol.messages.consumer_protocol import ConsumerProtocolAssignment, ConsumerProtocolSubscription
from ottla.protocol.versioned import decode_versioned, payload_version
from ottla.records.record import Record


def decode_offsets_record(record: Record) -> tuple[str | None, str | None]:
    """Key and value as text; a kind of record that is not known is told by its number."""
    if record.key is None:
        raise DecodeError("a record of __consumer_offsets must have a key")
    key = bytes(record.key)
    value = None if record.value is None else bytes(record.value)
    kind = payload_version(key)
    if is_offset_key(key):
        return _json(type=str(kind), data=_offset_key(key)), _value(value, _offset_value)
    if is_group_key(key):
        return _json(type=str(kind), data=_group_key(key)), _value(value, _group_value)
    return f"(type={kind})", "<DELETE>" if value is None else f"({len(value)} bytes)"


def _value(value: bytes | None, decode: Any) -> str:
    if value is None:
        return "<DELETE>"
    return _json(version=str(payload_version(value)), data=decode(value))


def _json(**fields: Any) -> str:
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False)


def _offset_key(key: bytes) -> dict[str, Any]:
    found, _ = decode_versioned(OffsetCommitKey, key)
    return {"group": found.group, "topic": found.topic, "partition": found.partition}


def _group_key(key: bytes) -> dict[str, Any]:
    return {"group": decode_versioned(GroupMetadataKey, key)[0].group}


def _offset_value(value: bytes) -> dict[str, Any]:
    found, version = decode_versioned(OffsetCommitValue, value)
    fields: dict[str, Any] = {"offset": found.offset}
    if version >= 3:
        fields["leaderEpoch"] = found.leader_epoch
    fields |= {"metadata": found.metadata, "commitTimestamp": found.commit_timestamp}
    if version == 1:
        fields["expireTimestamp"] = found.expire_timestamp
    return fields


def _group_value(value: bytes) -> dict[str, Any]:
    found, version = decode_versioned(GroupMetadataValue, value)
    fields = {
        "protocolType": found.protocol_type,
        "generation": found.generation,
        "protocol": found.protocol,
        "leader": found.leader,
    }
    if version >= 2:
        fields["currentStateTimestamp"] = found.current_state_timestamp
    return fields | {"members": [_member(member, version) for member in found.members]}


def _member(member: MemberMetadata, version: int) -> dict[str, Any]:
    fields: dict[str, Any] = {"memberId": member.member_id}
    if version >= 3:
        fields["groupInstanceId"] = member.group_instance_id
    fields |= {"clientId": member.client_id, "clientHost": member.client_host}
    if version >= 1:
        fields["rebalanceTimeout"] = member.rebalance_timeout
    return fields | {
        "sessionTimeout": member.session_timeout,
        "subscription": _subscription(bytes(member.subscription)),
        "assignment": _assignment(bytes(member.assignment)),
    }


def _subscription(encoded: bytes) -> dict[str, Any] | None:
    if not encoded:
        return None
    found, version = decode_versioned(ConsumerProtocolSubscription, encoded, newer_as_latest=True)
    fields: dict[str, Any] = {"topics": found.topics, "userData": _user_data(found.user_data)}
    if version >= 1:
        fields["ownedPartitions"] = [
            {"topic": owned.topic, "partitions": owned.partitions} for owned in found.owned_partitions
        ]
    if version >= 2:
        fields["generationId"] = found.generation_id
    if version >= 3:
        fields["rackId"] = found.rack_id
    return fields


def _assignment(encoded: bytes) -> dict[str, Any] | None:
    if not encoded:
        return None
    found, _ = decode_versioned(ConsumerProtocolAssignment, encoded, newer_as_latest=True)
    return {
        "assignedPartitions": [
            {"topic": assigned.topic, "partitions": assigned.partitions} for assigned in found.assigned_partitions
        ],
        "userData": _user_data(found.user_data),
    }


def _user_data(data: bytes | None) -> str | None:
    return None if data is None else bytes(data).decode("utf-8", "replace")
