"""Requests to a group and their results: values without versions. Handlers make messages of them and back."""

from collections.abc import Mapping
from typing import NamedTuple

from ottla.errors import ErrorCode

UNKNOWN_MEMBER = ""
"""The member id of who has none yet."""
NO_GENERATION = -1


class GroupProtocol(NamedTuple):
    """A way to assign partitions that a member knows, with what it has to say about it. Opaque here."""

    name: str
    metadata: bytes


class JoinRequest(NamedTuple):
    """`fresh_id` is the random part of a member id, used when the member gets a new one."""

    group_id: str
    member_id: str
    instance_id: str | None
    client_id: str
    client_host: str
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: tuple[GroupProtocol, ...]
    fresh_id: str
    requires_known_member_id: bool = False
    supports_skip_assignment: bool = False
    reason: str | None = None


class JoinedMember(NamedTuple):
    """What the leader is told about a member."""

    member_id: str
    instance_id: str | None
    metadata: bytes


class JoinResult(NamedTuple):
    error: ErrorCode
    member_id: str = UNKNOWN_MEMBER
    generation: int = NO_GENERATION
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader_id: str | None = None
    skip_assignment: bool = False
    members: tuple[JoinedMember, ...] = ()


class SyncRequest(NamedTuple):
    group_id: str
    generation: int
    member_id: str
    instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: Mapping[str, bytes] = {}


class SyncResult(NamedTuple):
    error: ErrorCode
    assignment: bytes = b""
    protocol_type: str | None = None
    protocol_name: str | None = None


class HeartbeatRequest(NamedTuple):
    group_id: str
    generation: int
    member_id: str
    instance_id: str | None = None


class LeavingMember(NamedTuple):
    """By member id, or by instance id alone, as an administrator does."""

    member_id: str
    instance_id: str | None = None
    reason: str | None = None


class LeaveResult(NamedTuple):
    member: LeavingMember
    error: ErrorCode
