"""Heartbeat and LeaveGroup, sessions that end, and what else happens by the clock; the end of a group on this broker.

A heartbeat only moves the member's deadline. Nothing is scheduled for it: the runtime wakes the group at its earliest
deadline as it was known then, and `tick` finds out who is really late.
"""

from collections.abc import Sequence

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.rebalancing import (
    maybe_complete_join,
    prepare_rebalance,
    remove_member,
    remove_pending_member,
    respond_sync,
    sync_time_over,
)
from ottla.coordinators.group.requests import (
    UNKNOWN_MEMBER,
    HeartbeatRequest,
    JoinResult,
    LeaveResult,
    LeavingMember,
    SyncResult,
)
from ottla.coordinators.group.states import Cause, GroupState
from ottla.coordinators.runtime.step import NEVER, Step
from ottla.errors import ErrorCode


def handle_heartbeat(group: Group, request: HeartbeatRequest, now_ms: float) -> ErrorCode:
    error = group.generation_problem(request.generation, request.member_id, request.instance_id)
    if error is not ErrorCode.NONE:
        return error
    group.touch(group.members[request.member_id], now_ms)
    if group.state is GroupState.PREPARING_REBALANCE:
        return ErrorCode.REBALANCE_IN_PROGRESS
    return ErrorCode.NONE


def handle_leave(group: Group, members: Sequence[LeavingMember], step: Step) -> list[LeaveResult]:
    return [LeaveResult(member, _leave(group, member, step)) for member in members]


def _leave(group: Group, leaving: LeavingMember, step: Step) -> ErrorCode:
    member_id = leaving.member_id
    if member_id == UNKNOWN_MEMBER:
        member_id = group.static_members.get(leaving.instance_id or "", UNKNOWN_MEMBER)
    elif member_id in group.pending_members:
        remove_pending_member(group, member_id, step)
        return ErrorCode.NONE
    error = group.member_problem(member_id, leaving.instance_id)
    if error is ErrorCode.NONE:
        reason = f"Removing member {member_id} on LeaveGroup; client reason: {leaving.reason}"
        remove_member(group, group.members[member_id], step, reason)
    return error


def tick(group: Group, step: Step) -> None:
    """Do what is due. Afterwards `wake_at_ms` is the next deadline."""
    now_ms = step.now_ms
    _end_sessions(group, step)
    if group.join_deadline_ms <= now_ms:
        maybe_complete_join(group, step)
    if group.sync_deadline_ms <= now_ms:
        sync_time_over(group, step)
    group.wake_at_ms = min(
        group.join_deadline_ms,
        group.sync_deadline_ms,
        min((member.deadline_ms for member in group.members.values()), default=NEVER),
        min(group.pending_members.values(), default=NEVER),
    )


def _end_sessions(group: Group, step: Step) -> None:
    for member_id, deadline_ms in list(group.pending_members.items()):
        if deadline_ms <= step.now_ms:
            remove_pending_member(group, member_id, step)
    for member in list(group.members.values()):
        if member.deadline_ms > step.now_ms or group.members.get(member.member_id) is not member:
            continue
        if member.is_waiting and not member.is_new:
            member.deadline_ms = NEVER
        else:
            remove_member(group, member, step, f"removing member {member.member_id} on heartbeat expiration")


def begin_sessions(group: Group, step: Step) -> None:
    """After loading: every member has one session timeout to be heard of. A group that is too large sheds members."""
    for member in group.members.values():
        group.touch(member, step.now_ms)
    if len(group.members) > group.settings.members_max:
        prepare_rebalance(group, step, "Freshly-loaded group is over capacity")


def unload(group: Group, step: Step) -> None:
    """Another broker coordinates the group from now on: whoever waits here must look for it."""
    for member in group.members.values():
        step.respond(group.take_join_waiter(member), JoinResult(ErrorCode.NOT_COORDINATOR, member.member_id))
        respond_sync(group, member, SyncResult(ErrorCode.NOT_COORDINATOR), step)
    group.move(Cause.UNLOADED, step.wall_ms)
