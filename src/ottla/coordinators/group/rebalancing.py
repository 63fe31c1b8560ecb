"""A rebalance from its start to the next generation, and the removal of members, which starts one.

While PREPARING_REBALANCE the group waits for its members to join again: until all have, or for the longest rebalance
timeout of its members; who has not joined then is dropped (a static member stays until its session ends). An EMPTY
group waits `group.initial.rebalance.delay.ms` first, even if all it knows have joined, since more are likely to come;
each time that someone new came it waits once more, up to the rebalance timeout.
"""

import logging

from ottla.coordinators.group.group import Group
from ottla.coordinators.group.member import Member
from ottla.coordinators.group.records import group_record
from ottla.coordinators.group.requests import UNKNOWN_MEMBER, JoinResult, SyncResult
from ottla.coordinators.group.states import Cause, GroupState
from ottla.coordinators.runtime.append_errors import coordinator_error
from ottla.coordinators.runtime.step import NEVER, Step
from ottla.errors import ErrorCode

logger = logging.getLogger(__name__)


def maybe_prepare_rebalance(group: Group, step: Step, reason: str) -> None:
    """Start a rebalance, unless one is being prepared already."""
    if group.state is not GroupState.PREPARING_REBALANCE:
        prepare_rebalance(group, step, reason)


def prepare_rebalance(group: Group, step: Step, reason: str) -> None:
    logger.info(
        "Preparing to rebalance group %s in state %s with old generation %d (reason: %s)",
        group.group_id,
        group.state.value,
        group.generation,
        reason,
    )
    if group.state is GroupState.COMPLETING_REBALANCE:
        fail_syncs(group, step, ErrorCode.REBALANCE_IN_PROGRESS)
    stop_waiting_for_syncs(group)
    timeout_ms, delay_ms = group.rebalance_timeout_ms, group.settings.initial_rebalance_delay_ms
    is_initial = group.state is GroupState.EMPTY
    group.move(Cause.REBALANCE_STARTED, step.wall_ms)
    group.initial_delay_left_ms = max(timeout_ms - delay_ms, 0) if is_initial else None
    group.join_deadline_ms = group.wake_at(step.now_ms + (delay_ms if is_initial else timeout_ms))
    maybe_complete_join(group, step)


def maybe_complete_join(group: Group, step: Step) -> None:
    """Go on to the next generation if nobody has to be waited for any more."""
    if group.state is not GroupState.PREPARING_REBALANCE:
        return
    if group.join_deadline_ms <= step.now_ms:
        _join_time_over(group, step)
    elif group.initial_delay_left_ms is None and group.all_joined:
        _complete_join(group, step)


def _join_time_over(group: Group, step: Step) -> None:
    left_ms = group.initial_delay_left_ms
    if left_ms and group.has_new_member:
        delay_ms = group.settings.initial_rebalance_delay_ms
        group.has_new_member = False
        group.initial_delay_left_ms = max(left_ms - delay_ms, 0)
        group.join_deadline_ms = group.wake_at(step.now_ms + min(delay_ms, left_ms))
        return
    _complete_join(group, step)


def _complete_join(group: Group, step: Step) -> None:
    group.initial_delay_left_ms = None
    group.has_new_member = False
    _drop_laggards(group)
    if not group.elect_joined_leader() and group.members:
        # Only static members are left, and none of them has come: wait for one, or for their sessions to end.
        logger.warning("Group %s could not complete rebalance because no members rejoined", group.group_id)
        group.join_deadline_ms = group.wake_at(step.now_ms + max(group.rebalance_timeout_ms, 1))
        return
    group.join_deadline_ms = NEVER
    if group.members:
        _begin_assignment(group, step)
    else:
        _become_empty(group, step)


def _drop_laggards(group: Group) -> None:
    laggards = [member for member in group.members.values() if member.join_waiter is None and not member.is_static]
    for member in laggards:
        group.remove(member.member_id)
    if laggards:
        logger.info("Group %s removed dynamic members who haven't joined: %s", group.group_id, laggards)


def _become_empty(group: Group, step: Step) -> None:
    group.begin_generation(Cause.NOBODY_JOINED, step.wall_ms)
    logger.info("Group %s with generation %d is now empty", group.group_id, group.generation)
    step.append([group_record(group, {})])


def _begin_assignment(group: Group, step: Step) -> None:
    """Tell everybody the generation, the leader also the members; then wait for the leader's assignment."""
    group.begin_generation(Cause.MEMBERS_JOINED, step.wall_ms)
    logger.info(
        "Stabilized group %s generation %d with %d members", group.group_id, group.generation, len(group.members)
    )
    for member in group.members.values():
        member.is_new = False
        step.respond(group.take_join_waiter(member), join_result(group, member))
        group.touch(member, step.now_ms)
        group.pending_sync.add(member.member_id)
    group.sync_deadline_ms = group.wake_at(step.now_ms + group.rebalance_timeout_ms)


def join_result(group: Group, member: Member) -> JoinResult:
    """The current generation, as one of its members is told it."""
    return JoinResult(
        ErrorCode.NONE,
        member.member_id,
        group.generation,
        group.protocol_type,
        group.protocol_name,
        group.leader_id,
        members=group.joined_members() if group.leader_id == member.member_id else (),
    )


# Waiting for SyncGroup


def sync_received(group: Group, member: Member) -> None:
    group.pending_sync.discard(member.member_id)
    if not group.pending_sync:
        group.sync_deadline_ms = NEVER


def stop_waiting_for_syncs(group: Group) -> None:
    group.pending_sync.clear()
    group.sync_deadline_ms = NEVER


def sync_time_over(group: Group, step: Step) -> None:
    """Drop the members that joined and never asked for their assignment."""
    silent = sorted(group.pending_sync)
    stop_waiting_for_syncs(group)
    for member_id in silent:
        group.remove(member_id)
    if silent:
        prepare_rebalance(group, step, f"Removing {silent} on pending sync request expiration")


def respond_sync(group: Group, member: Member, result: SyncResult, step: Step) -> None:
    """Respond to the member's SyncGroup, if one waits. Its session begins anew."""
    if member.sync_waiter is not None:
        step.respond(member.sync_waiter, result)
        member.sync_waiter = None
        group.touch(member, step.now_ms)


def fail_syncs(group: Group, step: Step, error: ErrorCode) -> None:
    """There will be no assignment in this generation."""
    group.storing_generation = None
    for member in group.members.values():
        member.assignment = b""
        respond_sync(group, member, SyncResult(error), step)


# Removing members


def remove_member(group: Group, member: Member, step: Step, reason: str) -> None:
    """Take a member out of a living group; the others rebalance."""
    step.respond(group.take_join_waiter(member), JoinResult(ErrorCode.UNKNOWN_MEMBER_ID, UNKNOWN_MEMBER))
    respond_sync(group, member, SyncResult(ErrorCode.UNKNOWN_MEMBER_ID), step)
    group.remove(member.member_id)
    if group.state is GroupState.PREPARING_REBALANCE:
        maybe_complete_join(group, step)
    else:
        prepare_rebalance(group, step, reason)


def remove_pending_member(group: Group, member_id: str, step: Step) -> None:
    group.remove(member_id)
    maybe_complete_join(group, step)


# What could not be stored


def member_error(error: ErrorCode) -> ErrorCode:
    """What a member is told whose group's record the log refused or could not replicate."""
    if error is ErrorCode.REQUEST_TIMED_OUT:
        return ErrorCode.REBALANCE_IN_PROGRESS
    return coordinator_error(error, too_large=ErrorCode.UNKNOWN_SERVER_ERROR)
