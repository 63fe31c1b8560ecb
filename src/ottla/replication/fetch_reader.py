"""Reads from many partitions within the limits of one Fetch response, in the order of the request.

The limits are soft as Kafka's are (KIP-74): the first partition that has anything gives at least one whole batch even
if that is larger than both limits; later ones obey, and leave the rest for the next fetch once a response has a good
size, whatever the client would take: blocks of 32 MB and more cost it a page fault per page (decision 0013). Bytes are
never copied: what is read is a `FileSlice`. A read that begins where the last one ended knows its place in the log.

    consumer, read_uncommitted    reads below the high watermark
    consumer, read_committed      reads below the last stable offset, and is told the aborted transactions in between
    replica                       reads to the log end
"""

import uuid
from typing import NamedTuple

from ottla.disk.file_slice import FileSlice
from ottla.errors import ErrorCode, KafkaError, LogDirError, OttlaError
from ottla.errors.kafka import OffsetOutOfRangeError
from ottla.model import NO_BROKER, NO_EPOCH, ZERO_UUID
from ottla.replication.failed_request_metrics import count_refused_fetch
from ottla.replication.partition import Partition
from ottla.replication.replica_manager import ReplicaManager
from ottla.replication.replica_selector import ReplicaSelector
from ottla.storage.log.leader_epochs import EpochEnd
from ottla.storage.log.log_results import UNKNOWN_POSITION, LogOffset
from ottla.storage.segment.txn_index import AbortedTransaction

READ_COMMITTED = 1
CONSUMER_REPLICA_ID = -1
ENOUGH_BYTES = 1 << 40
GOOD_RESPONSE_BYTES = 16 * 1024 * 1024
SMALL_BYTES_MAX = 8 * 1024
"""Records that are read and leave with the bytes around them, since a sendfile of so few costs more."""
LED_ELSEWHERE = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.FENCED_LEADER_EPOCH})
"""The errors beside which the leader is named."""
_UNKNOWN = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


# Makes a NamedTuple without the Python code of its constructor.
_new_tuple = tuple.__new__


class FetchParams(NamedTuple):
    """What a Fetch request says about the response as a whole."""

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
        """What the next partition may give, after those before it gave so much. The first may give `max_bytes`."""
        return min(self.max_bytes, max(GOOD_RESPONSE_BYTES, self.min_bytes)) - read_bytes

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
        except OttlaError:  # Whoever reads gets it too, and responds with it.
            return ENOUGH_BYTES
        return bytes_between(self.start, limit) if limit.offset > self.fetch_offset else 0


class PartitionRead:
    """What a fetch gets of one partition: records, or an error in their place, and how far the log goes.

    The owner of a read closes its records when nobody will send them.
    """

    # One is made for each partition of each request, and most have only what every read has: the rest are defaults of
    # the class, which cost nothing.
    error_code = 0
    records: FileSlice | bytes = b""
    high_watermark = -1
    last_stable_offset = -1
    log_start_offset = -1
    aborted_transactions: list[AbortedTransaction] | None = None
    """None where the consumer reads uncommitted records, too."""
    preferred_read_replica: int = NO_BROKER
    diverging_epoch: EpochEnd | None = None
    current_leader: tuple[int, int] | None = None
    """Its id and epoch, beside an error that says that another broker leads."""

    @property
    def is_plain(self) -> bool:
        """A few records in memory, and nothing else to be told of but how far the log goes."""
        return (
            type(self.records) is bytes
            and len(self.records) <= SMALL_BYTES_MAX
            and self.error_code == 0
            and not self.aborted_transactions
            and self.preferred_read_replica < 0
            and self.diverging_epoch is None
        )

    def refuse(self, code: ErrorCode) -> None:
        """Put an error in the place of the records."""
        self.close()
        self.records = b""
        self.error_code = code
        self.high_watermark = -1

    def close(self) -> None:
        """Give back the file slice: its bytes will not be sent."""
        if type(self.records) is FileSlice:
            self.records.close()


Reads = list[tuple[FetchEntry, PartitionRead]]


def close_reads(reads: Reads) -> None:
    """Give back the file slices of reads whose bytes nobody will send."""
    for _entry, read in reads:
        read.close()


class FetchResult(NamedTuple):
    reads: Reads
    total_bytes: int
    unknown_count: int
    """Partitions that nobody knows. They are told of in the response, and the others are waited for all the same."""
    respond_now: bool
    """An error, a diverging epoch, a better replica, for followers a higher high watermark: things to hear at once."""


def bytes_between(start: LogOffset, end: LogOffset) -> int:
    if end.offset <= start.offset:
        return 0
    if end.segment_base != start.segment_base or UNKNOWN_POSITION in (start.position, end.position):
        return ENOUGH_BYTES
    return end.position - start.position


def read_limit(partition: Partition, params: FetchParams) -> LogOffset:
    if params.replica_id >= 0:
        return partition.log.end_position
    if params.isolation_level == READ_COMMITTED:
        return partition.last_stable_offset
    return partition.high_watermark


