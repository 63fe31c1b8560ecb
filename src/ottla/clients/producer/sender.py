"""Sends the accumulated batches and sees each of them through: to its offset, or to an error that nobody can cure.

All on the loop. `drain` looks at every partition that has something pending and takes at most one batch of each per
request, one request per broker, `max.in.flight.requests.per.connection` of them under way. It runs when records come,
a response arrives, a connection opens, metadata changes, or the timer of the next linger, retry or expiry fires.

Order. Batches of a partition are sent in the order of their closing, and those to be sent again go first, one at a
time, only when nothing of the partition is in flight: so with idempotence the broker sees sequences without a gap, and
what it has already is recognised and not written twice.
"""

import asyncio
import itertools
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from ottla.clients.cluster import Cluster
from ottla.clients.connection import BrokerConnection
from ottla.clients.errors import ClientClosedError, ClientTimeoutError, broker_error
from ottla.clients.producer.accumulator import Accumulator
from ottla.clients.producer.batch import NO_OFFSET, ProducerBatch
from ottla.clients.producer.identity import ProducerIdentity
from ottla.clients.producer.nodes import ProducerNode
from ottla.clients.producer.produce_request import (
    TOPIC_IDS_VERSION,
    TOPIC_NAMES_VERSION_MAX,
    partition_responses,
    produce_request,
)
from ottla.clients.producer.producer_metrics import ProducerMetrics
from ottla.clients.producer.settings import ProducerSettings
from ottla.clients.producer.topics import PartitionQueue
from ottla.clients.retry import Backoff
from ottla.clients.snapshot import ClusterSnapshot
from ottla.errors import ErrorCode, KafkaError, OttlaError
from ottla.errors.kafka import UnknownServerError, UnsupportedVersionError
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import encode_chunks
from ottla.protocol.messages.produce import PartitionProduceResponse, ProduceResponse
from ottla.records.attributes import next_sequence

Sending = list[tuple[PartitionQueue, ProducerBatch]]
TopicIds = Mapping[str, UUID]
# While a partition has no leader its queue is looked at this often; metadata wakes the sender sooner.
LEADERLESS_PAUSE_S = 0.1
_TOO_LARGE = frozenset({ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.RECORD_LIST_TOO_LARGE})
_FORGOTTEN = frozenset({ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.UNKNOWN_PRODUCER_ID})


