"""ListGroups, DescribeGroups, OffsetCommit, OffsetFetch, OffsetDelete, DeleteGroups, and the requests of members."""

from collections.abc import Sequence
from typing import Any

from ottla.protocol.messages.delete_groups import DeleteGroupsRequest
from ottla.protocol.messages.describe_groups import DescribeGroupsRequest
from ottla.protocol.messages.heartbeat import HeartbeatRequest
from ottla.protocol.messages.join_group import JoinGroupRequestProtocol
from ottla.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from ottla.protocol.messages.list_groups import ListGroupsRequest
from ottla.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from ottla.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from ottla.protocol.messages.sync_group import SyncGroupRequest
from support.admin_errors.case import Case
from support.admin_errors.world import commit_request, join_request


def fetch(group: str, topic: str = "t", partitions: Sequence[int] = (0, 1)) -> OffsetFetchRequest:
    topics = [OffsetFetchRequestTopics(name=topic, partition_indexes=list(partitions))]
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=group, topics=topics)])


def fetch_old(group: str, topic: str = "t", partitions: Sequence[int] = (0, 1)) -> OffsetFetchRequest:
    topics = [OffsetFetchRequestTopic(name=topic, partition_indexes=list(partitions))]
    return OffsetFetchRequest(group_id=group, topics=topics)


def fetch_all(group: str) -> OffsetFetchRequest:
    return OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=group, topics=None)])


def delete_offsets(group: str, topic: str, *partitions: int) -> OffsetDeleteRequest:
    wanted = [OffsetDeleteRequestPartition(partition_index=index) for index in partitions]
    return OffsetDeleteRequest(group_id=group, topics=[OffsetDeleteRequestTopic(name=topic, partitions=wanted)])


def sync(group: str, generation: int, member: str, **fields: Any) -> SyncGroupRequest:
    return SyncGroupRequest(group_id=group, generation_id=generation, member_id=member, assignments=[], **fields)


def heartbeat(group: str, generation: int, member: str, instance: str | None = None) -> HeartbeatRequest:
    return HeartbeatRequest(group_id=group, generation_id=generation, member_id=member, group_instance_id=instance)


def leave(group: str, *members: str, instance: str | None = None) -> LeaveGroupRequest:
    leaving = [MemberIdentity(member_id=member, group_instance_id=instance) for member in members]
    return LeaveGroupRequest(group_id=group, members=leaving)


LIST_CASES = [
    Case("list: all", 4, ListGroupsRequest()),
    Case("list: with types", 5, ListGroupsRequest()),
    Case("list: version 0", 0, ListGroupsRequest()),
    Case("list: empty ones", 4, ListGroupsRequest(states_filter=["Empty"])),
    Case("list: in another case", 4, ListGroupsRequest(states_filter=["stable"])),
    Case("list: no such state", 4, ListGroupsRequest(states_filter=["Sleeping"])),
    Case("list: classic ones", 5, ListGroupsRequest(types_filter=["classic"])),
    Case("list: no such type", 5, ListGroupsRequest(types_filter=["modern"])),
    Case("groups: without members", 5, DescribeGroupsRequest(groups=["idle"])),
    Case("groups: with a member", 5, DescribeGroupsRequest(groups=["busy"])),
    Case("groups: that forms", 5, DescribeGroupsRequest(groups=["forming"])),
    Case("groups: unknown", 5, DescribeGroupsRequest(groups=["unknown"])),
    Case("groups: unknown, version 0", 0, DescribeGroupsRequest(groups=["unknown"])),
    Case("groups: without a name", 5, DescribeGroupsRequest(groups=[""])),
    Case("groups: none", 5, DescribeGroupsRequest(groups=[])),
    Case("groups: operations", 5, DescribeGroupsRequest(groups=["idle"], include_authorized_operations=True)),
]

COMMIT_CASES = [
    Case("commit: unknown topic", 8, commit_request("idle", {0: 1}, topic="unknown")),
    Case("commit: unknown partition", 8, commit_request("idle", {9: 1})),
    Case("commit: one partition right, one wrong", 8, commit_request("idle", {0: 3, 9: 1}, metadata="m")),
    Case("commit: too much metadata", 8, commit_request("idle", {0: 1}, metadata="m" * 4097)),
    Case("commit: as much metadata as may be", 8, commit_request("idle", {1: 4}, metadata="m" * 4096)),
    Case("commit: negative offset", 8, commit_request("idle", {1: -7}, metadata="m")),
    Case("commit: no topics", 8, commit_request("idle", {})),
    Case("commit: group without a name", 8, commit_request("", {0: 1})),
    Case("commit: with a generation, unknown group", 8, commit_request("unknown", {0: 1}, generation=1, member="m")),
    Case("commit: with a member, no members", 8, commit_request("idle", {0: 1}, generation=0, member="m")),
    Case("commit: without a member, has members", 8, commit_request("busy", {0: 1})),
    Case("commit: unknown member", 8, commit_request("busy", {0: 1}, generation=1, member="unknown")),
    Case(
        "commit: old generation",
        8,
        lambda world: commit_request("busy", {0: 1}, generation=0, member=world.busy_member),
    ),
    Case(
        "commit: generation to come",
        8,
        lambda world: commit_request("busy", {0: 1}, generation=2, member=world.busy_member),
    ),
    Case("commit: right", 8, lambda world: commit_request("busy", {0: 1}, generation=1, member=world.busy_member)),
    Case(
        "commit: before it is synchronised",
        8,
        lambda world: commit_request("forming", {0: 1}, generation=1, member=world.forming_member),
    ),
]

