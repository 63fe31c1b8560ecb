"""JoinGroup: how members come into a group, and come back.

    no member id, dynamic            a new id: from version 4 on the client must come again with it (MEMBER_ID_REQUIRED,
                                     KIP-394), so that a client that gives up leaves no member behind
    no member id, static             a new id at once; one that is known by its instance id takes its own place again
                                     (KIP-345), in a STABLE group without a rebalance
    the id it was told to use        a new member
    its id                           joins the rebalance; starts one if it is the leader or its metadata changed

Everybody else is UNKNOWN_MEMBER_ID or, under an instance id that has a newer member, FENCED_INSTANCE_ID.
"""

from functools import partial
from typing import NamedTuple

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.member import Member
from ottla.coordinators.group.rebalancing import (
    join_result,
    maybe_complete_join,
    maybe_prepare_rebalance,
    member_error,
    prepare_rebalance,
)
from ottla.coordinators.group.records import group_record
from ottla.coordinators.group.requests import UNKNOWN_MEMBER, GroupProtocol, JoinRequest, JoinResult, SyncResult
from ottla.coordinators.group.states import GroupState
from ottla.coordinators.runtime.step import Step, Waiter
from ottla.errors import ErrorCode

NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60 * 1000
"""A new member that waits this long for its first response is given up: it may have gone without our knowing."""


class StaticMemberBefore(NamedTuple):
    member_id: str
    protocols: tuple[GroupProtocol, ...]
    session_timeout_ms: int
    rebalance_timeout_ms: int


class StaticMemberStored(NamedTuple):
    """A static member came back under a new id. Everything that is needed to undo it, should it not be stored."""

    generation: int
    instance_id: str
    member_id: str
    waiter: Waiter
    leader_id_before: str | None
    supports_skip_assignment: bool
    undo: StaticMemberBefore


def handle_join(group: Group, request: JoinRequest, waiter: Waiter, step: Step) -> None:
    error = _refusal(group, request)
    if error is ErrorCode.GROUP_MAX_SIZE_REACHED:
        step.respond(waiter, JoinResult(error, UNKNOWN_MEMBER))
        _shed(group, request.member_id, step)
    elif error is not ErrorCode.NONE:
        step.respond(waiter, JoinResult(error, request.member_id))
    elif request.member_id == UNKNOWN_MEMBER:
        _join_without_id(group, request, waiter, step)
    elif request.member_id in group.pending_members:
        _add(group, request.member_id, request, waiter, step)
    else:
        _rejoin(group, request, waiter, step)
    maybe_complete_join(group, step)


def _refusal(group: Group, request: JoinRequest) -> ErrorCode:
    if not _has_room(group, request.member_id):
        return ErrorCode.GROUP_MAX_SIZE_REACHED
    if not group.supports(request.protocol_type, request.protocols):
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if request.member_id == UNKNOWN_MEMBER or request.member_id in group.pending_members:
        return ErrorCode.NONE
    return group.member_problem(request.member_id, request.instance_id)


def _has_room(group: Group, member_id: str) -> bool:
    """While members join again, those who come first stay: the group may have been over the limit before."""
    members_max = group.settings.members_max
    member = group.members.get(member_id)
    if group.state is GroupState.EMPTY:
        return True
    if group.state is GroupState.PREPARING_REBALANCE:
        return (member is not None and member.join_waiter is not None) or group.awaiting_join < members_max
    return member is not None or len(group.members) < members_max


def _shed(group: Group, member_id: str, step: Step) -> None:
    member = group.members.get(member_id)
    if member is not None:
        step.respond(member.sync_waiter, SyncResult(ErrorCode.UNKNOWN_MEMBER_ID))
        member.sync_waiter = None
    group.remove(member_id)


def _join_without_id(group: Group, request: JoinRequest, waiter: Waiter, step: Step) -> None:
    member_id = f"{request.instance_id or request.client_id}-{request.fresh_id}"
    if request.instance_id is not None and request.instance_id in group.static_members:
        _replace_static(group, member_id, request, waiter, step)
    elif request.requires_known_member_id:
        group.pending_members[member_id] = group.wake_at(step.now_ms + request.session_timeout_ms)
        step.respond(waiter, JoinResult(ErrorCode.MEMBER_ID_REQUIRED, member_id))
    else:
        _add(group, member_id, request, waiter, step)


def _add(group: Group, member_id: str, request: JoinRequest, waiter: Waiter, step: Step) -> None:
    member = Member(
        member_id,
        instance_id=request.instance_id,
        client_id=request.client_id,
        client_host=request.client_host,
        session_timeout_ms=request.session_timeout_ms,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        protocols=request.protocols,
    )
    member.is_new = True
    if group.state is GroupState.PREPARING_REBALANCE and group.generation == 0:
        group.has_new_member = True
    group.add(member, request.protocol_type)
    group.set_join_waiter(member, waiter)
    member.deadline_ms = group.wake_at(step.now_ms + NEW_MEMBER_JOIN_TIMEOUT_MS)
    maybe_prepare_rebalance(group, step, f"Adding new member {member_id}; client reason: {request.reason}")


