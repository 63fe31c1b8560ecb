"""OffsetCommit, OffsetFetch, OffsetDelete and DeleteGroups, and offsets that expire.

Who may commit: a member of the current generation (not while the assignment is being made); anybody without a member
id and generation, as long as the group is EMPTY. When an offset expires, `offsets.retention.minutes` after

    the group became empty            a group that had members
    the commit                        a group that never had any; or a topic that nobody in it subscribes to any more
    never                             while the group has members that subscribe to the topic
"""

from collections.abc import Iterable

from ottla.coordinators.group.committed_offsets import CommittedOffset
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.membership import generation_problem
from ottla.coordinators.group.records import group_tombstone, offset_record, offset_tombstone
from ottla.coordinators.group.requests import (
    UNKNOWN_MEMBER,
    CommitRequest,
    CommitResult,
    DeleteOffsetsResult,
    FetchedOffset,
)
from ottla.coordinators.group.states import Cause, GroupState
from ottla.coordinators.group.step import KeyValue, OffsetsStored, Step, TombstonesStored, Waiter
from ottla.errors import ErrorCode
from ottla.model import TopicPartition

NO_COMMITTED_OFFSET = FetchedOffset()


def handle_commit(group: Group, request: CommitRequest, waiter: Waiter, step: Step) -> None:
    error = _refusal(group, request)
    if error is not ErrorCode.NONE:
        step.answer(waiter, dict.fromkeys(request.offsets, error))
        return
    member = group.members.get(request.member_id)
    if member is not None:
        group.touch(member, step.now_ms)
    length_max = group.settings.offset_metadata_length_max
    accepted = {
        partition: CommittedOffset(*offset)
        for partition, offset in request.offsets.items()
        if len(offset.metadata) <= length_max
    }
    too_large = dict.fromkeys(request.offsets.keys() - accepted.keys(), ErrorCode.OFFSET_METADATA_TOO_LARGE)
    if not accepted:
        step.answer(waiter, too_large)
        return
    group.offsets.stage(accepted)
    records = [offset_record(group.group_id, partition, offset) for partition, offset in accepted.items()]
    step.append(records, OffsetsStored(waiter, accepted, too_large))


def _refusal(group: Group, request: CommitRequest) -> ErrorCode:
    if request.generation < 0 and group.state is GroupState.EMPTY:
        return ErrorCode.NONE
    if request.generation < 0 and request.member_id == UNKNOWN_MEMBER and request.instance_id is None:
        return ErrorCode.UNKNOWN_MEMBER_ID
    error = generation_problem(group, request.generation, request.member_id, request.instance_id)
    if error is ErrorCode.NONE and group.state is GroupState.COMPLETING_REBALANCE:
        return ErrorCode.REBALANCE_IN_PROGRESS
    return error


def offsets_stored(group: Group, event: OffsetsStored, error: ErrorCode, record_offset: int, step: Step) -> None:
    if error is ErrorCode.NONE:
        group.offsets.store(event.offsets, record_offset)
    else:
        group.offsets.give_up(event.offsets)
    result: CommitResult = {**dict.fromkeys(event.offsets, error), **event.refused}
    step.answer(event.waiter, result)


def fetch_offset(group: Group, partition: TopicPartition, *, require_stable: bool) -> FetchedOffset:
    if require_stable and group.offsets.is_unstable(partition):
        return FetchedOffset(error=ErrorCode.UNSTABLE_OFFSET_COMMIT)
    committed = group.offsets.committed.get(partition)
    if committed is None:
        return NO_COMMITTED_OFFSET
    return FetchedOffset(committed.offset, committed.leader_epoch, committed.metadata)


# Taking offsets out, and the group with the last of them


