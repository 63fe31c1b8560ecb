"""A partition of `__consumer_offsets`: classic groups, and the offsets of groups of any kind.

A group that only has offsets ("simple") has no classic group; it is shown as an Empty one. A name is known as long as
it has a classic group or an entry in the offsets store.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from functools import partial

from ottla.coordinators.group.coordinator_metrics import GroupCounters
from ottla.coordinators.group.describing import GroupDescription, GroupOverview, describe, overview
from ottla.coordinators.group.group import Group
from ottla.coordinators.group.joining import handle_join
from ottla.coordinators.group.liveness import begin_sessions, handle_leave, tick, unload
from ottla.coordinators.group.records import decode_group_key, decode_group_value, group_tombstone, is_group_key
from ottla.coordinators.group.requests import (
    UNKNOWN_MEMBER,
    JoinRequest,
    JoinResult,
    LeaveResult,
    LeavingMember,
    SyncRequest,
    SyncResult,
)
from ottla.coordinators.group.settings import GroupSettings
from ottla.coordinators.group.states import Cause, GroupState
from ottla.coordinators.group.syncing import handle_sync
from ottla.coordinators.offsets.owner import SIMPLE_GROUP, OffsetsOwner
from ottla.coordinators.offsets.records import is_offset_key
from ottla.coordinators.offsets.requests import CommitRequest, DeleteOffsetsResult
from ottla.coordinators.offsets.store import OffsetsStore, commit_error
from ottla.coordinators.runtime.step import NEVER, KeyValue, Step, Transaction, Waiter
from ottla.errors import DecodeError, ErrorCode
from ottla.model import TopicPartition

logger = logging.getLogger(__name__)


class GroupShard:
    """Implements the runtime's `Shard`; its units are groups."""

    def __init__(self, settings: GroupSettings, counters: GroupCounters) -> None:
        self._settings = settings
        self._counters = counters
        self.groups: dict[str, Group] = {}
        self.offsets = OffsetsStore(
            settings.offset_metadata_length_max, settings.offsets_retention_ms, counters.commits
        )

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.groups) + len(self._simple_groups())

    def __bool__(self) -> bool:
        return bool(self.groups) or bool(self.offsets.group_ids())

    def __contains__(self, group_id: str) -> bool:
        return group_id in self.groups or group_id in self.offsets

    def group_ids(self) -> list[str]:
        return [*self.groups, *self._simple_groups()]

    def _simple_groups(self) -> list[str]:
        return [group_id for group_id in self.offsets.group_ids() if group_id not in self.groups]

    def count_in(self, state: GroupState) -> int:
        classic = sum(group.state is state for group in self.groups.values())
        return classic + (len(self._simple_groups()) if state is GroupState.EMPTY else 0)

    def _create(self, group_id: str, wall_ms: int) -> Group:
        group = Group(group_id, self._settings, wall_ms, self._counters.completed_rebalances)
        self.groups[group_id] = group
        return group

    # Membership

    def handle_join(self, request: JoinRequest, waiter: Waiter, step: Step) -> None:
        group = self.groups.get(request.group_id)
        if group is None:
            if request.member_id != UNKNOWN_MEMBER and request.group_id not in self.offsets:
                step.respond(waiter, JoinResult(ErrorCode.UNKNOWN_MEMBER_ID, request.member_id))
                return
            group = self._create(request.group_id, step.wall_ms)
        handle_join(group, request, waiter, step)

    def handle_sync(self, request: SyncRequest, waiter: Waiter, step: Step) -> None:
        group = self.groups.get(request.group_id)
        if group is None:
            step.respond(waiter, SyncResult(ErrorCode.UNKNOWN_MEMBER_ID))
        else:
            handle_sync(group, request, waiter, step)

    def leave(self, group_id: str, members: Sequence[LeavingMember], step: Step) -> list[LeaveResult]:
        group = self.groups.get(group_id)
        if group is None:
            return [LeaveResult(member, ErrorCode.UNKNOWN_MEMBER_ID) for member in members]
        return handle_leave(group, members, step)

    # Offsets

    def _owner(self, group_id: str) -> OffsetsOwner:
        return self.groups.get(group_id) or SIMPLE_GROUP

    def handle_commit(self, request: CommitRequest, waiter: Waiter, step: Step) -> None:
        group_id = request.group_id
        group = self.groups.get(group_id)
        if group is None:
            if request.generation >= 0 and group_id not in self.offsets:
                step.respond(waiter, dict.fromkeys(request.offsets, ErrorCode.ILLEGAL_GENERATION))
                return
            self.offsets.create(group_id)
        self.offsets.handle_commit(group or SIMPLE_GROUP, request, waiter, step)

    def handle_delete_offsets(
        self, group_id: str, partitions: Collection[TopicPartition], waiter: Waiter, step: Step
    ) -> None:
        owner = self._owner(group_id)
        error = owner.offset_deletion_refusal()
        if error is not ErrorCode.NONE:
            step.respond(waiter, DeleteOffsetsResult(error, {}))
            return
        errors = {
            partition: ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC if owner.is_subscribed(partition.topic) else ErrorCode.NONE
            for partition in partitions
        }
        before = self.offsets.committed_count(group_id)
        removed = [partition for partition, error in errors.items() if error is ErrorCode.NONE]
        records = self._remove_offsets(group_id, removed, step)
        self._counters.deletions.value += before - self.offsets.committed_count(group_id)
        _respond_when_stored(records, waiter, DeleteOffsetsResult(ErrorCode.NONE, errors), step)

    def topics_deleted(self, group_id: str, topics: frozenset[str], step: Step) -> None:
        self._append(self._remove_offsets(group_id, self.offsets.of_topics(group_id, topics), step), step)

    def expire_offsets(self, group_id: str, step: Step) -> None:
        """Take out what has expired, and an empty group that has nothing left."""
        expired = self.offsets.expired(group_id, self._owner(group_id).expiry_rule(), step.wall_ms)
        self._append(self._remove_offsets(group_id, expired, step), step)
        self._counters.expirations.value += len(expired)

    def _append(self, records: list[KeyValue], step: Step) -> None:
        if records:
            step.append(records)

    def _remove_offsets(self, group_id: str, partitions: Iterable[TopicPartition], step: Step) -> list[KeyValue]:
        """The tombstones of these offsets, and the group's own when it has no reason to stay."""
        tombstones = self.offsets.remove(group_id, partitions)
        group = self.groups.get(group_id)
        if self.offsets.maybe_forget(group_id) and group is not None and group.may_be_removed:
            tombstones += self._remove_group(group, step)
        return tombstones

    # Groups as a whole

    def handle_delete_group(self, group_id: str, waiter: Waiter, step: Step) -> None:
        group = self.groups.get(group_id)
        if group is not None and group.state is not GroupState.EMPTY:
            step.respond(waiter, ErrorCode.NON_EMPTY_GROUP)
            return
        records = self.offsets.remove_all(group_id)
        if group is not None:
            records += self._remove_group(group, step)
        _respond_when_stored(records, waiter, ErrorCode.NONE, step)

    def _remove_group(self, group: Group, step: Step) -> list[KeyValue]:
        """A group that never had members has no record of its own, and needs no tombstone."""
        group.move(Cause.REMOVED, step.wall_ms)
        del self.groups[group.group_id]
        return [group_tombstone(group.group_id)] if group.generation > 0 else []

    def overviews(self) -> list[GroupOverview]:
        classic = [overview(group) for group in self.groups.values()]
        return classic + [GroupOverview(group_id, "", GroupState.EMPTY.value) for group_id in self._simple_groups()]

    def describe(self, group_id: str) -> GroupDescription | None:
        """None when there is no such group."""
        group = self.groups.get(group_id)
        if group is not None:
            return describe(group)
        return GroupDescription(group_id, GroupState.EMPTY.value) if group_id in self.offsets else None

    # The log

    def replay(self, record: KeyValue, record_offset: int, transaction: Transaction | None) -> None:
        kind = "an offset"
        try:
            if is_offset_key(record.key):
                self.offsets.replay(record, record_offset, transaction)
            elif is_group_key(record.key):
                kind = "a group"
                self._replay_group(record)
        except DecodeError:
            logger.exception("skipping the record of %s at offset %d", kind, record_offset)

    def _replay_group(self, record: KeyValue) -> None:
        group_id = decode_group_key(record.key)
        if record.value is None:
            self.groups.pop(group_id, None)
            return
        value = decode_group_value(record.value)
        group = self.groups.get(group_id) or self._create(group_id, value.current_state_timestamp)
        group.replay(value)

    def replay_end_transaction(self, transaction: Transaction, *, is_committed: bool) -> None:
        for group_id in self.offsets.replay_end_transaction(transaction, is_committed=is_committed):
            self.offsets.maybe_forget(group_id)

    # Loading, unloading and the clock

    def loaded(self, step: Step) -> None:
        for group in list(self.groups.values()):
            begin_sessions(group, step)

    def unloaded(self, step: Step) -> None:
        for group in self.groups.values():
            unload(group, step)
        self.groups.clear()

    def units(self) -> list[str]:
        return list(self.groups)

    def wake_at_ms(self, unit: str) -> float:
        group = self.groups.get(unit)
        return NEVER if group is None else group.wake_at_ms

    def tick(self, unit: str, step: Step) -> None:
        tick(self.groups[unit], step)


def _respond_when_stored(records: list[KeyValue], waiter: Waiter, result: object, step: Step) -> None:
    """Respond when the tombstones are safe."""
    if records:
        step.append(records, partial(_tombstones_stored, waiter, result))
    else:
        step.respond(waiter, result)


def _tombstones_stored(waiter: Waiter, result: object, error: ErrorCode, record_offset: int, step: Step) -> None:
    if error is not ErrorCode.NONE:
        error = commit_error(error)
        result = DeleteOffsetsResult(error, {}) if isinstance(result, DeleteOffsetsResult) else error
    step.respond(waiter, result)
