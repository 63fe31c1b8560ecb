"""The membership APIs in every version, over a real coordinator."""

import asyncio

import pytest

from ottla.errors import ErrorCode
from ottla.handlers.groups import ALL_GROUP_OPERATIONS
from ottla.protocol.messages.delete_groups import DeleteGroupsRequest
from ottla.protocol.messages.describe_groups import DescribeGroupsRequest
from ottla.protocol.messages.heartbeat import HeartbeatRequest
from ottla.protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from ottla.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from ottla.protocol.messages.list_groups import ListGroupsRequest
from ottla.protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from support.coroutines import on_event_loop
from support.group_handlers import GroupHandlerTable


def join_request(**values) -> JoinGroupRequest:
    defaults = {
        "group_id": "g",
        "session_timeout_ms": 10_000,
        "rebalance_timeout_ms": 30_000,
        "protocol_type": "consumer",
        "protocols": [JoinGroupRequestProtocol(name="range", metadata=b"meta")],
    }
    return JoinGroupRequest(**{**defaults, **values})


async def a_member(table: GroupHandlerTable) -> str:
    """The id of the one member of a stable group."""
    joined = await table.call(join_request(), 3)
    assignments = [SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"mine")]
    request = SyncGroupRequest(group_id="g", generation_id=1, member_id=joined.member_id, assignments=assignments)
    assert (await table.call(request, 3)).assignment == b"mine"
    return joined.member_id


@pytest.mark.parametrize("version", range(10))
@on_event_loop
async def test_a_member_joins_in_every_version(version):
    table = await GroupHandlerTable().start()
    joined = await table.call(join_request(), version)
    if version >= 4:
        assert joined.error_code == ErrorCode.MEMBER_ID_REQUIRED
        assert joined.protocol_name == ("" if version < 7 else None)
        joined = await table.call(join_request(member_id=joined.member_id), version)
    assert joined.error_code == ErrorCode.NONE
    assert (joined.generation_id, joined.leader, joined.protocol_name) == (1, joined.member_id, "range")
    assert joined.member_id.startswith("client-")
    assert [member.metadata for member in joined.members] == [b"meta"]
    assert joined.protocol_type == ("consumer" if version >= 7 else None)
    (member,) = table.coordinator.groups()[0].members.values()
    assert member.rebalance_timeout_ms == (10_000 if version == 0 else 30_000)
    assert member.client_host == "/127.0.0.1"


@pytest.mark.parametrize("version", range(6))
@on_event_loop
async def test_a_member_is_assigned_in_every_version(version):
    table = await GroupHandlerTable().start()
    member_id = (await table.call(join_request(), 3)).member_id
    request = SyncGroupRequest(
        group_id="g",
        generation_id=1,
        member_id=member_id,
        protocol_type="consumer",
        protocol_name="range",
        assignments=[SyncGroupRequestAssignment(member_id=member_id, assignment=b"mine")],
    )
    synced = await table.call(request, version)
    assert (synced.error_code, synced.assignment) == (ErrorCode.NONE, b"mine")
    assert synced.protocol_name == ("range" if version >= 5 else None)


@on_event_loop
async def test_sync_group_5_must_name_the_protocol():
    table = await GroupHandlerTable().start()
    request = SyncGroupRequest(group_id="g", generation_id=1, member_id="m")
    assert (await table.call(request, 5)).error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


@on_event_loop
async def test_a_join_that_waits_is_answered_when_the_others_have_come():
    table = await GroupHandlerTable().start()
    first = await a_member(table)
    waiting = asyncio.ensure_future(table.send(join_request(), 3))
    await asyncio.sleep(0)
    assert not waiting.done()
    assert (await table.call(join_request(member_id=first), 3)).generation_id == 2
    assert (await waiting).generation_id == 2


@on_event_loop
async def test_the_connection_of_a_join_that_waits_may_go():
    table = await GroupHandlerTable().start()
    first = await a_member(table)
    waiting = asyncio.ensure_future(table.send(join_request(), 3))
    await asyncio.sleep(0)
    waiting.cancel()
    assert len((await table.call(join_request(member_id=first), 3)).members) == 2


@pytest.mark.parametrize("version", range(5))
@on_event_loop
async def test_heartbeat_in_every_version(version):
    table = await GroupHandlerTable().start()
    member_id = await a_member(table)
    good = HeartbeatRequest(group_id="g", generation_id=1, member_id=member_id)
    assert (await table.call(good, version)).error_code == ErrorCode.NONE
    stale = HeartbeatRequest(group_id="g", generation_id=0, member_id=member_id)
    assert (await table.call(stale, version)).error_code == ErrorCode.ILLEGAL_GENERATION


@pytest.mark.parametrize("version", range(6))
@on_event_loop
async def test_leave_group_in_every_version(version):
    table = await GroupHandlerTable().start()
    member_id = await a_member(table)
    left = await table.call(leave_request(member_id, version), version)
    again = await table.call(leave_request(member_id, version), version)
    assert left.error_code == ErrorCode.NONE
    if version < 3:
        assert again.error_code == ErrorCode.UNKNOWN_MEMBER_ID
    else:
        assert again.error_code == ErrorCode.NONE
        assert [(m.member_id, m.error_code) for m in left.members] == [(member_id, ErrorCode.NONE)]
        assert [m.error_code for m in again.members] == [ErrorCode.UNKNOWN_MEMBER_ID]


