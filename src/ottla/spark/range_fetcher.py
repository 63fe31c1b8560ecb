"""Fetches one range of offsets of one partition, in order; the next request is in flight while a response is decoded.

A range is read to its end or the job hears why not: a leader that moves, a connection that breaks and a response
without data are tried again until `poll_timeout_ms` have passed without a step forward; records that are gone are a
DataLossError, or are passed over where the job tolerates that. What was yielded once is never fetched again.

Invariant: `position` only grows; a request in flight is always for `position`.
"""

import logging
import time
from collections.abc import Iterator
from typing import NamedTuple

from ottla.clients.consumer.fetch_state import FetchState
from ottla.clients.consumer.fetched import FetchedPartition
from ottla.clients.consumer.settings import FetchSettings, consumer_settings
from ottla.clients.errors import broker_error
from ottla.clients.fetch_session_handler import TOPIC_IDS_VERSION, TOPIC_NAMES_VERSION_MAX
from ottla.clients.offset_lookup import OffsetSpec
from ottla.clients.retry import Backoff
from ottla.errors import KafkaError
from ottla.errors.kafka import CorruptMessageError, NetworkError, OffsetOutOfRangeError, UnknownTopicOrPartitionError
from ottla.model import ZERO_UUID, TopicPartition
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic, PartitionData
from ottla.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from ottla.records.legacy import is_legacy, up_convert
from ottla.spark.broker_link import BrokerLink
from ottla.spark.errors import DATA_LOSS_TOLERATED, DataLossError
from ottla.spark.leader_links import LeaderLinks
from ottla.spark.options import ClientOptions

logger = logging.getLogger(__name__)

CONSUMER_REPLICA_ID = -1
# A task reads one partition from end to end: larger than a consumer's default. A fetch becomes an Arrow batch.
FETCH_BYTES_DEFAULT = 4 * 1024 * 1024
FETCH_BYTES_KEY = "max.partition.fetch.bytes"
FETCH_BYTES_MAX = 2**31 - 1
# A topic that was just created may not be known everywhere; one that stays unknown for this long is gone.
UNKNOWN_TOPIC_S_MAX = 5.0
# What is tried again for longer than this, without a step forward, is worth a line in the log of the task.
QUIET_RETRIES_S_MAX = 3.0
# Responses without data in a row after which a range that lies within the log is believed to be empty.
EMPTY_RESPONSES_MAX = 3


class OffsetRange(NamedTuple):
    """Records of one partition from `start` to before `end`."""

    topic: str
    partition: int
    start: int
    end: int

    @property
    def topic_partition(self) -> TopicPartition:
        return TopicPartition(self.topic, self.partition)

    @property
    def size(self) -> int:
        """How many offsets. Compaction and transaction markers leave fewer records."""
        return max(0, self.end - self.start)

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition} [{self.start}, {self.end})"