# Members that are known


def _rejoin(group: Group, request: JoinRequest, waiter: Waiter, step: Step) -> None:
    member = group.members[request.member_id]
    is_leader = group.leader_id == member.member_id
    is_same = member.protocols == request.protocols
    if group.state is GroupState.COMPLETING_REBALANCE and is_same:
        step.respond(waiter, join_result(group, member))  # It may not have got the first response.
    elif group.state is GroupState.STABLE and is_same and not is_leader:
        step.respond(waiter, join_result(group, member))
    else:
        # The leader may rebalance for reasons of its own, such as new partitions of a topic.
        _update(group, member, request, waiter, step)
        maybe_prepare_rebalance(group, step, f"Member {member.member_id} rejoins; client reason: {request.reason}")


def _update(group: Group, member: Member, request: JoinRequest, waiter: Waiter, step: Step) -> None:
    group.update(member, request.protocols, request.session_timeout_ms, request.rebalance_timeout_ms)
    # A JoinGroup that was sent before, on a connection that is likely gone, must not wait for ever.
    step.respond(group.take_join_waiter(member), JoinResult(ErrorCode.REBALANCE_IN_PROGRESS, member.member_id))
    group.set_join_waiter(member, waiter)


# Static members that come back


def _replace_static(group: Group, member_id: str, request: JoinRequest, waiter: Waiter, step: Step) -> None:
    """The instance has started again. Its old self is fenced; what was assigned to it stays assigned."""
    instance_id = request.instance_id
    assert instance_id is not None
    leader_id_before = group.leader_id
    before = _fence(group, group.members[group.static_members[instance_id]], step)
    member = group.rename_static(instance_id, member_id)
    group.touch(member, step.now_ms)
    _update(group, member, request, waiter, step)
    if group.state is GroupState.COMPLETING_REBALANCE:
        # The leader may assign to the old id, which nobody has any more.
        prepare_rebalance(group, step, f"Updating metadata for static member {member_id}")
    elif group.state is GroupState.STABLE and group.select_protocol() != group.protocol_name:
        prepare_rebalance(group, step, f"Static member {member_id} changes the protocol that the group agrees on")
    elif group.state is GroupState.STABLE:
        event = StaticMemberStored(
            group.generation,
            instance_id,
            member_id,
            waiter,
            leader_id_before,
            request.supports_skip_assignment,
            before,
        )
        assignments = {other.member_id: other.assignment for other in group.members.values()}
        step.append([group_record(group, assignments)], partial(static_member_stored, group, event))


def _fence(group: Group, member: Member, step: Step) -> StaticMemberBefore:
    """Respond to what the old self still waits for; what it was, so that the change can be undone."""
    step.respond(group.take_join_waiter(member), JoinResult(ErrorCode.FENCED_INSTANCE_ID, member.member_id))
    step.respond(member.sync_waiter, SyncResult(ErrorCode.FENCED_INSTANCE_ID))
    member.sync_waiter = None
    return StaticMemberBefore(
        member.member_id, member.protocols, member.session_timeout_ms, member.rebalance_timeout_ms
    )


def static_member_stored(
    group: Group, event: StaticMemberStored, error: ErrorCode, record_offset: int, step: Step
) -> None:
    """Respond to the JoinGroup of a static member that came back, unless a rebalance has come meanwhile and will."""
    member = group.members.get(event.member_id)
    if group.state is not GroupState.STABLE or group.generation != event.generation or member is None:
        return
    if member.join_waiter is not event.waiter:
        return
    group.take_join_waiter(member)
    error = member_error(error)
    if error is ErrorCode.NONE:
        step.respond(event.waiter, _static_join_result(group, member, event))
        return
    step.respond(event.waiter, join_result(group, member)._replace(error=error, member_id=UNKNOWN_MEMBER, members=()))
    _undo_replacement(group, event, step)


def _static_join_result(group: Group, member: Member, event: StaticMemberStored) -> JoinResult:
    """From version 9 on a leader is told that it leads and need not assign. Before, it is told the old leader's id, so
    that it does not take itself for the leader: an assignment in a STABLE group would go nowhere.
    """
    result = join_result(group, member)
    if event.supports_skip_assignment:
        return result._replace(skip_assignment=group.leader_id == member.member_id)
    return result._replace(leader_id=event.leader_id_before, members=())


def _undo_replacement(group: Group, event: StaticMemberStored, step: Step) -> None:
    undo = event.undo
    member = group.rename_static(event.instance_id, undo.member_id)
    group.update(member, undo.protocols, undo.session_timeout_ms, undo.rebalance_timeout_ms)
    group.touch(member, step.now_ms)
