"""The offsets of all groups in one partition of `__consumer_offsets`, whatever kind of groups they are.

Who may commit, and when offsets expire, is for the group to say (`owner`). A commit is visible when it is replicated.
Offsets of a transaction are staged when their records are replayed, and count from its marker on.

Invariant (`check_invariants`): a producer is in `_groups_by_producer` with exactly the groups that have offsets of its
open transaction.
"""

from collections.abc import Iterable
from functools import partial

from ottla.coordinators.offsets.group_offsets import CommittedOffset, GroupOffsets
from ottla.coordinators.offsets.owner import ExpiryRule, OffsetsOwner
from ottla.coordinators.offsets.records import (
    decode_offset_key,
    decode_offset_value,
    offset_record,
    offset_tombstone,
)
from ottla.coordinators.offsets.requests import CommitRequest, FetchedOffset
from ottla.coordinators.runtime.append_errors import coordinator_error
from ottla.coordinators.runtime.step import KeyValue, Step, Transaction, Waiter
from ottla.errors import ErrorCode
from ottla.model import TopicPartition
from ottla.observability.instruments import Counter

NO_COMMITTED_OFFSET = FetchedOffset()


class OffsetsStore:
    """`commits` counts offsets that were committed."""

    def __init__(self, metadata_length_max: int, retention_ms: int, commits: Counter) -> None:
        self._metadata_length_max = metadata_length_max
        self._retention_ms = retention_ms
        self._commits = commits
        self._groups: dict[str, GroupOffsets] = {}
        self._groups_by_producer: dict[int, set[str]] = {}

    def __contains__(self, group_id: str) -> bool:
        return group_id in self._groups

    def group_ids(self) -> Iterable[str]:
        return self._groups.keys()

    def group(self, group_id: str) -> GroupOffsets | None:
        return self._groups.get(group_id)

    def committed_count(self, group_id: str | None = None) -> int:
        """Of one group, or of all."""
        if group_id is None:
            return sum(len(offsets.committed) for offsets in self._groups.values())
        offsets = self._groups.get(group_id)
        return 0 if offsets is None else len(offsets.committed)

    def create(self, group_id: str) -> GroupOffsets:
        """The offsets of the group, which may be none yet."""
        offsets = self._groups.get(group_id)
        if offsets is None:
            offsets = self._groups[group_id] = GroupOffsets()
        return offsets

    def maybe_forget(self, group_id: str) -> bool:
        """Let go of a group that has no offsets; whether none is known now."""
        offsets = self._groups.get(group_id)
        if offsets is not None and not offsets:
            del self._groups[group_id]
            offsets = None
        return offsets is None

    # Committing

    def handle_commit(self, owner: OffsetsOwner, request: CommitRequest, waiter: Waiter, step: Step) -> None:
        error = owner.commit_refusal(request)
        if error is not ErrorCode.NONE:
            step.respond(waiter, dict.fromkeys(request.offsets, error))
            return
        owner.note_commit(request.member_id, step.now_ms)
        length_max = self._metadata_length_max
        accepted = {
            partition: CommittedOffset(*offset)
            for partition, offset in request.offsets.items()
            if len(offset.metadata) <= length_max
        }
        too_large: dict[TopicPartition, ErrorCode] = {}
        if len(accepted) < len(request.offsets):
            refused = request.offsets.keys() - accepted.keys()
            too_large = dict.fromkeys(refused, ErrorCode.OFFSET_METADATA_TOO_LARGE)
        if not accepted:
            step.respond(waiter, too_large)
            return
        offsets = self.create(request.group_id)
        offsets.stage(accepted)
        records = [offset_record(request.group_id, partition, offset) for partition, offset in accepted.items()]
        step.append(records, partial(self._stored, offsets, accepted, too_large, waiter))

    def _stored(
        self,
        offsets: GroupOffsets,
        accepted: dict[TopicPartition, CommittedOffset],
        too_large: dict[TopicPartition, ErrorCode],
        waiter: Waiter,
        error: ErrorCode,
        record_offset: int,
        step: Step,
    ) -> None:
        """`offsets` may be forgotten by now: then only the response counts."""
        if error is ErrorCode.NONE:
            self._commits.value += len(accepted)
            offsets.store(accepted, record_offset)
        else:
            offsets.give_up(accepted)
            error = commit_error(error)
        result = dict.fromkeys(accepted, error)
        result.update(too_large)
        step.respond(waiter, result)

    # Reading

    def fetch(
        self, group_id: str, partitions: Iterable[TopicPartition] | None, *, require_stable: bool
    ) -> dict[TopicPartition, FetchedOffset]:
        """The committed offsets of these partitions, or of all that have one."""
        offsets = self._groups.get(group_id)
        if offsets is None:
            return dict.fromkeys(partitions or (), NO_COMMITTED_OFFSET)
        wanted = offsets.committed if partitions is None else partitions
        return {partition: _fetched(offsets, partition, require_stable) for partition in wanted}

    # Taking out: each gives the tombstones

    def remove(self, group_id: str, partitions: Iterable[TopicPartition]) -> list[KeyValue]:
        offsets = self._groups.get(group_id)
        if offsets is None:
            return []
        transactions = set(offsets.transactional)
        tombstones = [offset_tombstone(group_id, partition) for partition in offsets.remove(partitions)]
        self._transactions_ended(group_id, transactions - offsets.transactional.keys())
        return tombstones

    def remove_all(self, group_id: str) -> list[KeyValue]:
        """Those of open transactions, too: the tombstones stand behind their records."""
        offsets = self._groups.pop(group_id, None)
        if offsets is None:
            return []
        self._transactions_ended(group_id, set(offsets.transactional))
        return [offset_tombstone(group_id, partition) for partition in offsets.remove(sorted(offsets.partitions()))]

    def of_topics(self, group_id: str, topics: frozenset[str]) -> list[TopicPartition]:
        offsets = self._groups.get(group_id)
        if offsets is None:
            return []
        return sorted(partition for partition in offsets.partitions() if partition.topic in topics)

    def expired(self, group_id: str, rule: ExpiryRule | None, wall_ms: int) -> list[TopicPartition]:
        offsets = self._groups.get(group_id)
        if offsets is None or rule is None:
            return []
        since_ms = rule.since_ms
        return offsets.expired(
            wall_ms,
            self._retention_ms,
            lambda offset: offset.commit_timestamp_ms if since_ms is None else since_ms,
            rule.subscribed_topics,
        )

    # Replay

    def replay(self, record: KeyValue, record_offset: int, transaction: Transaction | None) -> None:
        group_id, partition = decode_offset_key(record.key)
        if record.value is None:
            self.remove(group_id, [partition])
            self.maybe_forget(group_id)
            return
        offset = decode_offset_value(record.value, record_offset)
        offsets = self.create(group_id)
        if transaction is None:
            offsets.committed[partition] = offset
        else:
            offsets.stage_transactional(transaction.producer_id, partition, offset)
            self._groups_by_producer.setdefault(transaction.producer_id, set()).add(group_id)

    def replay_end_transaction(self, transaction: Transaction, *, is_committed: bool) -> set[str]:
        """The groups whose offsets were decided on; those that have none now are for the caller to forget."""
        group_ids = self._groups_by_producer.pop(transaction.producer_id, set())
        for group_id in group_ids:
            self._groups[group_id].end_transaction(transaction.producer_id, is_committed=is_committed)
        return group_ids

    def _transactions_ended(self, group_id: str, producer_ids: set[int]) -> None:
        for producer_id in producer_ids:
            groups = self._groups_by_producer[producer_id]
            groups.remove(group_id)
            if not groups:
                del self._groups_by_producer[producer_id]

    def check_invariants(self) -> None:
        found: dict[int, set[str]] = {}
        for group_id, offsets in self._groups.items():
            for producer_id in offsets.transactional:
                found.setdefault(producer_id, set()).add(group_id)
        assert found == self._groups_by_producer, self._groups_by_producer


def commit_error(error: ErrorCode) -> ErrorCode:
    """What a commit is told that the log refused or could not replicate."""
    return coordinator_error(error, too_large=ErrorCode.INVALID_COMMIT_OFFSET_SIZE)


def _fetched(offsets: GroupOffsets, partition: TopicPartition, require_stable: bool) -> FetchedOffset:
    if require_stable and offsets.is_unstable(partition):
        return FetchedOffset(error=ErrorCode.UNSTABLE_OFFSET_COMMIT)
    committed = offsets.committed.get(partition)
    if committed is None:
        return NO_COMMITTED_OFFSET
    return FetchedOffset(committed.offset, committed.leader_epoch, committed.metadata)