class RangeFetcher:
    def __init__(
        self,
        options: ClientOptions,
        wanted: OffsetRange,
        links: LeaderLinks,
        *,
        fail_on_data_loss: bool,
        poll_timeout_ms: float,
    ) -> None:
        self.position = wanted.start
        self._wanted = wanted
        self._links = links
        self._settings: FetchSettings = consumer_settings(options.config).fetch
        given_bytes = options.config.given.get(FETCH_BYTES_KEY)
        self._fetch_bytes: int = FETCH_BYTES_DEFAULT if given_bytes is None else given_bytes
        self._fail_on_data_loss = fail_on_data_loss
        self._poll_timeout_ms = poll_timeout_ms
        connection = options.connection
        self._backoff = Backoff(connection.retry_backoff_ms, connection.retry_backoff_max_ms)
        self._link: BrokerLink | None = None
        self._in_flight = False
        self._failures = self._empty_responses = 0
        self._is_told = False
        self._progress_at = time.monotonic()

    def fetches(self) -> Iterator[FetchedPartition]:
        """The data of the range, response by response. Each is valid until the next is asked for."""
        try:
            while self.position < self._wanted.end:
                fetched = self._attempt()
                if fetched is not None:
                    self._failures, self._progress_at = 0, time.monotonic()
                    yield fetched
        finally:
            self._return_link()

    def _attempt(self) -> FetchedPartition | None:
        try:
            return self._fetch()
        except OffsetOutOfRangeError:
            self._skip_lost_offsets()
        except UnknownTopicOrPartitionError as error:
            self._wait_for_topic(error)
        except KafkaError as error:
            self._retry(error)
        return None

    def _fetch(self) -> FetchedPartition | None:
        if self._link is None:
            self._link = self._links.borrow(self._wanted.topic_partition)
        if not self._in_flight:
            self._send()
        response: FetchResponse = self._link.receive()
        self._in_flight = False
        return self._take(response)

    def _send(self) -> None:
        assert self._link is not None
        wanted = FetchPartition(
            partition=self._wanted.partition, fetch_offset=self.position, partition_max_bytes=self._fetch_bytes
        )
        request = FetchRequest(
            replica_id=CONSUMER_REPLICA_ID,
            max_wait_ms=self._settings.max_wait_ms,
            min_bytes=1,
            max_bytes=max(self._fetch_bytes, self._settings.max_bytes),
            isolation_level=int(self._settings.read_committed),
        )
        version = self._link.version_of(ApiKey.FETCH)
        topic_id = self._links.topic_id(self._wanted.topic)
        if version >= TOPIC_IDS_VERSION and topic_id != ZERO_UUID:
            request.topics = [FetchTopic(topic_id=topic_id, partitions=[wanted])]
        else:
            version = self._link.version_of(ApiKey.FETCH, TOPIC_NAMES_VERSION_MAX)
            request.topics = [FetchTopic(topic=self._wanted.topic, partitions=[wanted])]
        self._link.send(request, version=version)
        self._in_flight = True

    def _take(self, response: FetchResponse) -> FetchedPartition | None:
        data = _partition_data(response, self._wanted)
        if not isinstance(data.records, bytes | memoryview) or not len(data.records):
            self._take_nothing(data, response.throttle_time_ms)
            return None
        self._empty_responses = 0
        fetched = FetchedPartition(
            FetchState(self._wanted.topic_partition),
            _present_format(memoryview(data.records)),
            self.position,
            data.aborted_transactions,
            self._settings,
        )
        next_offset = fetched.next_fetch_offset()
        if next_offset is None and len(data.records) >= self._fetch_bytes < FETCH_BYTES_MAX:
            # One batch is larger than the fetch, and the broker cut it.
            self._fetch_bytes = min(2 * self._fetch_bytes, FETCH_BYTES_MAX)
            return None
        if next_offset is None or next_offset <= self.position:  # The leader's log is damaged.
            raise CorruptMessageError(f"the batch at offset {self.position} of {self._wanted} is cut short or damaged")
        self.position = next_offset
        self._send_ahead()
        return fetched

    def _send_ahead(self) -> None:
        """The next request, while this response is decoded. If that fails the response is still good."""
        if self.position < self._wanted.end:
            try:
                self._send()
            except NetworkError:
                self._drop_link()

    def _take_nothing(self, data: PartitionData, throttled_ms: int) -> None:
        """Where the log goes on behind the range, compaction has left nothing of it: said often enough, it is so."""
        end = data.last_stable_offset if self._settings.read_committed else data.high_watermark
        self._empty_responses += end >= self._wanted.end and not throttled_ms
        if self._empty_responses >= EMPTY_RESPONSES_MAX:
            self.position = self._wanted.end
        else:
            self._check_progress()

    # What goes wrong

    def _check_progress(self) -> None:
        """No data although the range goes on: the log may end early for a moment, after its leader has moved."""
        waited_ms = (time.monotonic() - self._progress_at) * 1000
        if waited_ms < self._poll_timeout_ms:
            return
        reason = f"Cannot fetch record for offset {self.position} in {self._poll_timeout_ms:.0f} milliseconds"
        self._lose(self._wanted.end, f"{reason} ({self._wanted.topic_partition})")

    def _retry(self, error: KafkaError) -> None:
        self._drop_link()
        self._failures += 1
        waited_ms = (time.monotonic() - self._progress_at) * 1000
        if not error.retriable or waited_ms > self._poll_timeout_ms:
            raise error
        self._tell(error, waited_ms)
        time.sleep(self._backoff.delay_ms(self._failures) / 1000)

    def _tell(self, error: KafkaError, waited_ms: float) -> None:
        """Once for each time that it got stuck: a leader that moves is back before."""
        is_stuck = waited_ms >= QUIET_RETRIES_S_MAX * 1000
        if is_stuck and not self._is_told:
            seconds = (self._poll_timeout_ms - waited_ms) / 1000
            logger.warning("%s: %s; trying again for %.0f s", self._wanted, error, seconds)
        self._is_told = is_stuck

    def _wait_for_topic(self, error: UnknownTopicOrPartitionError) -> None:
        if time.monotonic() - self._progress_at < UNKNOWN_TOPIC_S_MAX:
            self._retry(error)
        else:
            self._lose(self._wanted.end, self._unreadable(self._wanted.end))

    def _skip_lost_offsets(self) -> None:
        """The log begins behind `position`, or ends before it."""
        self._drop_link()
        try:
            first = self._first_offset()
        except KafkaError as error:
            self._retry(error)
            return
        lost_end = min(first, self._wanted.end) if first > self.position else self._wanted.end
        self._lose(lost_end, self._unreadable(lost_end))

    def _first_offset(self) -> int:
        link = self._links.borrow(self._wanted.topic_partition)
        try:
            partition = ListOffsetsPartition(partition_index=self._wanted.partition, timestamp=OffsetSpec.EARLIEST)
            topics = [ListOffsetsTopic(name=self._wanted.topic, partitions=[partition])]
            request = ListOffsetsRequest(replica_id=CONSUMER_REPLICA_ID, topics=topics)
            response: ListOffsetsResponse = link.ask(request)
        finally:
            link.close()
        found = response.topics[0].partitions[0]
        if found.error_code:
            raise broker_error(found.error_code, f"first offset of {self._wanted.topic_partition}")
        return found.offset

    def _unreadable(self, end: int) -> str:
        partition = self._wanted.topic_partition
        return f"Could not read records in offset [{self.position}, {end}) for topic partition {partition}"

    def _lose(self, lost_end: int, reason: str) -> None:
        """Offsets up to `lost_end` are gone: the job fails, or goes on behind them."""
        if self._fail_on_data_loss:
            raise DataLossError(reason)
        logger.warning(DATA_LOSS_TOLERATED, reason)
        self.position = lost_end
        self._progress_at = time.monotonic()

    def _drop_link(self) -> None:
        """After an error: neither the link nor what is known of the leader is trusted any more."""
        if self._link is not None:
            self._link.close()
        self._links.forget(self._wanted.topic)
        self._link = None
        self._in_flight = False

    def _return_link(self) -> None:
        if self._link is None:
            return
        if self._in_flight:
            self._link.close()
        else:
            self._links.give_back(self._link)


def _partition_data(response: FetchResponse, wanted: OffsetRange) -> PartitionData:
    if response.error_code:
        raise broker_error(response.error_code, f"fetching {wanted}")
    data = response.responses[0].partitions[0]
    if data.error_code:
        raise broker_error(data.error_code, f"fetching {wanted}")
    return data


def _present_format(records: memoryview) -> memoryview:
    """Batches of format v2. Old logs of Apache Kafka may still hold message sets."""
    if not is_legacy(records):
        return records
    return memoryview(b"".join(up_convert(records, keep_offsets=True, partial_tail=True)))
