"""The membership of groups: JoinGroup, SyncGroup, Heartbeat, LeaveGroup; ListGroups, DescribeGroups, DeleteGroups.

Version-dependent meaning:
    JoinGroup 0        the session timeout is the rebalance timeout too
    JoinGroup 4+       a new dynamic member must come again with the id that it is given
    JoinGroup 7+       an answer may have no protocol: null, before an empty string
    JoinGroup 9+       a static leader that comes back is told to skip the assignment
    SyncGroup 5+       protocol type and name must be given, and be those of the group
    LeaveGroup 3+      several members, each with its result; before, the member's error is that of the answer
    DescribeGroups 6+  a group that is not there is GROUP_ID_NOT_FOUND; before, it is shown as Dead
"""

import asyncio
import uuid
from collections.abc import Awaitable

from ottla.clock.turns import in_turns
from ottla.coordinators.group.coordinator import GroupCoordinator
from ottla.coordinators.group.describing import GroupDescription, unknown_group
from ottla.coordinators.group.requests import (
    GroupProtocol,
    HeartbeatRequest,
    JoinRequest,
    JoinResult,
    LeaveResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from ottla.coordinators.runtime.waiter import converted
from ottla.errors import ErrorCode, KafkaError
from ottla.handlers.context import RequestContext
from ottla.handlers.in_parts import in_parts
from ottla.handlers.registry import HandlerTable, Traits
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages import heartbeat as heartbeat_messages
from ottla.protocol.messages.delete_groups import DeletableGroupResult, DeleteGroupsRequest, DeleteGroupsResponse
from ottla.protocol.messages.describe_groups import (
    DescribedGroup,
    DescribedGroupMember,
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from ottla.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse, JoinGroupResponseMember
from ottla.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse, MemberResponse
from ottla.protocol.messages.list_groups import ListedGroup, ListGroupsRequest, ListGroupsResponse
from ottla.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

_FIRST_JOIN_WITH_REBALANCE_TIMEOUT = 1
_FIRST_JOIN_WITH_KNOWN_MEMBER_ID = 4
_FIRST_JOIN_WITH_NULL_PROTOCOL = 7
_FIRST_JOIN_WITH_SKIP_ASSIGNMENT = 9
_FIRST_SYNC_WITH_PROTOCOL = 5
_FIRST_LEAVE_OF_SEVERAL = 3
_FIRST_DESCRIBE_WITH_NOT_FOUND = 6

ALL_GROUP_OPERATIONS = 1 << 3 | 1 << 6 | 1 << 8
"""READ, DELETE and DESCRIBE, by their codes: what may be done with a group where nobody is refused anything."""

HEARTBEAT_TRAITS = Traits(is_heartbeat=True)


class GroupHandlers:
    def __init__(self, coordinator: GroupCoordinator) -> None:
        self._coordinator = coordinator
        self._describe_in_parts = in_parts(self._describe_all, "groups", "groups")

    def register(self, table: HandlerTable) -> None:
        table.add(ApiKey.JOIN_GROUP, self.handle_join_group, 0, 9, join_group_error)
        table.add(ApiKey.SYNC_GROUP, self.handle_sync_group, 0, 5, sync_group_error)
        table.add(ApiKey.HEARTBEAT, self.handle_heartbeat, 0, 4, heartbeat_error, HEARTBEAT_TRAITS)
        table.add(ApiKey.LEAVE_GROUP, self.handle_leave_group, 0, 5, leave_group_error)
        table.add(ApiKey.LIST_GROUPS, self.handle_list_groups, 0, 5, list_groups_error)
        table.add(ApiKey.DESCRIBE_GROUPS, self.handle_describe_groups, 0, 6, describe_groups_error)
        table.add(ApiKey.DELETE_GROUPS, self.handle_delete_groups, 0, 2, delete_groups_error)

    # Membership

    def handle_join_group(
        self, context: RequestContext, request: JoinGroupRequest
    ) -> JoinGroupResponse | asyncio.Future[JoinGroupResponse]:
        version = context.api_version
        has_rebalance_timeout = version >= _FIRST_JOIN_WITH_REBALANCE_TIMEOUT
        join = JoinRequest(
            group_id=request.group_id,
            member_id=request.member_id,
            instance_id=request.group_instance_id,
            client_id=context.client_id or "",
            client_host=f"/{context.client_host}",
            session_timeout_ms=request.session_timeout_ms,
            rebalance_timeout_ms=request.rebalance_timeout_ms if has_rebalance_timeout else request.session_timeout_ms,
            protocol_type=request.protocol_type,
            protocols=tuple(GroupProtocol(protocol.name, protocol.metadata) for protocol in request.protocols),
            fresh_id=str(uuid.uuid4()),
            requires_known_member_id=version >= _FIRST_JOIN_WITH_KNOWN_MEMBER_ID and request.group_instance_id is None,
            supports_skip_assignment=version >= _FIRST_JOIN_WITH_SKIP_ASSIGNMENT,
            reason=request.reason,
        )
        return converted(self._coordinator.join(join), lambda result: join_group_response(result, version))

    def handle_sync_group(
        self, context: RequestContext, request: SyncGroupRequest
    ) -> SyncGroupResponse | asyncio.Future[SyncGroupResponse]:
        has_protocol = request.protocol_type is not None and request.protocol_name is not None
        if context.api_version >= _FIRST_SYNC_WITH_PROTOCOL and not has_protocol:
            return SyncGroupResponse(error_code=ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        sync = SyncRequest(
            request.group_id,
            request.generation_id,
            request.member_id,
            request.group_instance_id,
            request.protocol_type,
            request.protocol_name,
            {assigned.member_id: assigned.assignment for assigned in request.assignments},
        )
        return converted(self._coordinator.sync(sync), sync_group_response)

    def handle_heartbeat(
        self, context: RequestContext, request: heartbeat_messages.HeartbeatRequest
    ) -> heartbeat_messages.HeartbeatResponse:
        heartbeat = HeartbeatRequest(
            request.group_id, request.generation_id, request.member_id, request.group_instance_id
        )
        return heartbeat_messages.HeartbeatResponse(error_code=self._coordinator.heartbeat(heartbeat))

    def handle_leave_group(self, context: RequestContext, request: LeaveGroupRequest) -> LeaveGroupResponse:
        if context.api_version < _FIRST_LEAVE_OF_SEVERAL:
            (result,) = self._coordinator.leave(request.group_id, [LeavingMember(request.member_id)])
            return LeaveGroupResponse(error_code=result.error)
        members = [
            LeavingMember(member.member_id, member.group_instance_id, member.reason) for member in request.members
        ]
        results = self._coordinator.leave(request.group_id, members)
        return LeaveGroupResponse(members=[_member_response(result) for result in results])

    # Groups as a whole

    def handle_list_groups(self, context: RequestContext, request: ListGroupsRequest) -> ListGroupsResponse:
        error, groups = self._coordinator.list_groups(request.states_filter, request.types_filter)
        listed = [
            ListedGroup(
                group_id=group.group_id,
                protocol_type=group.protocol_type,
                group_state=group.state,
                group_type=group.type,
            )
            for group in groups
        ]
        return ListGroupsResponse(error_code=error, groups=listed)

    def handle_describe_groups(
        self, context: RequestContext, request: DescribeGroupsRequest
    ) -> DescribeGroupsResponse | Awaitable[DescribeGroupsResponse]:
        request.groups = list(dict.fromkeys(request.groups))  # A few bytes name a group of megabytes: once is enough.
        return self._describe_in_parts(context, request)

    def _describe_all(self, context: RequestContext, request: DescribeGroupsRequest) -> DescribeGroupsResponse:
        groups = [self._describe(group_id, context.api_version) for group_id in request.groups]
        if request.include_authorized_operations:
            for group in groups:
                if group.error_code == ErrorCode.NONE:
                    group.authorized_operations = ALL_GROUP_OPERATIONS
        return DescribeGroupsResponse(groups=groups)

    def _describe(self, group_id: str, version: int) -> DescribedGroup:
        try:
            description = self._coordinator.describe_group(group_id)
        except KafkaError as error:
            return DescribedGroup(group_id=group_id, error_code=error.code, error_message=str(error))
        if description is not None:
            return _described_group(description)
        described = _described_group(unknown_group(group_id))
        if version >= _FIRST_DESCRIBE_WITH_NOT_FOUND:
            described.error_code = ErrorCode.GROUP_ID_NOT_FOUND
            described.error_message = f"Group {group_id} not found."
        return described

    async def handle_delete_groups(self, context: RequestContext, request: DeleteGroupsRequest) -> DeleteGroupsResponse:
        """Each group's deletion is answered when it is replicated; all of them are on their way at once.

        A group that is named again is answered once, as Kafka does.
        """
        groups = dict.fromkeys(request.groups_names)
        outcomes = [(group_id, self._delete(group_id)) async for group_id in in_turns(groups)]
        results = [
            DeletableGroupResult(
                group_id=group_id, error_code=await outcome if isinstance(outcome, asyncio.Future) else outcome
            )
            async for group_id, outcome in in_turns(outcomes)
        ]
        return DeleteGroupsResponse(results=results)

    def _delete(self, group_id: str) -> ErrorCode | asyncio.Future[ErrorCode]:
        try:
            return self._coordinator.delete_group(group_id)
        except KafkaError as error:
            return error.code


def join_group_response(result: JoinResult, version: int) -> JoinGroupResponse:
    protocol_name = result.protocol_name
    if protocol_name is None and version < _FIRST_JOIN_WITH_NULL_PROTOCOL:
        protocol_name = ""
    return JoinGroupResponse(
        error_code=result.error,
        generation_id=result.generation,
        protocol_type=result.protocol_type,
        protocol_name=protocol_name,
        leader=result.leader_id or "",
        skip_assignment=result.skip_assignment,
        member_id=result.member_id,
        members=[
            JoinGroupResponseMember(
                member_id=member.member_id, group_instance_id=member.instance_id, metadata=member.metadata
            )
            for member in result.members
        ],
    )


def sync_group_response(result: SyncResult) -> SyncGroupResponse:
    return SyncGroupResponse(
        error_code=result.error,
        protocol_type=result.protocol_type,
        protocol_name=result.protocol_name,
        assignment=result.assignment,
    )


def _member_response(result: LeaveResult) -> MemberResponse:
    return MemberResponse(
        member_id=result.member.member_id, group_instance_id=result.member.instance_id, error_code=result.error
    )


def _described_group(description: GroupDescription) -> DescribedGroup:
    return DescribedGroup(
        group_id=description.group_id,
        group_state=description.state,
        protocol_type=description.protocol_type,
        protocol_data=description.protocol_name,
        members=[
            DescribedGroupMember(
                member_id=member.member_id,
                group_instance_id=member.instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                member_metadata=member.metadata,
                member_assignment=member.assignment,
            )
            for member in description.members
        ],
    )


# What answers an error of the coordinator


def join_group_error(request: JoinGroupRequest, version: int, error: KafkaError) -> JoinGroupResponse:
    return join_group_response(JoinResult(error.code, request.member_id), version)


def sync_group_error(request: SyncGroupRequest, version: int, error: KafkaError) -> SyncGroupResponse:
    return SyncGroupResponse(error_code=error.code)


def heartbeat_error(
    request: heartbeat_messages.HeartbeatRequest, version: int, error: KafkaError
) -> heartbeat_messages.HeartbeatResponse:
    return heartbeat_messages.HeartbeatResponse(error_code=error.code)


def leave_group_error(request: LeaveGroupRequest, version: int, error: KafkaError) -> LeaveGroupResponse:
    return LeaveGroupResponse(error_code=error.code)


def list_groups_error(request: ListGroupsRequest, version: int, error: KafkaError) -> ListGroupsResponse:
    return ListGroupsResponse(error_code=error.code)


def describe_groups_error(request: DescribeGroupsRequest, version: int, error: KafkaError) -> DescribeGroupsResponse:
    groups = [DescribedGroup(group_id=group_id, error_code=error.code) for group_id in request.groups]
    return DescribeGroupsResponse(groups=groups)


def delete_groups_error(request: DeleteGroupsRequest, version: int, error: KafkaError) -> DeleteGroupsResponse:
    results = [DeletableGroupResult(group_id=group_id, error_code=error.code) for group_id in request.groups_names]
    return DeleteGroupsResponse(results=results)
