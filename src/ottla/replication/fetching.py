"""Fetch: reads from many partitions within one answer's limits, in request order.

The limits are soft as Kafka's are (KIP-74): the first partition that has anything gives at least one whole batch even
if that is larger than both limits; later ones obey, and leave the rest for the next fetch once an answer has a good
size, whatever the client would take: blocks of 32 MB and more cost it a page fault per page (decision 0013). Bytes are
never copied: what is read is a `FileSlice`.

    consumer, read_uncommitted    reads below the high watermark
    consumer, read_committed      reads below the last stable offset, and is told the aborted transactions in between
    replica                       reads to the log end
"""

import uuid
from typing import NamedTuple

from ottla.errors import ErrorCode, KafkaError, LogDirError, OttlaError
from ottla.errors.kafka import OffsetOutOfRangeError
from ottla.model import NO_BROKER, NO_EPOCH, ZERO_UUID
from ottla.protocol.messages.fetch import AbortedTransaction, EpochEndOffset, LeaderIdAndEpoch, PartitionData
from ottla.replication.failed_request_metrics import count_refused_fetch
from ottla.replication.partition import Partition
from ottla.replication.replica_manager import ReplicaManager
from ottla.replication.replica_selector import ReplicaSelector
from ottla.storage.log.log_results import UNKNOWN_POSITION, LogOffset

READ_COMMITTED = 1
CONSUMER_REPLICA_ID = -1
ENOUGH_BYTES = 1 << 40
GOOD_ANSWER_BYTES = 16 * 1024 * 1024
SMALL_BYTES_MAX = 8 * 1024
"""Records that are read and leave with the bytes around them, since a sendfile of so few costs more."""
LED_ELSEWHERE = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH})
"""The errors beside which the leader is named."""
_NO_RECORDS = b""
_UNKNOWN = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


class FetchParams(NamedTuple):
    """What a Fetch request says about the answer as a whole."""

    replica_id: int
    max_wait_ms: int
    min_bytes: int
    max_bytes: int
    isolation_level: int
    replica_epoch: int = -1
    rack_id: str | None = None
    """A consumer's rack; None from consumers that are too old to read from anybody but the leader (before 11)."""

    @property
    def from_follower(self) -> bool:
        return self.replica_id >= 0

    def bytes_left(self, read_bytes: int) -> int:
        """What the next partition may give, after those before it gave so much."""
        if not read_bytes:
            return self.max_bytes
        return min(self.max_bytes, max(GOOD_ANSWER_BYTES, self.min_bytes)) - read_bytes

    @property
    def only_leader(self) -> bool:
        """Followers copy from the leader; so do old consumers. Verification tools (-2) look at every replica."""
        return self.replica_id >= 0 or (self.replica_id == CONSUMER_REPLICA_ID and self.rack_id is None)


class FetchEntry:
    """One partition as one fetcher wants it, and how far the last read of it came."""

    __slots__ = (
        "current_leader_epoch",
        "fetch_offset",
        "is_starved",
        "last_fetched_epoch",
        "last_high_watermark",
        "last_log_start",
        "log_start_offset",
        "max_bytes",
        "partition",
        "partition_index",
        "read_bytes",
        "read_epoch",
        "start",
        "topic",
        "topic_id",
    )

    def __init__(self, topic: str, topic_id: uuid.UUID, partition_index: int) -> None:
        self.topic = topic
        self.topic_id = topic_id
        self.partition_index = partition_index
        self.fetch_offset = 0
        self.max_bytes = 0
        self.current_leader_epoch: int = NO_EPOCH
        self.last_fetched_epoch: int = NO_EPOCH
        self.log_start_offset = -1
        self.partition: Partition | None = None
        self.start: LogOffset | None = None
        self.read_bytes = 0
        self.is_starved = False  # There was something to read, and no room left for it.
        self.read_epoch: int = NO_EPOCH
        self.last_high_watermark = -1
        self.last_log_start = -1

    def count_available(self, params: FetchParams) -> int:
        """Bytes that a read would find now, beyond where the last one ended."""
        partition = self.partition
        if partition is None or self.start is None or partition.leader_epoch != self.read_epoch:
            return ENOUGH_BYTES
        if partition.leader_id == NO_BROKER:  # The replica was stopped here, which begins no epoch.
            return ENOUGH_BYTES
        try:
            limit = read_limit(partition, params)
        except OttlaError:  # Whoever reads gets it too, and answers with it.
            return ENOUGH_BYTES
        return bytes_between(self.start, limit) if limit.offset > self.fetch_offset else 0


