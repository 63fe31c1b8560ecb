"""What is left of the time from producer to consumer when the broker costs nearly nothing.

A process that passes the batch of each Produce request on to the Fetch request that waits for it, in the bytes of an
answer prepared beforehand, and then acknowledges: it stores, checks and counts nothing. What the same clients measure
with it is their own time, the kernel's, and that of waking four threads. No broker can be much quicker.
"""

import select
import socket
from struct import Struct
from typing import Any

from bench.driver import say_ready
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec import encode
from ottla.protocol.headers import decode_request_header
from ottla.protocol.messages.api_versions import ApiVersion, ApiVersionsResponse
from ottla.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from ottla.protocol.messages.find_coordinator import FindCoordinatorResponse
from ottla.protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from ottla.protocol.messages.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from ottla.protocol.single_batch import single_batch_finder

PRODUCE_VERSION, FETCH_VERSION, METADATA_VERSION, COORDINATOR_VERSION, API_VERSIONS_VERSION = 9, 11, 9, 2, 3
HOST = "127.0.0.1"
SERVED = {
    ApiKey.PRODUCE: PRODUCE_VERSION,
    ApiKey.FETCH: FETCH_VERSION,
    ApiKey.METADATA: METADATA_VERSION,
    ApiKey.FIND_COORDINATOR: COORDINATOR_VERSION,  # A consumer takes its time to close where there is none.
    ApiKey.API_VERSIONS: API_VERSIONS_VERSION,
}
NOBODY_S = 1.0
_KEY_AND_VERSION = Struct(">hh")
_SIZE = Struct(">i")
_OFFSET = Struct(">q")
_NO_TAGS = b"\0"


class Relay:
    """For one topic with one partition, one producer and one consumer. Blocking sends: answers are small."""

    def __init__(self, port: int, topic: str) -> None:
        self._port = port
        self._topic = topic
        self._next_offset = 0
        self._waiting: tuple[socket.socket, bytes] | None = None
        self._unread: list[bytes] = []
        self._find_batch: Any = single_batch_finder(PRODUCE_VERSION)
        self._fetch_answers: dict[int, bytes] = {}
        answer = PartitionProduceResponse(index=0)
        topics = [TopicProduceResponse(name=topic, partition_responses=[answer])]
        self._produced = _NO_TAGS + encode(ProduceResponse(responses=topics), PRODUCE_VERSION)

    def handle(self, sock: socket.socket, frame: bytearray) -> None:
        key, version = _KEY_AND_VERSION.unpack_from(frame)
        correlation = frame[4:8]
        if key == ApiKey.FETCH:
            self._waiting = (sock, correlation)
            if self._unread:
                self._pass_on()
        elif key == ApiKey.PRODUCE:
            self._take(frame)
            send(sock, correlation, self._produced)
        elif key == ApiKey.METADATA:
            send(sock, correlation, _NO_TAGS + self._metadata())
        elif key == ApiKey.FIND_COORDINATOR:
            here = FindCoordinatorResponse(node_id=0, host=HOST, port=self._port)
            send(sock, correlation, encode(here, COORDINATOR_VERSION))
        else:
            served = [ApiVersion(api_key=api, min_version=0, max_version=latest) for api, latest in SERVED.items()]
            send(sock, correlation, encode(ApiVersionsResponse(api_keys=served), min(version, API_VERSIONS_VERSION)))

    def _take(self, frame: bytearray) -> None:
        _, position = decode_request_header(memoryview(frame))
        found = self._find_batch(memoryview(frame), position)
        assert found is not None, "a Produce request with more than one batch"
        records = bytearray(found[3])
        _OFFSET.pack_into(records, 0, self._next_offset)
        self._next_offset += 1 + int.from_bytes(records[23:27], "big")
        self._unread.append(records)
        if self._waiting is not None:
            self._pass_on()

    def _pass_on(self) -> None:
        assert self._waiting is not None
        (sock, correlation), self._waiting = self._waiting, None
        records = b"".join(self._unread)
        self._unread.clear()
        head = self._fetch_answers.get(len(records)) or self._make_head(len(records))
        send(sock, correlation, head + records)

    def _make_head(self, size: int) -> bytes:
        part = PartitionData(high_watermark=1 << 40, last_stable_offset=1 << 40, records=bytes(size))
        part.aborted_transactions = None
        response = FetchResponse(responses=[FetchableTopicResponse(topic=self._topic, partitions=[part])])
        head = self._fetch_answers[size] = encode(response, FETCH_VERSION)[:-size]
        return head

    def _metadata(self) -> bytes:
        partition = MetadataResponsePartition(leader_id=0, leader_epoch=0, replica_nodes=[0], isr_nodes=[0])
        return encode(
            MetadataResponse(
                brokers=[MetadataResponseBroker(node_id=0, host=HOST, port=self._port)],
                controller_id=0,
                topics=[MetadataResponseTopic(name=self._topic, partitions=[partition])],
            ),
            METADATA_VERSION,
        )


def send(sock: socket.socket, correlation: bytes, body: bytes) -> None:
    sock.sendall(_SIZE.pack(4 + len(body)) + correlation + body)


def serve(port: int, topic: str) -> dict[str, float]:
    """Until nobody has been connected for a second: clients open and close some before they begin."""
    relay = Relay(port, topic)
    buffers: dict[int, tuple[socket.socket, bytearray]] = {}
    with socket.create_server((HOST, port)) as listener, select.epoll() as epoll:
        epoll.register(listener, select.EPOLLIN)
        say_ready()
        while (ready := epoll.poll(-1 if buffers else NOBODY_S)) or buffers:
            for descriptor, _ in ready:
                if descriptor == listener.fileno():
                    sock, _ = listener.accept()
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    buffers[sock.fileno()] = (sock, bytearray())
                    epoll.register(sock, select.EPOLLIN)
                elif not receive(relay, *buffers[descriptor]):
                    epoll.unregister(descriptor)
                    buffers.pop(descriptor)[0].close()
    return {}


def receive(relay: Relay, sock: socket.socket, buffer: bytearray) -> bool:
    """False at the end of the stream. Clients that only looked go without reading what they were answered."""
    try:
        data = sock.recv(1 << 16)
    except ConnectionResetError:
        return False
    buffer += data
    while len(buffer) >= _SIZE.size and len(buffer) >= (end := _SIZE.size + _SIZE.unpack_from(buffer)[0]):
        frame = buffer[_SIZE.size : end]
        del buffer[:end]
        relay.handle(sock, frame)
    return bool(data)