def handle_delete_offsets(group: Group, partitions: Iterable[TopicPartition], waiter: Waiter, step: Step) -> None:
    """Of a group with members only offsets of topics that none of them subscribes to."""
    if group.state is not GroupState.EMPTY and not group.is_consumer_group:
        step.answer(waiter, DeleteOffsetsResult(ErrorCode.NON_EMPTY_GROUP, {}))
        return
    errors = {
        partition: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if _is_subscribed(group, partition) else ErrorCode.NONE
        for partition in partitions
    }
    records = _remove(group, [partition for partition, error in errors.items() if error is ErrorCode.NONE], step)
    _append_tombstones(records, waiter, DeleteOffsetsResult(ErrorCode.NONE, errors), step)


def _is_subscribed(group: Group, partition: TopicPartition) -> bool:
    if group.state is GroupState.EMPTY:
        return False
    return group.subscribed_topics is None or partition.topic in group.subscribed_topics


def handle_delete_group(group: Group, waiter: Waiter, step: Step) -> None:
    if group.state is not GroupState.EMPTY:
        step.answer(waiter, ErrorCode.NON_EMPTY_GROUP)
        return
    _append_tombstones(_remove_all(group, step), waiter, ErrorCode.NONE, step)


def _append_tombstones(records: list[KeyValue], waiter: Waiter, result: object, step: Step) -> None:
    if records:
        step.append(records, TombstonesStored(waiter, result))
    else:
        step.answer(waiter, result)


def tombstones_stored(event: TombstonesStored, error: ErrorCode, step: Step) -> None:
    if error is ErrorCode.NONE:
        step.answer(event.waiter, event.result)
    else:
        step.answer(event.waiter, DeleteOffsetsResult(error, {}) if isinstance(event.result, tuple) else error)


def topics_deleted(group: Group, topics: frozenset[str], step: Step) -> int:
    """How many offsets went with the topics."""
    known = group.offsets.committed.keys() | group.offsets.pending.keys()
    partitions = sorted(partition for partition in known if partition.topic in topics)
    records = _remove(group, partitions, step)
    if records:
        step.append(records)
    return len(partitions)


def expire_offsets(group: Group, step: Step) -> int:
    """Take out what has expired, and an empty group that has nothing left. How many offsets went."""
    expired = _expired(group, step.wall_ms)
    records = _remove(group, expired, step)
    if records:
        step.append(records)
    return len(expired)


def _expired(group: Group, now_ms: int) -> list[TopicPartition]:
    retention_ms, offsets = group.settings.offsets_retention_ms, group.offsets
    if group.protocol_type is None:
        return offsets.expired(now_ms, retention_ms, _committed_at, ())
    if group.state is GroupState.EMPTY:
        empty_since = group.state_timestamp_ms
        return offsets.expired(
            now_ms, retention_ms, lambda offset: empty_since if empty_since >= 0 else _committed_at(offset), ()
        )
    if group.state is GroupState.STABLE and group.subscribed_topics is not None:
        return offsets.expired(now_ms, retention_ms, _committed_at, group.subscribed_topics)
    return []


def _committed_at(offset: CommittedOffset) -> int:
    return offset.commit_timestamp_ms


def _remove(group: Group, partitions: Iterable[TopicPartition], step: Step) -> list[KeyValue]:
    """The tombstones of these offsets, and the group's own when it has no reason to stay."""
    tombstones = [offset_tombstone(group.group_id, partition) for partition in group.offsets.remove(partitions)]
    if group.state is GroupState.EMPTY and not group.offsets and not group.pending_members:
        tombstones += _die(group, step)
    return tombstones


def _remove_all(group: Group, step: Step) -> list[KeyValue]:
    partitions = group.offsets.committed.keys() | group.offsets.pending.keys()
    tombstones = [offset_tombstone(group.group_id, partition) for partition in group.offsets.remove(sorted(partitions))]
    group.pending_members.clear()
    return tombstones + _die(group, step)


def _die(group: Group, step: Step) -> list[KeyValue]:
    """A group that never had members has no record of its own, and needs no tombstone."""
    group.move(Cause.REMOVED, step.wall_ms)
    return [group_tombstone(group.group_id)] if group.generation > 0 else []