class FetchResult(NamedTuple):
    data: list[tuple[FetchEntry, PartitionData]]
    total_bytes: int
    unknown_count: int
    """Partitions that nobody knows. They are told of in the answer, and the others are waited for all the same."""
    answer_now: bool
    """An error, a diverging epoch, a better replica, for followers a higher high watermark: things to hear at once."""


def bytes_between(start: LogOffset, end: LogOffset) -> int:
    if end.offset <= start.offset:
        return 0
    if end.segment_base != start.segment_base or UNKNOWN_POSITION in (start.position, end.position):
        return ENOUGH_BYTES
    return end.position - start.position


def must_hear_at_once(entry: FetchEntry, answer: PartitionData, params: FetchParams) -> bool:
    if answer.error_code or answer.diverging_epoch.epoch >= 0 or answer.preferred_read_replica >= 0:
        return True
    return params.replica_id >= 0 and 0 <= entry.last_high_watermark < answer.high_watermark


def read_limit(partition: Partition, params: FetchParams) -> LogOffset:
    if params.replica_id >= 0:
        return partition.log.end_position
    if params.isolation_level == READ_COMMITTED:
        return partition.last_stable_offset
    return partition.high_watermark


def close_records(answer: PartitionData) -> None:
    """Give back the file slice of an answer whose bytes nobody will send."""
    close = getattr(answer.records, "close", None)
    if close is not None:
        close()


