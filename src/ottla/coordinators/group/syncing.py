"""SyncGroup: the leader hands in the assignment, and every member gets its part once it is in the log.

The generation becomes STABLE, and the first member learns what it owns, only when the assignment is replicated: a
coordinator that takes over then knows the same owners. One assignment is stored per generation. A leader that sends
its own again meanwhile waits for the first.
"""

import logging
from functools import partial

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.member import Member
from ottla.coordinators.group.rebalancing import (
    fail_syncs,
    member_error,
    prepare_rebalance,
    respond_sync,
    sync_received,
)
from ottla.coordinators.group.records import group_record
from ottla.coordinators.group.requests import SyncRequest, SyncResult
from ottla.coordinators.group.states import Cause, GroupState
from ottla.coordinators.runtime.step import Step, Waiter
from ottla.errors import ErrorCode

logger = logging.getLogger(__name__)


def handle_sync(group: Group, request: SyncRequest, waiter: Waiter, step: Step) -> None:
    error = _refusal(group, request)
    if error is not ErrorCode.NONE:
        step.respond(waiter, SyncResult(error))
        return
    member = group.members[request.member_id]
    sync_received(group, member)
    if group.state is GroupState.STABLE:
        step.respond(waiter, _sync_result(group, member))
        group.touch(member, step.now_ms)
        return
    step.respond(member.sync_waiter, SyncResult(ErrorCode.REBALANCE_IN_PROGRESS))
    member.sync_waiter = waiter
    if group.leader_id == member.member_id and group.storing_generation is None:
        _store_assignment(group, request, step)


def _refusal(group: Group, request: SyncRequest) -> ErrorCode:
    error = group.generation_problem(request.generation, request.member_id, request.instance_id)
    if error is not ErrorCode.NONE:
        return error
    if request.protocol_type is not None and request.protocol_type != group.protocol_type:
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if request.protocol_name is not None and request.protocol_name != group.protocol_name:
        return ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    if group.state is GroupState.PREPARING_REBALANCE:
        return ErrorCode.REBALANCE_IN_PROGRESS
    return ErrorCode.NONE


def _store_assignment(group: Group, request: SyncRequest, step: Step) -> None:
    """Members that the leader left out get an empty assignment, and those that are no members none at all."""
    assignments = {member_id: request.assignments.get(member_id, b"") for member_id in group.members}
    missing = group.members.keys() - request.assignments.keys()
    if missing:
        logger.warning("Setting empty assignments for members %s of %s", sorted(missing), group)
    group.storing_generation = group.generation
    step.append([group_record(group, assignments)], partial(assignment_stored, group, group.generation, assignments))


def assignment_stored(
    group: Group, generation: int, assignments: dict[str, bytes], error: ErrorCode, record_offset: int, step: Step
) -> None:
    """Too late when another rebalance has begun: then the assignment is nobody's."""
    group.completed_rebalances.value += error is ErrorCode.NONE
    if group.state is not GroupState.COMPLETING_REBALANCE or group.storing_generation != generation:
        return
    error = member_error(error)
    if error is not ErrorCode.NONE:
        fail_syncs(group, step, error)
        prepare_rebalance(group, step, f"Error {error.name} when storing group assignment during SyncGroup")
        return
    group.storing_generation = None
    group.move(Cause.ASSIGNMENT_STORED, step.wall_ms)
    for member in group.members.values():
        member.assignment = assignments[member.member_id]
        respond_sync(group, member, _sync_result(group, member), step)


def _sync_result(group: Group, member: Member) -> SyncResult:
    return SyncResult(ErrorCode.NONE, member.assignment, group.protocol_type, group.protocol_name)