class FetchReader:
    """Reads entries in order until the response is full."""

    def __init__(self, replicas: ReplicaManager, selector: ReplicaSelector | None = None) -> None:
        self._replicas = replicas
        self._selector = selector

    def read(self, entries: list[FetchEntry], params: FetchParams) -> FetchResult:
        reads: Reads = []
        total_bytes = unknown_count = 0
        respond_now = False
        for entry in entries:
            try:
                read = self._read_entry(entry, params, total_bytes)
            except KafkaError as error:
                read = self._refused(entry, error)
            except LogDirError as error:
                read = self._refused(entry, self._replicas.storage_failed(error))
            reads.append((entry, read))
            total_bytes += entry.read_bytes
            if read.error_code in _UNKNOWN:
                unknown_count += 1
            elif (
                read.error_code
                or read.diverging_epoch is not None
                or read.preferred_read_replica >= 0
                or (params.replica_id >= 0 and 0 <= entry.last_high_watermark < read.high_watermark)
            ):
                respond_now = True
        return _new_tuple(FetchResult, (reads, total_bytes, unknown_count, respond_now))

    def _read_entry(self, entry: FetchEntry, params: FetchParams, total_bytes: int) -> PartitionRead:
        if not entry.topic and entry.topic_id != ZERO_UUID:  # Not known when the session was told of it.
            entry.topic = self._replicas.topic_name(entry.topic_id) or ""
        partition = self._replicas.partition_by_name_or_id(entry.topic, entry.topic_id, entry.partition_index)
        partition.metrics.fetch_requests.value += 1
        is_leader = partition.is_leader
        if entry.read_epoch != partition.leader_epoch or entry.partition is not partition or not is_leader:
            entry.start = None  # What lies there may have been cut off since.
            entry.partition = partition
            entry.read_epoch = partition.leader_epoch
        entry.read_bytes = 0
        entry.is_starved = False
        if not is_leader or entry.current_leader_epoch not in (NO_EPOCH, partition.leader_epoch):
            partition.check_readable(entry.current_leader_epoch, only_leader=params.only_leader)
        read = PartitionRead()
        if params.isolation_level == READ_COMMITTED:
            read.aborted_transactions = []
        try:
            is_checked = entry.last_fetched_epoch == NO_EPOCH and self._selector is None
            if is_checked or not self._is_elsewhere(entry, partition, params, read):
                self._read_records(entry, partition, params, read, total_bytes)
                if params.replica_id >= 0:
                    self._note_follower(entry, partition, params)
            read.high_watermark = partition.high_watermark.offset
            read.last_stable_offset = partition.last_stable_offset.offset
            read.log_start_offset = partition.log.log_start_offset
        except OttlaError:
            read.close()  # The error takes the place of what was read.
            raise
        return read

    def _is_elsewhere(self, entry: FetchEntry, partition: Partition, params: FetchParams, read: PartitionRead) -> bool:
        """Whether the fetcher must truncate first, or had better read from another replica."""
        if entry.last_fetched_epoch != NO_EPOCH and self._diverges(entry, partition, read):
            return True
        if self._selector is None or not params.rack_id or params.replica_id >= 0 or not partition.is_leader:
            return False
        preferred = self._selector.select(partition, entry.fetch_offset, params.rack_id)
        if preferred is None:
            return False
        read.preferred_read_replica = preferred
        entry.start = None
        return True

    @staticmethod
    def _note_follower(entry: FetchEntry, partition: Partition, params: FetchParams) -> None:
        """A follower that fetches from an offset has everything below it. Before the response takes the watermark."""
        end = entry.start
        if end is None or end.offset != entry.fetch_offset:
            end = LogOffset(entry.fetch_offset)
        partition.note_follower_fetch(params.replica_id, end, entry.log_start_offset, params.replica_epoch)

    def _read_records(
        self,
        entry: FetchEntry,
        partition: Partition,
        params: FetchParams,
        read: PartitionRead,
        total_bytes: int,
    ) -> None:
        limit = read_limit(partition, params)
        log = partition.log
        offset = entry.fetch_offset
        if offset == limit.offset or limit.offset < offset <= log.log_end_offset:
            entry.start = limit
            return
        is_committed = params.isolation_level == READ_COMMITTED
        max_bytes = min(entry.max_bytes, params.bytes_left(total_bytes) if total_bytes else params.max_bytes)
        start = entry.start
        if start is not None and start.offset == offset and not (is_committed and log.active.txn_index.entries):
            read.records = log.read_tail(start, limit, min(max_bytes, SMALL_BYTES_MAX))
        if not read.records:
            found = log.read(offset, max(0, max_bytes), end_offset=limit, minimum_one_batch=not total_bytes)
            entry.start = found.start
            if found.slice is None:
                entry.is_starved = True
                return
            read.records = found.slice
            if is_committed:
                read.aborted_transactions = log.aborted_in_read(found, offset, limit.offset)
        entry.read_bytes = len(read.records)
        if params.replica_id < 0:
            partition.metrics.bytes_out.value += entry.read_bytes

    @staticmethod
    def _diverges(entry: FetchEntry, partition: Partition, read: PartitionRead) -> bool:
        """KIP-595: a fetcher whose last epoch ended earlier here must truncate before it goes on."""
        end = partition.log.end_offset_for_epoch(entry.last_fetched_epoch)
        if end.epoch == NO_EPOCH:
            raise OffsetOutOfRangeError(f"epoch {entry.last_fetched_epoch} is older than this log")
        if entry.fetch_offset < partition.log.log_start_offset:  # Its epoch says nothing: the records are gone.
            raise OffsetOutOfRangeError(f"offset {entry.fetch_offset} is below {partition.log}")
        if end.epoch >= entry.last_fetched_epoch and end.end_offset >= entry.fetch_offset:
            return False
        read.diverging_epoch = end
        return True

    def _refused(self, entry: FetchEntry, error: KafkaError) -> PartitionRead:
        if entry.partition is not None:
            count_refused_fetch(entry.partition.metrics, error)
        entry.start = None
        entry.read_bytes = 0
        entry.is_starved = False
        read = PartitionRead()
        read.error_code = error.code
        if error.code in LED_ELSEWHERE:
            read.current_leader = self._replicas.current_leader(entry.topic, entry.partition_index)
        return read