def leave_request(member_id: str, version: int) -> LeaveGroupRequest:
    if version < 3:
        return LeaveGroupRequest(group_id="g", member_id=member_id)
    return LeaveGroupRequest(group_id="g", members=[MemberIdentity(member_id=member_id)])


# Groups as a whole


@pytest.mark.parametrize("version", range(6))
@on_event_loop
async def test_groups_are_listed_in_every_version(version):
    table = await GroupHandlerTable().start()
    await a_member(table)
    (listed,) = (await table.call(ListGroupsRequest(), version)).groups
    assert (listed.group_id, listed.protocol_type) == ("g", "consumer")
    assert listed.group_state == ("Stable" if version >= 4 else "")
    assert listed.group_type == ("classic" if version >= 5 else "")


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"states_filter": ["STABLE"]}, 1),
        ({"states_filter": ["Empty", "Dead"]}, 0),
        ({"types_filter": ["Classic"]}, 1),
        ({"types_filter": ["consumer"]}, 0),
        ({"states_filter": ["stable"], "types_filter": ["consumer", "classic"]}, 1),
    ],
)
@on_event_loop
async def test_groups_are_listed_by_state_and_type(filters, count):
    table = await GroupHandlerTable().start()
    await a_member(table)
    assert len((await table.call(ListGroupsRequest(**filters), 5)).groups) == count


@pytest.mark.parametrize("version", range(7))
@on_event_loop
async def test_groups_are_described_in_every_version(version):
    table = await GroupHandlerTable().start()
    member_id = await a_member(table)
    known, unknown = (await table.call(DescribeGroupsRequest(groups=["g", "x"]), version)).groups
    assert (known.group_state, known.protocol_type, known.protocol_data) == ("Stable", "consumer", "range")
    (member,) = known.members
    assert (member.member_id, member.client_id, member.client_host) == (member_id, "client", "/127.0.0.1")
    assert (member.member_metadata, member.member_assignment) == (b"meta", b"mine")
    assert unknown.group_state == "Dead"
    assert unknown.error_code == (ErrorCode.GROUP_ID_NOT_FOUND if version >= 6 else ErrorCode.NONE)
    assert unknown.error_message == ("Group x not found." if version >= 6 else None)
    assert known.authorized_operations == -0x80000000


@on_event_loop
async def test_what_may_be_done_with_a_group_is_told_when_it_is_asked_for():
    table = await GroupHandlerTable().start()
    await a_member(table)
    request = DescribeGroupsRequest(groups=["g"], include_authorized_operations=True)
    assert (await table.call(request, 3)).groups[0].authorized_operations == ALL_GROUP_OPERATIONS


@pytest.mark.parametrize("version", range(3))
@on_event_loop
async def test_groups_are_deleted_in_every_version(version):
    table = await GroupHandlerTable().start()
    member_id = await a_member(table)
    request = DeleteGroupsRequest(groups_names=["g", "x"])
    before = (await table.call(request, version)).results
    assert [result.error_code for result in before] == [ErrorCode.NON_EMPTY_GROUP, ErrorCode.GROUP_ID_NOT_FOUND]
    await table.call(leave_request(member_id, 3), 3)
    after = (await table.call(request, version)).results
    assert [result.error_code for result in after] == [ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND]


# A coordinator that is not there, or not yet


@on_event_loop
async def test_another_brokers_groups_are_refused():
    table = await GroupHandlerTable().start()
    table.coordinator.partition_lost(0)
    for request in (
        join_request(),
        SyncGroupRequest(group_id="g"),
        HeartbeatRequest(group_id="g"),
        LeaveGroupRequest(group_id="g"),
    ):
        assert (await table.call(request, 0)).error_code == ErrorCode.NOT_COORDINATOR
    (described,) = (await table.call(DescribeGroupsRequest(groups=["g"]), 0)).groups
    (deleted,) = (await table.call(DeleteGroupsRequest(groups_names=["g"]), 0)).results
    assert described.error_code == deleted.error_code == ErrorCode.NOT_COORDINATOR


@on_event_loop
async def test_while_the_partition_loads_members_are_put_off_as_each_of_them_understands():
    table = GroupHandlerTable()
    table.coordinator.start()
    table.coordinator.partition_won(0, 1)
    joined = await table.call(join_request(), 0)
    synced = await table.call(SyncGroupRequest(group_id="g"), 0)
    beaten = await table.call(HeartbeatRequest(group_id="g"), 0)
    listed = await table.call(ListGroupsRequest(), 0)
    assert joined.error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
    assert synced.error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert beaten.error_code == ErrorCode.NONE
    assert listed.error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS


@on_event_loop
async def test_a_group_must_have_a_name():
    table = await GroupHandlerTable().start()
    for request in (join_request(group_id=""), HeartbeatRequest(), LeaveGroupRequest(), SyncGroupRequest()):
        assert (await table.call(request, 0)).error_code == ErrorCode.INVALID_GROUP_ID


@on_event_loop
async def test_a_coordinator_that_was_not_started_is_not_available():
    table = GroupHandlerTable()
    assert (await table.call(join_request(), 0)).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert (await table.call(ListGroupsRequest(), 0)).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE


@on_event_loop
async def test_group_that_is_named_again_is_answered_once():
    table = await GroupHandlerTable().start()
    await a_member(table)
    described = await table.call(DescribeGroupsRequest(groups=["g", "h", "g"]), 5)
    assert [group.group_id for group in described.groups] == ["g", "h"]
    deleted = await table.call(DeleteGroupsRequest(groups_names=["h", "h", "i"]), 2)
    assert [result.group_id for result in deleted.results] == ["h", "i"]