class Sender:
    def __init__(
        self, cluster: Cluster, accumulator: Accumulator, settings: ProducerSettings, metrics: ProducerMetrics
    ) -> None:
        self._cluster = cluster
        self._accumulator = accumulator
        self._settings = settings
        self._metrics = metrics
        self._loop = cluster.runtime.loop
        self._clock = cluster.runtime.clock
        self._backoff = Backoff(cluster.settings.retry_backoff_ms, cluster.settings.retry_backoff_max_ms)
        self._identity = ProducerIdentity(cluster, self.drain)
        self._nodes: dict[int, ProducerNode] = {}
        self._orders = itertools.count(1)
        self._timer: asyncio.TimerHandle | None = None
        self._next_due = float("inf")
        self._closed = False
        cluster.subscribe(self._handle_metadata)

    @property
    def in_flight_count(self) -> int:
        return sum(node.in_flight_count for node in self._nodes.values())

    # Draining

    def drain(self) -> None:
        """Send what can be sent now, and see to it that this is called again when there will be more."""
        if self._closed:
            return
        self._next_due = float("inf")
        with self._accumulator.lock:
            self._accumulator.wake_pending = False
        if self._identity.failure is not None:
            self.fail_all(self._identity.failure)
        while self._drain_round():
            pass
        self._arm_timer()

    def _drain_round(self) -> bool:
        """One request to every broker that has room and something to get. Whether there was any."""
        now = self._clock.monotonic()
        sendings: dict[int, Sending] = {}
        expired: Sending = []
        with self._accumulator.lock:
            for queue in list(self._accumulator.pending):
                self._take_expired(queue, now, expired)
                self._take_batch(queue, now, sendings)
                self._accumulator.drop_if_empty(queue)
        for queue, batch in expired:
            waited_ms = (now - batch.created_at) * 1000
            self._fail(queue, batch, ClientTimeoutError(f"{queue}: not delivered within {waited_ms:.0f} ms"))
        for node_id, sending in sendings.items():
            self._send(self._nodes[node_id], sending)
        return bool(sendings)

    def _take_expired(self, queue: PartitionQueue, now: float, expired: Sending) -> None:
        limit = now - self._settings.delivery_timeout_ms / 1000
        while queue.queue and queue.queue[0].created_at <= limit:
            expired.append((queue, queue.queue.popleft()))
        if queue.queue:
            self._note_due(queue.queue[0].created_at + self._settings.delivery_timeout_ms / 1000)

    def _take_batch(self, queue: PartitionQueue, now: float, sendings: dict[int, Sending]) -> None:
        """The next batch of a partition, if there is one and nothing stands in its way."""
        if not self._has_due_batch(queue, now) or not self._is_in_turn(queue, now):
            return
        leader = self._cluster.leader_of(queue.topic, queue.partition)
        if leader is None:
            self._cluster.watch_topics([queue.topic])
            self._cluster.request_refresh()
            self._note_due(now + LEADERLESS_PAUSE_S)
            return
        sending = sendings.get(leader.leader_id, [])
        size = queue.queue[0].size
        if sending and sum(batch.size for _, batch in sending) + size > self._settings.max_request_size:
            return
        if self._has_room(leader.leader_id, now):
            sendings.setdefault(leader.leader_id, sending).append((queue, queue.queue.popleft()))

    def _has_due_batch(self, queue: PartitionQueue, now: float) -> bool:
        if queue.queue:
            return True
        if queue.open is None:
            return False
        due = queue.open.created_at + self._settings.linger_ms / 1000
        accumulator = self._accumulator
        if due > now and not (accumulator.flushes or accumulator.closed or accumulator.memory.waiting_count):
            self._note_due(due)
            return False
        accumulator.close_open(queue)
        return True

    def _is_in_turn(self, queue: PartitionQueue, now: float) -> bool:
        """Whether order and idempotence allow the next batch of a partition to be sent now."""
        if queue.retry_at > now:
            self._note_due(queue.retry_at)
            return False
        if queue.queue[0].order and queue.in_flight:
            return False
        if not self._settings.is_idempotent:
            return True
        if not self._identity.ensure():
            return False
        if queue.needs_new_epoch or queue.producer_id < 0:
            if queue.in_flight:
                return False
            self._identity.adopt(queue)
        return True

    def _has_room(self, node_id: int, now: float) -> bool:
        node = self._nodes.get(node_id)
        if node is None:
            node = self._nodes[node_id] = ProducerNode(node_id, self._cluster, self.drain)
        if node.throttled_until > now:
            self._note_due(node.throttled_until)
            return False
        return node.in_flight_count < self._settings.max_in_flight and node.connection() is not None

    def _note_due(self, due: float) -> None:
        self._next_due = min(self._next_due, due)

    def _arm_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._next_due < float("inf"):
            delay = max(0.0, self._next_due - self._clock.monotonic())
            self._timer = self._loop.call_later(delay, self.drain)

    # Sending

    def _send(self, node: ProducerNode, sending: Sending) -> None:
        connection = node.connection()
        assert connection is not None, "the batches were taken for an open connection"
        try:
            version, topic_ids = self._version(connection, sending)
        except UnsupportedVersionError as error:
            for queue, batch in sending:
                self._fail(queue, batch, error)
            return
        for queue, batch in sending:
            self._number(queue, batch)
        settings = self._settings
        request = produce_request(
            (batch for _, batch in sending),
            settings.acks,
            settings.request_timeout_ms,
            settings.codec,
            settings.level,
            topic_ids,
        )
        chunks = encode_chunks(request, version)
        node.in_flight_count += 1
        self._metrics.note_request(sending, self._clock.monotonic())
        future = connection.send_chunks(ApiKey.PRODUCE, version, chunks, expect_response=settings.acks != 0)
        future.add_done_callback(partial(self._handle_done, node, sending, topic_ids))

    def _version(self, connection: BrokerConnection, sending: Sending) -> tuple[int, TopicIds | None]:
        """The version to produce in, and the ids of the topics where it names them by id."""
        version = connection.version_of(ApiKey.PRODUCE)
        if version < TOPIC_IDS_VERSION:
            return version, None
        topic_ids = self._cluster.snapshot.topic_ids_of(queue.topic for queue, _ in sending)
        if topic_ids is None:
            version = connection.version_of(ApiKey.PRODUCE, TOPIC_NAMES_VERSION_MAX)
        return version, topic_ids

    def _number(self, queue: PartitionQueue, batch: ProducerBatch) -> None:
        batch.attempts += 1
        if not batch.order:
            batch.order = next(self._orders)
        if self._settings.is_idempotent and not batch.has_sequence:
            batch.set_producer(queue.producer_id, queue.producer_epoch, queue.next_sequence)
            queue.next_sequence = next_sequence(queue.next_sequence, batch.records_count)
        queue.in_flight.append(batch)

    # Responses

    def _handle_done(
        self, node: ProducerNode, sending: Sending, topic_ids: TopicIds | None, future: "asyncio.Future[Any]"
    ) -> None:
        node.in_flight_count -= 1
        failure = future.exception() if not future.cancelled() else ClientClosedError("the producer was closed")
        if failure is None:
            self._handle_response(node, sending, topic_ids, future.result())
        else:
            error = failure if isinstance(failure, OttlaError) else UnknownServerError(str(failure))
            for queue, batch in sending:
                self._handle_failure(queue, batch, error)
            self._cluster.request_refresh()
        self.drain()

    def _handle_response(
        self, node: ProducerNode, sending: Sending, topic_ids: TopicIds | None, response: ProduceResponse | None
    ) -> None:
        if response is None:  # acks=0: there are no responses
            for queue, batch in sending:
                self._succeed(queue, batch, NO_OFFSET)
            return
        if response.throttle_time_ms:
            node.throttled_until = self._clock.monotonic() + response.throttle_time_ms / 1000
        responses = {(topic, found.index): found for topic, found in partition_responses(response, topic_ids)}
        for queue, batch in sending:
            found = responses.get((queue.topic, queue.partition))
            if found is None:
                self._handle_failure(queue, batch, UnknownServerError(f"{queue}: the broker did not answer for it"))
            elif found.error_code in (ErrorCode.NONE, ErrorCode.DUPLICATE_SEQUENCE_NUMBER):
                self._succeed(queue, batch, found.base_offset, found.log_append_time_ms)
            else:
                self._handle_failure(queue, batch, _error_of(queue, found))

    def _succeed(self, queue: PartitionQueue, batch: ProducerBatch, base_offset: int, append_time: int = -1) -> None:
        queue.in_flight.remove(batch)
        self._accumulator.completed(batch)
        batch.succeed(base_offset, append_time)

    def _handle_failure(self, queue: PartitionQueue, batch: ProducerBatch, error: OttlaError) -> None:
        """Split, send again, or give up."""
        queue.in_flight.remove(batch)
        if isinstance(error, KafkaError) and error.refreshes_metadata:
            self._cluster.request_refresh()
        if isinstance(error, KafkaError) and error.code in _TOO_LARGE and batch.records_count > 1:
            halves = batch.split()
            self._accumulator.replace(batch, halves)
            self._accumulator.requeue(queue, halves)
        elif self._may_retry(queue, batch, error):
            self._metrics.note_retry(batch)
            queue.retry_at = self._clock.monotonic() + self._backoff.delay_ms(batch.attempts) / 1000
            self._accumulator.requeue(queue, [batch])
        else:
            self._fail(queue, batch, error)

    def _may_retry(self, queue: PartitionQueue, batch: ProducerBatch, error: OttlaError) -> bool:
        expires_at = batch.created_at + self._settings.delivery_timeout_ms / 1000
        if self._closed or batch.attempts > self._settings.retries or self._clock.monotonic() >= expires_at:
            return False
        if not isinstance(error, KafkaError) or self._settings.acks == 0:
            return False
        if self._settings.is_idempotent and error.code in _FORGOTTEN:
            if not queue.needs_new_epoch and _is_first_in_line(queue, batch):
                # Nothing before it is open, so the broker does not know what was acknowledged: begin anew (KIP-360).
                self._identity.bump(queue)
            return True
        return error.retriable

    def _fail(self, queue: PartitionQueue, batch: ProducerBatch, error: OttlaError) -> None:
        if batch.has_sequence:
            self._identity.bump(queue)
        self._metrics.note_error(batch)
        self._accumulator.completed(batch)
        batch.fail(error)

    def _handle_metadata(self, _snapshot: ClusterSnapshot) -> None:
        if self._accumulator.pending:
            self._loop.call_soon(self.drain)

    # Ending

    def fail_all(self, error: OttlaError) -> None:
        """Everything that is not in flight fails."""
        failed: Sending = []
        with self._accumulator.lock:
            for queue in list(self._accumulator.pending):
                if queue.open is not None:
                    self._accumulator.close_open(queue)
                failed.extend((queue, batch) for batch in queue.queue)
                queue.queue.clear()
                self._accumulator.drop_if_empty(queue)
        for queue, batch in failed:
            self._fail(queue, batch, error)

    async def close(self) -> None:
        """Stop sending. What is in flight fails when its connection is closed, and the rest now."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        self.fail_all(ClientClosedError("the producer was closed"))
        await self._identity.close()
        await asyncio.gather(*(node.close() for node in self._nodes.values()))


def _is_first_in_line(queue: PartitionQueue, batch: ProducerBatch) -> bool:
    others: Iterable[ProducerBatch] = itertools.chain(queue.in_flight, queue.queue)
    return not any(other.order and other.order < batch.order for other in others)


def _error_of(queue: PartitionQueue, response: PartitionProduceResponse) -> KafkaError:
    message = response.error_message
    if response.record_errors:
        details = "; ".join(
            f"record {bad.batch_index}: {bad.batch_index_error_message}" for bad in response.record_errors
        )
        message = f"{message or ''} ({details})".strip()
    return broker_error(response.error_code, str(queue), message)