class FetchReader:
    """Reads entries in order until the answer is full."""

    def __init__(self, replicas: ReplicaManager, selector: ReplicaSelector | None = None) -> None:
        self._replicas = replicas
        self._selector = selector

    def read(self, entries: list[FetchEntry], params: FetchParams) -> FetchResult:
        data: list[tuple[FetchEntry, PartitionData]] = []
        total_bytes = unknown_count = 0
        answer_now = False
        for entry in entries:
            try:
                answer = self._read_entry(entry, params, params.bytes_left(total_bytes), first=total_bytes == 0)
            except KafkaError as error:
                answer = self._error_answer(entry, error)
            except LogDirError as error:
                answer = self._error_answer(entry, self._replicas.storage_failed(error))
            data.append((entry, answer))
            total_bytes += entry.read_bytes
            if answer.error_code in _UNKNOWN:
                unknown_count += 1
            elif must_hear_at_once(entry, answer, params):
                answer_now = True
        return FetchResult(data, total_bytes, unknown_count, answer_now)

    def _read_entry(self, entry: FetchEntry, params: FetchParams, bytes_left: int, *, first: bool) -> PartitionData:
        if not entry.topic and entry.topic_id != ZERO_UUID:  # Not known when the session was told of it.
            entry.topic = self._replicas.topic_name(entry.topic_id) or ""
        partition = self._replicas.partition_by_name_or_id(entry.topic, entry.topic_id, entry.partition_index)
        partition.metrics.fetch_requests.value += 1
        entry.partition = partition
        entry.read_bytes = 0
        entry.is_starved = False
        entry.read_epoch = partition.leader_epoch
        partition.check_readable(entry.current_leader_epoch, only_leader=params.only_leader)
        answer = PartitionData(
            partition_index=entry.partition_index,
            aborted_transactions=[] if params.isolation_level == READ_COMMITTED else None,
            records=_NO_RECORDS,
        )
        try:
            if entry.last_fetched_epoch == NO_EPOCH or not self._diverges(entry, partition, answer):
                self._read_undiverged(entry, partition, params, answer, bytes_left, first)
            answer.high_watermark = partition.high_watermark.offset
            answer.last_stable_offset = partition.last_stable_offset.offset
            answer.log_start_offset = partition.log.log_start_offset
        except OttlaError:
            close_records(answer)  # The error takes the place of what was read.
            raise
        return answer

    def _read_undiverged(
        self,
        entry: FetchEntry,
        partition: Partition,
        params: FetchParams,
        answer: PartitionData,
        bytes_left: int,
        first: bool,
    ) -> None:
        if self._selector is not None and params.rack_id and params.replica_id < 0 and partition.is_leader:
            preferred = self._selector.select(partition, entry.fetch_offset, params.rack_id)
            if preferred is not None:
                answer.preferred_read_replica = preferred
                entry.start = None
                return
        self._read_records(entry, partition, params, answer, bytes_left, first)
        if params.replica_id >= 0:
            self._note_follower(entry, partition, params)

    @staticmethod
    def _note_follower(entry: FetchEntry, partition: Partition, params: FetchParams) -> None:
        """A follower that fetches from an offset has everything below it. Before the answer takes the watermark."""
        end = entry.start
        if end is None or end.offset != entry.fetch_offset:
            end = LogOffset(entry.fetch_offset)
        partition.note_follower_fetch(params.replica_id, end, entry.log_start_offset, params.replica_epoch)

    def _read_records(
        self,
        entry: FetchEntry,
        partition: Partition,
        params: FetchParams,
        answer: PartitionData,
        bytes_left: int,
        first: bool,
    ) -> None:
        limit = read_limit(partition, params)
        log = partition.log
        if entry.fetch_offset == limit.offset:
            entry.start = limit
            return
        if limit.offset < entry.fetch_offset <= log.log_end_offset:
            entry.start = limit
            return
        read = log.read(
            entry.fetch_offset,
            max(0, min(entry.max_bytes, bytes_left)),
            end_offset=limit,
            minimum_one_batch=first,
        )
        entry.start = read.start
        if read.slice is None:
            entry.is_starved = True
        else:
            answer.records = read.slice
            entry.read_bytes = len(read.slice)
            if params.replica_id < 0:
                partition.metrics.bytes_out.value += entry.read_bytes
            if params.isolation_level == READ_COMMITTED:
                answer.aborted_transactions = [
                    AbortedTransaction(producer_id=aborted.producer_id, first_offset=aborted.first_offset)
                    for aborted in log.aborted_in_read(read, entry.fetch_offset, limit.offset)
                ]

    @staticmethod
    def _diverges(entry: FetchEntry, partition: Partition, answer: PartitionData) -> bool:
        """KIP-595: a fetcher whose last epoch ended earlier here must truncate before it goes on."""
        epoch, end_offset = partition.log.end_offset_for_epoch(entry.last_fetched_epoch)
        if epoch == NO_EPOCH:
            raise OffsetOutOfRangeError(f"epoch {entry.last_fetched_epoch} is older than this log")
        if entry.fetch_offset < partition.log.log_start_offset:  # Its epoch says nothing: the records are gone.
            raise OffsetOutOfRangeError(f"offset {entry.fetch_offset} is below {partition.log}")
        if epoch >= entry.last_fetched_epoch and end_offset >= entry.fetch_offset:
            return False
        answer.diverging_epoch = EpochEndOffset(epoch=epoch, end_offset=end_offset)
        return True

    def _error_answer(self, entry: FetchEntry, error: KafkaError) -> PartitionData:
        if entry.partition is not None:
            count_refused_fetch(entry.partition.metrics, error)
        entry.start = None
        entry.read_bytes = 0
        entry.is_starved = False
        answer = PartitionData(
            partition_index=entry.partition_index,
            error_code=error.code,
            high_watermark=-1,
            aborted_transactions=None,
            records=_NO_RECORDS,
        )
        if error.code in LED_ELSEWHERE:
            leader_id, leader_epoch = self._replicas.current_leader(entry.topic, entry.partition_index)
            answer.current_leader = LeaderIdAndEpoch(leader_id=leader_id, leader_epoch=leader_epoch)
        return answer
