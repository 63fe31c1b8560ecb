"""Thousands of consumers that wait for records, as sockets of one process; who is woken by an append.

They behave as clients do: the first fetch asks for a session (KIP-227), and while the broker grants one the next
fetches only name it. Each waits on one partition of the topic, the partitions taken in turn.
"""

import selectors
import struct
import time

from bench import frames
from bench.processes import Meter, rss_bytes
from bench.raw_driver import call, connect, produce_error, receive_frame

# response header with tags, throttle time, error code, session id
_FETCH_HEAD = struct.Struct(">ibihi")
SETTLE_S = 1.0
CONNECTIONS_AT_ONCE = 25
WOKEN_WITHIN_S = 2.0


class IdleConsumer:
    """One waiting consumer."""

    def __init__(self, port: int, topic: str, partition: int, max_wait_ms: int) -> None:
        self.sock = connect(port)
        self.partition = partition
        self._topic = topic
        self._max_wait_ms = max_wait_ms
        self._session_id = self._epoch = 0

    def fileno(self) -> int:
        return self.sock.fileno()

    def fetch(self) -> None:
        self.sock.sendall(
            frames.fetch_request(
                self._topic,
                partition=self.partition,
                max_wait_ms=self._max_wait_ms,
                session_id=self._session_id,
                session_epoch=self._epoch,
            )
        )

    def receive(self) -> int:
        """Take the answer; how many bytes of records it has."""
        message = receive_frame(self.sock)
        _correlation, _tags, _throttle, error, self._session_id = _FETCH_HEAD.unpack_from(message)
        if error:
            raise RuntimeError(f"fetch was answered with error {error}")
        self._epoch = self._epoch + 1 if self._session_id else 0
        topics = frames.answer(frames.FETCH, message).responses
        return sum(len(part.records or b"") for topic in topics for part in topic.partitions)


def idle(
    port: int, pid: int, topic: str, consumers: int, partitions: int, max_wait_ms: int, seconds: float
) -> dict[str, float]:
    """What it costs the broker that they wait; then one append, and how many answers came that should (not)."""
    waiting = [_connected(port, topic, index, partitions, max_wait_ms) for index in range(consumers)]
    selector = selectors.DefaultSelector()
    for consumer in waiting:
        selector.register(consumer, selectors.EVENT_READ, consumer)
        consumer.fetch()
    _serve(selector, SETTLE_S)
    with Meter(pid) as meter:
        renewals = _serve(selector, seconds)
    rss = rss_bytes(pid)
    _append(port, topic)
    woken, others = _count_woken(selector, consumers // partitions)
    for consumer in waiting:
        consumer.sock.close()
    return meter.costs() | {
        "core_percent": 100 * meter.broker_cpu_s / meter.elapsed_s,
        "renewals_per_s": renewals / meter.elapsed_s,
        "rss_bytes": rss,
        "woken_right": woken,
        "woken_wrong": others,
    }


def _connected(port: int, topic: str, index: int, partitions: int, max_wait_ms: int) -> IdleConsumer:
    """Every so often one asks something first: more than the broker's backlog (50) at once would wait for a second."""
    consumer = IdleConsumer(port, topic, index % partitions, max_wait_ms)
    if index % CONNECTIONS_AT_ONCE == 0:
        call(consumer.sock, frames.api_versions_request())
    return consumer


def _serve(selector: selectors.BaseSelector, seconds: float) -> int:
    """Ask again whenever a wait ends; how many did."""
    count = 0
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for key, _events in selector.select(left):
            key.data.receive()
            key.data.fetch()
            count += 1
    return count


def _append(port: int, topic: str) -> None:
    with connect(port) as sock:
        error = produce_error(call(sock, frames.produce_request(topic, frames.batch(100, 1), partition=0)))
    if error:
        raise RuntimeError(f"produce was answered with error {error}")


def _count_woken(selector: selectors.BaseSelector, expected: int) -> tuple[int, int]:
    """Answers with records by those who wait on partition 0, and answers of the others that had any."""
    right = wrong = 0
    end = time.monotonic() + WOKEN_WITHIN_S
    while (left := end - time.monotonic()) > 0:
        for key, _events in selector.select(left):
            consumer: IdleConsumer = key.data
            has_records = consumer.receive() > 0
            right += has_records and consumer.partition == 0
            wrong += consumer.partition != 0
        if right >= expected:
            end = min(end, time.monotonic() + 0.2)
    return right, wrong