FETCH_CASES = [
    Case("fetch: committed", 8, fetch("idle")),
    Case("fetch: committed, version 1", 1, fetch_old("idle")),
    Case("fetch: committed, version 5", 5, fetch_old("idle")),
    Case("fetch: everything", 8, fetch_all("busy")),
    Case("fetch: nothing committed", 8, fetch("unknown")),
    Case("fetch: everything of an unknown group", 8, fetch_all("unknown")),
    Case("fetch: unknown topic", 8, fetch("idle", "unknown")),
    Case("fetch: unknown partition", 8, fetch("idle", "t", [9])),
    Case("fetch: group without a name", 8, fetch("")),
    Case("fetch: unknown topic, version 1", 1, fetch_old("idle", "unknown")),
    Case("fetch: with a member", 9, fetch("busy")),
]

MEMBER_CASES = [
    Case("join: without a name", 5, join_request("")),
    Case("join: session too short", 5, join_request("new", session_timeout_ms=1)),
    Case("join: session too long", 5, join_request("new", session_timeout_ms=10_000_000)),
    Case("join: no protocols", 5, join_request("new", protocols=[])),
    Case("join: no type of protocol", 5, join_request("new", protocol_type="")),
    Case("join: unknown member", 5, join_request("new", "unknown")),
    Case("join: unknown member of a group with members", 5, join_request("busy", "unknown")),
    Case("join: other type of protocol", 5, join_request("busy", protocol_type="connect")),
    Case(
        "join: no protocol in common",
        5,
        join_request("busy", protocols=[JoinGroupRequestProtocol(name="roundrobin", metadata=b"")]),
    ),
    Case("join: is given an id first", 5, join_request("busy")),
    Case("sync: unknown group", 5, sync("unknown", 1, "m")),
    Case("sync: unknown member", 5, sync("busy", 1, "unknown")),
    Case("sync: old generation", 5, lambda world: sync("busy", 0, world.busy_member)),
    Case("sync: other protocol", 5, lambda world: sync("busy", 1, world.busy_member, protocol_name="sticky")),
    Case("sync: other type", 5, lambda world: sync("busy", 1, world.busy_member, protocol_type="connect")),
    Case("sync: once more", 3, lambda world: sync("busy", 1, world.busy_member)),
    Case("sync: group without a name", 3, sync("", 1, "m")),
    Case("heartbeat: right", 3, lambda world: heartbeat("busy", 1, world.busy_member)),
    Case("heartbeat: old generation", 3, lambda world: heartbeat("busy", 0, world.busy_member)),
    Case("heartbeat: unknown member", 3, heartbeat("busy", 1, "unknown")),
    Case("heartbeat: unknown group", 3, heartbeat("unknown", 1, "m")),
    Case("heartbeat: group without a name", 3, heartbeat("", 1, "m")),
    Case("heartbeat: unknown instance", 3, lambda world: heartbeat("busy", 1, world.busy_member, "i")),
    Case("heartbeat: before it is synchronised", 3, lambda world: heartbeat("forming", 1, world.forming_member)),
    Case("leave: unknown group", 4, leave("unknown", "m")),
    Case("leave: unknown member", 4, leave("busy", "unknown")),
    Case("leave: unknown instance", 4, leave("busy", "", instance="i")),
    Case("leave: nobody", 4, leave("busy")),
    Case("leave: group without a name", 4, leave("", "m")),
    Case("leave: unknown member, version 0", 0, LeaveGroupRequest(group_id="busy", member_id="unknown")),
]

DELETE_CASES = [
    Case("offsets: unknown group", 0, delete_offsets("unknown", "t", 0)),
    Case("offsets: subscribed topic", 0, delete_offsets("busy", "t", 0)),
    Case("offsets: unknown topic", 0, delete_offsets("idle", "unknown", 0)),
    Case("offsets: unknown partition", 0, delete_offsets("idle", "t", 9)),
    Case("offsets: committed", 0, delete_offsets("idle", "t", 1)),
    Case("offsets: not committed any more", 0, delete_offsets("idle", "t", 1)),
    Case("offsets: group without a name", 0, delete_offsets("", "t", 0)),
    Case("offsets: no topics", 0, OffsetDeleteRequest(group_id="idle", topics=[])),
    Case("delete groups: unknown", 2, DeleteGroupsRequest(groups_names=["unknown"])),
    Case("delete groups: with members", 2, DeleteGroupsRequest(groups_names=["busy"])),
    Case("delete groups: that forms", 2, DeleteGroupsRequest(groups_names=["forming"])),
    Case("delete groups: without a name", 2, DeleteGroupsRequest(groups_names=[""])),
    Case("delete groups: none", 2, DeleteGroupsRequest(groups_names=[])),
    Case("delete groups: without members", 2, DeleteGroupsRequest(groups_names=["idle"])),
    Case("delete groups: once more", 2, DeleteGroupsRequest(groups_names=["idle"])),
    Case("delete groups: its offsets are gone", 8, fetch_all("idle")),
    Case("groups: deleted", 5, DescribeGroupsRequest(groups=["idle"])),
]

GROUP_CASES = [*LIST_CASES, *COMMIT_CASES, *FETCH_CASES, *MEMBER_CASES, *DELETE_CASES]
